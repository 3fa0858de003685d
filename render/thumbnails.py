"""A small picture to recognise a game in a list."""

from __future__ import annotations

from typing import Any

from render import painting
from render.areas import windows
from render.cache import cached
from render.face import Face
from render.games import face
from render.palette import to_png
from render.scene import DEFAULT_LOOK, Look, Scene
from rules import Position

#: The width in pixels: Discord shows thumbnails 85 pixels wide, on some screens with three dots a pixel.
_WIDTH = 280
#: The size of the part of the board in a thumbnail, unless the board is smaller.
_CELLS = 4


def thumbnail(game: type[Position], theme: str = DEFAULT_LOOK.theme) -> bytes:
    """A small PNG file to recognise a game in a list.

    Any number of threads may call this at once. Raises ``TypeError`` for a game without pictures.
    """
    return _draw(face(game), theme)


@cached
def _draw(face: Face[Any], theme: str) -> bytes:
    """A part of the last position of the game's example, without labels."""
    record = face.example()
    position = record.ruleset.replay(record.turns)
    shown = min(_CELLS, position.board.size)
    look = Look(theme, window=(_liveliest(position, shown), shown))
    return to_png(painting.paint_board(Scene(face, position, look=look, width=_WIDTH, bare=True)))


def _liveliest(position: Position, shown: int) -> int:
    """The middle of the liveliest part of that size: its weaker side has the most stones."""
    board, middles = position.board, windows(position.board, shown)

    def worth(middle: int) -> tuple[int, int]:
        counts = ((middles[middle] & stones).bit_count() for stones in (position.first, position.second))
        return min(counts), -board.distance(middle, board.centre)

    return max(middles, key=worth)
