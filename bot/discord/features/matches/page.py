"""The way from Discord to the page of a match."""

from __future__ import annotations

from dataclasses import dataclass

from bot.discord.interaction.access import Access
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.ui.actions import OpenPage
from bot.discord.ui.messages import LinkButton, compose
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.texts import gettext as _


@dataclass
class PageButtons(Feature):
    history: History
    access: Access
    doors: Doors
    private_cards: PrivateCards

    @handles(OpenPage)
    async def open_page(self, interaction: Interaction, press: OpenPage) -> None:
        """Give a player the address to play at, and other viewers the address to watch at."""
        match = await self.history.look_up(self.access.viewer_of(interaction), press.match_id)
        address = await self.doors.watch_url(match.id)
        if address is None:
            raise RefusalError(_("There are no pages of matches here any more."))
        text = _("On the page of match #{match} you can watch it and look back.")
        buttons = [LinkButton(address, _("Watch"), "👀")]
        if match.belongs_to(interaction.user.id):
            address = await self.doors.login_url(player_of(interaction.user), match.id)
            buttons = [LinkButton(address, _("Tap the board"), "🖐️")]
            text = _(
                "Your link to match #{match} is for you alone and works once, within ten minutes. Your browser then "
                "knows you for 30 days."
            )
        activity = await self.doors.activity_url(match.id)
        if activity is not None:
            buttons.append(LinkButton(activity, _("Here on Discord")))
        answer = compose(text.format(match=match.id), buttons=tuple(buttons))
        await self.private_cards.show_link(interaction, answer, match)
