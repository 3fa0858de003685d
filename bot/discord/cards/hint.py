"""The private card of a hint."""

from __future__ import annotations

from collections.abc import Sequence

import render
from bot.discord.cards import scenes, words
from bot.discord.cards.match import footer
from bot.discord.cards.turn_builder import COLOUR, how_it_ends
from bot.discord.messages import ActionButton, Message, Picture, compose
from bot.domain.computer import SearchResult
from bot.domain.matches import Game
from bot.texts import gettext as _
from bot.texts import ngettext
from rules import PASS, Phase

#: The chances between which nobody stands better.
_EVEN = 0.45, 0.55
#: A search that has seen nothing but wins, or nothing but losses, has proven nothing.
_MOST = 0.99
#: The number of searches ahead from which on somebody is told why they wait.
_LONG_QUEUE = 2


def thinking_card(ahead: int) -> Message:
    """What is shown while a hint is searched and so many searches are ``ahead``."""
    if ahead < _LONG_QUEUE:
        return compose(_("💡 I am thinking…"))
    text = ngettext(
        "💡 I am still thinking about others: {count} board is ahead of yours.",
        "💡 I am still thinking about others: {count} boards are ahead of yours.",
        ahead,
    )
    return compose(text.format(count=ahead))


def hint_card(
    game: Game, found: SearchResult, look: render.Look, viewer_id: int, buttons: Sequence[ActionButton]
) -> Message:
    """The turn that was found, what it does, why, and how the game then stands. This draws."""
    position = game.position
    draft = position.draft(found.turn)
    yours = game.to_act is not None and game.to_act.id == viewer_id
    turn = words.named(position.turn_name(found.turn))
    advice = _("I would pass") if found.turn == PASS else _("I would play {turn}").format(turn=turn)
    reasons = words.reasons(position, found.reasons, yours=yours)
    ends = how_it_ends(position, draft.preview)
    picture = render.picture(draft.preview, draft.events, None, look, before=position, header=scenes.header(game))
    return compose(
        f"### 💡 {advice}",
        " ".join(filter(None, [words.consequences(draft.events, yours=yours), ends, reasons])),
        "" if ends else _standing(game, found, yours=yours),
        picture=Picture(
            f"hint-{game.match.id}-{game.ply}.png", picture, render.describe(draft.preview, draft.events, None, look)
        ),
        footer=footer(game),
        buttons=tuple(buttons),
        colour=COLOUR,
    )


def _standing(game: Game, found: SearchResult, *, yours: bool) -> str:
    """Who then stands better and, for who is to act, how much the turn matters."""
    position = game.position
    if position.phase is Phase.OPENING:
        return _("Your opponent picks a side next, so the best opening is a fair one.") if yours else ""
    even, better = _EVEN
    chance, at_random = found.value, None if found.replies is None else 1 - found.replies
    if even <= chance <= better:
        stands = _("Both then stand about equally well.")
    elif yours:
        stands = _("You then stand better.") if chance > better else _("Your opponent still stands better.")
    elif position.phase is Phase.PLAY:
        side = position.turn_of if chance > better else position.turn_of.other
        text = _("{side} then stands better: {chance}.")
        return text.format(side=words.side(game.match.ruleset, side), chance=share_of_wins(max(chance, 1 - chance)))
    else:
        return ""
    if not yours:
        return stands
    if at_random is None or at_random >= chance:
        text = _("Your chance of winning: {chance}.")
    else:
        text = _("Your chance of winning: {chance}; after a turn at random: {other}.")
    return f"{stands} {text.format(chance=share_of_wins(chance), other=share_of_wins(at_random or 0))}"


def share_of_wins(chance: float) -> str:
    """A chance of winning as a search found it."""
    return words.share(max(1 - _MOST, min(round(chance, 2), _MOST)))
