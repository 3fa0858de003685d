"""Outages: times in which players could not reach the bot, which no clock is charged for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.shards import Shards
from bot.services.clocks import Clocks

#: A gap between beats that is longer than this counts as a standstill.
_STANDSTILL = timedelta(minutes=1)


@dataclass
class Outages:
    """The current outages: shards that are not connected to Discord, and a standstill of the process.

    ``clock`` returns the time in UTC.
    """

    clocks: Clocks
    shards: Shards
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        #: Since when players cannot reach the bot, by shard, until that is made up for.
        self._since: dict[int, datetime] = {}
        self._connected: set[int] = set()
        self._watched: set[int] = set()
        self._beaten: datetime | None = None

    @property
    def connected(self) -> frozenset[int]:
        """The shards that this process holds and that are connected to Discord."""
        return self.shards.held & self._connected

    def reaches(self, guild_id: int | None) -> bool:
        """Whether the players of a server can reach the bot."""
        return self.shards.of(guild_id) in self.connected

    async def take(self, shard: int) -> None:
        """Look after a shard, which players could not reach since somebody did so last."""
        since = await self.clocks.take_shard(shard)
        self._watched.add(shard)
        self._since.pop(shard, None)
        if since is not None:
            self._since[shard] = since

    def give_up(self, shard: int) -> None:
        """Look after a shard no more."""
        self._watched.discard(shard)
        self._connected.discard(shard)
        self._since.pop(shard, None)

    async def connect(self, shard: int) -> bool:
        """Note that a shard is connected, and make up for the outages that are over now; False if there were none."""
        try:
            if shard not in self._watched:
                await self.take(shard)
            return await self.make_up(shard)
        finally:
            self._connected.add(shard)

    def disconnect(self, shard: int) -> None:
        """Note that an outage begins now."""
        self._connected.discard(shard)
        if shard in self._watched:
            self._since.setdefault(shard, self.clock())

    async def make_up(self, *reconnected: int) -> bool:
        """Make up for the outages that are over now; False if there were none."""
        self._notice_standstill()
        over = [shard for shard in (*self.connected, *reconnected) if shard in self._since]
        for shard in over:
            since = self._since.pop(shard)  # before waiting, so that nobody makes up for it as well
            try:
                await self.clocks.make_up_for(shard, since)
            except BaseException:
                self._since[shard] = min(since, self._since.get(shard, since))  # so that it is tried again
                raise
        return bool(over)

    def beat(self) -> None:
        """Note that the process is running. Without beats, no standstill is ever found."""
        self._beaten = self.clock()

    def _notice_standstill(self) -> None:
        now, known = self.clock(), self._beaten
        if known is None:
            return
        self._beaten = now
        if now - known >= _STANDSTILL:
            for shard in self._watched:
                self._since[shard] = min(known, self._since.get(shard, known))
