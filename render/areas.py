"""Parts of a board: areas, by which players find a cell step by step, and windows around some cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from rules import Board

#: The most cells to choose from in an area: as many as a keypad of five rows of five has keys.
LARGEST = 25
#: The largest board on which an area is a range of columns, which has a name on the board itself.
SMALL = 5
#: Cells on each side of the largest window in which names on the cells are easy to read on a phone.
_LEGIBLE = 7
#: By how many areas a division may exceed the smallest number, in order to be shown larger.
_MORE = 4


class Area(NamedTuple):
    """A part of the board: the ``cells`` that can be chosen in it, and its ``tile``, all cells that lie in it.

    An area of whole columns has a ``name``, such as ``a–c``.
    """

    cells: tuple[int, ...]
    tile: tuple[int, ...]
    name: str = ""


def areas(board: Board, cells: Collection[int], largest: int = LARGEST) -> tuple[Area, ...]:
    """Divide the board into areas with at most ``largest`` of the cells each, and all about equally many.

    There are as few areas as possible, unless more of them can be shown larger. Their tiles cover the board, and what
    they are does not depend on how the board lies. The areas of a small board are ranges of columns, so that one can be
    chosen without a picture of them.
    """
    return _areas(board, frozenset(cells), largest)


@lru_cache(maxsize=256)
def _areas(board: Board, cells: frozenset[int], largest: int) -> tuple[Area, ...]:
    if board.size <= SMALL:
        return _columns(board, cells, largest)
    fewest = max(1, -(-len(cells) // largest))
    best: tuple[Area, ...] = ()
    for count in range(fewest, min(fewest + _MORE, LARGEST) + 1):
        parts = _parts(board, sorted(cells), list(board.cells), count)
        found = tuple(Area(tuple(sorted(chosen)), tuple(sorted(tile))) for chosen, tile in parts)
        if not best or zoom(board, found) < zoom(board, best):
            best = found
        if zoom(board, best) <= _LEGIBLE:
            break
    return best


def lines(board: Board, origin: int, cells: Collection[int]) -> tuple[Area, ...]:
    """The cells as up to three areas: the lines through ``origin`` on which they lie."""
    found = []
    for rays in zip(board.rays[origin][:3], board.rays[origin][3:], strict=True):
        line = tuple(sorted(cell for ray in rays for cell in ray if cell in cells))
        if line:
            found.append(Area(line, line))
    return tuple(found)


def _columns(board: Board, cells: Collection[int], largest: int) -> tuple[Area, ...]:
    """Ranges of columns, as few and as equal as possible."""
    columns: list[list[int]] = [[] for _ in range(board.diameter)]
    for cell in sorted(cells):
        columns[board.column(cell)].append(cell)
    sizes = [len(column) for column in columns]
    fewest = (_ranges(sizes, count) for count in range(1, board.diameter + 1))
    found = next(ranges for ranges in fewest if all(sum(sizes[low:high]) <= largest for low, high in ranges))
    parts = []
    for low, high in found:
        tile = [cell for cell in board.cells if low <= board.column(cell) < high]
        letters = [board.name(cell).rstrip("0123456789") for cell in tile]
        name = letters[0] if low + 1 == high else f"{min(letters)}–{max(letters)}"
        parts.append(Area(tuple(cell for column in columns[low:high] for cell in column), tuple(tile), name))
    return tuple(parts)


def _ranges(sizes: list[int], count: int) -> list[tuple[int, int]]:
    """Divide columns with so many cells into ``count`` ranges of which the largest is as small as possible."""
    divisions = (list(pairwise((0, *cuts, len(sizes)))) for cuts in combinations(range(1, len(sizes)), count - 1))
    best = min(divisions, key=lambda ranges: max(sum(sizes[low:high]) for low, high in ranges))
    return [(low, high) for low, high in best if any(sizes[low:high])]


def _parts(board: Board, cells: list[int], tile: list[int], count: int) -> list[tuple[list[int], list[int]]]:
    """Divide the cells, and the tile in which they lie, into ``count`` parts by cutting across the longest extent."""
    if count == 1:
        return [(cells, tile)]

    ways = [_measures(board, cell) for cell in cells]
    extents = [max(values) - min(values) for values in zip(*ways, strict=True)]
    axis = extents.index(max(extents))

    def place(cell: int) -> tuple[int, int]:
        measured = _measures(board, cell)
        return measured[axis], measured[axis - 1]

    ordered = sorted(cells, key=place)
    cut = len(cells) * (count // 2) // count
    beyond = place(ordered[cut])
    return [
        *_parts(board, ordered[:cut], [cell for cell in tile if place(cell) < beyond], count // 2),
        *_parts(board, ordered[cut:], [cell for cell in tile if place(cell) >= beyond], count - count // 2),
    ]


def _measures(board: Board, cell: int) -> tuple[int, int, int]:
    """Where the cell lies along each of the three axes of the board."""
    across, along = board.column(cell), board.row(cell)
    return across, along, across - along


def middle(board: Board, cells: Collection[int], among: Collection[int] | None = None) -> int:
    """The cell (of those ``among`` which to choose, by default the cells themselves) that is nearest to all of them."""

    def away(cell: int) -> tuple[int, int]:
        ways = [board.distance(cell, each) for each in cells]
        return max(ways), sum(ways)

    return min(among or cells, key=away)


def window(board: Board, cells: Collection[int], smallest: int = 3) -> tuple[int, int] | None:
    """The smallest window, for a look, that contains all the cells; None if only the whole board does."""

    ways = [_measures(board, cell) for cell in cells]
    extents = [(min(values), max(values)) for values in zip(*ways, strict=True)]
    for shown in range(smallest, board.size):
        reach = shown - 1
        around = [
            cell
            for cell in board.cells
            if board.distance(cell, board.centre) <= board.size - shown
            and all(
                most - reach <= at <= least + reach
                for at, (least, most) in zip(_measures(board, cell), extents, strict=True)
            )
        ]
        if around:
            return middle(board, cells, around), shown
    return None


def zoom(board: Board, parts: Sequence[Area]) -> int:
    """The size of the windows in which each of the areas can be shown, the same for all; at most the board's."""
    shown = 3
    for part in parts:
        found = window(board, part.cells, shown)
        if found is None:
            return board.size
        shown = found[1]
    return shown
