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

#: Maximum characters of a branch, because a card needs room for all branches.
_LONGEST_BRANCH = 300


def ending_of(game: Game) -> Sentence:
    """The result of the game after the tried turns."""
    assert game.outcome is not None
    winner = game.outcome.winner
    result = Result(None if winner is None else game.player_of(winner).id, Ending.RULES)
    return words.headline(replace(game, match=replace(game.match, result=result)))


def line_is_full() -> Sentence:
    return _("A line has at most {count} turns. Press *Back* to try others.").format(count=MOST_TURNS)


def about_plans() -> str:
    return _("Your answers are played for you, even while you are away. Nobody else can see your plan.")


def about_notes() -> str:
    return _("Nobody else can read it. An empty note is deleted.")


def plan_progress(plan: Plan, start: Game, game: Game, player_id: int) -> tuple[Sentence, list[Sentence]]:
    """The turns of a plan played since ``start``, and its remaining branches. Replays games: call it in a thread."""
    came_true = plan.came_true(game)
    note = _("✅ Came true: {turns}").format(turns=joined(*map(as_code, came_true), by=" → ")) if came_true else ""
    left = plan.open_branches(game)
    over = "" if left else _("Nothing is left of this plan.")
    return joined(note, over, by="\n"), [_branch(game, rest, player_id) for rest in left.values()]


def branch_label(turns: Sequence[str]) -> str:
    """A branch on one line, for a menu."""
    return " → ".join(turns)


def _branch(start: Game, turns: Branch, player_id: int) -> Sentence:
    """A branch in words, such as ``Planned: after c5, if Bob plays g8, you play h7.``"""
    games, _illegal = games_along(start, turns)
    listed, answered = Sentence(), False
    for before, turn in zip(games, turns, strict=False):
        by = "; " if answered else ", "
        assert before.to_act is not None
        if before.to_act.id != player_id:
            clause, answered = _("if {player} plays {turn}"), False
        elif listed:
            clause, answered = _("you play {turn}"), True
        else:
            clause = _("after {turn}")
        named = clause.format(player=words.name(before.to_act), turn=words.turn(before.position, turn))
        longer = joined(listed, named, by=by)
        if len(longer) > _LONGEST_BRANCH:
            listed = joined(listed, "…", by=by)
            break
        listed = longer
    return _("Planned: {turns}.").format(turns=listed)
