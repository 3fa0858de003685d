"""The buttons over the picture of a board: their positions and labels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import render
from bot.texts import translations
from render.cache import remembered
from render.geometry import Geometry, board_geometry
from rules import Board, Position, bits

#: Minimum height of a cell on the screen, in pixels.
LEAST = 24
#: The side length, in cells, of the window that a tap magnifies.
WINDOW = 5
#: The height of a coarse cell, in cells; it stands for a cell and its six neighbours.
_COARSE = 2.8


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
        shown = None if self.around is None else min(WINDOW, self.size)
        return board_geometry(self.size, self.orientation, shown, self.around)

    @property
    def name(self) -> str:
        """The name of the stylesheet in its address."""
        around = "" if self.around is None else f"-{self.geometry.board.name(self.around)}"
        return f"{self.size}-{self.orientation}{around}"

    @property
    def address(self) -> str:
        """The address of the stylesheet. It changes with the code for stylesheets."""
        return f"/boards/{stamp()}/{self.name}.css"

    @classmethod
    def parse(cls, size: int, orientation: int, around: str) -> Sheet:
        """The sheet with these parts of a name. Raises ``ValueError`` if there is none."""
        whole = board_geometry(size, orientation).board
        cell = whole.cell(around) if around else None
        if around and cell is None:
            raise ValueError(f"{around} is off the board")
        return cls(size, orientation, cell)


@cache
def stamp() -> str:
    """A hash that changes with the code for stylesheets."""
    return hashlib.blake2s(stylesheet(Sheet(WINDOW + 3)).encode(), digest_size=6).hexdigest()


@remembered(64)
def stylesheet(sheet: Sheet) -> str:
    """The positions of the cells and, for cells that can be too small to tap, of coarse cells.

    A page may have the stylesheets of several pictures, so every rule names its picture.
    """
    geometry, name = sheet.geometry, f".board-{sheet.name}"
    wide, tall = geometry.pitch * 4 / 3, geometry.cell_height
    lines = [
        f"{name} .over{{aspect-ratio:{geometry.width}/{geometry.height}}}",
        *_places(geometry, name, ("cells", "said"), "c", geometry.cells, (wide, tall)),
    ]
    if sheet.around is None and (coarse := coarse_cells(sheet.size)):
        lines += _places(geometry, name, ("near",), "n", coarse, (wide * _COARSE, tall * _COARSE))
        narrow = -(-LEAST * geometry.width // tall)
        hidden = f"{name} .cells{{display:none}}{name} .near{{display:block}}"
        lines.append(f"@container board (max-width:{narrow}px){{{hidden}}}")
        # The bar is outside the container, so its hint depends on the width that page.css gives the board in a window.
        for kind, shape in (("", ".785"), (".marked", ".684")):
            tall_enough = f"{narrow}px / {shape}"
            windows = (
                f"(max-width:{narrow}px)",
                f"(max-height:calc({tall_enough} + 3.75rem))",
                f"(max-width:59.99rem) and (max-height:calc({tall_enough} + 11rem))",
                f"(min-width:60rem) and (max-width:calc({narrow}px + 28rem))",
            )
            lines.append(f"@media {','.join(windows)}{{{name}{kind}~.bar .zoom{{display:block}}}}")
    return "\n".join(lines)


def _places(
    geometry: Geometry, name: str, groups: Sequence[str], prefix: str, cells: Sequence[int], box: tuple[float, float]
) -> list[str]:
    """The CSS rules for elements on cells: the common size in these groups, and the position of each cell."""
    width, height = geometry.width, geometry.height
    selectors = ",".join(f"{name} .{group}>*" for group in groups)
    lines = [f"{selectors}{{width:{_percent(box[0], width)};height:{_percent(box[1], height)}}}"]
    for cell in cells:
        x, y = geometry.centres[cell]
        left, top = _percent(x - box[0] / 2, width), _percent(y - box[1] / 2, height)
        lines.append(f"{name} .{prefix}-{geometry.board.name(cell)}{{left:{left};top:{top}}}")
    return lines


def _percent(length: float, whole: float) -> str:
    return f"{100 * length / whole:.3f}%"


@lru_cache(maxsize=16)
def coarse_cells(size: int) -> tuple[int, ...]:
    """Cells that are not adjacent but together adjoin every other cell; none on small boards."""
    if size <= WINDOW + 2:
        return ()
    board = board_geometry(size).board
    chosen = [cell for cell in board.cells if (board.column(cell) - 3 * board.row(cell)) % 7 == _offset(board)]
    left = board.mask & ~_cover(board, chosen)
    while left:
        chosen.append(max(bits(left), key=lambda cell: (board.neighbours[cell] & left).bit_count()))
        left &= ~_cover(board, chosen[-1:])
    return tuple(chosen)


def _offset(board: Board) -> int:
    """The offset that puts a coarse cell in the middle of the board."""
    return (board.column(board.centre) - 3 * board.row(board.centre)) % 7


def _cover(board: Board, cells: list[int]) -> int:
    """A mask of the cells and their neighbours."""
    mask = sum(1 << cell for cell in cells)
    return mask | board.spread(mask)


@lru_cache(maxsize=2048)
def middle_near(size: int, coarse: int) -> int:
    """The central cell of a window that shows a coarse cell and its neighbours."""
    board = board_geometry(size).board
    wanted = [coarse, *bits(board.neighbours[coarse])]
    inner = [cell for cell in board.cells if board.distance(cell, board.centre) <= size - WINDOW]
    return min(inner, key=lambda cell: (max(board.distance(cell, other) for other in wanted), cell))


def neighbours(geometry: Geometry, cell: int) -> str:
    """The names of a cell's neighbours, clockwise from the top, separated by commas; empty for missing neighbours."""
    shown = geometry.mask
    names = [
        "" if other is None or not shown >> other & 1 else geometry.board.name(other)
        for other in geometry.neighbours[cell]
    ]
    return ",".join(names)


def cell_name(board: Board, name: str | None) -> str:
    """``name`` if it is the name of a cell, otherwise empty."""
    return name if name and board.find(name) is not None else ""


def label(position: Position, cell: int, state: str) -> str:
    """The label of a cell for screen readers, such as ``e5, Dark stone, can be chosen``."""
    piece = position.piece_name(cell)
    parts = [position.board.name(cell), "" if piece is None else piece.translate(translations()), state]
    return ", ".join(filter(None, parts))
