"""Leases of shards: several processes on one database share them out among themselves."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog

from bot.domain.shards import Shards
from bot.log import failure
from bot.storage import UnusableDatabaseError
from bot.storage.session import LockKind, Session, SessionLostError

_LOG = structlog.get_logger(__name__)
#: So often a process that waits to identify tries while another one keeps its bucket; and a process that has lost its
#: leases begins anew after such a part of the time between two looks.
_TRIES = 10
#: The key of a process that holds all shards, however many there are.
_ALL = 0


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """In seconds: how often a process looks at the leases, how long its own are valid after that, and after how much
    time the database takes them away; how long nobody else identifies in the same bucket; and how often it looks for
    timers that others have set."""

    look: float = 10.0
    valid: float = 30.0
    idle: float = 40.0
    identify: float = 5.0
    timers: float = 30.0


USUAL_TIMES = LeaseTimes()


@dataclass
class Leases:
    """Takes free shards up to a fair share, and gives up what is above it.

    ``on_taken`` is called with a shard, and so is ``on_given_up``, also when it is lost together with the connection to
    the database; ``on_look`` is called with the number of processes that run, and ``on_timer`` when one of them has set
    a timer that another one rings.
    """

    session: Session
    shards: Shards
    times: LeaseTimes

    def __post_init__(self) -> None:
        self._taken: set[int] = set()
        self._changed = asyncio.Event()
        self._buckets: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._identified: set[asyncio.Task[None]] = set()
        self.session.on_notified = self._hear
        self.session.on_lost = self._changed.set
        self.on_taken: Callable[[int], Awaitable[None]] = _nothing
        self.on_given_up: Callable[[int], Awaitable[None]] = _nothing
        self.on_look: Callable[[int], Awaitable[None]] = _nothing
        self.on_timer: Callable[[], None] = lambda: None

    async def check(self) -> None:
        """Raise :class:`UnusableDatabaseError` if processes run that know of another number of shards."""
        try:
            await self.session.open(self.times.idle)
            await self._check_others()
        finally:
            await self.session.close()

    async def keep(self) -> None:
        """Take, keep and give up shards until this is cancelled."""
        while True:
            try:
                async with asyncio.timeout(self.times.valid):
                    await self._join()
                while True:
                    async with asyncio.timeout(self.times.valid):
                        await self._look()
                    await self._pause()
            except Exception as error:
                _LOG.warning("leases_lost", shards=sorted(self._taken), reason=failure(error))
                await self._lose()
            await asyncio.sleep(self.times.look / _TRIES)

    async def close(self) -> None:
        """Give everything up, so that others can take it at once."""
        with suppress(SessionLostError):
            await self.session.unlock_all()
            await self.session.notify(LockKind.PROCESS, self.shards.count)
        for task in self._identified:
            task.cancel()
        await self.session.close()

    async def wait_to_identify(self, bucket: int) -> None:
        """Wait until no process has identified in a bucket for some seconds, then keep the others waiting."""
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
        self._identified.add(task)
        task.add_done_callback(self._identified.discard)

    async def _keep_bucket(self, bucket: int) -> None:
        try:
            await asyncio.sleep(self.times.identify)
            with suppress(SessionLostError):
                await self.session.unlock(LockKind.IDENTIFY, bucket)
        finally:
            self._buckets[bucket].release()

    async def _join(self) -> None:
        """Become one of the processes that share the shards."""
        await self.session.open(self.times.idle)
        await self.session.share(LockKind.PROCESS, self.shards.count)
        await self._check_others()
        await self.session.notify(LockKind.PROCESS, self.shards.count)

    async def _check_others(self) -> None:
        others = {*await self.session.locked(LockKind.PROCESS)} - {self.shards.count}
        if _ALL in others:
            raise UnusableDatabaseError("A process without SHARDS is using the database. Stop it first.")
        _refuse(others)

    async def _look(self) -> None:
        self._changed.clear()
        since = self.shards.now()
        running = len(await self.session.locked(LockKind.PROCESS))
        self.shards.renew(since + self.times.valid)
        share = -(-self.shards.count // running)
        for shard in sorted(self._taken)[share:]:
            await self.on_given_up(shard)
            self._forget(shard)
            await self.session.unlock(LockKind.SHARD, shard)
            await self.session.notify(LockKind.SHARD, shard)
        if len(self._taken) < share:
            locked = await self.session.locked(LockKind.SHARD)
            for shard in sorted({*range(self.shards.count)}.difference(locked)):
                if len(self._taken) < share and await self.session.try_lock(LockKind.SHARD, shard):
                    await self._take(shard)
        try:
            await self.on_look(running)
        except Exception:  # the next look makes up for it
            _LOG.exception("look_failed")

    async def _take(self, shard: int) -> None:
        await self.session.disconnect_holder(shard)
        self._taken.add(shard)
        self.shards.take(shard)
        _LOG.info("shard_taken", shard=shard)
        await self.on_taken(shard)

    def _forget(self, shard: int) -> None:
        self._taken.discard(shard)
        self.shards.give_up(shard)
        _LOG.info("shard_given_up", shard=shard)

    async def _lose(self) -> None:
        await self.session.close()
        lost = sorted(self._taken)
        for shard in lost:  # all at once, before anything takes time
            self._forget(shard)
        for shard in lost:
            try:
                await self.on_given_up(shard)
            except Exception:
                _LOG.exception("shard_not_given_up", shard=shard)

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), self.times.look)

    def _hear(self, notification: str) -> None:
        subject, _, _ = notification.partition(":")
        if subject.upper() in LockKind.__members__:
            self._changed.set()
        else:
            self.on_timer()


@dataclass
class SoleProcess:
    """Keeps others from using the database of a process that holds all shards without leases."""

    session: Session
    times: LeaseTimes

    def __post_init__(self) -> None:
        self._claiming: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Raise :class:`UnusableDatabaseError` if another process uses the database; otherwise let none do so until
        :meth:`close`.
        """
        await self._claim()
        self.session.on_lost = self._begin_anew

    async def close(self) -> None:
        if self._claiming is not None:
            self._claiming.cancel()
        await self.session.close()

    async def _claim(self) -> None:
        await self.session.open()
        if not await self.session.try_lock(LockKind.PROCESS, _ALL):
            raise UnusableDatabaseError(
                "Another process is using the database. Stop it first, or start both with the same number of SHARDS."
            )
        _refuse({*await self.session.locked(LockKind.PROCESS)} - {_ALL})

    def _begin_anew(self) -> None:
        _LOG.warning("leases_lost")
        if self._claiming is None or self._claiming.done():
            self._claiming = asyncio.get_running_loop().create_task(self._claim_anew())

    async def _claim_anew(self) -> None:
        while True:
            await asyncio.sleep(self.times.look)
            try:
                async with asyncio.timeout(self.times.valid):
                    await self._claim()
            except Exception as error:
                _LOG.warning("leases_lost", reason=failure(error))
            else:
                return


def _refuse(others: set[int]) -> None:
    """Raise if there are processes with those numbers of shards."""
    if others:
        raise UnusableDatabaseError(
            f"Processes with SHARDS={min(others)} are using the database. Stop them first, or start this one with "
            "the same number."
        )


async def _nothing(_: int) -> None:
    pass
