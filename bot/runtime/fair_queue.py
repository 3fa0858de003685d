"""A fair queue for long jobs: only a few run at a time, and the person with the least recent use comes first."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

#: The half-life of use, in seconds.
_HALF_LIFE = 60.0
#: Use below this amount counts as none.
_LEAST = 0.001


@dataclass(eq=False, slots=True)
class Job:
    """A person's job, perhaps with a number."""

    person: int
    number: int | None
    cost: float
    call: asyncio.Future[None] | None = field(default=None, repr=False)

    def correct(self, cost: float) -> None:
        """Correct the expected cost while the job runs."""
        self.cost = cost


@dataclass
class FairQueue:
    """A queue that runs up to ``at_once`` jobs at a time. People are numbers.

    The next job is the job after which its person will have the least use, so short jobs come before long ones. Every
    minute, use counts half as much.
    """

    at_once: int = 1

    def __post_init__(self) -> None:
        #: The waiting jobs, in the order of arrival.
        self._queue: list[Job] = []
        self._running: list[Job] = []
        #: The use of each person at the event loop's time ``_used_at``.
        self._use: dict[int, float] = {}
        self._used_at = 0.0

    def used_by(self, person: int) -> float:
        """The recent use of a person, including running jobs."""
        return self._used_by_all()[person]

    def ahead_of(self, person: int, number: int | None = None, cost: float = 1.0) -> int:
        """The number of jobs before the person's job with a number or, without such a job, before a new one."""
        jobs = (*self._running, *self._queue) if number is not None else ()
        own = next((job for job in jobs if (job.person, job.number) == (person, number)), Job(person, number, cost))
        if own in self._running or (not self._queue and len(self._running) < self.at_once):
            return 0
        waiting = self._queue if own in self._queue else [*self._queue, own]
        return 1 + self._in_order(waiting).index(own)

    def __len__(self) -> int:
        return len(self._queue) + len(self._running)

    @asynccontextmanager
    async def slot(self, person: int, number: int | None = None, cost: float = 1.0) -> AsyncIterator[Job]:
        """Wait until a person's job may run; it ends with the block."""
        job = Job(person, number, cost)
        await self._enter(job)
        try:
            yield job
        finally:
            self._leave(job)

    async def _enter(self, job: Job) -> None:
        if not self._queue and len(self._running) < self.at_once:
            self._running.append(job)
            return
        job.call = asyncio.get_running_loop().create_future()
        self._queue.append(job)
        try:
            await job.call
        except asyncio.CancelledError:
            if job in self._running:  # the job was already called
                self._running.remove(job)
                self._call_next()
            elif job in self._queue:
                self._queue.remove(job)
            raise

    def _leave(self, job: Job) -> None:
        self._running.remove(job)
        self._fade()
        self._use[job.person] = self._use.get(job.person, 0.0) + job.cost
        # Not immediately, because the same person may be about to add another job.
        asyncio.get_running_loop().call_soon(self._call_next)

    def _call_next(self) -> None:
        while self._queue and len(self._running) < self.at_once:
            job = self._in_order(self._queue)[0]
            self._queue.remove(job)
            assert job.call is not None
            if not job.call.cancelled():
                self._running.append(job)
                job.call.set_result(None)

    def _in_order(self, jobs: Sequence[Job]) -> list[Job]:
        used, ends = self._used_by_all(), dict[Job, float]()
        for job in sorted(jobs, key=lambda job: job.cost):
            used[job.person] += job.cost
            ends[job] = used[job.person]
        return sorted(jobs, key=ends.__getitem__)

    def _used_by_all(self) -> defaultdict[int, float]:
        self._fade()
        used = defaultdict(float, self._use)
        for job in self._running:
            used[job.person] += job.cost
        return used

    def _fade(self) -> None:
        """Reduce everybody's use, depending on the time that has passed."""
        now = asyncio.get_running_loop().time()
        decay = 0.5 ** ((now - self._used_at) / _HALF_LIFE)
        self._use = {person: left for person, used in self._use.items() if (left := used * decay) > _LEAST}
        self._used_at = now
