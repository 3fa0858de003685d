"""How puzzles are rated and chosen, and when the puzzle of the day comes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from bot.domain.study.puzzles import (
    RATINGS,
    START,
    Attempt,
    FirstTry,
    PuzzleProgress,
    daily_puzzle,
    day_of,
    next_daily,
    progress_of,
    suitable,
)
from rules import ruleset
from rules.puzzles import DIFFICULTIES, Puzzle

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SOLVED, FAILED, SEEN = True, False, None


def attempts(*ends: bool | None, difficulty: int = 2) -> list[Attempt]:
    return [Attempt(f"{number:08x}", difficulty, NOW, end) for number, end in enumerate(ends)]


def some(count: int, game: str = "dalen") -> list[Puzzle]:
    cells = ruleset(game, 7).board.names(ruleset(game, 7).board.mask)
    return [
        Puzzle(ruleset(game, 7), (cell,), ("dark",), difficulty=1 + number % 3, proven=True)
        for number, cell in zip(range(count), cells, strict=False)
    ]


def test_every_difficulty_has_a_rating_and_harder_ones_have_more() -> None:
    assert list(RATINGS) == list(DIFFICULTIES)
    assert all(one < other for one, other in pairwise(RATINGS.values()))


def test_a_solved_puzzle_raises_the_rating_and_a_hard_one_most() -> None:
    gains = [PuzzleProgress().after(difficulty, solved=True).rating - START for difficulty in DIFFICULTIES]
    losses = [PuzzleProgress().after(difficulty, solved=False).rating - START for difficulty in DIFFICULTIES]
    assert [round(gain) for gain in gains] == [10, 30, 39]
    assert [round(loss) for loss in losses] == [-30, -10, -1]


def test_the_change_that_is_shown_is_that_of_the_ratings_that_are_shown() -> None:
    before, after = PuzzleProgress(1200.4, tried=1), PuzzleProgress(1230.6, tried=2)
    assert FirstTry(True, before, after).change == 31


def test_a_player_who_solves_half_the_puzzles_of_a_kind_gets_their_rating() -> None:
    assert progress_of(attempts(*[SOLVED, FAILED] * 60)).rating == pytest.approx(RATINGS[2], abs=25)


def test_a_streak_ends_with_a_failure_and_the_longest_one_stays() -> None:
    found = progress_of(attempts(SOLVED, SOLVED, SOLVED, FAILED, SEEN, SOLVED, SOLVED))
    assert (found.tried, found.solved, found.streak, found.longest) == (6, 5, 2, 3)


def test_the_next_puzzle_is_an_unseen_one_near_the_rating() -> None:
    puzzles = some(9)
    assert {puzzle.difficulty for puzzle in suitable(puzzles, [], START - 50, ())} == {1}
    assert {puzzle.difficulty for puzzle in suitable(puzzles, [], 1790, ())} == {3}
    seen = [Attempt(puzzle.key, puzzle.difficulty, NOW) for puzzle in puzzles if puzzle.difficulty == 3]
    assert {puzzle.difficulty for puzzle in suitable(puzzles, seen, 1790, ())} == {2}


def test_the_first_puzzle_is_an_easy_one() -> None:
    assert {puzzle.difficulty for puzzle in suitable(some(9), [], PuzzleProgress().rating, ())} == {1}


def test_the_next_puzzle_is_of_a_known_game_as_long_as_one_is_unseen() -> None:
    puzzles = [*some(3, "dalen"), *some(3, "hedu")]
    assert {puzzle.ruleset.game.name for puzzle in suitable(puzzles, [], START, ("hedu", "fiodar"))} == {"hedu"}
    seen = [Attempt(puzzle.key, puzzle.difficulty, NOW) for puzzle in puzzles[3:]]
    assert {puzzle.ruleset.game.name for puzzle in suitable(puzzles, seen, START, ("hedu",))} == {"dalen"}


def test_when_all_are_seen_the_one_comes_that_was_seen_longest_ago() -> None:
    puzzles = some(4)
    seen = [Attempt(each.key, 1, NOW + timedelta(days=number % 3)) for number, each in enumerate(puzzles, 2)]
    assert suitable(puzzles, seen, 1800, ()) == [puzzles[1]]


def test_each_game_has_its_day_and_no_puzzle_comes_again_before_the_others() -> None:
    games = [some(9, "dalen"), [], some(9, "hedu")]
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(7 * 12)]
    found = [puzzle for puzzle in (daily_puzzle(games, day) for day in days) if puzzle is not None]
    assert len(found) == len(days)
    hard = [puzzle for puzzle, day in zip(found, days, strict=True) if day.isoweekday() == 7]
    others = [puzzle for puzzle, day in zip(found, days, strict=True) if day.isoweekday() != 7]
    assert {puzzle.difficulty for puzzle in hard} == {3}
    assert {puzzle.difficulty for puzzle in others} == {1, 2}
    for kind in (hard, others):
        count = len({puzzle.key for puzzle in kind})
        assert count == sum((puzzle.difficulty == 3) is (kind is hard) for game in games for puzzle in game)
        assert len({puzzle.key for puzzle in kind[:count]}) == count
        assert kind[:count] == kind[count : 2 * count]
        assert all(one.ruleset.game is not other.ruleset.game for one, other in pairwise(kind))
    assert daily_puzzle([[], []], days[0]) is None


def test_a_day_begins_before_its_puzzle_is_posted_anywhere() -> None:
    for server_id in (1 << 22, 123 << 22, 10**18, 2**63 - 1):
        for hours in range(48):
            now = NOW + timedelta(hours=hours, minutes=17)
            due = next_daily(server_id, now)
            assert now < due <= now + timedelta(hours=25)
            assert due.hour == 6
            assert day_of(due) == day_of(now) + timedelta(days=1)
    assert next_daily(1 << 22, NOW) != next_daily(2 << 22, NOW), "not all at once"
