"""Where the cells, the labels and the four corner fields of a picture lie, in pixels.

Hexagons stand on a flat side, columns are upright, rows fall to the right and ``a1`` is at the lower left. The board is
a hexagon itself, so the picture has four empty corners; they hold what other pictures put in a header and a footer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

from rules import Board, board

WIDTH = 1100
#: Between anything and the rim of the picture.
MARGIN = 24

Point = tuple[float, float]
#: Left, top, right, bottom.
Box = tuple[float, float, float, float]

#: The six neighbours of a cell as steps in column and row: clockwise, from the one above.
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))


@dataclass(frozen=True)
class Label:
    """A coordinate: a column's letter or a row's number, centred on ``x``, ``y``."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class Layout:
    """The geometry for boards with ``size`` cells on each side. Get one with :func:`layout`."""

    size: int

    @cached_property
    def board(self) -> Board:
        return board(self.size)

    @cached_property
    def pitch(self) -> int:
        """Pixels from a column to the next. Whole, as ``step / 2`` is, so that all cells are pixel for pixel alike."""
        return int((WIDTH - 2 * MARGIN - 36) / (2 * self.size + 0.04))

    @cached_property
    def step(self) -> int:
        """Pixels from a cell to the next one in its column."""
        return 2 * round(self.pitch / math.sqrt(3))

    @cached_property
    def label_size(self) -> int:
        """The labels' font size."""
        return round(22 + 0.13 * self.pitch)

    @property
    def width(self) -> int:
        return WIDTH

    @cached_property
    def height(self) -> int:
        above = 0.3 * self.step + 0.45 * self.label_size + MARGIN
        return 2 * round(above) + self.step * self.board.diameter

    def at(self, x: float, y: float) -> Point:
        """The pixel of column ``x`` and row ``y``; they need not be on the board."""
        middle = self.size - 1
        return (
            self.width / 2 + (x - middle) * self.pitch,
            self.height / 2 - (y - x / 2 - middle / 2) * self.step,
        )

    def centre(self, cell: int) -> tuple[int, int]:
        """The pixel in the middle of a cell."""
        x, y = self.at(self.board.column(cell), self.board.row(cell))
        return int(x), int(y)

    def hexagon(self, centre: Point, inset: float = 0) -> list[Point]:
        """The corners of the cell around that pixel, its sides moved inward by ``inset`` pixels."""
        return hexagon(self.step - 2 * inset, self.pitch / self.step, centre)

    def towards(self, direction: int) -> Point:
        """The way, in pixels, from a cell to its neighbour in one of the six :data:`DIRECTIONS`."""
        x, y = DIRECTIONS[direction]
        return x * self.pitch, (x / 2 - y) * self.step

    @cached_property
    def letters(self) -> tuple[Label, ...]:
        """The letters at the foot and at the head of every column, in line with it."""
        labels = []
        for x in range(self.board.diameter):
            foot, head = max(0, x - self.size + 1), min(self.board.diameter, x + self.size) - 1
            letter = "aa" if x == 26 else chr(ord("a") + x)
            labels += [Label(letter, *self.at(x, foot - 0.8)), Label(letter, *self.at(x, head + 0.8))]
        return tuple(labels)

    @cached_property
    def _row_ends(self) -> list[tuple[int, int, int, bool]]:
        """Row, its end's column, the way outward, and whether letters stand at that end too."""
        ends = []
        for y in range(self.board.diameter):
            left, right = max(0, y - self.size + 1), min(self.board.diameter, y + self.size) - 1
            ends += [(y, left, -1, left > 0), (y, right, 1, right < self.board.diameter - 1)]
        return ends

    @cached_property
    def numbers(self) -> tuple[Label, ...]:
        """The numbers at both ends of every row.

        Where letters stand too, a number is in line with its row, beyond the letter; on the upright sides of the board
        it is level with the row's last cell, for halfway between two cells nobody knew which one it meant.
        """
        labels = []
        for y, x, way, letters in self._row_ends:
            across, down = self.at(x + way * 1.42, y) if letters else self.at(x, y)
            labels.append(Label(str(y + 1), across if letters else across + way * 1.02 * self.pitch, down))
        return tuple(labels)

    @cached_property
    def ticks(self) -> tuple[tuple[Point, Point], ...]:
        """Short lines that lead past the letters from the rows' ends to their numbers."""
        return tuple(
            (self.at(x + way * 0.5, y), self.at(x + way * 1.1, y)) for y, x, way, letters in self._row_ends if letters
        )


def hexagon(height: float, pitch: float = math.sqrt(3) / 2, centre: Point = (0, 0)) -> list[Point]:
    """The corners of a cell of that height; ``pitch`` is that of its columns, as a part of the height."""
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


@cache
def layout(size: int) -> Layout:
    """The layout for that size; always the same object."""
    return Layout(size)
