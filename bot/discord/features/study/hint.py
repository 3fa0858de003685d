"""``/hint``: the turn that the computer would play, in matches against it and on boards for trying turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import discord
from discord import app_commands

import render
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature, handles
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.options.match import MATCH_NUMBER, OwnMatch
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.transport import replies
from bot.discord.transport.in_flight import InFlight
from bot.discord.ui import scenes
from bot.discord.ui.links import AskHint, OpenTurn, PlayTurn
from bot.discord.ui.messages import ActionButton, Message, compose
from bot.discord.ui.presses import Press
from bot.discord.ui.turn_entry import COLOUR
from bot.domain.computer import SearchRequest, SearchResult, check_hints, hint_request
from bot.domain.matches import Game
from bot.domain.play import check_awaited
from bot.services.fair_play import FairPlay
from bot.services.hints import Hints
from bot.services.matches import Matches
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop, ngettext
from bot.wording import words
from bot.wording.looks import header_of, private_look
from bot.wording.turns import how_it_ends
from rules import PASS, Draft, Phase, Position, Side, Text
from rules.search.openings import fair_openings

#: The least and the greatest chance with which nobody stands better.
_EVEN_FROM, _EVEN_TO = 0.45, 0.55
#: The greatest chance shown, since a search that has seen only wins has proven nothing.
_MOST = 0.99
#: The number of searches ahead from which on the card explains the wait.
_LONG_QUEUE = 2


@dataclass
class HintCommand(Feature):
    matches: Matches
    access: Access
    hints: Hints
    fair_play: FairPlay
    in_flight: InFlight
    private_cards: PrivateCards
    settings: Settings

    @app_commands.command(description=gettext_noop("Ask what I would play, in a match against me"))
    @app_commands.describe(match=MATCH_NUMBER)
    async def hint(self, interaction: Interaction, match: OwnMatch | None = None) -> None:
        await self._help(interaction, await self.matches.find(self.access.viewer_of(interaction), match))

    @handles(AskHint)
    async def give(self, interaction: Interaction, press: AskHint) -> None:
        """Show a hint in place of the pressed private card."""
        await self._help(interaction, (await self.matches.turn(press.match_id, interaction.user.id, press.step)).game)

    async def _help(self, interaction: Interaction, game: Game) -> None:
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
        """Search for a turn and show it, with a button whose ``press`` uses it and a button ``back``.

        ``asked`` is the press that asks for the hint. Raises a refusal if a hint would be unfair to somebody.
        """
        user_id = interaction.user.id
        await self.fair_play.check(user_id, game.position)
        found = await self.search(interaction, hint_request(game), asked)
        use = press(found.turn)
        buttons = (ActionButton(use, label, discord.ButtonStyle.success), back) if use.fits else (back,)
        look = private_look(await self.settings.preferences(user_id), game, user_id)
        card = await asyncio.to_thread(hint_card, game, found, look, user_id, buttons)
        await self.private_cards.show(interaction, card, game.match)

    async def search(self, interaction: Interaction, request: SearchRequest, asked: Press) -> SearchResult:
        """Return the result of a search; meanwhile the user sees a card with the press that asks for it again.

        Raises :class:`StillThinkingError` and leaves the card as it is if the user already waits for a search.
        """
        with self.hints.waiting(interaction.user.id, request) as ahead:
            await replies.show(interaction, thinking_card(ahead, asked))
            with self.in_flight.searching():
                return await self.hints.find(request, interaction.user.id)


def thinking_card(ahead: int, asked: Press) -> Message:
    """The card during a search, with the number of searches ``ahead`` and a button to ask again if it fails."""
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
    """The turn that a search found, its effect, the reasons, and the standing after it. This draws."""
    position = game.position
    draft = position.draft(found.turn)
    yours = game.to_act is not None and game.to_act.id == viewer_id
    turn = words.turn(position, found.turn)
    advice = _("I would pass") if found.turn == PASS else _("I would play {turn}").format(turn=turn)
    ends, name = how_it_ends(position, draft.preview), f"hint-{game.match.id}-{game.ply}.png"
    if position.phase is Phase.CHOICE:
        reasons = _why_side(position, draft.preview, found.turn)
    else:
        reasons = why(position, draft, found.reasons, yours=yours)
    return compose(
        f"### 💡 {advice}",
        " ".join(filter(None, [words.gains(draft.events), ends, reasons])),
        "" if ends else _standing(game, found, draft.preview.leader(), yours=yours),
        picture=scenes.picture(name, draft.preview, draft.events, look, before=position, header=header_of(game)),
        footer=scenes.footer(game),
        buttons=tuple(buttons),
        colour=COLOUR,
    )


def why(position: Position, draft: Draft, given: Iterable[Text], *, yours: bool) -> str:
    """The ``given`` reasons for a turn or, without any, a remark on their absence unless the turn needs none."""
    reasons = words.reasons(position, given, yours=yours)
    if reasons or position.phase is not Phase.PLAY or draft.text == PASS or draft.preview.outcome is not None:
        return reasons
    return _("No single advantage stands out, but this turn did best when I played on.")


def _why_side(position: Position, after: Position, turn: str) -> str:
    """The reason to choose a side: its turn is next, or its position is better."""
    side = Side(position.sides.index(turn))
    if side is after.turn_of:
        text = _("{side} plays next, and I think that this is worth more here than what {other} has on the board.")
    else:
        text = _("{other} plays next, but I think that what {side} has on the board is worth more here.")
    return text.format(side=words.side(position.ruleset, side), other=words.side(position.ruleset, side.other))


def _why_opening(game: Game, turn: str) -> str:
    if turn in dict(fair_openings(game.match.ruleset)):
        return _(
            "Your opponent picks a side next and would take the better one, so I open in such a way that both are "
            "about equally good: each side won about half of my practice matches from there."
        )
    return _(
        "Your opponent picks a side next and would take the better one, so the best opening makes both equally good."
    )


def _standing(game: Game, found: SearchResult, leader: Side | None, *, yours: bool) -> str:
    """The standing after the turn; the ``leader`` is ahead on the score in the picture."""
    if game.position.phase is Phase.OPENING:
        return _why_opening(game, found.turn) if yours else ""
    return (_standing_for_player if yours else _standing_for_others)(game, found, leader)


def _standing_for_player(game: Game, found: SearchResult, leader: Side | None) -> str:
    """The standing of the player to act, and the importance of the turn."""
    position, chance = game.position, found.value
    better = chance > 0.5
    if _EVEN_FROM <= chance <= _EVEN_TO:
        stands = _("Both then stand about equally well.")
    elif position.phase is Phase.PLAY and leader is (position.turn_of.other if better else position.turn_of):
        stands = _("Your opponent still stands better, although {side} leads on the score.")
        if better:
            stands = _("You then stand better, although {side} leads on the score.")
        stands = stands.format(side=words.side(position.ruleset, leader))
    else:
        stands = _("You then stand better.") if better else _("Your opponent still stands better.")
    usual = chance if found.replies is None else 1 - found.replies
    values = {"chance": share_of_wins(chance), "other": share_of_wins(usual)}
    matters = _("Your chance of winning: {chance}.")
    if usual < chance and values["other"] != values["chance"]:
        matters = _("Your chance of winning: {chance}; with an average turn: {other}.")
    return f"{stands} {matters.format(**values)}"


def _standing_for_others(game: Game, found: SearchResult, leader: Side | None) -> str:
    """The side that then stands better; empty before the players have sides."""
    position, chance = game.position, found.value
    if _EVEN_FROM <= chance <= _EVEN_TO:
        return _("Both then stand about equally well.")
    if position.phase is not Phase.PLAY:
        return ""
    side = position.turn_of if chance > 0.5 else position.turn_of.other
    text = _("{side} then stands better: {chance}.")
    if leader is side.other:
        text = _("{side} then stands better, although {other} leads on the score: {chance}.")
    better, other = (words.side(game.match.ruleset, each) for each in (side, side.other))
    return text.format(side=better, other=other, chance=share_of_wins(max(chance, 1 - chance)))


def share_of_wins(chance: float) -> str:
    """A chance of winning, as found by a search, which is never certain."""
    return words.share(max(1 - _MOST, min(round(chance, 2), _MOST)))
