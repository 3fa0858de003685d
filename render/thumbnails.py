"""A small picture by which people recognise a game in a list."""

from __future__ import annotations

from typing import Any

from render import painting
from render.cache import cached
from render.canvas import round_corners, to_png
from render.face import Face
from render.scene import Look, Scene
from rules import Position

#: The width in pixels: Discord shows thumbnails 85 pixels wide, on some screens with three dots for each.
_WIDTH = 280
#: The size of the part of the board in a thumbnail, if the board is not smaller.
_CELLS = 4


@cached
def draw(face: Face[Any], theme: str) -> bytes:
    """A part of the last position of the game's example, without labels, as a PNG file."""
    record = face.example()
    position = record.ruleset.replay(record.turns)
    shown = min(_CELLS, position.board.size)
    look = Look(theme, window=(_liveliest(position, shown), shown))
    image = painting.paint_board(face, Scene(position, (), None, look, _WIDTH, bare=True))
    round_corners(image)
    return to_png(image)


def _liveliest(position: Position, shown: int) -> int:
    """The middle of the part of that size in which the side with fewer stones has most."""
    board = position.board
    inner = [cell for cell in board.cells if board.distance(cell, board.centre) <= board.size - shown]

    def worth(middle: int) -> tuple[int, int]:
        near = sum(1 << cell for cell in board.cells if board.distance(cell, middle) < shown)
        counts = ((near & stones).bit_count() for stones in (position.first, position.second))
        return min(counts), -board.distance(middle, board.centre)

    return max(inner, key=worth)
