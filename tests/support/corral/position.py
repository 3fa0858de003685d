"""A position of Corral; each term of ``rules.md`` is a method of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from rules.board import bits
from rules.errors import IllegalTurn
from rules.events import Event, Passed, Placed
from rules.position import SCORE, Outcome, PlacementPosition, Sections, Weight
from rules.side import Side
from tests.support.corral.events import Penned


@dataclass(frozen=True)
class Corral(PlacementPosition):
    """A position of Corral. ``passed`` means that the last turn was a pass; ``prisoners`` counts each side's."""

    passed: bool = False
    prisoners: tuple[int, int] = (0, 0)

    name: ClassVar[str] = "corral"
    title: ClassVar[str] = "Corral"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (3, 4)
    default_size: ClassVar[int] = 4
    variants: ClassVar[tuple[str, ...]] = ("standard",)
    sides: ClassVar[tuple[str, str]] = ("dark", "light")
    goals: ClassVar[Mapping[str, str]] = {
        "standard": "You win when you are the first to surround an enemy stone. Each turn, place a stone."
    }
    minutes: ClassVar[int] = 5
    weight: ClassVar[Weight] = Weight.LIGHT
    reasons: ClassVar[Mapping[str, str]] = {"capture": "by capture", SCORE: "on points"}
    sections: ClassVar[Sections] = Sections(
        "corral/rules.md#the-opening", "corral/rules.md#your-turn", "corral/rules.md#the-end", "corral/rules.md#passing"
    )
    a_piece: ClassVar[tuple[str, str]] = ("a dark stone", "a light stone")

    def _captured(self, side: Side, cell: int) -> int:
        """The enemy stones that the side captures by placing a stone on this empty cell."""
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

    def pass_turn(self) -> tuple[Self, tuple[Event, ...]]:
        passed = self.changed(turn_of=self.turn_of.other, passed=True)
        return (passed.changed(outcome=Outcome(None, SCORE)) if self.passed else passed), (Passed(self.turn_of),)

    def place(self, cell: int) -> tuple[Self, tuple[Event, ...]]:
        mover = self.turn_of
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

    def score(self) -> dict[str, int | float | list[int]]:
        return {self.sides[side]: self.prisoners[side] for side in Side}

    def held(self) -> dict[str, int]:
        return {self.sides[side]: self.prisoners[side] for side in Side}
