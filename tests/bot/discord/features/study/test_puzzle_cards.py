"""The cards of wrong turns in puzzles, and of puzzles near the end of the game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.discord.features.study.puzzle import (
    AskWhyNot,
    ShowSolution,
    Stage,
    refuted_card,
    solution_card,
    solved_card,
    wrong_card,
)
from bot.domain.computer import SearchResult
from bot.domain.study.puzzles import FirstTry, PuzzleProgress
from bot.texts import SOURCE, in_language
from bot.wording.puzzles import right_so_far
from rules import ruleset
from rules.hedu import Reduced
from rules.puzzles import Puzzle
from rules.search.players import at_random, play_out
from rules.search.workshop.arena import opening_turns
from tests.support.discord.cards import look, written
from tests.support.discord.known_puzzles import TWO_TURNS
from tests.support.games import WHOLE_GAME
from tests.support.thorough import sample

ANSWERED = FirstTry(False, PuzzleProgress(), PuzzleProgress())


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with in_language(SOURCE):
        yield


def before_the_end(turns: int) -> Stage:
    """A puzzle some turns before the end, in which the turn that was played is not the right one."""
    before = ruleset("dalen", 5).replay(WHOLE_GAME[:-turns])
    other = next(turn for turn in before.legal_turns if turn != WHOLE_GAME[-turns])
    return Stage(Puzzle(before.ruleset, WHOLE_GAME[:-turns], (other,), difficulty=1, proven=True))


@pytest.mark.parametrize(("turns", "more", "asks"), [(1, None, False), (2, None, True), (2, 0, True), (2, 1, False)])
def test_why_not_is_offered_if_there_is_a_reply_and_room_for_the_turn(turns: int, more: int | None, asks: bool) -> None:
    """The id of a button has at most 100 characters."""
    stage, turn = before_the_end(turns), WHOLE_GAME[-turns]
    if more is not None:
        turn += " " * (100 - len(stage.press(AskWhyNot, turn).custom_id) + more)
    card = wrong_card(stage, turn, ANSWERED, look())
    labels = [item.label for item in card.view.walk_children() if hasattr(item, "label")]
    assert ("Why not?" in labels) == asks


def solution_text(stage: Stage, step: int) -> str:
    return written(solution_card(stage, ANSWERED, look(), stage.press(ShowSolution, "", True, step)))[0]


def refuted(stage: Stage, turn: str, reply: str) -> str:
    return written(refuted_card(stage, turn, SearchResult(reply, 0.37), look()))[0]


@pytest.mark.parametrize(("turns", "tells"), [(2, False), (3, True)])
def test_a_wrong_turn_is_judged_unless_the_reply_ends_the_game(turns: int, tells: bool) -> None:
    stage, (turn, reply) = before_the_end(turns), WHOLE_GAME[-turns:][:2]
    text = refuted(stage, turn, reply)
    assert ("plays well" in text) == tells
    assert "chance" not in text, "what is proven not to win has none"
    searched = refuted(replace(stage, puzzle=replace(stage.puzzle, proven=False)), turn, reply)
    assert ("Your chance of winning: 63%." in searched) == tells
    assert "mistake" not in searched


@pytest.mark.parametrize(
    ("proven", "better", "right"),
    [
        (True, "but only one turn wins.", "but only this one wins."),
        (False, "but another did better when I played on.", "but this one did best when I played on."),
    ],
)
def test_a_right_turn_without_a_nameable_reason_is_praised_all_the_same(proven: bool, better: str, right: str) -> None:
    stage = Stage(replace(TWO_TURNS, proven=proven), ply=2)
    assert f"Your turn looks fine, {better}" in refuted(stage, "h7", "g5")
    assert (
        f"✅ `c3` is right. Other turns look as good, {right}" in written(solved_card(stage, "c3", ANSWERED, look()))[0]
    )
    assert f"💡 White: `c3`. Other turns look as good, {right}" in solution_text(stage, 0)


def test_a_turn_that_wins_at_once_needs_no_other_reason() -> None:
    before = ruleset("dalen", 5).replay(WHOLE_GAME[:-1])
    stage = Stage(Puzzle(before.ruleset, WHOLE_GAME[:-1], WHOLE_GAME[-1:], difficulty=1, proven=True))
    text = written(solved_card(stage, WHOLE_GAME[-1], ANSWERED, look()))[0]
    assert "🏆 It wins the match." in text
    assert "advantage" not in text
    tried = next(turn for turn in before.legal_turns if before.play(turn)[0].outcome is None)
    reply = before.play(tried)[0].legal_turns[0]
    assert "The right turn is better. 🏆 It wins the match." in refuted(stage, tried, reply)


def test_each_turn_of_a_solution_has_a_card_of_its_own() -> None:
    for step, turn in enumerate(TWO_TURNS.solution):
        text = solution_text(Stage(TWO_TURNS), step)
        assert [each for each in TWO_TURNS.solution if f"`{each}`" in text] == [turn]
    assert solution_text(Stage(TWO_TURNS), 9) == solution_text(Stage(TWO_TURNS), 2), "the last one"


def test_prisoners_that_a_reply_gives_the_reader_are_named() -> None:
    given = 0
    for seed in sample(range(20), 4):
        turns = play_out(ruleset("hedu", 5).replay(opening_turns(ruleset("hedu", 5), seed)), at_random)[0]
        *before, turn, reply = (*opening_turns(ruleset("hedu", 5), seed), *turns[:12])
        stage = Stage(Puzzle(ruleset("hedu", 5), tuple(before), (turn, reply, "a1"), difficulty=1, proven=True))
        text = right_so_far(stage, turn).partition("\n")[2]
        mover = stage.position.turn_of
        events = stage.position.play(turn)[0].play(reply)[1]
        lost = sum(event.amount for event in events if isinstance(event, Reduced) and event.side is not mover)
        assert (f"gives you {lost} prisoner" in text) is (lost > 0)
        assert "enemy" not in text
        given += lost > 0
    assert given
