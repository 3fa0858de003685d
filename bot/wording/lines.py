"""Sentences about tried lines, plans and notes, which only their player reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.matches import Ending, Game, Result
from bot.domain.plans import Branch, Plan
from bot.domain.study.lines import MOST_TURNS, games_along
from bot.wording import words
from bot.wording.quoting import as_code
from bot.wording.sentence import Sentence, gettext as _, joined
from rules import Phase

#: Maximum characters of a branch, because a card needs room for all branches.
_LONGEST_BRANCH = 300


def to_play(game: Game) -> Sentence:
    """The player to act, with their side."""
    assert game.to_act is not None
    if game.position.phase is not Phase.PLAY:
        return _("{player} to play.").format(player=words.name(game.to_act))
    side = words.side(game.match.ruleset, game.position.turn_of)
    return _("{player} ({side}) to play.").format(**words.acting(game.to_act, side))


def ending_of(game: Game) -> Sentence:
    """The result of the game after the tried turns."""
    assert game.outcome is not None
    winner = game.outcome.winner
    result = Result(None if winner is None else game.player_of(winner).id, Ending.RULES)
    return words.headline(replace(game, match=replace(game.match, result=result)))


def line_is_full() -> Sentence:
    return _("A line has at most {count} turns. Press *Back* to try others.").format(count=MOST_TURNS)


def about_plans() -> str:
    return _("I play your answers at once, also while you are away. Nobody else can see your plan.")


def about_notes() -> str:
    return _("Nobody else can read it. An empty note is deleted.")


def plan_progress(plan: Plan, start: Game, game: Game, player_id: int) -> tuple[Sentence, list[Sentence]]:
    """The turns of a plan played since ``start``, and its remaining branches. Replays games: call it in a thread."""
    came_true = plan.came_true(game)
    note = _("✅ Came true: {turns}").format(turns=_branch(start, came_true, player_id)) if came_true else ""
    left = plan.open_branches(game)
    over = "" if left else _("No part of this plan is left.")
    return joined(note, over, by="\n"), [_answer(game, rest, player_id) for rest in left.values()]


def branch_label(turns: Sequence[str]) -> str:
    """A branch on one line, for a menu."""
    return " → ".join(turns)


def _answer(start: Game, turns: Branch, player_id: int) -> Sentence:
    """A branch as a sentence about its last answer to the opponent; only its turns if that would be too long."""
    whole = _branch(start, turns, player_id)
    games, _illegal = games_along(start, turns)
    theirs = [at for at, before in enumerate(games[: len(turns)]) if not _is_own(before, player_id)]
    if not theirs:
        return whole
    asked = theirs[-1]
    text = _("Planned: if {opponent} plays {turn}, you play {answer}.")
    if asked:
        text = _("Planned: after {turns}, if {opponent} plays {turn}, you play {answer}.")
    sentence = text.format(
        turns=_branch(start, turns[:asked], player_id),
        opponent=words.name(start.match.opponent_of(player_id)),
        turn=_turn(games[asked], turns[asked], player_id),
        answer=_branch(games[asked + 1], turns[asked + 1 :], player_id),
    )
    return sentence if len(sentence) <= _LONGEST_BRANCH else whole


def _branch(start: Game, turns: Branch, player_id: int) -> Sentence:
    """The turns of a branch, the player's in bold."""
    games, _illegal = games_along(start, turns)
    listed = Sentence()
    for before, turn in zip(games, turns, strict=False):
        longer = joined(listed, _turn(before, turn, player_id), by=" → ")
        if len(longer) > _LONGEST_BRANCH:
            return joined(listed, "…", by=" → ")
        listed = longer
    return listed


def _turn(before: Game, turn: str, player_id: int) -> Sentence:
    name = as_code(words.translate(before.position.turn_name(turn)))
    return Sentence("**{turn}**").format(turn=name) if _is_own(before, player_id) else name


def _is_own(before: Game, player_id: int) -> bool:
    return before.to_act is not None and before.to_act.id == player_id
