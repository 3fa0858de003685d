"""The private card of a hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import render
from bot.discord.cards import scenes, words
from bot.discord.cards.match import footer
from bot.discord.cards.turn_builder import COLOUR, how_it_ends
from bot.discord.messages import ActionButton, Message, Picture, Press, compose
from bot.domain.computer import SearchResult
from bot.domain.matches import Game
from bot.texts import gettext as _
from bot.texts import ngettext
from rules import PASS, Draft, Phase, Position, Side, Text
from rules.search.openings import fair_openings

#: The chances between which nobody stands better.
_EVEN = 0.45, 0.55
#: A search that has seen nothing but wins, or nothing but losses, has proven nothing.
_MOST = 0.99
#: The number of searches ahead from which on somebody is told why they wait.
_LONG_QUEUE = 2


def thinking_card(ahead: int, asked: Press) -> Message:
    """What is shown while a hint is searched that was ``asked`` for, and so many searches are ``ahead``.

    It can be asked for again, in case the search comes to nothing.
    """
    again = (ActionButton(asked, _("Ask again")),)
    if ahead < _LONG_QUEUE:
        return compose(_("💡 I am thinking…"), buttons=again)
    text = ngettext(
        "💡 I am still thinking about others: {count} board is ahead of yours.",
        "💡 I am still thinking about others: {count} boards are ahead of yours.",
        ahead,
    )
    return compose(text.format(count=ahead), buttons=again)


def hint_card(
    game: Game, found: SearchResult, look: render.Look, viewer_id: int, buttons: Sequence[ActionButton]
) -> Message:
    """The turn that was found, what it does, why, and how the game then stands. This draws."""
    position = game.position
    draft = position.draft(found.turn)
    yours = game.to_act is not None and game.to_act.id == viewer_id
    turn = words.turn(position, found.turn)
    advice = _("I would pass") if found.turn == PASS else _("I would play {turn}").format(turn=turn)
    ends = how_it_ends(position, draft.preview)
    if position.phase is Phase.CHOICE:
        reasons = _why_side(position, draft.preview, found.turn)
    else:
        reasons = why(position, draft, found.reasons, yours=yours)
    header, shown = scenes.header(game), (draft.preview, draft.events, None, look)
    return compose(
        f"### 💡 {advice}",
        " ".join(filter(None, [words.gains(draft.events), ends, reasons])),
        "" if ends else _standing(game, found, draft.preview.leader(), yours=yours),
        picture=Picture(
            f"hint-{game.match.id}-{game.ply}.png",
            render.picture(*shown, before=position, header=header),
            render.describe(*shown, before=position),
        ),
        footer=footer(game),
        buttons=tuple(buttons),
        colour=COLOUR,
    )


def why(position: Position, draft: Draft, given: Iterable[Text], *, yours: bool) -> str:
    """Why a turn is good, by the reasons that are ``given``; without one, that there is none, unless that is clear."""
    reasons = words.reasons(position, given, yours=yours)
    if reasons or position.phase is not Phase.PLAY or draft.text == PASS or draft.preview.outcome is not None:
        return reasons
    return _("No single advantage stands out, but this turn did best when I played on.")


def _why_side(position: Position, after: Position, turn: str) -> str:
    """Why to choose this side, from which follows what speaks for it: that it plays next, or what it has."""
    side = Side(position.sides.index(turn))
    if side is after.turn_of:
        text = _("{side} plays next, and I think that this is worth more here than what {other} has on the board.")
    else:
        text = _("{other} plays next, but I think that what {side} has on the board is worth more here.")
    return text.format(side=words.side(position.ruleset, side), other=words.side(position.ruleset, side.other))


def _why_opening(game: Game, turn: str) -> str:
    """Why to open like this."""
    if turn in dict(fair_openings(game.match.ruleset)):
        return _(
            "Your opponent picks a side next and would take the better one, so I open in such a way that both are "
            "about equally good: each side won about half of my practice matches from there."
        )
    return _(
        "Your opponent picks a side next and would take the better one, so the best opening makes both equally good."
    )


def _standing(game: Game, found: SearchResult, leader: Side | None, *, yours: bool) -> str:
    """How the game then stands, for whoever reads it; the ``leader`` is ahead on the score that the picture shows."""
    if game.position.phase is not Phase.OPENING:
        return _standing_for_player(game, found, leader) if yours else _standing_for_others(game, found, leader)
    return _why_opening(game, found.turn) if yours else ""


def _standing_for_player(game: Game, found: SearchResult, leader: Side | None) -> str:
    """Whether who is to act then stands better, and how much the turn matters."""
    chance = found.value
    if _is_even(chance):
        stands = _("Both then stand about equally well.")
    else:
        position, better = game.position, chance > 0.5
        stands = _("You then stand better.") if better else _("Your opponent still stands better.")
        if position.phase is Phase.PLAY and leader is (position.turn_of.other if better else position.turn_of):
            stands = (
                _("You then stand better, although {side} leads on the score.")
                if better
                else _("Your opponent still stands better, although {side} leads on the score.")
            ).format(side=words.side(position.ruleset, leader))
    shown = share_of_wins(chance)
    matters = _("Your chance of winning: {chance}.").format(chance=shown)
    if found.replies is not None and 1 - found.replies < chance:
        other = share_of_wins(1 - found.replies)
        if other != shown:
            matters = _("Your chance of winning: {chance}; with an average turn: {other}.").format(
                chance=shown, other=other
            )
    return f"{stands} {matters}"


def _standing_for_others(game: Game, found: SearchResult, leader: Side | None) -> str:
    """Which side then stands better; empty while nobody has one."""
    position, chance = game.position, found.value
    if _is_even(chance):
        return _("Both then stand about equally well.")
    if position.phase is not Phase.PLAY:
        return ""
    side = position.turn_of if chance > 0.5 else position.turn_of.other
    text = _("{side} then stands better: {chance}.")
    if leader is side.other:
        text = _("{side} then stands better, although {other} leads on the score: {chance}.")
    return text.format(
        side=words.side(game.match.ruleset, side),
        other=words.side(game.match.ruleset, side.other),
        chance=share_of_wins(max(chance, 1 - chance)),
    )


def _is_even(chance: float) -> bool:
    least, most = _EVEN
    return least <= chance <= most


def share_of_wins(chance: float) -> str:
    """A chance of winning as a search found it."""
    return words.share(max(1 - _MOST, min(round(chance, 2), _MOST)))
