"""A fair queue for long jobs that run one at a time: people take turns, however many jobs each has."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class QueueFullError(Exception):
    """A person already has as many jobs in the queue as allowed."""


class FairQueue:
    """A queue that runs one job at a time, in which each person may have ``most`` jobs, including the running one."""

    def __init__(self, most: int) -> None:
        self._most = most
        #: The waiting jobs by person, the next person first. A person who was served moves to the end.
        self._waiting: dict[int, deque[asyncio.Future[None]]] = {}
        self._served: int | None = None

    def __len__(self) -> int:
        """How many jobs wait or run."""
        return sum(map(len, self._waiting.values())) + (self._served is not None)

    @asynccontextmanager
    async def place(self, person: int) -> AsyncIterator[None]:
        """Wait for the person's turn, which lasts until the end of the block. Raises :class:`QueueFullError`."""
        await self._enter(person)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, person: int) -> None:
        waiting = self._waiting.get(person, ())
        if len(waiting) + (self._served == person) >= self._most:
            raise QueueFullError
        if self._served is None:
            self._served = person
            return
        called = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(person, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if called.cancelled():
                self._forget(person, called)
            else:
                self._leave()  # it was this person's turn already
            raise

    def _leave(self) -> None:
        """End the turn of the person being served, who now comes last, and call the next one."""
        if self._served in self._waiting:
            self._waiting[self._served] = self._waiting.pop(self._served)
        self._served = None
        while self._waiting and self._served is None:
            person, waiting = next(iter(self._waiting.items()))
            called = waiting[0]
            self._forget(person, called)
            if not called.cancelled():
                self._served = person
                called.set_result(None)

    def _forget(self, person: int, called: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(person, deque())
        with suppress(ValueError):  # it was called after its wait had been cancelled
            waiting.remove(called)
        if not waiting:
            self._waiting.pop(person, None)
