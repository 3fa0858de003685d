"""The puzzles: each is played, and its solution is proven or searched again."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from rules import GAMES, PASS, IllegalTurn, Ruleset
from rules.puzzles import DIFFICULTIES, Puzzle, find_puzzle, puzzles
from rules.search.knowledge import positions_after
from rules.search.players import greedy
from rules.search.workshop.mine import alike, holds
from tests.support.each import for_each
from tests.support.thorough import sample

ALL = [puzzle for game in GAMES for puzzle in puzzles(game)]
many_puzzles = for_each("puzzle", sample(ALL, 5), lambda puzzle: f"{puzzle.ruleset.game.name}-{puzzle.key}")
few_puzzles = pytest.mark.parametrize(
    "puzzle", sample(ALL, 60), ids=lambda puzzle: f"{puzzle.ruleset.game.name}-{puzzle.key}"
)
every_game = pytest.mark.parametrize("game", GAMES)


@few_puzzles
def test_the_solution_is_the_only_one(puzzle: Puzzle) -> None:
    assert holds(puzzle)


@many_puzzles
def test_a_puzzle_leaves_a_choice_and_its_line_can_be_played(puzzle: Puzzle) -> None:
    turns = positions_after(puzzle.position)
    assert len(set(turns.values())) >= 6
    assert len(turns) < 2000, "some turns were not compared"
    assert len(puzzle.solution) in {1, 3, 5}
    assert PASS not in (puzzle.solution[0], puzzle.solution[-1])
    for ply, turn in enumerate(puzzle.solution):
        assert puzzle.after(ply).parse(turn) == turn
        assert puzzle.solves(ply, turn)
    if puzzle.difficulty > DIFFICULTIES[0] and puzzle.position.lists_all_turns:
        assert not puzzle.solves(0, greedy(puzzle.position, 0)), "a search of one turn solves it"


@every_game
def test_a_game_has_forty_puzzles_in_three_difficulties_easy_ones_first(game: str) -> None:
    difficulties = [puzzle.difficulty for puzzle in puzzles(game)]
    counts = Counter(difficulties)
    assert difficulties == sorted(difficulties)
    assert len(difficulties) >= 40
    for difficulty in DIFFICULTIES:
        assert counts[difficulty] >= 8


def test_a_puzzle_is_found_by_its_key() -> None:
    assert len({puzzle.key for puzzle in ALL}) == len(ALL)
    assert all(find_puzzle(puzzle.key) is puzzle for puzzle in ALL)
    assert find_puzzle("00000000") is None


def test_a_turn_solves_a_puzzle_in_any_order_of_its_elements() -> None:
    turns = ("c1", "dark", "a1", "b1", "a2", "b2+a1", "d2")
    one, other = "c2+b1+c1", "c2+c1+b1"
    puzzle = Puzzle(Ruleset(GAMES["dendria"], 3, "standard"), turns, (one, PASS, PASS), 1, proven=False)
    assert puzzle.solves(0, one)
    assert puzzle.solves(0, f" {other.upper()}")
    assert not puzzle.solves(0, PASS)
    assert puzzle.after(1).legal_turns
    with pytest.raises(IllegalTurn):
        puzzle.solves(0, turns[0])


@every_game
def test_no_two_puzzles_are_alike(game: str) -> None:
    assert not [
        (one.key, other.key) for one, other in sample([*combinations(puzzles(game), 2)], 9) if alike(one, other)
    ]
