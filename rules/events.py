"""What a turn did: its events in order, and their tally."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from rules.side import Side


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of ``side`` was placed on ``cell``; a stack has a ``height``."""

    side: Side
    cell: int
    height: int = 1


@cache
def placement(side: Side, cell: int, height: int = 1) -> Placed:
    """The event of that placement, made once: it is the most frequent of all."""
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
    """At the end of the game, ``cells`` count for ``side``."""

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
