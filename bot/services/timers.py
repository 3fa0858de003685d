"""The timers at work: one sleeper wakes for whatever is due next. Timers are stored, so they survive a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot import metrics
from bot.domain.timers import IMMEDIATE, RINGS_AGAIN, Timer, TimerKind
from bot.services.fair_threads import work_for
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
#: Seconds after which the sleeper looks for timers again, in case that the computer's clock was set.
_LONGEST_SLEEP = 60 * 60.0
_RETRY = 60.0
#: Seconds between two rings, and how many timers each serves, so that many due timers do not cause a burst.
_SPACING = 1.0
_AT_ONCE = 10


class NotNowError(Exception):
    """What is due cannot be done at the moment and should be tried again in a minute."""


@dataclass
class Alarms:
    """Calls the handlers of due timers with their subjects, then removes the timers.

    A timer is put off before its handler is called, so that no other process calls it. If the process ends before the
    timer is removed, it rings again, so a handler first checks whether there is still something to do. A handler that
    fails is called again later and does not hold up the others.
    """

    storage: Storage
    handlers: Mapping[TimerKind, Callable[[int], Awaitable[None]]]
    clock: Callable[[], datetime]

    async def next_due(self) -> datetime | None:
        """When the next timer is due."""
        async with self.storage.read() as tx:
            return await tx.timers.next_due()

    async def resume(self) -> None:
        """Let what a process that is gone has begun, and put off until then, ring at once."""
        async with self.storage.transaction() as tx:
            await tx.timers.hasten(IMMEDIATE, self.clock())

    async def ring(self) -> datetime | None:
        """Do some of what is due; return when the next timer is due then, None if there is none."""
        rung: Timer | None = None
        again_at: datetime | None = None
        left = _AT_ONCE
        while True:
            now = self.clock()
            until = now + RINGS_AGAIN
            async with self.storage.transaction() as tx:
                if rung is not None and again_at is not None:
                    await tx.timers.postpone(rung, again_at)
                elif rung is not None:
                    await tx.timers.remove(rung)  # at once, so that a crash does not repeat it
                timer = await tx.timers.lease(now, until) if left else None
                if timer is None:
                    return await tx.timers.next_due()
            again_at = await self._handle(timer)
            rung, left = replace(timer, due_at=until), left - 1

    async def _handle(self, timer: Timer) -> datetime | None:
        """Call the handler of a timer; return when it is to be called again, None if it has done its work."""
        metrics.TIMER_LATENESS.observe((self.clock() - timer.due_at).total_seconds())
        metrics.TIMERS_RUNG.labels(timer.kind).inc()
        try:
            await self.handlers[timer.kind](timer.subject_id)
        except Exception as error:
            if not isinstance(error, NotNowError):
                _LOG.exception("timer_failed", kind=timer.kind, subject=timer.subject_id)
            return self.clock() + timedelta(seconds=_RETRY)
        return None


class Sleeper:
    """Sleeps until the earliest stored timer is due, then rings.

    ``next_due`` returns when that is (None: no timer); ``ring`` does what is due, and returns the same. Call
    :meth:`notice` after storing a timer, and :meth:`wake_for_noticed` once nothing else has to be done first. If other
    processes set timers as well, it rings after ``look`` seconds at the latest.
    """

    def __init__(
        self,
        next_due: Callable[[], Awaitable[datetime | None]],
        ring: Callable[[], Awaitable[datetime | None]],
        clock: Callable[[], datetime],
        *,
        look: float | None = None,
    ) -> None:
        self._longest = look or _LONGEST_SLEEP
        self._looks = look is not None
        self._next_due = next_due
        self._ring = ring
        self._clock = clock
        self._alarm: asyncio.TimerHandle | None = None
        self._ringing: asyncio.Task[None] | None = None
        self._stopped = False
        self._noticed: datetime | None = None

    async def wake(self) -> None:
        """Set the alarm for the next timer."""
        self._sleep_until(await self._next_due())

    def notice(self, due: datetime) -> None:
        """Take note of when a timer that was just stored is due."""
        self._noticed = due if self._noticed is None else min(self._noticed, due)

    def wake_for_noticed(self) -> None:
        """Ring for the timers that were noticed, without looking for them in the database."""
        if self._noticed is not None:
            self._set_alarm_for(self._noticed)
            self._noticed = None

    def stop(self) -> set[asyncio.Task[None]]:
        """Never ring again; return what is left of the last ring, if anything."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._stopped = True
        return {self._ringing} if self._ringing is not None else set()

    def _sleep_until(self, due: datetime | None, *, least: float = 0.0) -> None:
        """Set the alarm for when the next timer is due, in ``least`` seconds at the earliest."""
        if due is not None:
            self._set_alarm_for(due, least=least)
        elif self._looks:
            self.set_alarm(self._longest)

    def _set_alarm_for(self, due: datetime, *, least: float = 0.0) -> None:
        self.set_alarm(max((due - self._clock()).total_seconds(), least))

    def set_alarm(self, seconds: float) -> None:
        """Ring after so many seconds, or sooner if an alarm is already set."""
        if self._stopped:
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + min(max(seconds, 0.0), self._longest)
        if self._alarm is not None:
            if self._alarm.when() <= at:
                return  # the caller may have read an outdated time; ringing early does no harm
            self._alarm.cancel()
        self._alarm = loop.call_at(at, self._start_ringing)

    def _start_ringing(self) -> None:
        self._alarm = None
        if self._ringing is None or self._ringing.done():
            self._ringing = asyncio.get_running_loop().create_task(self._ring_and_wake())

    async def _ring_and_wake(self) -> None:
        metrics.nothing_received()
        work_for(None)
        try:
            self._sleep_until(await self._ring(), least=_SPACING)
        except Exception:
            _LOG.exception("timer_failed")
            self.set_alarm(_RETRY)
