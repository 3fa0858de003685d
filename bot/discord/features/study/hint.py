"""Hints: the turn that the computer would play, in matches against it and on boards to try turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import discord

import render
from bot.discord.interaction.feature import Feature, handles, loads_preferences
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.transport.answers import Answer
from bot.discord.transport.in_flight import InFlight
from bot.discord.ui import scenes
from bot.discord.ui.actions import AskHint, OpenTurn, PlayTurn
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.presses import Press
from bot.discord.ui.turn_entry import COLOUR
from bot.domain.computer import SearchRequest, SearchResult, check_hints, hint_request
from bot.domain.matches import Game
from bot.domain.play import check_awaited
from bot.pictures import header_of, private_look
from bot.services.fair_play import FairPlay
from bot.services.matches import Matches
from bot.services.study.reviews import Hints
from bot.texts import gettext as _, ngettext
from bot.wording.hints import hint

#: From this many searches ahead on, the card explains the wait.
_LONG_QUEUE = 2


@dataclass
class HintButtons(Feature):
    matches: Matches
    hints: Hints
    fair_play: FairPlay
    in_flight: InFlight
    private_cards: PrivateCards
    languages: Languages

    @handles(AskHint)
    @loads_preferences
    async def give(self, interaction: Interaction, press: AskHint) -> None:
        """Replace the pressed private card with a hint."""
        turn = await self.matches.turn(press.match_id, interaction.user.id, press.step)
        self.languages.speak(interaction, turn.preferences)
        game = turn.game
        check_hints(game.match)
        check_awaited(game, interaction.user.id)
        match_id, step = game.match.id, game.step
        asked, back = AskHint(match_id, step), ActionButton(OpenTurn(match_id, step), _("Back"))
        await self.show(interaction, game, asked, _("Play it"), partial(PlayTurn, match_id, step), back)

    async def show(
        self,
        interaction: Interaction,
        game: Game,
        asked: Press,
        label: str,
        press: Callable[[str], Press],
        back: ActionButton,
    ) -> None:
        """Search for a turn, and show it with a button that uses it and a button ``back``.

        ``asked`` is the press that asks for the hint again; ``press`` is called with the turn. Raises a refusal if a
        hint would be unfair.
        """
        user_id = interaction.user.id
        await self.fair_play.check(user_id, game.position)
        found = await self.search(interaction, hint_request(game), asked)
        use = press(found.turn)
        buttons = (ActionButton(use, label, discord.ButtonStyle.success), back) if use.fits else (back,)
        look = private_look(await self.languages.load(interaction), game, user_id)
        card = await asyncio.to_thread(hint_card, game, found, look, user_id, buttons)
        await self.private_cards.show(interaction, card, game.match)

    async def search(self, interaction: Interaction, request: SearchRequest, asked: Press) -> SearchResult:
        """Return the result of a search; in the meantime, the user sees a card with a button to ask again.

        If the user already waits for a search, this raises :class:`StillThinkingError`, and leaves the card as it is.
        """
        with self.hints.one_at_a_time(interaction.user.id, request) as ahead:
            await Answer.of(interaction).respond(thinking_card(ahead, asked))
            with self.in_flight.searching():
                return await self.hints.find(request, interaction.user.id)


def thinking_card(ahead: int, asked: Press) -> Message:
    """The card during a search, with the number of searches ``ahead``, and a button to ask again after a failure."""
    text = _("💡 I am thinking…")
    if ahead >= _LONG_QUEUE:
        text = ngettext(
            "💡 I am still thinking about others: {count} board is ahead of yours.",
            "💡 I am still thinking about others: {count} boards are ahead of yours.",
            ahead,
        ).format(count=ahead)
    return compose(text, buttons=(ActionButton(asked, _("Ask again")),))


def hint_card(
    game: Game, found: SearchResult, look: render.Look, viewer_id: int, buttons: Sequence[ActionButton]
) -> Message:
    """The turn that a search has found, with its effect, the reasons for it, and the chances after it.

    Renders pictures: call it in a thread.
    """
    position = game.position
    draft = position.draft(found.turn)
    yours = game.to_act is not None and game.to_act.id == viewer_id
    advice, reasons, chances = hint(game, found, yours=yours)
    name = f"hint-{game.match.id}-{game.ply}.png"
    return compose(
        f"### 💡 {advice}",
        reasons,
        chances,
        picture=scenes.picture(name, draft.preview, draft.events, look, before=position, header=header_of(game)),
        footer=scenes.footer(game),
        buttons=tuple(buttons),
        colour=COLOUR,
    )
