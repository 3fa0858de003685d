"""Sentences about a turn under construction."""

from __future__ import annotations

from bot.domain.players import Player
from bot.domain.turn_entry import TurnEntry
from bot.wording import words
from bot.wording.sentence import Sentence, gettext as _, joined, translated
from rules import PASS, Phase, PlacementPosition, Position, Side


def question_of(entry: TurnEntry, mover: Player | None = None) -> Sentence:
    """The question about the next choice, or a remark that the side must pass; empty for a finished turn.

    The question about a first choice names the ``mover``, where one person enters the turns of both players.
    """
    position = entry.position
    if not entry.draft.next:
        return Sentence()
    side = words.side(position.ruleset, position.turn_of)
    question = translated(position.question(entry.draft))
    if entry.must_pass:
        question = _("{side} has no other turn left and must pass.").format(side=side)
    if mover is None or entry.text:
        return question
    if position.phase is not Phase.PLAY:
        return joined(_("{player}'s turn.").format(player=words.name(mover)), question)
    if isinstance(position, PlacementPosition) and not entry.must_pass:
        return _("{player}'s turn: tap a cell for {side}.").format(player=words.name(mover), side=side)
    return joined(_("{player}'s turn ({side}).").format(**words.acting(mover, side)), question)


def play_question(entry: TurnEntry) -> Sentence:
    """The question whether to play a finished turn."""
    if entry.text == PASS:
        return _("Pass?")
    return _("Play {turn}?").format(turn=words.turn(entry.position, entry.text))


def effect_of(entry: TurnEntry, reader: Side | None = None) -> Sentence:
    """The unfinished turn and its effect, worded for the ``reader`` or for everybody."""
    position, draft = entry.position, entry.draft
    if not (draft.text and draft.has_effect):
        return Sentence()
    begun = _("So far: {turn}.").format(turn=words.turn(position, draft.text)) if draft.next else ""
    effect = words.consequences(draft.events, reader)
    return joined(begun, effect, how_it_ends(position, draft.preview))


def how_it_ends(position: Position, after: Position) -> str:
    """The end of the game by a turn, as the side that plays it sees it; empty if the game goes on."""
    outcome = after.outcome
    if outcome is None:
        return ""
    if outcome.winner is None:
        return _("🤝 It ends the match in a draw.")
    return _("🏆 It wins the match.") if outcome.winner is position.turn_of else _("⚠️ It loses the match.")
