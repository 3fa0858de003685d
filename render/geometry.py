"""Where the cells, the labels and the four corner fields of a picture lie, in pixels.

Hexagons stand on a flat side and columns of hexagons are upright. The board is a hexagon itself, so the picture has
four empty corners; they hold what other pictures put in a header and a footer. Unless the board is rotated, its columns
are upright, its rows slope down to the right, and ``a1`` is at the lower left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rules import Board, board

#: The width of a picture, in pixels.
WIDTH = 1100
#: The empty margin of a picture of that width; smaller pictures have less.
MARGIN = 24
#: The ways in which a board can lie: rotated clockwise by up to five sixths of a turn, mirrored or not.
ORIENTATIONS = 12

Point = tuple[float, float]
#: Left, top, right, bottom.
Box = tuple[float, float, float, float]

#: The six neighbours of a cell on the picture, clockwise from the one above, as steps to the right and upward along
#: the slanted line.
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
_UPRIGHT = 0


@dataclass(frozen=True)
class Label:
    """A coordinate, centred on ``x``, ``y``: a column's letter, a row's number, or both."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class _End:
    """The end of a shown column or row: its last cell, the direction outward, and whether it is at an upright rim."""

    cell: int
    outward: int
    at_upright_rim: bool


@dataclass(frozen=True)
class Grid:
    """The size of the cells in pixels, independent of the board.

    ``pitch`` is the distance from one column to the next, and ``step`` from one cell to the next in its column. The
    pitch and half a step are whole numbers, so that all cells are identical pixel for pixel.
    """

    pitch: int
    step: int

    def hexagon(self, centre: Point, inset: float = 0) -> list[Point]:
        """The corners of the cell around that pixel, its sides moved inward by ``inset`` pixels."""
        return hexagon(self.step - 2 * inset, self.pitch / self.step, centre)

    def towards(self, direction: int) -> Point:
        """The vector, in pixels, from a cell to its neighbour in one of the six :data:`DIRECTIONS`."""
        across, along = DIRECTIONS[direction]
        return across * self.pitch, (across / 2 - along) * self.step


@dataclass(frozen=True)
class Geometry:
    """The geometry of the pictures of a board, or of a window of it. Get one with :func:`board_geometry`.

    ``size`` is that of the board. ``orientation``, from 0 to 11, says how the board lies: rotated clockwise by that
    many sixths of a turn, and mirrored first from 6 on. ``shown`` is the size of the hexagonal window of cells in the
    picture, and ``middle`` the cell in its middle. ``width`` is that of the picture in pixels; a ``bare`` picture has
    no room for labels.
    """

    size: int
    orientation: int
    shown: int
    middle: int
    width: int = WIDTH
    bare: bool = False

    @cached_property
    def board(self) -> Board:
        return board(self.size)

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The cells that the picture shows."""
        return tuple(cell for cell in self.board.cells if self.board.distance(cell, self.middle) < self.shown)

    @cached_property
    def grid(self) -> Grid:
        # Room beside the upright rims for a number or for a cell name, which may be long if only a part is shown.
        room = 36 if not self._slanted else 60 if self.shown > 6 else 90
        # A board of few cells is almost round and leaves less room in the corners.
        room += {2: 330, 3: 110}.get(self.shown, 0)
        if self.bare:
            widest = int((self.width - self.margin) / (2 * self.shown - 0.6))
        else:
            widest = int((self.width - 2 * self.margin - room * self.width / WIDTH) / (2 * self.shown + 0.04))
        grids = [Grid(pitch, 2 * round(pitch / math.sqrt(3))) for pitch in (widest, widest - 1)]
        return next((grid for grid in grids if abs(grid.pitch / grid.step / (math.sqrt(3) / 2) - 1) < 0.015), grids[1])

    @cached_property
    def pitch(self) -> int:
        return self.grid.pitch

    @cached_property
    def step(self) -> int:
        return self.grid.step

    @cached_property
    def label_size(self) -> int:
        """The labels' font size."""
        return min(round(22 * self.width / WIDTH + 0.13 * self.pitch), int(0.59 * self.pitch))

    @property
    def margin(self) -> float:
        return MARGIN * self.width / WIDTH

    @cached_property
    def height(self) -> int:
        above = self.margin if self.bare else 0.3 * self.step + 0.45 * self.label_size + self.margin
        return 2 * round(above) + self.step * (2 * self.shown - 1)

    def rotate(self, across: int, along: int) -> tuple[int, int]:
        """A step on the board, in columns and rows, as a step on the picture."""
        if self.orientation >= 6:
            across, along = -across, along - across
        for _ in range(self.orientation % 6):
            across, along = along, along - across
        return across, along

    def _steps(self, cell: int) -> tuple[int, int]:
        """The steps from the middle of the picture to the cell."""
        board, middle = self.board, self.middle
        return self.rotate(board.column(cell) - board.column(middle), board.row(cell) - board.row(middle))

    def _at(self, across: float, along: float) -> Point:
        return self.width / 2 + across * self.pitch, self.height / 2 - (along - across / 2) * self.step

    def centre(self, cell: int) -> tuple[int, int]:
        """The pixel in the middle of a cell."""
        return self.centres[cell]

    @cached_property
    def centres(self) -> dict[int, tuple[int, int]]:
        """The :meth:`centre` of every cell of the board, which may lie outside the picture if the cell is not shown."""
        centres = {}
        for cell in self.board.cells:
            x, y = self._at(*self._steps(cell))
            centres[cell] = int(x), int(y)
        return centres

    def middlemost(self, cells: Sequence[int], among: Sequence[int] = ()) -> int:
        """The cell, if possible one of those ``among`` which to choose, nearest to the middle of all ``cells``."""
        x, y = (sum(values) / len(cells) for values in zip(*map(self.centre, cells), strict=True))
        return min(among or cells, key=lambda cell: math.hypot(self.centre(cell)[0] - x, self.centre(cell)[1] - y))

    @cached_property
    def neighbours(self) -> dict[int, tuple[int | None, ...]]:
        """The neighbours of each cell of the board in the six :data:`DIRECTIONS`, None beyond the edge."""
        found = {self._steps(cell): cell for cell in self.board.cells}
        return {
            cell: tuple(found.get((across + x, along + y)) for x, y in DIRECTIONS)
            for (across, along), cell in found.items()
        }

    @cached_property
    def _slanted(self) -> bool:
        """Whether neither columns nor rows are upright on the picture."""
        return _UPRIGHT not in (self._direction(0, 1) % 3, self._direction(1, 0) % 3)

    def _direction(self, across: int, along: int) -> int:
        return DIRECTIONS.index(self.rotate(across, along))

    def _ends(self, across: int, along: int) -> list[_End]:
        """Both ends of every line of shown cells along that step on the board."""
        ends = []
        shown = set(self.cells)
        for outward in (self._direction(across, along), self._direction(-across, -along)):
            for cell in self.cells:
                if self.neighbours[cell][outward] not in shown:
                    at_rim = abs(self._steps(cell)[0]) == self.shown - 1 and outward % 3 != _UPRIGHT
                    ends.append(_End(cell, outward, at_rim))
        return ends

    def _beyond(self, end: _End, distance: float) -> Point:
        """The pixel that many cells outward from an end."""
        (x, y), (dx, dy) = self.centres[end.cell], self.grid.towards(end.outward)
        return x + distance * dx, y + distance * dy

    def _beside(self, end: _End, longest: int) -> Point:
        """The pixel beside an end at an upright rim where labels of up to that many characters fit."""
        x, y = self.centres[end.cell]
        away = max(1.02 * self.pitch, 0.68 * self.pitch + 5 + 0.33 * self.label_size * longest)
        return x + (away if x > self.width / 2 else -away), y

    @cached_property
    def _far(self) -> float:
        """How many cells beyond the end of a line its label stands if the label of an upright line comes first."""
        # If labels are large compared with the cells, the second needs more room behind the first. If the cells are
        # large, it must not reach the corner fields.
        return 0.8 + max(min(0.62, 60 * self.width / WIDTH / self.pitch), 1.28 * self.label_size / self.pitch)

    def _labels(self, across: int, along: int, texts: dict[int, str]) -> tuple[Label, ...]:
        """The labels at both ends of the lines along that step.

        If two labels share an end, that of the upright line is nearer. At the upright rims of the board a label is
        level with the last cell; halfway between two cells it would be ambiguous.
        """
        ends = self._ends(across, along)
        longest = max(len(texts[end.cell]) for end in ends)
        labels = []
        for end in ends:
            if not end.at_upright_rim:
                distance = 0.8 if end.outward % 3 == _UPRIGHT else 0.9 if self._slanted else self._far
                labels.append(Label(texts[end.cell], *self._beyond(end, distance)))
            elif not self._slanted:
                labels.append(Label(texts[end.cell], *self._beside(end, longest)))
        return tuple(labels)

    @cached_property
    def letters(self) -> tuple[Label, ...]:
        """The letters at both ends of every column."""
        return self._labels(0, 1, {cell: self.board.name(cell).rstrip("0123456789") for cell in self.cells})

    @cached_property
    def numbers(self) -> tuple[Label, ...]:
        """The numbers at both ends of every row."""
        return self._labels(1, 0, {cell: str(self.board.row(cell) + 1) for cell in self.cells})

    @cached_property
    def names(self) -> tuple[Label, ...]:
        """Whole cell names, where both a column and a row end at an upright rim."""
        if not self._slanted:
            return ()
        ends = [end for end in self._ends(0, 1) if end.at_upright_rim]
        longest = max(len(self.board.name(end.cell)) for end in ends)
        return tuple(Label(self.board.name(end.cell), *self._beside(end, longest)) for end in ends)

    @cached_property
    def ticks(self) -> tuple[tuple[Point, Point], ...]:
        """Short lines that lead past the nearer labels to those further out."""
        if self._slanted:
            return ()
        return tuple(
            (self._beyond(end, 0.5), self._beyond(end, min(1.1, self._far - 0.32)))
            for step in ((0, 1), (1, 0))
            for end in self._ends(*step)
            if not end.at_upright_rim and end.outward % 3 != _UPRIGHT
        )


def hexagon(height: float, pitch: float = math.sqrt(3) / 2, centre: Point = (0, 0)) -> list[Point]:
    """The corners of a cell of that height; ``pitch`` is the distance between columns as a fraction of the height."""
    x, y = centre
    wide, tall = height * pitch * 2 / 3, height / 2
    return [
        (x - wide, y),
        (x - wide / 2, y - tall),
        (x + wide / 2, y - tall),
        (x + wide, y),
        (x + wide / 2, y + tall),
        (x - wide / 2, y + tall),
    ]


def along(way: Point, unit: float, points: Sequence[Point], start: Point = (0, 0)) -> list[Point]:
    """Points given as distances from ``start`` along the way and to its right, in units, as pixels."""
    length = math.hypot(*way)
    x, y = way[0] / length * unit, way[1] / length * unit
    return [(start[0] + x * ahead - y * aside, start[1] + y * ahead + x * aside) for ahead, aside in points]


@lru_cache(maxsize=64)
def board_geometry(
    size: int,
    orientation: int = 0,
    shown: int | None = None,
    around: int | None = None,
    width: int = WIDTH,
    bare: bool = False,
) -> Geometry:
    """The geometry of a board of that size; always the same object for the same arguments.

    ``shown`` is the size of the window, by default the whole board, and ``around`` the cell in its middle; a window
    that would leave the board is moved as little as possible. Raises ``ValueError`` for a window larger than the board
    or an unknown orientation.
    """
    whole = board(size)
    shown = size if shown is None else shown
    if not 2 <= shown <= size:
        raise ValueError(f"a window has 2 to {size} cells on each side, not {shown}")
    if not 0 <= orientation < ORIENTATIONS:
        raise ValueError(f"an orientation is a number from 0 to {ORIENTATIONS - 1}, not {orientation}")
    inner = [cell for cell in whole.cells if whole.distance(cell, whole.centre) <= size - shown]
    wanted = whole.centre if around is None else around
    middle = min(inner, key=lambda cell: (whole.distance(cell, wanted), cell))
    return _board_geometry(size, orientation, shown, middle, width, bare)


@lru_cache(maxsize=64)
def _board_geometry(size: int, orientation: int, shown: int, middle: int, width: int, bare: bool) -> Geometry:
    return Geometry(size, orientation, shown, middle, width, bare)
