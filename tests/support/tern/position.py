"""A position of Tern; each term of ``rules.md`` is a method of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from rules.events import Event, placement
from rules.position import HANDICAPS, Outcome, PlacementPosition, Sections, Weight
from rules.side import Side
from rules.text import gettext_noop

_GROUP = "group"


@dataclass(frozen=True)
class Tern(PlacementPosition):
    """A position of Tern."""

    name: ClassVar[str] = "tern"
    title: ClassVar[str] = "Tern"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (4,)
    default_size: ClassVar[int] = 4
    variants: ClassVar[tuple[str, ...]] = ("standard",)
    sides: ClassVar[tuple[str, str]] = (gettext_noop("red"), gettext_noop("blue"))
    goals: ClassVar[Mapping[str, str]] = {
        "standard": gettext_noop("You win when three of your stones are connected. Each turn, place a stone."),
    }
    minutes: ClassVar[int] = 5
    weight: ClassVar[Weight] = Weight.LIGHT
    reasons: ClassVar[Mapping[str, str]] = {_GROUP: gettext_noop("with three connected stones")}
    sections: ClassVar[Sections] = Sections(
        "tern/rules.md#the-opening",
        "tern/rules.md#your-turn",
        "tern/rules.md#the-end",
    )
    a_piece: ClassVar[tuple[str, str]] = (gettext_noop("a red stone"), gettext_noop("a blue stone"))

    @classmethod
    def handicaps(cls, variant: str) -> range:
        """No handicap but the choice of sides, because extra stones would decide the game."""
        return HANDICAPS[:1]

    def can_stand(self) -> bool:
        return super().can_stand() and not any(map(self.has_won, Side))

    def has_won(self, side: Side) -> bool:
        """Whether three stones of the side are connected. On a full board, at least one side has three."""
        return any(group.bit_count() >= 3 for group in self.board.groups(self.stones(side)))

    def place(self, cell: int) -> tuple[Self, tuple[Event, ...]]:
        mover = self.turn_of
        after = self.with_stones(mover, self.stones(mover) | 1 << cell, self.stones(mover.other), mover.other)
        if after.has_won(mover):
            after = after.changed(outcome=Outcome(mover, _GROUP))
        return after, (placement(mover, cell),)
