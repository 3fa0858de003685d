"""Divisions of a board: areas, which help players to choose a cell, and windows around cells."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from render.cache import remembered
from render.geometry import board_geometry
from rules import Board, Position, bits

#: Maximum cells to choose from in an area: the keys of a keypad with five rows of five.
LARGEST = 25
#: The largest board on which areas are ranges of columns, named by the board's labels.
SMALL = 5
#: The side length, in cells, of the smallest window.
_SMALLEST = 3
#: How many times as large as on the whole board the cells in an area's window are, at least.
_LARGER = 2


class Area(NamedTuple):
    """A part of the board: all its cells as a ``tile``, and those ``cells`` of it that can be chosen.

    An area of whole columns has a ``name``, such as ``a–c``.
    """

    cells: tuple[int, ...]
    tile: tuple[int, ...]
    name: str = ""


def areas(board: Board, cells: Collection[int], largest: int = LARGEST) -> tuple[Area, ...]:
    """Divide the board into areas of at most ``largest`` cells, each with its share of the ``cells``.

    The areas depend on the board alone, so players know where to press; an area may have no share. There are about as
    few as allow windows that show the cells twice as large. The areas of a small board are ranges of columns, which
    players can choose without a picture.
    """
    among = frozenset(cells)
    return tuple(
        area._replace(cells=tuple(cell for cell in area.tile if cell in among)) for area in _areas(board, largest)
    )


@lru_cache(maxsize=32)
def _areas(board: Board, largest: int) -> tuple[Area, ...]:
    if board.size <= SMALL:
        return _columns(board, largest)
    large = _LARGER * board_geometry(board.size).cell_height
    fitting = [
        window_size
        for window_size in range(_SMALLEST, board.size)
        if board_geometry(board.size, 0, window_size).cell_height >= large
    ]
    return tuple(
        Area(tuple(piece), tuple(piece)) for piece in _in_windows(board, max(fitting, default=_SMALLEST), largest)
    )


def _in_windows(board: Board, window_size: int, largest: int) -> list[list[int]]:
    """The cells of areas that each fit into a window of that size."""
    centres = _cover(board, window_size)
    tiles: dict[int, list[int]] = {}
    for cell in board.cells:
        tiles.setdefault(min(centres, key=lambda centre: (board.distance(cell, centre), centre)), []).append(cell)
    return [piece for tile in tiles.values() for piece in _pieces(board, tile, -(-len(tile) // largest))]


def _cover(board: Board, window_size: int) -> list[int]:
    """The middles of windows of that size that cover the board: few, though not always the fewest."""
    masks = windows(board, window_size)
    left = board.mask
    centres = []
    while left:
        # Begin at the rim, where there is the least choice.
        outmost = max(bits(left), key=lambda cell: (board.distance(cell, board.centre), cell))
        around = [centre for centre, mask in masks.items() if mask >> outmost & 1]
        best = max(around, key=lambda centre: ((masks[centre] & left).bit_count(), centre))
        centres.append(best)
        left &= ~masks[best]
    return centres


@lru_cache(maxsize=32)
def windows(board: Board, window_size: int) -> dict[int, int]:
    """The cells in each window of that size within the board, as masks by the window's middle."""
    middles = bits(board.within(board.size - window_size, board.centre))
    return {centre: board.within(window_size - 1, centre) for centre in middles}


def axes(board: Board, origin: int, cells: Collection[int]) -> tuple[Area, ...]:
    """The lines through ``origin``, up to three, each as an area of its ``cells``."""
    found = []
    for rays in zip(board.rays[origin][:3], board.rays[origin][3:], strict=True):
        axis = tuple(sorted(cell for ray in rays for cell in ray if cell in cells))
        if axis:
            found.append(Area(axis, axis))
    return tuple(found)


def _columns(board: Board, largest: int) -> tuple[Area, ...]:
    """Ranges of columns, as few and as equal in size as possible."""
    columns: list[list[int]] = [[] for _ in range(board.diameter)]
    for cell in board.cells:
        columns[board.column(cell)].append(cell)
    sizes = [len(column) for column in columns]
    fewest = (_ranges(sizes, count) for count in range(1, board.diameter + 1))
    found = next(ranges for ranges in fewest if all(sum(sizes[low:high]) <= largest for low, high in ranges))
    ranges = []
    for low, high in found:
        tile = tuple(sorted(cell for column in columns[low:high] for cell in column))
        letters = [board.name(cell).rstrip("0123456789") for cell in tile]
        ranges.append(Area(tile, tile, letters[0] if low + 1 == high else f"{min(letters)}–{max(letters)}"))
    return tuple(ranges)


def _ranges(sizes: list[int], count: int) -> list[tuple[int, int]]:
    """Divide columns of the given sizes into ``count`` ranges, with the largest as small as possible."""
    divisions = (list(pairwise((0, *cuts, len(sizes)))) for cuts in combinations(range(1, len(sizes)), count - 1))
    return min(divisions, key=lambda ranges: max(sum(sizes[low:high]) for low, high in ranges))


def _pieces(board: Board, tile: list[int], count: int) -> list[list[int]]:
    """Divide some cells into ``count`` pieces by cuts across their longest extent.

    If a piece would not be connected, the cut goes across another extent.
    """
    if count == 1:
        return [tile]
    coordinates = _coordinates(board)
    extents = [max(values) - min(values) for values in zip(*(coordinates[cell] for cell in tile), strict=True)]
    axes = sorted(range(3), key=lambda axis: -extents[axis])
    cuts = [_cut(board, tile, axis, count) for axis in axes]
    best = next((cut for cut in cuts if all(_connected(board, piece) for piece in cut)), cuts[0])
    counts = (count // 2, count - count // 2)
    return [tile for piece, share in zip(best, counts, strict=True) for tile in _pieces(board, piece, share)]


def _cut(board: Board, tile: list[int], axis: int, count: int) -> tuple[list[int], list[int]]:
    """The cells on either side of a cut across an axis of the board."""

    coordinates = _coordinates(board)
    ordered = sorted(tile, key=lambda cell: (coordinates[cell][axis], coordinates[cell][axis - 1]))
    cut = len(tile) * (count // 2) // count
    return ordered[:cut], ordered[cut:]


def _connected(board: Board, tile: list[int]) -> bool:
    mask = sum(1 << cell for cell in tile)
    return board.flood(mask & -mask, mask) == mask


@lru_cache(maxsize=32)
def _coordinates(board: Board) -> dict[int, tuple[int, int, int]]:
    """The coordinates of each cell on the three axes of the board."""
    at = ((cell, board.column(cell), board.row(cell)) for cell in board.cells)
    return {cell: (across, along, across - along) for cell, across, along in at}


def middle(board: Board, cells: Collection[int], among: Collection[int] | None = None) -> int:
    """The cell nearest to all the ``cells``: one ``among`` other cells or, by default, one of them."""
    coordinates = _coordinates(board)
    others = [coordinates[cell] for cell in cells]
    extents: list[tuple[int, int]] = [(min(values), max(values)) for values in zip(*others, strict=True)]
    (low_x, high_x), (low_y, high_y), (low_z, high_z) = extents

    def farthest(cell: int) -> int:
        x, y, z = coordinates[cell]
        return max(x - low_x, high_x - x, y - low_y, high_y - y, z - low_z, high_z - z)

    def sum_of_ways(cell: int) -> int:
        x, y, z = coordinates[cell]
        return sum(max(abs(x - a), abs(y - b), abs(z - c)) for a, b, c in others)

    # The sum is slow, and few cells share the shortest distance to the farthest cell.
    ways = {cell: farthest(cell) for cell in among or cells}
    shortest = min(ways.values())
    nearest = [cell for cell, way in ways.items() if way == shortest]
    return nearest[0] if len(nearest) == 1 else min(nearest, key=sum_of_ways)


def name_cell(position: Position, area: Collection[int]) -> int:
    """The cell for an area's name: near the middle and, if possible, empty."""
    return middle(position.board, area, [cell for cell in area if position.empty >> cell & 1])


def window(board: Board, cells: Collection[int], smallest: int = _SMALLEST) -> tuple[int, int] | None:
    """The smallest window around all the cells, as in a look; None if only the whole board contains them."""
    coordinates = _coordinates(board)
    extents = [(min(values), max(values)) for values in zip(*(coordinates[cell] for cell in cells), strict=True)]
    widest = max(most - least for least, most in extents)
    for window_size in range(max(smallest, 1 + -(-widest // 2)), board.size):
        reach, room = window_size - 1, board.size - window_size
        # The middle of the window is near enough to all the cells, and the window stays within the board.
        (a, b), (c, d), (e, f) = (
            (max(most - reach, at - room), min(least + reach, at + room))
            for at, (least, most) in zip(coordinates[board.centre], extents, strict=True)
        )
        around = [cell for cell, (x, y, z) in coordinates.items() if a <= x <= b and c <= y <= d and e <= z <= f]
        if around:
            return middle(board, cells, around), window_size
    return None


@remembered(256)
def zoom(board: Board, division: tuple[Area, ...]) -> int:
    """The common size of windows for the areas, at most that of the board."""
    window_size = _SMALLEST
    for area in division:
        found = window(board, area.tile, window_size)
        if found is None:
            return board.size
        window_size = found[1]
    return window_size
