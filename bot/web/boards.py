"""Buttons over the picture of a board: where they lie, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import render
from bot.texts import translations
from render.geometry import Geometry, board_geometry
from rules import Board, Position

#: The least height of a cell on the screen, in pixels.
LEAST = 24
#: The cells on each side of the window that a tap magnifies.
SHOWN = 5
#: The height of a coarse cell, in cells; coarse cells lie as far apart as the middles of seven cells around one.
_COARSE = 3


@dataclass(frozen=True, slots=True)
class Sheet:
    """The stylesheet of a picture of a board: its size, orientation and window."""

    size: int
    orientation: int = 0
    around: int | None = None

    @classmethod
    def of(cls, look: render.Look, size: int) -> Sheet:
        return cls(size, look.orientation, None if look.window is None else look.window[0])

    @property
    def geometry(self) -> Geometry:
        shown = None if self.around is None else min(SHOWN, self.size)
        return board_geometry(self.size, self.orientation, shown, self.around)

    @property
    def name(self) -> str:
        """The name by which the server knows it, and :meth:`named` the sheet."""
        around = "" if self.around is None else f"-{self.geometry.board.name(self.around)}"
        return f"{self.size}-{self.orientation}{around}"

    @classmethod
    def named(cls, size: int, orientation: int, around: str) -> Sheet:
        """The sheet of that name. Raises ``ValueError`` if there is none."""
        whole = board_geometry(size, orientation).board
        cell = whole.cell(around) if around else None
        if around and cell is None:
            raise ValueError(f"{around} is off the board")
        return cls(size, orientation, cell)


@lru_cache(maxsize=64)
def stylesheet(sheet: Sheet) -> str:
    """The places of the cells, and those of the coarse cells where the cells can be too small to tap."""
    geometry = sheet.geometry
    width, height = geometry.width, geometry.height
    wide, tall = geometry.pitch * 4 / 3, geometry.step
    lines = [
        f".board{{aspect-ratio:{width}/{height}}}",
        f".cells>*{{width:{_part(wide, width)};height:{_part(tall, height)}}}",
        *(_place(geometry, cell, "c", wide, tall) for cell in geometry.cells),
    ]
    if sheet.around is None and (coarse := coarse_cells(sheet.size)):
        lines.append(f".near>*{{width:{_part(wide * _COARSE, width)};height:{_part(tall * _COARSE, height)}}}")
        lines += [_place(geometry, cell, "n", wide * _COARSE, tall * _COARSE) for cell in coarse]
        least = -(-LEAST * width // tall)
        lines.append(f"@container board (max-width:{least}px){{.cells{{display:none}}.near{{display:block}}}}")
    return "\n".join(lines)


def _place(geometry: Geometry, cell: int, prefix: str, wide: float, tall: float) -> str:
    x, y = geometry.centres[cell]
    left, top = _part(x - wide / 2, geometry.width), _part(y - tall / 2, geometry.height)
    return f".{prefix}-{geometry.board.name(cell)}{{left:{left};top:{top}}}"


def _part(length: float, whole: float) -> str:
    return f"{100 * length / whole:.3f}%"


@lru_cache(maxsize=16)
def coarse_cells(size: int) -> tuple[int, ...]:
    """Cells of which each other cell has exactly one beside it, or nearly so at the edge; none on small boards."""
    if size <= SHOWN + 2:
        return ()
    board = board_geometry(size).board
    chosen = [cell for cell in board.cells if (board.column(cell) - 3 * board.row(cell)) % 7 == _offset(board)]
    left = board.mask & ~_covered(board, chosen)
    while left:
        best = max(board.cells, key=lambda cell: ((board.neighbours[cell] | 1 << cell) & left).bit_count())
        chosen.append(best)
        left &= ~_covered(board, [best])
    return tuple(chosen)


def _offset(board: Board) -> int:
    """The offset by which the middle of the board is the middle of a coarse cell."""
    return (board.column(board.centre) - 3 * board.row(board.centre)) % 7


def _covered(board: Board, cells: list[int]) -> int:
    return sum(1 << cell for cell in {each for cell in cells for each in board.cells if board.distance(cell, each) < 2})


def neighbours(geometry: Geometry, cell: int) -> str:
    """The names of the neighbours in the picture, clockwise from the one above, each with a comma; empty if none."""
    shown = geometry.mask
    names = [
        "" if other is None or not shown >> other & 1 else geometry.board.name(other)
        for other in geometry.neighbours[cell]
    ]
    return ",".join(names)


def label(position: Position, cell: int, state: str) -> str:
    """The name of a cell for the ear, such as ``e5, Dark stone, can be chosen``."""
    piece = position.piece_name(cell)
    told = [position.board.name(cell), "" if piece is None else piece.translate(translations()), state]
    return ", ".join(filter(None, told))
