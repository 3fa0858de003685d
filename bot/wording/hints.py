"""Hints: the turn that the computer would play, the reasons, and the chances after it."""

from __future__ import annotations

from collections.abc import Iterable

from bot.domain.computer import SearchResult
from bot.domain.matches import Game
from bot.wording import words
from bot.wording.sentence import Sentence, gettext as _, joined
from bot.wording.turns import how_it_ends
from rules import PASS, Draft, Phase, Position, Side
from rules.search import Advantage
from rules.search.openings import fair_openings

#: The range of winning chances that count as even.
_EVEN_FROM, _EVEN_TO = 0.45, 0.55
#: The maximum chance to show: a search that saw only wins proves nothing.
_MOST = 0.99


def hint(game: Game, found: SearchResult, *, yours: bool) -> tuple[Sentence, Sentence, Sentence]:
    """The turn that a search found, the reasons for it, and the chances after it; ``yours`` addresses the player."""
    position = game.position
    draft = position.draft(found.turn)
    turn = words.turn(position, found.turn)
    advice = _("I would pass") if found.turn == PASS else _("I would play {turn}").format(turn=turn)
    ends = how_it_ends(position, draft.preview)
    if position.phase is Phase.CHOICE:
        chosen_for: str = _why_side(position, draft.preview, found.turn)
    else:
        chosen_for = why(position, draft, found.reasons, yours=yours)
    reasons = joined(words.gains(draft.events), ends, chosen_for)
    return advice, reasons, Sentence() if ends else _chances(game, found, draft.preview.leader(), yours=yours)


def why(position: Position, draft: Draft, given: Iterable[Advantage], *, yours: bool) -> str:
    """The ``given`` reasons for a turn or, if there are none but it needs some, a remark."""
    reasons = words.reasons(given, yours=yours)
    if reasons or position.phase is not Phase.PLAY or draft.text == PASS or draft.preview.outcome is not None:
        return reasons
    return _("Other turns look as good, but this one did best when I played on.")


def _why_side(position: Position, after: Position, turn: str) -> Sentence:
    """The reason for choosing a side: its turn is next, or its position is better."""
    side = Side(position.sides.index(turn))
    if side is after.turn_of:
        text = _("{side} plays next, and I think that is worth more here than {other}'s position.")
    else:
        text = _("{other} plays next, but I think {side}'s position is worth more here.")
    return text.format(side=words.side(position.ruleset, side), other=words.side(position.ruleset, side.other))


def _why_opening(game: Game, turn: str) -> Sentence:
    if turn in dict(fair_openings(game.match.ruleset)):
        return _(
            "Your opponent picks a side next and would take the better one, so my opening makes both about equally "
            "good: each side won about half of my practice matches from there."
        )
    return _(
        "Your opponent picks a side next and would take the better one, so the best opening makes both equally good."
    )


def _chances(game: Game, found: SearchResult, leader: Side | None, *, yours: bool) -> Sentence:
    """The chances after the turn; the ``leader`` is ahead on the score in the picture."""
    if game.position.phase is Phase.OPENING:
        return _why_opening(game, found.turn) if yours else Sentence()
    return (_chances_for_player if yours else _chances_for_others)(game, found, leader)


def _chances_for_player(game: Game, found: SearchResult, leader: Side | None) -> Sentence:
    """The chances of the player to act after the turn, and how much the turn matters."""
    position, chance = game.position, found.value
    better = chance > 0.5
    if _EVEN_FROM <= chance <= _EVEN_TO:
        stands = _("The game is even.")
    elif position.phase is Phase.PLAY and leader is (position.turn_of.other if better else position.turn_of):
        stands = _("Your opponent is still better off, although {side} leads on points.")
        if better:
            stands = _("That leaves you better off, although {side} leads on points.")
        stands = stands.format(side=words.side(position.ruleset, leader))
    else:
        stands = _("That leaves you better off.") if better else _("Your opponent is still better off.")
    usual = chance if found.replies is None else 1 - found.replies
    values = {"chance": share_of_wins(chance), "other": share_of_wins(usual)}
    matters = _("Your chance of winning: {chance}.")
    if usual < chance and values["other"] != values["chance"]:
        matters = _("Your chance of winning: {chance}; with an average turn: {other}.")
    return joined(stands, matters.format(**values))


def _chances_for_others(game: Game, found: SearchResult, leader: Side | None) -> Sentence:
    """Which side stands better after the turn; empty before the players have sides."""
    position, chance = game.position, found.value
    if _EVEN_FROM <= chance <= _EVEN_TO:
        return _("The game is even.")
    if position.phase is not Phase.PLAY:
        return Sentence()
    side = position.turn_of if chance > 0.5 else position.turn_of.other
    text = _("That leaves {side} better off: {chance}.")
    if leader is side.other:
        text = _("That leaves {side} better off, although {other} leads on points: {chance}.")
    better, other = (words.side(game.match.ruleset, which) for which in (side, side.other))
    return text.format(side=better, other=other, chance=share_of_wins(max(chance, 1 - chance)))


def share_of_wins(chance: float) -> str:
    """A chance of winning, never shown as certain because it comes from a search."""
    return words.share(max(1 - _MOST, min(round(chance, 2), _MOST)))
