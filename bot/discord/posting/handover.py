"""Leaves what is to be shown in another process's shard to that process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.discord.transport.delivery import answers_in
from bot.domain.places import Place
from bot.domain.proposals import Proposal
from bot.domain.shards import Shards
from bot.domain.timers import TimerKind
from bot.services.timekeeping import hand_over
from bot.storage import Storage


@dataclass
class Handover:
    """``clock`` returns the time in UTC."""

    shards: Shards
    storage: Storage
    clock: Callable[[], datetime]

    def is_elsewhere(self, place: Place) -> bool:
        """Whether another process holds the shard of a place, which this process's answers do not reach either."""
        return not self.shards.holds(place.guild_id) and not answers_in(place.channel_id)

    async def leave(self, kind: TimerKind, subject_id: int, place: Place) -> bool:
        """Have something shown by the process that holds the shard of its place; False if this process has to do so,
        because it is that one, or because nothing but its answer may reach the place.
        """
        if not self.is_elsewhere(place):
            return False
        async with self.storage.transaction() as tx:
            return await hand_over(tx, kind, subject_id, place.guild_id, self.clock())

    async def leave_proposal(self, proposal: Proposal) -> bool:
        """The same for a proposal, which is shown where its match is played."""
        if not self.shards.leased:
            return False
        async with self.storage.read() as tx:
            delivery = await tx.deliveries.get(proposal.match_id)
        return await self.leave(TimerKind.SHOW_PROPOSAL, proposal.id, delivery.home)
