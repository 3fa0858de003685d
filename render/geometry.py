"""Where cells and labels are in a picture, in pixels, below the header.

Hexagons stand on a flat side, and columns of hexagons are upright. The board is a hexagon, too, so its picture has four
empty corners, with room for counts and the legend. Unless the board is rotated, its rows slope down to the right and
``a1`` is at the lower left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from render.cache import remembered
from rules import Board, bits, board

#: The width of a picture, in pixels. Wider pictures make much larger files: zlib finds equal pixels in the next column
#: of cells only within 32 kB.
WIDTH = 900
#: The width of tables and charts. All other lengths are for this width, too, and smaller in narrower pictures.
WIDE = 1100
#: The empty margin and the height of the header.
MARGIN = 24
HEADER = 160
#: The room below the board for the legend and the last turn, besides the corners.
_LEGEND = 52
#: The distance of the labels at upright rims from the corners of the cells there.
_BESIDE = 6
#: The approximate width of pictures on phones, and the smallest readable text there, in pixels.
_PHONE, _READABLE = 265, 11
#: The number of orientations of a board: six rotations, mirrored or not.
ORIENTATIONS = 12

Point = tuple[float, float]
#: Left, top, right, bottom.
Box = tuple[float, float, float, float]

#: The six neighbours of a cell in the picture, clockwise from the top, as vectors to the right and upward along the
#: slanted line.
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
_UPRIGHT = 0
#: The width of a digit and of most letters as a fraction of the font size, letters with descenders, and the widths of
#: unusually wide or narrow letters.
_DIGIT = 0.61
_TAILED = frozenset("gjpqy")
_WIDE = {"m": 0.92, "w": 0.86, "i": 0.3, "j": 0.3, "l": 0.3, "f": 0.4, "t": 0.4, "r": 0.45, "1": 0.53}


def least_text(width: int = WIDTH) -> int:
    """The smallest readable font size, on a phone, in a picture of that width."""
    return math.ceil(_READABLE * width / _PHONE)


@dataclass(frozen=True)
class Label:
    """A coordinate, a column's letter or a row's number, centred on ``x``, ``y``."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class Grid:
    """The size of the cells in pixels.

    ``pitch`` is the distance between neighbouring columns, and ``cell_height`` the distance between neighbouring cells
    in a column. The pitch and half a cell's height are whole numbers, so all cells consist of the same pixels.
    """

    pitch: int
    cell_height: int

    def hexagon(self, centre: Point, inset: float = 0) -> list[Point]:
        """The corners of the cell around that pixel, with its sides moved inward by ``inset`` pixels."""
        return hexagon(self.cell_height - 2 * inset, self.pitch / self.cell_height, centre)

    @property
    def ways(self) -> list[Point]:
        """The vectors, in pixels, from a cell to its neighbours in the six :data:`DIRECTIONS`."""
        return [(across * self.pitch, (across / 2 - along) * self.cell_height) for across, along in DIRECTIONS]


@dataclass(frozen=True)
class Geometry:
    """The geometry of pictures of a board or of a window of it, from :func:`board_geometry`.

    ``size`` is the size of the board. ``orientation``, from 0 to 11, turns it clockwise by that many sixths of a turn;
    from 6 on, it is mirrored first. ``window_size`` is the size of the hexagonal window of cells in the picture, and
    ``middle`` the cell in its middle. ``width`` is in pixels. A ``bare`` picture has no room for a header and labels.
    """

    size: int
    orientation: int
    window_size: int
    middle: int
    width: int = WIDTH
    bare: bool = False

    @cached_property
    def board(self) -> Board:
        return board(self.size)

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The cells in the picture."""
        return tuple(bits(self.board.within(self.window_size - 1, self.middle)))

    @cached_property
    def mask(self) -> int:
        """The mask of the cells in the picture."""
        return sum(1 << cell for cell in self.cells)

    def adjoining(self, cell: int, mask: int) -> int:
        """The directions of the cell's neighbours in the mask: bit ``i`` stands for :data:`DIRECTIONS` ``[i]``."""
        neighbours = enumerate(self.neighbours[cell])
        return sum(1 << i for i, other in neighbours if other is not None and mask >> other & 1)

    @cached_property
    def grid(self) -> Grid:
        if self.bare:
            widest = (self.width - self.margin) / (2 * self.window_size - 0.6)
        else:
            beside = _BESIDE * self.unit + 2 * _DIGIT * self.label_size + 10 * self.unit
            widest = (self.width / 2 - beside) / (self.window_size - 0.3)
        pitches, times = range(int(widest / self.scale), 0, -1)[:3], self.scale
        grids = [Grid(times * pitch, times * 2 * round(pitch / math.sqrt(3))) for pitch in pitches]
        awry = [abs(grid.pitch / grid.cell_height / (math.sqrt(3) / 2) - 1) for grid in grids]
        return next((grid for grid, by in zip(grids, awry, strict=True) if by < 0.015), grids[awry.index(min(awry))])

    @cached_property
    def pitch(self) -> int:
        return self.grid.pitch

    @cached_property
    def cell_height(self) -> int:
        return self.grid.cell_height

    @property
    def scale(self) -> int:
        """How many pixels wide and high a pixel of a picture of the usual width is here; 1 in smaller pictures."""
        return max(1, self.width // WIDTH)

    @property
    def unit(self) -> float:
        """The pixels of a length of 1."""
        return self.width / WIDE

    @cached_property
    def label_size(self) -> int:
        return self.scale * least_text(self.width // self.scale)

    @property
    def margin(self) -> float:
        return MARGIN * self.unit

    @cached_property
    def header(self) -> int:
        return 0 if self.bare else self._scaled(HEADER * self.unit)

    @cached_property
    def height(self) -> int:
        above = self.margin if self.bare else 1.2 * self.label_size + 8 * self.unit
        return self.header + 2 * self._scaled(above) + self.cell_height * (2 * self.window_size - 1) + self._below

    @cached_property
    def _below(self) -> int:
        """The room below the board for the legend."""
        return 0 if self.bare else self._scaled(_LEGEND * self.unit)

    def _scaled(self, length: float) -> int:
        """A length in whole pixels of a picture of the usual width."""
        return self.scale * round(length / self.scale)

    def rotate(self, across: int, along: int) -> tuple[int, int]:
        """A vector on the board, in columns and rows, as a vector on the picture."""
        if self.orientation >= 6:
            across, along = -across, along - across
        for _ in range(self.orientation % 6):
            across, along = along, along - across
        return across, along

    def _vector(self, cell: int) -> tuple[int, int]:
        """The vector from the middle of the picture to the cell."""
        board, middle = self.board, self.middle
        return self.rotate(board.column(cell) - board.column(middle), board.row(cell) - board.row(middle))

    @cached_property
    def centres(self) -> dict[int, tuple[int, int]]:
        """The pixel in the middle of every cell of the board, by cell; beyond the window, it is outside the picture."""
        middle, centres = (self.height + self.header - self._below) / 2, {}
        for cell in self.board.cells:
            across, along = self._vector(cell)
            x, y = self.width / 2 + across * self.pitch, middle - (along - across / 2) * self.cell_height
            centres[cell] = int(x), int(y)
        return centres

    def middlemost(self, cells: Sequence[int], among: Sequence[int] = ()) -> int:
        """The cell nearest to the middle of all ``cells``: one ``among`` some of them, if there are any."""
        middle = [sum(values) / len(cells) for values in zip(*map(self.centres.__getitem__, cells), strict=True)]
        return min(among or cells, key=lambda cell: math.dist(self.centres[cell], middle))

    @cached_property
    def neighbours(self) -> dict[int, tuple[int | None, ...]]:
        """The neighbours of each cell in the six :data:`DIRECTIONS`; None beyond the edge."""
        found = {self._vector(cell): cell for cell in self.board.cells}
        return {
            cell: tuple(found.get((across + x, along + y)) for x, y in DIRECTIONS)
            for (across, along), cell in found.items()
        }

    def _direction(self, across: int, along: int) -> int:
        return DIRECTIONS.index(self.rotate(across, along))

    def _ends(self, across: int, along: int) -> Iterator[tuple[int, int, frozenset[int]]]:
        """Both ends of each line of cells along that vector on the board: the cell, the direction outward, and the rims
        there.

        Rim ``i`` of the board runs from the corner in direction ``i`` to the next corner clockwise.
        """
        shown = set(self.cells)
        for outward in (self._direction(across, along), self._direction(-across, -along)):
            for cell in self.cells:
                near = self.neighbours[cell]
                if near[outward] not in shown:
                    rims = (((outward - 1) % 6, (outward - 1) % 6), (outward, (outward + 1) % 6))
                    yield cell, outward, frozenset(rim for rim, beside in rims if near[beside] not in shown)

    def _label_at(self, cell: int, outward: int, rims: frozenset[int], text: str) -> Label:
        """The label at the end of a line, as near to the board as possible.

        At an upright rim, it is level with the last cell, because it would be ambiguous between two cells.
        """
        (x, y), (dx, dy) = self.centres[cell], self.grid.ways[outward]
        # All labels along a rim are equally far from it. Above the board, descenders point towards it.
        half = len(text) * _DIGIT * self.label_size / 2
        tall = (0.38 if text.isdecimal() or dy > 0 else 0.6) * self.label_size
        if outward % 3 != _UPRIGHT and rims & {1, 4}:
            away = self.pitch * 2 / 3 + _BESIDE * self.unit + self._half(text)
            return Label(text, x + math.copysign(away, x - self.width / 2), y)
        hexagons = [self.centres[other] for other in bits(self.board.within(2, cell) & self.mask)]
        box, away = (half + _BESIDE * self.unit, tall + _BESIDE * self.unit), 0.5
        while True:
            away += 0.02
            at = x + dx * away, y + dy * away
            clear = at[0] == self.width / 2 or self._beyond(at, *box)
            if clear and not any(self._covered(at, *box, centre) for centre in hexagons):
                return Label(text, *at)

    def _half(self, text: str) -> float:
        """Approximately half the width of a label."""
        return self.label_size * sum(_WIDE.get(character, _DIGIT) for character in text) / 2

    def _beyond(self, at: Point, half: float, tall: float) -> bool:
        """Whether a box lies beyond the line through the outer corners of the cells at a slanted rim."""
        x, y = self.centres[self.middle]
        across, down = abs(at[0] - x) - half, abs(at[1] - y) - tall
        return across / 2 + down * math.sqrt(3) / 2 >= self.cell_height * (
            (self.window_size - 1) * math.sqrt(3) / 2 + 0.577
        )

    def _covered(self, at: Point, half: float, tall: float, centre: Point) -> bool:
        """Whether a box touches a cell: no line along an edge of either separates them."""
        dx, dy = abs(at[0] - centre[0]), abs(at[1] - centre[1])
        if dx >= self.pitch * 2 / 3 + half or dy >= self.cell_height / 2 + tall:
            return False
        across, down = self.cell_height / 2, self.pitch / 3
        return (dx - half) * across + (dy - tall) * down < self.pitch * 2 / 3 * across

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The letters at the ends of the columns, then the numbers at the ends of the rows.

        All labels at a rim are of the same kind, so no two compete for the same spot. Where they would touch, every
        second label is left out.
        """
        labels: list[Label] = []
        column, row = self._direction(0, 1) % 3, self._direction(1, 0) % 3
        for along, other, numbers in (((0, 1), row, False), ((1, 0), column, True)):
            for cell, outward, rims in sorted(self._ends(*along), key=self._from_the_tips):
                # Columns and rows both end at two rims; the left one has the numbers.
                parallel = {rim: (rim + 2) % 3 for rim in rims}
                own = frozenset(
                    rim
                    for rim, way in parallel.items()
                    if (way == other if way in (column, row) else (rim >= 3) == numbers)
                )
                if own:
                    name = self.board.name(cell)
                    letter = name.rstrip("0123456789")
                    label = self._label_at(cell, outward, own, name.removeprefix(letter) if numbers else letter)
                    if not any(self._touch(label, placed) for placed in labels):
                        labels.append(label)
        return tuple(labels)

    def _from_the_tips(self, end: tuple[int, int, frozenset[int]]) -> tuple[int, float]:
        """Upright rims first, then from the board's upper and lower tip towards the sides."""
        cell, outward, rims = end
        return not (rims & {1, 4} and outward % 3 != _UPRIGHT), abs(self.centres[cell][0] - self.width / 2)

    def _touch(self, one: Label, other: Label) -> bool:
        gap = 8 * self.unit
        beside = abs(one.x - other.x) < self._half(one.text) + self._half(other.text) + gap
        upper = min(one, other, key=lambda label: label.y).text
        tall = (0.98 if set(upper) & _TAILED else 0.74) * self.label_size
        return beside and abs(one.y - other.y) < tall + gap


def hexagon(height: float, pitch: float = math.sqrt(3) / 2, centre: Point = (0, 0)) -> list[Point]:
    """The corners of a cell of that height; ``pitch`` is the ratio of its column's pitch to its height."""
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
    """The pixels of points given by their distances, in units, from ``start`` along the way and to its right."""
    length = math.hypot(*way)
    x, y = way[0] / length * unit, way[1] / length * unit
    return [(start[0] + x * ahead - y * aside, start[1] + y * ahead + x * aside) for ahead, aside in points]


def both_sides(right: Sequence[Point]) -> list[Point]:
    """A symmetrical outline from its right half, as distances along a way and to its right."""
    return [*right, *((ahead, -aside) for ahead, aside in reversed(right))]


def bridge(way: Point, unit: float, least: float, most: float) -> list[Point]:
    """The outline between the middles of two cells; half its breadth is ``least`` halfway and ``most`` at the ends."""
    length = math.hypot(*way) / unit
    return along(
        way, unit, both_sides([(length * i / 24, least + (most - least) * (i / 12 - 1) ** 2) for i in range(25)])
    )


def board_geometry(
    size: int,
    orientation: int = 0,
    window_size: int | None = None,
    around: int | None = None,
    width: int = WIDTH,
    bare: bool = False,
) -> Geometry:
    """The geometry of a board of that size.

    ``window_size`` is the size of the window, by default the whole board, and ``around`` its middle. A window that
    would leave the board is moved as little as possible. Raises ``ValueError`` for a window larger than the board or an
    unknown orientation.
    """
    known = _known if around is None else _known_to_viewer
    return known(size, orientation, window_size, around, width, bare)


def _geometry(
    size: int, orientation: int, window_size: int | None, around: int | None, width: int, bare: bool
) -> Geometry:
    whole = board(size)
    window_size = size if window_size is None else window_size
    if not 2 <= window_size <= size:
        raise ValueError(f"a window has 2 to {size} cells on each side, not {window_size}")
    if not 0 <= orientation < ORIENTATIONS:
        raise ValueError(f"an orientation is a number from 0 to {ORIENTATIONS - 1}, not {orientation}")
    inner = bits(whole.within(size - window_size, whole.centre))
    wanted = whole.centre if around is None else around
    middle = min(inner, key=lambda cell: (whole.distance(cell, wanted), cell))
    return Geometry(size, orientation, window_size, middle, width, bare)


_known = lru_cache(maxsize=64)(_geometry)
#: A window reveals where its viewer looks, so it is kept for that viewer alone.
_known_to_viewer = remembered(64)(_geometry)
