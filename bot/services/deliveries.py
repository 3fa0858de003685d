"""Deliveries: the channels of matches, and what their cards show."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from bot.domain.deliveries import CardState, MatchDelivery
from bot.domain.matches import Match, UnknownMatchError
from bot.domain.places import Place
from bot.domain.preferences import BoardCards, PlayIn
from bot.services.challenges import server_settings
from bot.services.timekeeping import let_go_on, stop_clock
from bot.storage import Storage


@dataclass
class Deliveries:
    """``clock`` returns the time in UTC."""

    storage: Storage
    clock: Callable[[], datetime]

    async def get(self, match_id: int) -> MatchDelivery:
        """Where a match is played and what was shown of it."""
        found = await self.get_all([match_id])
        if match_id not in found:
            raise UnknownMatchError
        return found[match_id]

    async def get_all(self, match_ids: Collection[int]) -> dict[int, MatchDelivery]:
        """The deliveries of these matches, by the ids of the matches."""
        async with self.storage.read() as tx:
            return await tx.deliveries.get_all(match_ids)

    async def of_match(self, match_id: int | None) -> tuple[Match, MatchDelivery] | None:
        """A match, if any, and where it is played."""
        if match_id is None:
            return None
        async with self.storage.read() as tx:
            return await tx.matches.with_delivery(match_id)

    async def challenge(self, challenge_id: int) -> CardState:
        async with self.storage.read() as tx:
            return await tx.deliveries.challenge(challenge_id)

    async def proposal(self, proposal_id: int) -> CardState:
        async with self.storage.read() as tx:
            return await tx.deliveries.proposal(proposal_id)

    async def place(self, match_id: int, channel_id: int) -> bool:
        """Give a waiting match its channel and start its clock; False if the channel is taken."""
        async with self.storage.transaction() as tx:
            placed = await tx.deliveries.place(match_id, channel_id)
            if placed:
                delivery = await tx.deliveries.get(match_id)
                await let_go_on(tx, match_id, delivery.home.guild_id, self.clock())
            return placed

    async def place_waiting(self, channel_id: int) -> int | None:
        """Give a channel, if it is free, to the match that has waited for it longest; return the match's id."""
        async with self.storage.read() as tx:
            waiting = await tx.deliveries.waiting(channel_id)
        return waiting[0] if waiting and await self.place(waiting[0], channel_id) else None

    async def unplace(self, match_id: int, channel_id: int) -> None:
        """Take a running match out of a deleted channel, and stop its clock."""
        async with self.storage.transaction() as tx:
            if await tx.deliveries.unplace(match_id, channel_id):
                await stop_clock(tx, match_id, self.clock())

    async def request(self, match_id: int) -> None:
        """Request another card of the match."""
        async with self.storage.transaction() as tx:
            await tx.deliveries.request(match_id)

    async def choose_board_cards(self, match_id: int, chosen: BoardCards) -> None:
        """Choose how a match is shown from its next turn on; the caller has checked the permission."""
        async with self.storage.transaction() as tx:
            await tx.deliveries.choose_board_cards(match_id, chosen)

    async def wants_thread(self, place: Place) -> bool:
        """Whether the place's server plays in threads only."""
        async with self.storage.read() as tx:
            return (await server_settings(tx, place)).play_in is PlayIn.THREAD
