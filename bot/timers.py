"""One sleeper for everything that is due at a time. What is due is stored, so a restart forgets nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog

_LOG = structlog.get_logger(__name__)
_LONGEST_SLEEP = 24 * 60 * 60.0
_RETRY = 60.0


class Sleeper:
    """Sleeps until the earliest stored timer is due, then rings.

    ``next_due`` tells when that is (None: no timer); ``ring`` does what is due. Call :meth:`wake` after a timer was
    stored.
    """

    def __init__(
        self,
        next_due: Callable[[], Awaitable[datetime | None]],
        ring: Callable[[], Awaitable[None]],
        clock: Callable[[], datetime],
    ) -> None:
        self._next_due = next_due
        self._ring = ring
        self._clock = clock
        self._alarm: asyncio.TimerHandle | None = None
        self._ringing: asyncio.Task[None] | None = None
        self._stopped = False

    async def wake(self) -> None:
        """Looks again when to ring."""
        due = await self._next_due()
        if due is not None:
            self._sleep((due - self._clock()).total_seconds())

    def stop(self) -> set[asyncio.Task[None]]:
        """Never rings again; what is left of the last ring, if anything."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._stopped = True
        return {self._ringing} if self._ringing is not None else set()

    def _sleep(self, seconds: float) -> None:
        if self._stopped:
            return
        if self._alarm is not None:
            self._alarm.cancel()
        delay = min(max(seconds, 0.0), _LONGEST_SLEEP)
        self._alarm = asyncio.get_running_loop().call_later(delay, self._start_ringing)

    def _start_ringing(self) -> None:
        if self._ringing is None or self._ringing.done():
            self._ringing = asyncio.get_running_loop().create_task(self._ring_and_wake())

    async def _ring_and_wake(self) -> None:
        try:
            await self._ring()
            await self.wake()
        except Exception:
            _LOG.exception("timer_failed")
            self._sleep(_RETRY)
