"""How the players of a match choose between one living card and a card for every turn."""

from __future__ import annotations

from dataclasses import dataclass

from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.posting.cards.board_cards import chosen_card
from bot.discord.transport import replies
from bot.discord.ui.links import ChooseBoardCards
from bot.domain.matches import MatchOverError, NotAPlayerError
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches


@dataclass
class BoardCardsChoice(Feature):
    matches: Matches
    deliveries: Deliveries
    access: Access

    @handles(ChooseBoardCards)
    async def choose(self, interaction: Interaction, press: ChooseBoardCards) -> None:
        match = await self.matches.match(press.match_id)
        if not match.has_player(interaction.user.id):
            await self.access.check_overrule(interaction, match, NotAPlayerError(match))
        if match.result is not None:
            raise MatchOverError(match)
        await self.deliveries.choose_board_cards(match.id, press.cards)
        await replies.show(interaction, chosen_card(match, press.cards))
