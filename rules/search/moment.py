"""What a side has to decide next: a whole turn, or the next step of one that it has begun."""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random
from typing import ClassVar, Generic, TypeVar

from rules import PASS, Outcome, PlacementPosition, Position, Side

P = TypeVar("P", bound=Position)

#: Among how many random steps a side chooses by experience.
_FEW = 3


class Moment(ABC):
    """A node of a search: a position, or a turn of it that is put together step by step.

    A turn of many steps is searched step by step, so that those with a common beginning share what is found. The texts
    of the steps, joined, are the turn.
    """

    __slots__ = ()

    #: Whether a step of the turn has been taken.
    begun: ClassVar[bool] = False

    @property
    @abstractmethod
    def position(self) -> Position:
        """The position as it is, or as it would be if the turn ended here."""

    @property
    @abstractmethod
    def mover(self) -> Side:
        """The side that decides."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The end of the game; None while there is something to decide."""

    @abstractmethod
    def steps(self) -> tuple[str, ...]:
        """The texts that may come next, in an order that is the same on every machine."""

    @abstractmethod
    def after(self, step: str) -> Moment:
        """The moment after one of the steps."""

    @abstractmethod
    def at_random(self, chance: Random) -> tuple[str, Moment]:
        """A random step and the moment after it, for playouts: a pass only when nothing can be placed or sown."""

    def some_at_random(self, chance: Random) -> list[str]:
        """A few random steps, for playouts in which a side chooses one of them by experience."""
        return [self.at_random(chance)[0] for _ in range(_FEW)]


class Whole(Moment, Generic[P]):
    """A position whose turns are searched whole."""

    __slots__ = ("_position",)

    def __init__(self, position: P) -> None:
        self._position = position

    @property
    def position(self) -> P:
        return self._position

    @property
    def mover(self) -> Side:
        return self._position.turn_of

    @property
    def outcome(self) -> Outcome | None:
        return self._position.outcome

    def steps(self) -> tuple[str, ...]:
        return self._position.legal_turns

    def after(self, step: str) -> Moment:
        return type(self)(self._position.take_turn(step)[0])

    def at_random(self, chance: Random) -> tuple[str, Moment]:
        turns = self._position.legal_turns
        # A pass, where it is legal beside other turns, is the last one.
        several = len(turns) - (len(turns) > 1 and turns[-1] == PASS)
        turn = turns[int(chance.random() * several)]
        return turn, self.after(turn)


class Placement(Whole[PlacementPosition]):
    """A position of a game whose turns are placements, which are chosen at random without listing them."""

    __slots__ = ()

    def at_random(self, chance: Random) -> tuple[str, Moment]:
        position = self._position
        cells, board = position.open_cells, position.board
        if not cells:
            return PASS, Placement(position.place(None)[0])
        cell = some_cell(cells, board.cells, chance)
        return board.name(cell), Placement(position.place(cell)[0])

    def some_at_random(self, chance: Random) -> list[str]:
        position = self._position
        cells, board = position.open_cells, position.board
        if not cells:
            return [PASS]
        return [board.name(some_cell(cells, board.cells, chance)) for _ in range(_FEW)]


def some_cell(among: int, cells: tuple[int, ...], chance: Random) -> int:
    """A random cell of a mask that is not empty; ``cells`` are those of the board."""
    for _ in range(4):
        cell = cells[int(chance.random() * len(cells))]
        if among >> cell & 1:
            return cell
    left = [cell for cell in cells if among >> cell & 1]
    return left[int(chance.random() * len(left))]


def filling(position: Position) -> float:
    """The part of the board that is occupied."""
    return (position.first | position.second).bit_count() / len(position.board.cells)


def chance_in(position: Position, seed: int) -> Random:
    """Random numbers that are others in each position of a game, though its seed is the same."""
    return Random(f"{seed}/{position.first}/{position.second}/{int(position.turn_of)}")


def whole(position: Position) -> Moment:
    """The moment at which a whole turn of the position is to be decided."""
    return Placement(position) if isinstance(position, PlacementPosition) else Whole(position)
