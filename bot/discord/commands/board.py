"""``/board``: the board as it is, with marks on request, and the menu *More…* of a match."""

from __future__ import annotations

import asyncio

from discord import app_commands

from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards import words
from bot.discord.cards.match import board_picture, private_board
from bot.discord.cards.match_menu import marked_board, menu_card, overlay_titles
from bot.discord.cards.moderation import void_button
from bot.discord.cards.scenes import private_look
from bot.discord.commands.moving import Moving
from bot.discord.errors import RefusalError
from bot.discord.feature import handles
from bot.discord.interactions import Choices, Interaction, Typed, choice, match_number, suggestions
from bot.discord.match_choices import MatchOptions
from bot.discord.match_loader import MatchLoader
from bot.discord.messages import Message, Press
from bot.discord.presenter import Presenter
from bot.discord.private_cards import PrivateCards
from bot.discord.quoting import as_markdown
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Match
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop
from rules.notation import tidy


class BoardCommands(MatchOptions):
    def __init__(
        self,
        matches: Matches,
        deliveries: Deliveries,
        settings: Settings,
        access: Access,
        moving: Moving,
        presenter: Presenter,
        loader: MatchLoader,
        private_cards: PrivateCards,
    ) -> None:
        super().__init__(matches, access)
        self._private_cards = private_cards
        self._deliveries = deliveries
        self._settings = settings
        self._moving = moving
        self._presenter = presenter
        self._loader = loader

    @suggestions
    async def overlays(self, interaction: Interaction, typed: str) -> Choices:
        match = await self._find(interaction, interaction.namespace.match or None)
        titles = overlay_titles(match)
        return [choice(title, name) for name, title in titles.items() if typed.strip().casefold() in title.casefold()]

    @suggestions
    async def cells(self, interaction: Interaction, typed: str) -> Choices:
        match = await self._find(interaction, interaction.namespace.match or None)
        on = match.ruleset.board
        return [choice(name, name) for name in on.names(on.mask) if name.startswith(typed.strip().lower())]

    @app_commands.command(description=gettext_noop("Show the current board again, with marks if you like"))
    @app_commands.describe(
        match=gettext_noop("The number of the match, if it is not the one played here"),
        overlay=gettext_noop("What to mark on the board, for you alone"),
        cell=gettext_noop("Mark only what has to do with this cell"),
    )
    @app_commands.autocomplete(match=MatchOptions.running_matches, overlay=overlays, cell=cells)
    async def board(
        self,
        interaction: Interaction,
        match: Typed | None = None,
        overlay: Typed | None = None,
        cell: Typed | None = None,
    ) -> None:
        found = await self._find(interaction, match)
        user = interaction.user
        if overlay is None and cell is not None:
            named = as_markdown(cell[:20])
            raise RefusalError(_("Choose with `overlay` what to mark for “{cell}”.").format(cell=named))
        delivery = await self._deliveries.get(found.id)
        if overlay is None and found.result is None and found.has_player(user.id) and delivery is not None:
            await self._moving.bring_board(interaction, found)
            return
        name = None if overlay is None else _overlay(found, overlay)
        await replies.tell(interaction, await self._private_board(interaction, found, name, cell or ""))

    @handles("more")
    async def open_menu(self, interaction: Interaction, press: Press) -> None:
        """Show everything that the match has besides the next turn."""
        match, message = await self._find(interaction, str(press.subject)), interaction.message
        if message is not None and press.step != match.step and not replies.on_private_card(interaction):
            card = PostedMessage(message.channel.id, message.id, 0, press.step)
            await self._presenter.retire_card(match.id, card)
        game, may_overrule = await self._matches.game_of(match), await self._access.may_overrule(interaction, match)
        cards = await self._loader.board_cards(match.id)
        menu = await asyncio.to_thread(
            menu_card, game, interaction.user.id, may_overrule=may_overrule, board_cards=cards
        )
        await self._private_cards.show(interaction, menu, match)

    @handles("marks")
    async def mark(self, interaction: Interaction, press: Press) -> None:
        """Show the board with the overlay that was chosen, at first with the one that every game has."""
        match = await self._find(interaction, str(press.subject))
        name = _overlay(match, press.chosen or next(iter(overlay_titles(match))))
        await replies.show(interaction, await self._private_board(interaction, match, name, press.argument))

    async def _find(self, interaction: Interaction, match: str | None) -> Match:
        return await self._matches.find_board(self._access.viewer_of(interaction), match_number(match))

    async def _private_board(self, interaction: Interaction, match: Match, overlay: str | None, cell: str) -> Message:
        """The board for the user alone, with marks if there is an ``overlay``."""
        user = interaction.user
        game = await self._matches.game_of(match)
        about = game.position.named(tidy(cell)) if cell else None
        look = private_look(await self._settings.preferences(user.id), game, user.id)
        picture = await asyncio.to_thread(board_picture, game, look, overlay=overlay, cell=about)
        delivery, link = await self._deliveries.get(match.id), None
        if delivery is not None and delivery.channel_id != interaction.channel_id:
            link = words.card_link(match.guild_id, delivery.message)
        counts = match.result is not None and match.result.counts
        buttons = (void_button(match.id),) if counts and await self._access.may_overrule(interaction, match) else ()
        if overlay is None:
            return private_board(game, picture, link, buttons)
        return marked_board(game, picture, overlay, about, link, buttons)


def _overlay(match: Match, typed: str) -> str:
    """The overlay that was chosen, or whose title was typed."""
    titles = overlay_titles(match)
    for name, title in titles.items():
        if typed.strip().casefold() in (name, title.casefold()):
            return name
    raise RefusalError(
        _("{game} has no such marks. There are: {overlays}.").format(
            game=match.ruleset.game.title, overlays=", ".join(titles.values())
        )
    )
