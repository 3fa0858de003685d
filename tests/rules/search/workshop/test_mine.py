"""The puzzle miner: its proofs and searches, and the file it writes."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from rules import GAMES, Phase, Position, Ruleset, Side
from rules.puzzles import puzzles, read
from rules.search.proof import Prover, TooHard, successors
from rules.search.workshop import mine
from tests.support.thorough import sample


@cache
def wins(position: Position, solver: Side) -> bool:
    """Whether the solver can force a win, found by trying everything."""
    if position.outcome is not None:
        return position.outcome.winner is solver
    after = (wins(successor, solver) for successor in successors(position).values())
    return any(after) if position.turn_of is solver else all(after)


@pytest.mark.parametrize("game", ["dalen", "hedu", "nadraz"])
def test_proofs_agree_with_trying_everything(game: str) -> None:
    rules_of = Ruleset(GAMES[game], 3, "standard")
    found = set()
    for seed in sample(range(8), 3):
        position = rules_of.replay(mine.game_of(rules_of, seed)[:-3])
        if position.phase is Phase.PLAY:
            for solver in Side:
                prover = Prover(solver, 5000)
                try:
                    proven = prover.wins(position)
                except TooHard:
                    continue
                assert proven is wins(position, solver)
                found.add(proven)
                if solver is position.turn_of:
                    winning = prover.winning_turns(position, most=100)
                    assert prover.winning_turns(position, most=1) == winning[:1]
                    assert winning == [turn for turn, after in successors(position).items() if wins(after, solver)]
    assert found == {False, True}


def test_a_line_too_long_for_the_stack_counts_as_too_hard() -> None:
    rules_of = Ruleset(GAMES["fiodar"], 3, "standard")
    position = rules_of.replay(mine.game_of(rules_of, 0)[:8])
    deepest = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 25)
    try:
        with pytest.raises(TooHard):
            Prover(position.turn_of, 5000).wins(position)
    finally:
        sys.setrecursionlimit(deepest)


@pytest.mark.parametrize(("game", "seed", "difficulty", "length"), sample([("nadraz", 16, 2, 1), ("hedu", 4, 3, 3)], 2))
def test_it_adds_each_new_puzzle_to_a_file_once(
    tmp_path: Path, game: str, seed: int, difficulty: int, length: int
) -> None:
    file = tmp_path / f"{game}.puzzles.jsonl"
    for _ in range(2):
        mine.main([game, "--size", "3", "--games", "1", "--seed", str(seed), "--count", "2", "--file", str(file)])
    (found,) = read(game, file)
    assert found.difficulty == difficulty
    assert len(found.solution) == length
    winning = [turn for turn, after in successors(found.position).items() if wins(after, found.position.turn_of)]
    assert winning == [found.solution[0]]


def test_it_regrades_the_puzzles_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hedu.puzzles.jsonl"
    few = puzzles("hedu")[:2]
    file.write_text("".join(f"{replace(puzzle, difficulty=3).as_json()}\n" for puzzle in few), encoding="utf-8")
    mine.main(["hedu", "--grade", "--file", str(file)])
    assert read("hedu", file) == [*few]


def test_a_puzzle_with_a_wrong_solution_does_not_hold() -> None:
    for puzzle in (puzzles("hedu")[0], puzzles("dendria")[0]):
        assert mine.holds(puzzle)
        wrong = next(turn for turn in successors(puzzle.position) if not puzzle.solves(0, turn))
        assert not mine.holds(replace(puzzle, solution=(wrong,)))
