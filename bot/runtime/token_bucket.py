"""A token bucket: a fixed number of callers pass each second, and the rest wait."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from dataclasses import dataclass


@dataclass
class TokenBucket:
    """A bucket to which ``per_second`` tokens are added, and which holds the tokens of one second.

    Callers pass in order, patient callers only when no others wait.
    """

    per_second: float

    def __post_init__(self) -> None:
        #: The event loop's time at which the bucket was, or will be, full again.
        self._full_at = 0.0
        #: The number of tokens taken for a later caller.
        self._reserved = 0
        self._waiters: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._alarm: asyncio.TimerHandle | None = None

    def limit(self, per_second: float) -> None:
        """Add this many tokens a second from now on."""
        self.per_second = per_second

    async def wait(self, *, patient: bool = False) -> None:
        """Wait for a token, and take it."""
        if self._reserved:
            self._reserved -= 1
            return
        if not self._waiters and self._take():
            return
        waiter = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiters, (patient, next(self._numbers), waiter))
        self._set_alarm()
        await waiter

    async def reserve(self) -> None:
        """Take a token patiently, and leave it to the next caller of :meth:`wait`."""
        await self.wait(patient=True)
        self._reserved += 1

    def _take(self) -> bool:
        now = asyncio.get_running_loop().time()
        full_at = max(self._full_at, now) + 1 / self.per_second
        if full_at > now + 1:
            return False
        self._full_at = full_at
        return True

    def _set_alarm(self) -> None:
        if self._alarm is None and self._waiters:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_at(self._full_at + 1 / self.per_second - 1, self._call_next)

    def _call_next(self) -> None:
        self._alarm = None
        while self._waiters:
            waiter = self._waiters[0][-1]
            if not waiter.done():  # otherwise the caller was cancelled
                if not self._take():
                    break
                waiter.set_result(None)
            heapq.heappop(self._waiters)
        self._set_alarm()
