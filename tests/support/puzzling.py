"""Puzzles made by hand, so that no test depends on those that come with the games."""

from __future__ import annotations

import pytest

from rules import ruleset
from rules.puzzles import Puzzle

_DALEN, _HEDU, _DENDRIA = ruleset("dalen", 5), ruleset("hedu", 5), ruleset("dendria", 7)
#: Nobody proved that these turns win. What the tests look at is what becomes of them.
ONE_TURN = Puzzle(_DALEN, ("e5", "dark", "d4"), ("f6",), difficulty=1, proven=True)
TWO_TURNS = Puzzle(_HEDU, ("e5", "black"), ("d4", "f6", "c3"), difficulty=2, proven=True)
STEPS = Puzzle(_DENDRIA, ("g7", "light"), ("a1",), difficulty=3, proven=False)
ALL = (ONE_TURN, TWO_TURNS, STEPS)


def puzzles_of(game: str) -> tuple[Puzzle, ...]:
    return tuple(puzzle for puzzle in ALL if puzzle.ruleset.game.name == game)


def find(key: str) -> Puzzle | None:
    return next((puzzle for puzzle in ALL if puzzle.key == key), None)


def install(patch: pytest.MonkeyPatch) -> None:
    """Let the bot have these puzzles and no others."""
    patch.setattr("bot.services.puzzles.puzzles", puzzles_of)
    patch.setattr("bot.services.puzzles.find_puzzle", find)
