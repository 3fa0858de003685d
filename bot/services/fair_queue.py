"""A fair queue for long jobs of which few run at a time: whoever has used least of late comes first."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

#: Seconds after which what somebody has used counts for half.
_HALF_LIFE = 60.0
#: What somebody has used is forgotten when it counts for less than this.
_LEAST = 0.001


class QueueFullError(Exception):
    """A person already has as many jobs in the queue as allowed."""


@dataclass(eq=False, slots=True)
class Place:
    """A person's place in the queue, for the job of that number if it has one."""

    person: int
    job: int | None
    #: What the job is expected to cost; once it runs, it may say so more exactly.
    cost: float
    called: asyncio.Future[None] | None = field(default=None, repr=False)


class FairQueue:
    """A queue that runs ``at_once`` jobs at a time, in which each person may have ``most`` jobs, running ones included.

    People are numbers. The next job is that by whose end its person will have used least, so somebody's short jobs come
    before their long ones. What was used counts for half after a minute. Jobs cost the same unless they say otherwise.
    """

    def __init__(self, most: float, at_once: int = 1) -> None:
        self._most = most
        self._at_once = at_once
        #: In the order in which they came.
        self._waiting: list[Place] = []
        self._served: list[Place] = []
        #: What each person has used, as it counted at a time of the event loop's.
        self._used: dict[int, float] = {}
        self._used_at = 0.0

    def used_by(self, person: int) -> float:
        """How much a person has used of late, and what is used for them right now."""
        return self._used_by_all()[person]

    def ahead_of(self, person: int, job: int | None = None, cost: float = 1.0) -> int:
        """How many jobs have to end before one of the person runs: the one of that number, if it is in the queue."""
        places = (*self._served, *self._waiting) if job is not None else ()
        own = next((each for each in places if (each.person, each.job) == (person, job)), Place(person, job, cost))
        if own in self._served or (not self._waiting and len(self._served) < self._at_once):
            return 0
        waiting = self._waiting if own in self._waiting else [*self._waiting, own]
        return 1 + self._in_order(waiting).index(own)

    def __len__(self) -> int:
        """How many jobs wait or run."""
        return len(self._waiting) + len(self._served)

    @asynccontextmanager
    async def place(self, person: int, job: int | None = None, cost: float = 1.0) -> AsyncIterator[Place]:
        """Wait for the person's turn, which lasts until the end of the block. Raises :class:`QueueFullError`."""
        place = Place(person, job, cost)
        await self._enter(place)
        try:
            yield place
        finally:
            self._leave(place)

    async def _enter(self, place: Place) -> None:
        if sum(each.person == place.person for each in (*self._waiting, *self._served)) >= self._most:
            raise QueueFullError
        if not self._waiting and len(self._served) < self._at_once:
            self._served.append(place)
            return
        place.called = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place.called
        except asyncio.CancelledError:
            if place in self._served:  # it was this person's turn already
                self._served.remove(place)
                self._call_next()
            elif place in self._waiting:
                self._waiting.remove(place)
            raise

    def _leave(self, place: Place) -> None:
        self._served.remove(place)
        self._fade()
        self._used[place.person] = self._used.get(place.person, 0.0) + place.cost
        # Not at once: whoever leaves may have another job, which comes next if they have used least.
        asyncio.get_running_loop().call_soon(self._call_next)

    def _call_next(self) -> None:
        while self._waiting and len(self._served) < self._at_once:
            place = self._in_order(self._waiting)[0]
            self._waiting.remove(place)
            assert place.called is not None
            if not place.called.cancelled():
                self._served.append(place)
                place.called.set_result(None)

    def _in_order(self, places: Sequence[Place]) -> list[Place]:
        """The places in the order in which they are called, by what their people will have used after each of them."""
        used, ends = self._used_by_all(), dict[Place, float]()
        for place in sorted(places, key=lambda place: place.cost):
            used[place.person] += place.cost
            ends[place] = used[place.person]
        return sorted(places, key=ends.__getitem__)

    def _used_by_all(self) -> defaultdict[int, float]:
        self._fade()
        used = defaultdict(float, self._used)
        for place in self._served:
            used[place.person] += place.cost
        return used

    def _fade(self) -> None:
        """Let what was used count for less, the longer ago it was."""
        now = asyncio.get_running_loop().time()
        part = 0.5 ** ((now - self._used_at) / _HALF_LIFE)
        self._used = {person: left for person, used in self._used.items() if (left := used * part) > _LEAST}
        self._used_at = now
