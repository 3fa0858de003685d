"""The scheduler: when a stored timer is due, it calls the handler of the timer's kind with the subject."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import Context, copy_context
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeAlias, TypeVar

import structlog

from bot.domain.timers import IMMEDIATE, LEASE, Timer, TimerKind
from bot.runtime import metrics
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
#: Maximum sleep in seconds, because the system clock may change.
_LONGEST_SLEEP = 60 * 60.0
#: Seconds until a failed handler is called again.
_RETRY = 60.0
#: Seconds between two runs, and maximum timers in a run, so many due timers cause no burst.
_SPACING = 1.0
_AT_ONCE = 10
_KINDS = "__timer_kinds__"

Handler: TypeAlias = Callable[[int], Awaitable[asyncio.Task[None] | None]]
_Method = TypeVar("_Method", bound=Callable[..., Awaitable[asyncio.Task[None] | None]])


class RetryLaterError(Exception):
    """The work of a timer cannot be done now; the scheduler tries it again in a minute."""


def on_timer(*kinds: TimerKind) -> Callable[[_Method], _Method]:
    """Mark a method as the handler of timers of these kinds, which is called with the timer's subject.

    A handler may be called twice for the same timer, so it first checks whether the work is still needed. If it returns
    a task that does the work, the timer remains, in case the task fails.
    """

    def mark(method: _Method) -> _Method:
        setattr(method, _KINDS, kinds)
        return method

    return mark


def timer_handlers(parts: Iterable[Any]) -> dict[TimerKind, Handler]:
    """The handlers among the methods of these parts, by kind."""
    found: dict[TimerKind, Handler] = {}
    for part in parts:
        for kind, name in _names_of_handlers(type(part)):  # type: ignore[arg-type]  # types can be hashed
            assert kind not in found, f"two handlers for {kind}"
            found[kind] = getattr(part, name)
    return found


@cache
def _names_of_handlers(part: type[Any]) -> tuple[tuple[TimerKind, str], ...]:
    """The kinds with which methods of a class are marked, with the names of the methods."""
    return tuple((kind, name) for name in dir(part) for kind in getattr(getattr(part, name), _KINDS, ()))


@dataclass
class Scheduler:
    """Sleeps until the earliest stored timer is due, then calls the handlers of all due timers.

    A handler that fails is called again later, and does not delay the others. Every ``poll`` seconds, the scheduler
    looks for timers that other processes have stored.
    """

    storage: Storage
    handlers: Mapping[TimerKind, Handler]
    now: Callable[[], datetime]
    poll: float | None = None

    def __post_init__(self) -> None:
        self._wakeup: asyncio.Handle | None = None
        self._wakes_at = 0.0  # kept here, because uvloop's handle for an immediate call does not know its time
        self._running: asyncio.Task[None] | None = None
        #: Whether a timer may have been stored since the running task last looked.
        self._outdated = False
        #: The context of all runs, independent of the tasks that store timers; None until the first run is scheduled.
        self.context: Context | None = None
        self._stopped = False

    async def next_due(self) -> datetime | None:
        async with self.storage.read() as tx:
            return await tx.timers.next_due()

    async def schedule(self) -> None:
        """Schedule a run for the next stored timer. Nothing runs before the first call."""
        if self.context is None:
            self.context = copy_context()
        self._schedule_for(await self.next_due())

    def schedule_at(self, due: datetime) -> None:
        """Schedule a run for a timer that has just been stored, unless an earlier one is scheduled."""
        self._schedule_for(due)

    def schedule_in(self, seconds: float) -> None:
        """Schedule a run after some seconds, unless an earlier one is scheduled."""
        if self.context is not None and not self._stopped:
            self.context.run(self._wake_in, min(max(seconds, 0.0), self.poll or _LONGEST_SLEEP))

    async def expire_leases(self) -> None:
        """Make immediate timers due, since their leases may belong to a process that is gone."""
        async with self.storage.transaction() as tx:
            await tx.timers.expire_leases(IMMEDIATE, self.now())

    async def run_due(self) -> datetime | None:
        """Call the handlers of some due timers; return when the next timer is due.

        A timer is leased during the call, so no other process handles it, and removed afterwards. If this process ends
        during the call, the lease expires.
        """
        handled: Timer | None = None
        retry_at: datetime | None = None
        left = _AT_ONCE
        while True:
            now = self.now()
            until = now + LEASE
            self._outdated = False
            async with self.storage.transaction() as tx:
                if handled is not None and retry_at is not None:
                    await tx.timers.postpone(handled, retry_at)
                elif handled is not None:
                    await tx.timers.remove(handled)  # before the next call, because a crash would repeat the work
                timer = await tx.timers.lease(now, until) if left else None
                if timer is None:
                    return await tx.timers.next_due()
            retry_at = await self._handle(timer)
            handled, left = replace(timer, due_at=until), left - 1

    def stop(self) -> set[asyncio.Task[None]]:
        """Start no more runs; return the task of the last run, unless there was none."""
        if self._wakeup is not None:
            self._wakeup.cancel()
        self._stopped = True
        return set() if self._running is None else {self._running}

    async def _handle(self, timer: Timer) -> datetime | None:
        """Call the handler of a timer; return when to call it again, or None if the work is done."""
        metrics.TIMER_LATENESS.observe((self.now() - timer.due_at).total_seconds())
        metrics.TIMERS_HANDLED.labels(timer.kind).inc()
        try:
            begun = await self.handlers[timer.kind](timer.subject_id)
        except Exception as error:
            if not isinstance(error, RetryLaterError):
                _LOG.exception("timer_failed", kind=timer.kind, subject=timer.subject_id)
        else:
            if begun is None:
                return None
        return self.now() + timedelta(seconds=_RETRY)

    def _schedule_for(self, due: datetime | None, *, least: float = 0.0) -> None:
        """Schedule a run for a time, no sooner than ``least`` seconds from now."""
        if due is not None:
            self.schedule_in(max((due - self.now()).total_seconds(), least))
        elif self.poll is not None:
            self.schedule_in(self.poll)

    def _wake_in(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        at = loop.time() + seconds
        if self._wakeup is not None:
            if self._wakes_at <= at:
                return  # the caller may have read an outdated time; an early run is harmless
            self._wakeup.cancel()
        self._wakes_at = at
        self._wakeup = loop.call_at(at, self._start_run) if seconds else loop.call_soon(self._start_run)

    def _start_run(self) -> None:
        self._wakeup = None
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().create_task(self._run())
        else:
            self._outdated = True

    async def _run(self) -> None:
        try:
            self._schedule_for(await self.run_due(), least=_SPACING)
            if self._outdated:
                self.schedule_in(_SPACING)
        except Exception:
            _LOG.exception("timer_failed")
            self.schedule_in(_RETRY)
