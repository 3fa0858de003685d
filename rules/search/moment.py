"""Decisions of a side: a whole turn, or the next element of a turn that it has begun."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from rules import PASS, PlacementPosition, Position, Side

#: How many random options a side has to choose from by experience.
_FEW = 3


class Moment:
    """A decision in a search: at a position, where the side to play chooses a whole turn, or within a turn.

    Where turns have many elements, a class of the game derived from this one searches them element by element, so that
    turns with a common beginning share their results. The options taken, joined, are the turn.
    """

    __slots__ = ("position",)

    #: Whether the turn has begun.
    begun: ClassVar[bool] = False

    def __init__(self, position: Position) -> None:
        #: The position now or, within a turn, the position if the turn ended here.
        self.position = position

    @property
    def mover(self) -> Side:
        """The side that decides."""
        return self.position.turn_of

    def options(self) -> tuple[str, ...]:
        """The legal turns, or elements that may follow, in the same order on every machine."""
        return self.position.legal_turns

    def after(self, option: str) -> Moment:
        """The moment after one of the options."""
        return type(self)(self.position.take_turn(option)[0])

    def at_random(self, chance: Random) -> tuple[str, Moment]:
        """A random option and the moment after it, for playouts: a pass only when nothing can be placed or sown."""
        turns = self.options()
        # A pass, where it is legal beside other turns, is the last one.
        several = len(turns) - (len(turns) > 1 and turns[-1] == PASS)
        turn = turns[int(chance.random() * several)]
        return turn, self.after(turn)

    def some_at_random(self, chance: Random) -> list[str]:
        """A few random options, among which a side chooses by experience in playouts."""
        return [self.at_random(chance)[0] for _ in range(_FEW)]


class Placement(Moment):
    """A position of a game of placements, which are drawn at random without a list of them all."""

    __slots__ = ()
    position: PlacementPosition

    def at_random(self, chance: Random) -> tuple[str, Moment]:
        position = self.position
        cells, board = position.open_cells, position.board
        if not cells:
            return PASS, Placement(position.pass_turn()[0])
        cell = some_cell(cells, board.cells, chance)
        return board.name(cell), Placement(position.place(cell)[0])

    def some_at_random(self, chance: Random) -> list[str]:
        position = self.position
        cells, board = position.open_cells, position.board
        if not cells:
            return [PASS]
        return [board.name(some_cell(cells, board.cells, chance)) for _ in range(_FEW)]


def some_cell(among: int, cells: tuple[int, ...], chance: Random) -> int:
    """Draw a random cell of a mask, which is not empty; ``cells`` are all cells of the board."""
    for _ in range(4):
        cell = cells[int(chance.random() * len(cells))]
        if among >> cell & 1:
            return cell
    left = [cell for cell in cells if among >> cell & 1]
    return left[int(chance.random() * len(left))]


def filling(position: Position) -> float:
    """The occupied share of the board."""
    return (position.first | position.second).bit_count() / len(position.board.cells)


def chance_in(position: Position, seed: int) -> Random:
    """Return random numbers that differ between the positions of a game with the same seed."""
    return Random(f"{seed}/{position.first}/{position.second}/{int(position.turn_of)}")


def whole(position: Position) -> Moment:
    """Return the moment at which the side to play chooses a whole turn."""
    return Placement(position) if isinstance(position, PlacementPosition) else Moment(position)
