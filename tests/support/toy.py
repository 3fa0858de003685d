"""Corral, a sixth game for tests: all that a new game needs under ``rules``, written in one file and its rule page.

It proves that a game can be added without touching another file but the registry: :func:`register` adds the one line
for the time of a test. The game has an opening, the choice of sides, captures, passes and an end, an event and a reason
to end that no other game has, and is played on small boards, so that whole games are short.

A turn places a stone on an empty cell and captures every enemy group that has no empty cell next to it. A stone that
would leave its own group without one must capture something. A side without a legal placement passes. The first side
to capture wins; two passes in a row end the game in a draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import pytest

from rules import (
    GAMES,
    SCORE,
    Event,
    IllegalTurn,
    Outcome,
    Passed,
    Placed,
    PlacementPosition,
    Sections,
    Side,
    Text,
    bits,
)


@dataclass(frozen=True, slots=True)
class Penned(Event):
    """The stones on ``cells``, one group, were captured and stand in the pen of ``side``."""

    cells: tuple[int, ...]

    @property
    def changed_cells(self) -> tuple[int, ...]:
        return self.cells

    @property
    def loser(self) -> Side:
        return self.side.other

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("pens {count} stone", "pens {count} stones", amount)


@dataclass(frozen=True)
class Corral(PlacementPosition):
    """A position of Corral. ``passed`` says that the last turn was a pass; ``prisoners`` are those of each side."""

    passed: bool = False
    prisoners: tuple[int, int] = (0, 0)

    name: ClassVar[str] = "corral"
    title: ClassVar[str] = "Corral"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (3, 4)
    default_size: ClassVar[int] = 4
    variants: ClassVar[tuple[str, ...]] = ("standard",)
    sides: ClassVar[tuple[str, str]] = ("dark", "light")
    summary: ClassVar[str] = "Be the first to pen in an enemy stone"
    goals: ClassVar[Mapping[str, str]] = {"standard": "You win when you are the first to capture."}
    reasons: ClassVar[Mapping[str, str]] = {"capture": "capture", SCORE: "score"}
    sections: ClassVar[Sections] = Sections(
        "corral.md#the-opening", "corral.md#your-turn", "corral.md#passing", "corral.md#the-end"
    )
    a_piece: ClassVar[tuple[str, str]] = ("a dark stone", "a light stone")

    @classmethod
    def page(cls) -> Path:
        return Path(__file__).with_name("corral.md")

    def _captured(self, side: Side, cell: int) -> int:
        """The enemy stones that a stone of the side on this empty cell captures."""
        board, enemy, empty = self.board, self.stones(side.other), self.empty & ~(1 << cell)
        return enemy & ~board.flood(board.spread(empty), enemy)

    def placements(self, side: Side) -> int:
        found = 0
        for cell in bits(self.empty):
            own, empty = self.stones(side) | 1 << cell, self.empty & ~(1 << cell)
            breathes = self.board.spread(self.board.flood(1 << cell, own)) & empty
            if breathes or self._captured(side, cell):
                found |= 1 << cell
        return found

    def placement_refusal(self, side: Side, cell: int) -> IllegalTurn:
        name = self.board.name(cell)
        return IllegalTurn("{cell} would leave your group no empty cell", (cell,), cell=name, rule=self.sections.turn)

    def place(self, cell: int | None) -> tuple[Self, tuple[Event, ...]]:
        mover = self.turn_of
        if cell is None:
            passed = self.changed(turn_of=mover.other, passed=True)
            return (passed.changed(outcome=Outcome(None, SCORE)) if self.passed else passed), (Passed(mover),)
        events: list[Event] = [Placed(mover, cell)]
        captured = self._captured(mover, cell)
        events += [Penned(mover, tuple(bits(group))) for group in self.board.groups(captured)]
        own, enemy = self.stones(mover) | 1 << cell, self.stones(mover.other) & ~captured
        after = self.with_stones(mover, own, enemy, mover.other).changed(passed=False)
        if captured:
            count = captured.bit_count()
            prisoners = (0, count) if mover else (count, 0)
            after = after.changed(prisoners=prisoners, outcome=Outcome(mover, "capture"))
        return after, tuple(events)

    def pieces(self) -> dict[str, str]:
        return {
            self.board.name(cell): letter
            for letter, stones in (("d", self.first), ("l", self.second))
            for cell in bits(stones)
        }

    def score(self) -> dict[str, int | float | list[int]]:
        return {self.sides[side]: self.prisoners[side] for side in Side}

    def held(self) -> dict[str, int]:
        return {self.sides[side]: self.prisoners[side] for side in Side}


def register(patch: pytest.MonkeyPatch) -> type[Corral]:
    """Add the game to the registry of ``rules`` until the patch is undone."""
    patch.setitem(GAMES, Corral.name, Corral)
    return Corral
