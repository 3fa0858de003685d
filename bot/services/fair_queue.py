"""A queue for work that takes long and is done one at a time: people take turns, however much each has asked for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class QueueFullError(Exception):
    """Somebody is waiting for as much as one person may."""


class FairQueue:
    """Lets one in at a time. Each person may wait for ``most`` things, including the one that is being done."""

    def __init__(self, most: int) -> None:
        self._most = most
        #: By person, the next one first: those who wait, behind them for the rest of the round who was served.
        self._waiting: dict[int, deque[asyncio.Future[None]]] = {}
        self._served: int | None = None

    @asynccontextmanager
    async def place(self, person: int) -> AsyncIterator[None]:
        """Waits for the person's turn, which lasts as long as the block. Raises :class:`QueueFullError`."""
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
                self._leave()  # it was called just before
            raise

    def _leave(self) -> None:
        """Calls the next person; whoever was served now comes last."""
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
        with suppress(ValueError):  # it was called although nobody waited for it any more
            waiting.remove(called)
        if not waiting:
            self._waiting.pop(person, None)
