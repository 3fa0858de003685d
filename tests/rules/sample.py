"""What the tests of the rules share: positions by the names of their cells, random games, limits for random texts."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from hypothesis import settings

from rules import GAMES, Position, Ruleset, Side

AnyPosition = TypeVar("AnyPosition", bound=Position)

ROOT = Path(__file__).parents[2]

#: The same examples in every run, without a time limit for each.
repeatable = settings(derandomize=True, database=None, deadline=None, max_examples=80)

#: Every game with every variant on every size of its table.
RULESETS = [Ruleset(game, size, variant) for game in GAMES.values() for variant in game.variants for size in game.sizes]
#: The same, and two boards smaller than any of the table, on which games are short and rare things happen more often.
RULESETS_AND_TINY = [
    *(Ruleset(game, size, variant) for game in GAMES.values() for variant in game.variants for size in (3, 4)),
    *RULESETS,
]


def cells(position: Position, names: str | Iterable[str]) -> tuple[int, ...]:
    """The cells of those names, in the order of the board."""
    found = []
    for name in names.split() if isinstance(names, str) else names:
        cell = position.board.cell(name)
        assert cell is not None, f"{name} is off the board"
        found.append(cell)
    assert len(set(found)) == len(found), "a cell is named twice"
    return tuple(sorted(found))


def mask(position: Position, names: str | Iterable[str]) -> int:
    return sum(1 << cell for cell in cells(position, names))


def names(position: Position, stones: int | Iterable[int]) -> str:
    """The names of those cells with spaces between them, in alphabetical order."""
    if isinstance(stones, int):
        return " ".join(sorted(position.board.names(stones)))
    return " ".join(sorted(position.board.name(cell) for cell in stones))


def set_up(start: AnyPosition, first: str, second: str, turn_of: Side) -> AnyPosition:
    """A position in the middle of a game with those stones, given by the names of their cells."""
    stones, others = mask(start, first), mask(start, second)
    assert not stones & others, "a cell has a stone of both sides"
    return replace(start, first=stones, second=others, second_player=Side.SECOND, turn_of=turn_of)


@cache
def walk(ruleset: Ruleset, seed: int = 0) -> tuple[tuple[Position, str], ...]:
    """A random game: each position of it with the turn played there. The end, which has no turn, is left out."""
    chance = random.Random(f"{ruleset.id} {seed}")
    position, walked = ruleset.start(), []
    while position.legal_turns:
        turn = chance.choice(position.legal_turns)
        walked.append((position, turn))
        position, _ = position.play(turn)
    return tuple(walked)


def random_turns(ruleset: Ruleset, seed: int = 0) -> tuple[str, ...]:
    """The turns of a random game."""
    return tuple(turn for _, turn in walk(ruleset, seed))


def ids(ruleset: Ruleset) -> str:
    return f"{ruleset.game.name}-{ruleset.size}-{ruleset.variant}"
