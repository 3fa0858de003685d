"""The miner of puzzles: its proofs and searches, and the file that it writes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from rules import GAMES, Phase, Position, Ruleset, Side
from rules.puzzles import DIFFICULTIES, read
from rules.search import mine
from rules.search.proof import Prover, TooHard, reached


@cache
def wins(position: Position, solver: Side) -> bool:
    """Whether the solver can force a win, found by trying everything."""
    if position.outcome is not None:
        return position.outcome.winner is solver
    after = (wins(each, solver) for each in reached(position).values())
    return any(after) if position.turn_of is solver else all(after)


@pytest.mark.parametrize("game", ["dalen", "hedu", "nadraz"])
def test_what_is_proven_is_what_trying_everything_finds(game: str) -> None:
    rules_of = Ruleset(GAMES[game], 3, "standard")
    found = set()
    for seed in range(8):
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
                    assert winning == [turn for turn, after in reached(position).items() if wins(after, solver)]
    assert found == {False, True}


def test_it_adds_what_it_finds_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hedu.puzzles.jsonl"
    for seed in ("0", "20"):
        mine.main(["hedu", "--size", "3", "--games", "4", "--seed", seed, "--count", "1", "--file", str(file)])
    found = read("hedu", file)
    assert {puzzle.difficulty for puzzle in found} <= {*DIFFICULTIES}
    assert len(found) == len({puzzle.difficulty for puzzle in found}) >= 2
    for puzzle in found:
        assert mine.holds(puzzle)
        for turn, after in reached(puzzle.position).items():
            assert wins(after, puzzle.position.turn_of) is puzzle.solves(0, turn)
            broken = replace(puzzle, solution=(turn, *puzzle.solution[1:]))
            assert turn == puzzle.solution[0] or not mine.holds(broken)
