"""Leaves what is to be shown in another process's shard to that process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.discord.transport.delivery import answers_in
from bot.domain.matches import Game
from bot.domain.places import Place
from bot.domain.shards import Shards
from bot.domain.timers import TimerKind
from bot.services.handover import hand_over
from bot.storage import Storage


@dataclass
class Handover:
    """``clock`` returns the time in UTC."""

    shards: Shards
    storage: Storage
    clock: Callable[[], datetime]

    async def leave(self, kind: TimerKind, subject_id: int, place: Place) -> bool:
        """Have something shown by the process that holds the shard of its place; False if this process has to do so,
        because it is that one, or because nothing but its answer may reach the place.
        """
        if self.shards.holds(place.guild_id) or answers_in(place.channel_id):
            return False
        async with self.storage.transaction() as tx:
            return await hand_over(tx, kind, subject_id, place.guild_id, self.clock())

    async def leave_match(
        self, kind: TimerKind, match_id: int, *, subject_id: int | None = None, game: Game | None = None
    ) -> bool:
        """The same for a match, whose ``game`` may have been loaded, or for what belongs to it."""
        if not self.shards.leased or (game is not None and self.shards.holds(game.match.guild_id)):
            return False
        async with self.storage.read() as tx:
            delivery = await tx.deliveries.get(match_id)
        return await self.leave(kind, subject_id or match_id, delivery.home)
