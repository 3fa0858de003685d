"""Several processes on one database: they lease shards, or one process keeps the others away."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import structlog

from bot.domain.shards import Shards
from bot.runtime.log import failure
from bot.storage import Database, UnusableDatabaseError
from bot.storage.repository import MATCH_CHANGED
from bot.storage.session import DatabaseSession, LockKind, SessionLostError

_LOG = structlog.get_logger(__name__)
#: Attempts to lock a bucket while another process keeps it, and to open a session between two renewals.
_TRIES = 10
#: The key of a process that holds all shards without leases.
_ALL = 0


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """The times of leases, in seconds."""

    #: Between two renewals.
    renew: float = 10.0
    #: Until a lease expires.
    valid: float = 30.0
    #: Until the database closes an idle session.
    idle: float = 40.0
    #: Between two identifications in one bucket.
    identify: float = 5.0
    #: Between two checks for timers of other processes.
    timers: float = 30.0


USUAL_TIMES = LeaseTimes()


class LeaseHolder(Protocol):
    """The part of a process that works for its leased shards."""

    async def acquire(self, shard: int) -> None:
        """Begin to work for a shard."""

    async def release(self, shard: int) -> None:
        """End the work for a shard, whose lease was released or lost."""

    async def renewed(self, processes: int) -> None:
        """Handle a renewal of the leases, with ``processes`` running."""

    def timer_stored(self) -> None:
        """Handle a timer that another process has stored, perhaps for this one."""


class Processes:
    """This process among the others on its database. By default, there are no others, as with a database in a file."""

    async def check(self) -> None:
        """Raise :class:`UnusableDatabaseError` unless this process may run beside the others."""

    async def keep(self, holder: LeaseHolder) -> None:
        """Keep leases for their holder until this is cancelled; without leases, do nothing."""

    async def wait_to_identify(self, bucket: int) -> None:
        """Wait until no process has identified in a bucket for some seconds; then let others wait for this one."""

    async def close(self) -> None:
        """Release everything, so that other processes can acquire it immediately."""


def processes_on(
    database: Database, shards: Shards, times: LeaseTimes, on_match_changed: Callable[[int], None]
) -> Processes:
    """This process among the others on a database. :meth:`Database.acquire` alone protects a file."""
    if shards.leased:
        return Leases(DatabaseSession(database), shards, times, on_match_changed)
    return SoleProcess(DatabaseSession(database), times) if database.is_server else Processes()


@dataclass
class Leases(Processes):
    """Leases free shards up to a fair share, and releases the rest.

    ``on_match_changed`` is called when another process has changed a match.
    """

    session: DatabaseSession
    shards: Shards
    times: LeaseTimes
    on_match_changed: Callable[[int], None] = lambda _: None

    def __post_init__(self) -> None:
        self._change = asyncio.Event()
        self._buckets: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._identifications: set[asyncio.Task[None]] = set()

    async def check(self) -> None:
        try:
            await self.session.open(self.times.idle)
            await self._check_others()
        finally:
            await self.session.close()

    async def keep(self, holder: LeaseHolder) -> None:
        while True:
            try:
                async with asyncio.timeout(self.times.valid):
                    await self._join(holder)
                while True:
                    async with asyncio.timeout(self.times.valid):
                        await self._renew(holder)
                    await self._pause()
            except Exception as error:
                _LOG.warning("leases_lost", shards=sorted(self.shards.acquired), reason=failure(error))
                await self._lose(holder)
            await asyncio.sleep(self.times.renew / _TRIES)

    async def close(self) -> None:
        with suppress(SessionLostError):
            await self.session.unlock_all()
            await self.session.notify(LockKind.PROCESS, self.shards.count)
        for task in self._identifications:
            task.cancel()
        await self.session.close()

    async def wait_to_identify(self, bucket: int) -> None:
        await self._buckets[bucket].acquire()
        try:
            while True:
                if await self.session.try_lock(LockKind.IDENTIFY, bucket):
                    break
                await asyncio.sleep(self.times.identify / _TRIES)
        except BaseException:
            self._buckets[bucket].release()
            raise
        task = asyncio.create_task(self._keep_bucket(bucket))
        self._identifications.add(task)
        task.add_done_callback(self._identifications.discard)

    async def _keep_bucket(self, bucket: int) -> None:
        try:
            await asyncio.sleep(self.times.identify)
            with suppress(SessionLostError):
                await self.session.unlock(LockKind.IDENTIFY, bucket)
        finally:
            self._buckets[bucket].release()

    async def _join(self, holder: LeaseHolder) -> None:
        on_notified = partial(self._hear, holder)
        await self.session.open(self.times.idle, on_lost=self._change.set, on_notified=on_notified)
        await self.session.share(LockKind.PROCESS, self.shards.count)
        await self._check_others()
        await self.session.notify(LockKind.PROCESS, self.shards.count)

    async def _check_others(self) -> None:
        others = {*await self.session.locks(LockKind.PROCESS)} - {self.shards.count}
        if _ALL in others:
            raise UnusableDatabaseError("A process without SHARDS is using the database. Stop it first.")
        _refuse(others)

    async def _renew(self, holder: LeaseHolder) -> None:
        self._change.clear()
        since = self.shards.clock()
        running = len(await self.session.locks(LockKind.PROCESS))
        self.shards.renew(since + self.times.valid)
        share = -(-self.shards.count // running)
        for shard in sorted(self.shards.acquired)[share:]:
            await holder.release(shard)
            self._drop(shard)
            await self.session.unlock(LockKind.SHARD, shard)
            await self.session.notify(LockKind.SHARD, shard)
        if len(self.shards.acquired) < share:
            locked = await self.session.locks(LockKind.SHARD)
            for shard in sorted({*range(self.shards.count)}.difference(locked)):
                if len(self.shards.acquired) < share and await self.session.try_lock(LockKind.SHARD, shard):
                    await self._acquire(holder, shard)
        try:
            await holder.renewed(running)
        except Exception:  # the next renewal tries again
            _LOG.exception("renewal_failed")

    async def _acquire(self, holder: LeaseHolder, shard: int) -> None:
        await self.session.disconnect_holder(shard)
        self.shards.acquired.add(shard)
        _LOG.info("shard_taken", shard=shard)
        await holder.acquire(shard)

    def _drop(self, shard: int) -> None:
        self.shards.acquired.discard(shard)
        _LOG.info("shard_released", shard=shard)

    async def _lose(self, holder: LeaseHolder) -> None:
        await self.session.close()
        lost = sorted(self.shards.acquired)
        for shard in lost:  # all of them, before anything slow
            self._drop(shard)
        for shard in lost:
            try:
                await holder.release(shard)
            except Exception:
                _LOG.exception("shard_not_released", shard=shard)

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            # Python 3.11's wait_for may ignore a cancellation.
            async with asyncio.timeout(self.times.renew):
                await self._change.wait()

    def _hear(self, holder: LeaseHolder, notification: str) -> None:
        subject, _, number = notification.partition(":")
        if subject == MATCH_CHANGED:
            self.on_match_changed(int(number))
        elif subject.upper() in LockKind.__members__:
            self._change.set()
        else:
            holder.timer_stored()


@dataclass
class SoleProcess(Processes):
    """Keeps other processes away from a database server, because this process holds all shards without leases."""

    session: DatabaseSession
    times: LeaseTimes

    def __post_init__(self) -> None:
        self._reopening: asyncio.Task[None] | None = None

    async def check(self) -> None:
        await self.session.open(on_lost=self._start_reopening)
        if not await self.session.try_lock(LockKind.PROCESS, _ALL):
            raise UnusableDatabaseError(
                "Another process is using the database. Stop it first, or start both with the same number of SHARDS."
            )
        _refuse({*await self.session.locks(LockKind.PROCESS)} - {_ALL})

    async def close(self) -> None:
        if self._reopening is not None:
            self._reopening.cancel()
        await self.session.close()

    def _start_reopening(self) -> None:
        _LOG.warning("leases_lost")
        if self._reopening is None or self._reopening.done():
            self._reopening = asyncio.get_running_loop().create_task(self._reopen())

    async def _reopen(self) -> None:
        while True:
            await asyncio.sleep(self.times.renew)
            try:
                async with asyncio.timeout(self.times.valid):
                    await self.check()
            except Exception as error:
                _LOG.warning("leases_lost", reason=failure(error))
            else:
                return


def _refuse(others: set[int]) -> None:
    if others:
        raise UnusableDatabaseError(
            f"Processes with SHARDS={min(others)} are using the database. Stop them first, or start this one with "
            "the same number."
        )
