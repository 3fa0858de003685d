"""The events that occur only in Corral."""

from __future__ import annotations

from dataclasses import dataclass

from rules.events import Event
from rules.side import Side
from rules.text import Text


@dataclass(frozen=True, slots=True)
class Penned(Event):
    """The group on ``cells`` was captured and is now in the pen of ``side``."""

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
