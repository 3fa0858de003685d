"""Parts of a board: areas, by which players find a cell step by step, and windows around some cells."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cache

from rules import Board

#: The most cells of an area: as many options as a menu of Discord can have.
LARGEST = 25
#: The radius of the area in the middle.
_CORE = 2
_AROUND = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))

#: A cell of one sixth of the board: the steps from the centre in the sixth's first and second direction.
_Way = tuple[int, int]


@cache
def areas(board: Board) -> tuple[tuple[int, ...], ...]:
    """The areas of a board, at most 25 of at most 25 cells: one in the middle, and the same ones in all six sixths.

    They depend only on the size of the board, so that players learn where they are.
    """
    at = {(board.column(cell), board.row(cell)): cell for cell in board.cells}
    x, y = board.column(board.centre), board.row(board.centre)
    core = tuple(cell for cell in board.cells if board.distance(cell, board.centre) <= _CORE)
    found = [core]
    sixth = [(far - aside, aside) for far in range(_CORE + 1, board.size) for aside in range(far)]
    parts = _parts(sixth, math.ceil(len(sixth) / LARGEST)) if sixth else []
    for one, other in zip(_AROUND, (*_AROUND[1:], _AROUND[0]), strict=True):
        for part in parts:
            cells = [at[x + a * one[0] + b * other[0], y + a * one[1] + b * other[1]] for a, b in part]
            found.append(tuple(sorted(cells)))
    return tuple(found)


def _parts(ways: list[_Way], count: int) -> list[list[_Way]]:
    """Divide the cells into ``count`` parts of almost the same size, cutting across their longest extent."""
    if count == 1:
        return [ways]
    measured = [[(a, (a, b)) for a, b in ways], [(b, (a, b)) for a, b in ways], [(a + b, (a, b)) for a, b in ways]]
    ordered = [way for _, way in sorted(max(measured, key=lambda each: max(each)[0] - min(each)[0]))]
    cut = len(ways) * (count // 2) // count
    return [*_parts(ordered[:cut], count // 2), *_parts(ordered[cut:], count - count // 2)]


def middle(board: Board, cells: Collection[int], among: Collection[int] | None = None) -> int:
    """The cell (of those ``among`` which to choose, by default the cells themselves) that is nearest to all of them."""

    def away(cell: int) -> tuple[int, int]:
        ways = [board.distance(cell, each) for each in cells]
        return max(ways), sum(ways)

    return min(among or cells, key=away)


def window(board: Board, cells: Collection[int], smallest: int = 3) -> tuple[int, int] | None:
    """The smallest window, for a look, that contains all the cells; None if only the whole board does."""
    for shown in range(smallest, board.size):
        inner = [cell for cell in board.cells if board.distance(cell, board.centre) <= board.size - shown]
        around = middle(board, cells, inner)
        if all(board.distance(around, cell) < shown for cell in cells):
            return around, shown
    return None
