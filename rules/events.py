"""What a turn did: its events in order, and their tally."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from rules.side import Side
from rules.text import Text


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of ``side`` was placed on ``cell``; a stack has a ``height``."""

    side: Side
    cell: int
    height: int = 1


@cache
def placement(side: Side, cell: int, height: int = 1) -> Placed:
    """Return the event of a placement, always the same object: it is the most frequent event."""
    return Placed(side, cell, height)


@dataclass(frozen=True, slots=True)
class Flipped:
    """The stones on ``cells``, one group, now belong to ``side``; the stones on ``by`` flipped them."""

    side: Side
    cells: tuple[int, ...]
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Captured:
    """The pieces on ``cells``, one group, left the board and became prisoners of ``side``."""

    side: Side
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """The stack of ``side`` on ``cell`` became lower, which gave its enemy prisoners; at height 0 it left the board."""

    side: Side
    cell: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Raised:
    """The stack of ``side`` on ``cell`` became higher."""

    side: Side
    cell: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A piece of ``side`` moved, with the cells where it acted or stopped on its way."""

    side: Side
    start: int
    stops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sprouted:
    """The Seed on ``cell`` became a Dryad of ``side``."""

    side: Side
    cell: int


@dataclass(frozen=True, slots=True)
class Germinated:
    """The seedbed on ``cells`` became a forest of ``side``."""

    side: Side
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Territory:
    """The ``cells`` count for ``side`` at the end of the game."""

    side: Side
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SideChosen:
    """The second player took ``side``, so the first player has the other one."""

    side: Side


@dataclass(frozen=True, slots=True)
class Passed:
    side: Side


Event: TypeAlias = (
    Placed | Flipped | Captured | Reduced | Raised | Moved | Sprouted | Germinated | Territory | SideChosen | Passed
)


def cells_of(event: Event) -> tuple[int, ...]:
    """The cells on which an event changes pieces."""
    match event:
        case Placed(_, cell) | Reduced(_, cell) | Raised(_, cell) | Sprouted(_, cell):
            return (cell,)
        case Flipped(_, cells) | Captured(_, cells) | Germinated(_, cells):
            return cells
        case Moved(_, start, stops):
            return (start, *stops)
    return ()


class Tally:
    """What a turn did to the pieces that were on the board, counted by side.

    Each attribute is a list of two: of the first and of the second side.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        #: The side that took the turn; None when nothing happened.
        self.mover: Side | None = None
        #: Masks of the stones that now belong to each side.
        self.flipped = [0, 0]
        #: Masks of the pieces of each side that were captured.
        self.captured = [0, 0]
        #: Masks of the stacks of each side that were reduced to nothing.
        self.removed = [0, 0]
        #: By how many levels stacks of each side became lower and higher.
        self.lowered, self.raised = [0, 0], [0, 0]
        #: Masks of the Seeds that became Dryads, and of those that became Trees, of each side.
        self.sprouted, self.germinated = [0, 0], [0, 0]
        #: By cell the heights through which a stack went.
        self.heights: dict[int, list[int]] = {}
        for event in events:
            self._add(event)

    def _add(self, event: Event) -> None:
        if self.mover is None and isinstance(event, Placed | Moved | Passed | SideChosen):
            self.mover = event.side
        cells = sum(1 << cell for cell in set(cells_of(event)))
        match event:
            case Flipped(side):
                self.flipped[side] |= cells
            case Captured(side):
                self.captured[side.other] |= cells
            case Sprouted(side):
                self.sprouted[side] |= cells
            case Germinated(side):
                self.germinated[side] |= cells
            case Reduced(side, cell, before, after):
                self.lowered[side] += before - after
                self.removed[side] |= 0 if after else cells
                self.heights.setdefault(cell, [before]).append(after)
            case Raised(side, cell, before, after):
                self.raised[side] += after - before
                self.heights.setdefault(cell, [before]).append(after)

    @property
    def costs_pieces(self) -> bool:
        """Whether pieces of the mover left the board or changed sides; a stack that only became lower did not."""
        mover = self.mover
        return mover is not None and bool(self.flipped[mover.other] | self.captured[mover] | self.removed[mover])

    def effects(self) -> tuple[Text, ...]:
        """What the turn did beyond placing pieces, in words such as ``flips 7``."""
        if self.mover is None:
            return ()
        mover, enemy = self.mover, self.mover.other
        flips, captures = self.flipped[mover].bit_count(), self.captured[enemy].bit_count()
        sprouts, grows = (sum(map(int.bit_count, cells)) for cells in (self.sprouted, self.germinated))
        lowers, raises = self.lowered[enemy], sum(self.raised)
        loses = self.flipped[enemy].bit_count() + self.captured[mover].bit_count() + self.lowered[mover]
        counted = (
            (flips, Text.counted("flips {count}", "flips {count}", flips)),
            (captures, Text.counted("captures {count}", "captures {count}", captures)),
            (lowers, Text.counted("lowers by {count}", "lowers by {count}", lowers)),
            (raises, Text.counted("raises by {count}", "raises by {count}", raises)),
            (sprouts, Text.counted("sprouts {count}", "sprouts {count}", sprouts)),
            (grows, Text.counted("grows {count} Tree", "grows {count} Trees", grows)),
            (loses, Text.counted("loses {count}", "loses {count}", loses)),
        )
        return tuple(text for count, text in counted if count)
