"""A fair queue for long jobs of which few run at a time: people take turns, however many jobs each has."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class QueueFullError(Exception):
    """A person already has as many jobs in the queue as allowed."""


class FairQueue:
    """A queue that runs ``at_once`` jobs at a time, in which each person may have ``most`` jobs, running ones included.

    A person is a number, such as that of a match.
    """

    def __init__(self, most: int, at_once: int = 1) -> None:
        self._most = most
        self._at_once = at_once
        #: The waiting jobs by person, the next person first. A person who is or was served moves to the end.
        self._waiting: dict[int, deque[asyncio.Future[None]]] = {}
        self._served: list[int] = []

    def ahead_of(self, person: int) -> int:
        """How many jobs have to end before one of the person runs."""
        if person in self._served or len(self._served) < self._at_once:
            return 0
        waiting = [*self._waiting, person]
        return 1 + waiting.index(person)

    def __len__(self) -> int:
        """How many jobs wait or run."""
        return sum(map(len, self._waiting.values())) + len(self._served)

    @asynccontextmanager
    async def place(self, person: int) -> AsyncIterator[None]:
        """Wait for the person's turn, which lasts until the end of the block. Raises :class:`QueueFullError`."""
        await self._enter(person)
        try:
            yield
        finally:
            self._leave(person)

    async def _enter(self, person: int) -> None:
        waiting = self._waiting.get(person, ())
        if len(waiting) + self._served.count(person) >= self._most:
            raise QueueFullError
        if len(self._served) < self._at_once:
            self._served.append(person)
            return
        called = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(person, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if called.cancelled():
                self._forget(person, called)
            else:
                self._leave(person)  # it was this person's turn already
            raise

    def _leave(self, served: int) -> None:
        """End the turn of a person being served, who now comes last, and call the next one."""
        self._put_last(served)
        self._served.remove(served)
        while self._waiting and len(self._served) < self._at_once:
            person, waiting = next(iter(self._waiting.items()))
            called = waiting[0]
            self._forget(person, called)
            self._put_last(person)
            if not called.cancelled():
                self._served.append(person)
                called.set_result(None)

    def _put_last(self, person: int) -> None:
        if person in self._waiting:
            self._waiting[person] = self._waiting.pop(person)

    def _forget(self, person: int, called: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(person, deque())
        with suppress(ValueError):  # it was called after its wait had been cancelled
            waiting.remove(called)
        if not waiting:
            self._waiting.pop(person, None)
