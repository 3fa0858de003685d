"""``/hint``: what the computer would do, in games against it and on boards where turns are tried."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import discord
from discord import app_commands

from bot.discord import replies
from bot.discord.access import Access
from bot.discord.cards.hint import hint_card, thinking_card
from bot.discord.cards.scenes import private_look
from bot.discord.feature import handles
from bot.discord.in_flight import InFlight
from bot.discord.interactions import Interaction, Typed, match_number
from bot.discord.match_choices import MatchOptions
from bot.discord.messages import ActionButton, Press
from bot.discord.private_cards import PrivateCards
from bot.domain.computer import SearchRequest, SearchResult, check_hints, hint_request
from bot.domain.matches import Game
from bot.domain.play import check_awaited
from bot.services.fair_play import FairPlay
from bot.services.hints import Hints
from bot.services.matches import Matches
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop


class HintCommands(MatchOptions):
    def __init__(
        self,
        *,
        matches: Matches,
        hints: Hints,
        fair_play: FairPlay,
        settings: Settings,
        access: Access,
        in_flight: InFlight,
        private_cards: PrivateCards,
    ) -> None:
        super().__init__(matches, access)
        self._private_cards = private_cards
        self._hints = hints
        self._fair_play = fair_play
        self._settings = settings
        self._in_flight = in_flight

    @app_commands.command(description=gettext_noop("Ask what I would play, in a match against me"))
    @app_commands.describe(match=gettext_noop("The number of the match, if several fit"))
    @app_commands.autocomplete(match=MatchOptions.own_matches)
    async def hint(self, interaction: Interaction, match: Typed | None = None) -> None:
        found = await self._matches.find_match(self._access.viewer_of(interaction), match_number(match))
        check_hints(found)
        await self._help(interaction, await self._matches.game_of(found))

    @handles("hint")
    async def give(self, interaction: Interaction, press: Press) -> None:
        """Show a hint in place of the private card where it was asked for."""
        game = await self._matches.awaiting_game(press.subject, interaction.user.id, press.step)
        check_hints(game.match)
        await self._help(interaction, game)

    async def _help(self, interaction: Interaction, game: Game) -> None:
        """Show a hint to the player whose turn it is, with a button that plays it."""
        check_awaited(game, interaction.user.id)
        match_id, step = game.match.id, game.step
        asked, back = Press("hint", match_id, step), ActionButton(Press("play", match_id, step), _("Back"))
        await self.show(interaction, game, asked, _("Play it"), lambda turn: Press("turn", match_id, step, turn), back)

    async def show(
        self,
        interaction: Interaction,
        game: Game,
        asked: Press,
        label: str,
        press: Callable[[str], Press],
        back: ActionButton,
    ) -> None:
        """Think about what to do where the game goes on, and show it with two buttons: the ``press`` for it, and back.

        Only in a match in which it is fair. ``asked`` is the press that asks for it.
        """
        user = interaction.user
        await self._fair_play.check(user.id, game.position)
        found = await found_by(self._hints, self._in_flight, interaction, hint_request(game), asked)
        look = private_look(await self._settings.preferences(user.id), game, user.id)
        use = press(found.turn)
        buttons = (ActionButton(use, label, discord.ButtonStyle.success), back) if use.fits else (back,)
        card = await asyncio.to_thread(hint_card, game, found, look, user.id, buttons)
        await self._private_cards.show(interaction, card, game.match)


async def found_by(
    hints: Hints, in_flight: InFlight, interaction: Interaction, request: SearchRequest, asked: Press
) -> SearchResult:
    """What is found for a user, who is shown meanwhile that it is searched, with the press that asks for it again.

    Raises :class:`StillThinkingError`, and leaves the card as it is, if they already wait for something.
    """
    with hints.waiting(interaction.user.id, request) as ahead:
        await replies.show(interaction, thinking_card(ahead, asked))
        with in_flight.searching():
            return await hints.find(request, interaction.user.id)
