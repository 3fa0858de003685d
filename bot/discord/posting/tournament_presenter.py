"""Keeps the messages of tournaments up to date, and posts the cross table at the end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.tournament import cross_table_picture, past_tournament_card, tournament_card
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.delivery import Delivery, Locks
from bot.discord.ui.scenes import public_look
from bot.domain.deliveries import PostedMessage
from bot.domain.timers import TimerKind
from bot.domain.tournaments import TournamentState
from bot.services.deliveries import Deliveries
from bot.services.settings import Settings
from bot.services.tournaments import Tournaments


@dataclass
class TournamentPresenter:
    """Shows each tournament by one task at a time."""

    tournaments: Tournaments
    deliveries: Deliveries
    settings: Settings
    languages: Languages
    delivery: Delivery
    messenger: Messenger

    def __post_init__(self) -> None:
        self._showing: Locks[int] = Locks()

    async def show(self, tournament_id: int) -> None:
        """Post or update the tournament's card; once the tournament is over, post the cross table.

        If a result is voided later, the cross table is posted again.
        """
        async with self._showing.of(tournament_id):
            state = await self.deliveries.tournament(tournament_id)
            if not state.outdated:
                return
            # Read after its version: a card that shows more is edited again, and does no harm.
            table = await self.tournaments.table(tournament_id)
            tournament, place, card = table.tournament, table.tournament.place, state.message
            if self.delivery.is_elsewhere(place) and await self.deliveries.hand_over(
                TimerKind.TOURNAMENT, tournament_id, place
            ):
                return
            over = tournament.state is TournamentState.OVER
            with texts.in_language(await self.languages.of_server(place.guild_id)):
                picture = None
                if over:
                    look = public_look(await self.settings.server_settings(place.guild_id))
                    picture = await asyncio.to_thread(cross_table_picture, table, look)
                post = tournament_card(table, picture)
                past = past_tournament_card(table)
            if card is not None and not over:
                await self.delivery.edit(card, post)
                shown = replace(card, version=state.version)
            else:
                channel_id = place.channel_id
                nonce = f"t{tournament.id}.{state.version if over else 0}"
                message_id = await self.messenger.show_everybody(channel_id, post, nonce)
                shown = PostedMessage(channel_id, message_id, state.version)
            await self.deliveries.set_tournament(tournament.id, shown)
            if over and card is not None:
                await self.delivery.edit(card, past)
