"""The button that reminds an opponent who lets one wait."""

from __future__ import annotations

from dataclasses import dataclass

from bot import texts
from bot.discord.features.matches.games_cards import Nudge
from bot.discord.features.matches.questions import nudge_notice
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.posting.messenger import Messenger
from bot.discord.transport import replies
from bot.discord.ui import words
from bot.services.deliveries import Deliveries
from bot.services.nudges import Nudges
from bot.texts import gettext as _


@dataclass
class NudgeButton(Feature):
    nudges: Nudges
    deliveries: Deliveries
    languages: Languages
    messenger: Messenger

    @handles(Nudge)
    async def nudge(self, interaction: Interaction, press: Nudge) -> None:
        delivery = await self.deliveries.get(press.match_id)
        if delivery.channel_id is None:
            raise RefusalError(_("This match is played in no channel where I could remind anybody."))
        match = await self.nudges.nudge(press.match_id, interaction.user.id)
        opponent = match.opponent_of(interaction.user.id)
        with texts.in_language(await self.languages.of_server(match.guild_id)):
            notice = nudge_notice(match, opponent, words.card_link(match.guild_id, delivery.message))
        await self.messenger.show_everybody(delivery.channel_id, notice)
        text = _("I have reminded {player} of match #{match}.")
        await replies.tell(interaction, text.format(player=words.name(opponent), match=match.id))
