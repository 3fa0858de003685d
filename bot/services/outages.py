"""Outages: times in which players could not reach the bot, so their clocks must not count them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.matches import Match
from bot.domain.shards import Shards
from bot.domain.timers import TimerKind
from bot.runtime.timers import RetryLaterError, on_timer
from bot.services.clocks import Clocks

#: A longer gap between beats counts as a standstill.
_STANDSTILL = timedelta(minutes=1)


@dataclass
class Outages:
    """The current outages: shards that are not connected to Discord, and a standstill of the process."""

    clocks: Clocks
    shards: Shards
    now: Callable[[], datetime]

    def __post_init__(self) -> None:
        #: The beginnings of outages by shard, kept until the clocks have the time back.
        self._since: dict[int, datetime] = {}
        self._connected: set[int] = set()
        self._on_duty: set[int] = set()
        self._last_beat: datetime | None = None

    @property
    def connected(self) -> frozenset[int]:
        """The shards that this process holds and that are connected to Discord."""
        return self.shards.current & self._connected

    def reaches(self, guild_id: int | None) -> bool:
        """Whether the players of a server can reach the bot."""
        return self.shards.of(guild_id) in self.connected

    async def acquire(self, shard: int) -> None:
        """Begin to work for a shard. It has been in an outage since the bot was last present."""
        since = await self.clocks.acquire_shard(shard)
        self._on_duty.add(shard)
        self._since.pop(shard, None)
        if since is not None:
            self._since[shard] = since

    async def release(self, shard: int) -> None:
        if shard in self.connected:
            await self.clocks.note_presence([shard])
        self._on_duty.discard(shard)
        self._connected.discard(shard)
        self._since.pop(shard, None)

    async def connect(self, shard: int) -> bool:
        """Handle the connection of a shard, and make up for outages that are over; False if there were none."""
        try:
            if shard not in self._on_duty:
                await self.acquire(shard)
            return await self.make_up(shard)
        finally:
            self._connected.add(shard)

    def disconnect(self, shard: int) -> None:
        """Handle the loss of a connection: an outage begins now."""
        self._connected.discard(shard)
        if shard in self._on_duty:
            self._since.setdefault(shard, self.now())

    async def make_up(self, *reconnected: int) -> bool:
        """Make up for outages that are over; False if there were none."""
        self._notice_standstill()
        over = [shard for shard in (*self.connected, *reconnected) if shard in self._since]
        for shard in over:
            since = self._since.pop(shard)  # before the wait, so no other caller makes up for the same outage
            try:
                await self.clocks.make_up_for(shard, since)
            except BaseException:
                self._since[shard] = min(since, self._since.get(shard, since))  # the next call tries again
                raise
        return bool(over)

    async def check_presence(self, match: Match) -> None:
        """Raise :class:`RetryLaterError` if the player to act cannot reach the bot, or could not until just now."""
        guild_id = match.guild_id if match.clock is None else match.server_of(match.clock.seat)
        if not self.reaches(guild_id) or await self.make_up():
            raise RetryLaterError

    async def note_presence(self) -> None:
        if self.connected:
            await self.clocks.note_presence(self.connected)

    @on_timer(TimerKind.HEARTBEAT)
    async def store_heartbeat(self, _subject: int) -> None:
        """Store that the bot is present, while clocks are running."""
        if not await self.clocks.beat(self.connected):
            raise RetryLaterError

    def beat(self) -> None:
        """Record that the process is running: gaps between beats reveal a standstill."""
        self._last_beat = self.now()

    def _notice_standstill(self) -> None:
        now, known = self.now(), self._last_beat
        if known is None:
            return
        self._last_beat = now
        if now - known >= _STANDSTILL:
            for shard in self._on_duty:
                self._since[shard] = min(known, self._since.get(shard, known))
