"""The events that occur only in Dendria."""

from __future__ import annotations

from dataclasses import dataclass

from rules.events import CellEvent, Event, GroupEvent
from rules.text import Text


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A Dryad of ``side`` moved from ``start``; ``stops`` are the soils on its way where it acted or stopped."""

    start: int
    stops: tuple[int, ...]

    @property
    def changed_cells(self) -> tuple[int, ...]:
        return (self.start, *self.stops)


@dataclass(frozen=True, slots=True)
class Sprouted(CellEvent):
    """The Seed on ``cell`` became a Dryad of ``side``."""

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("sprouts {count} Seed", "sprouts {count} Seeds", amount)


@dataclass(frozen=True, slots=True)
class Germinated(GroupEvent):
    """The seedbed on ``cells`` became a forest of ``side``."""

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("grows {count} Tree", "grows {count} Trees", amount)
