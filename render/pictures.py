"""Pictures and descriptions of a position, and thumbnails.

Any number of threads may call these functions at once. They raise ``TypeError`` for a game without pictures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from render import alt_text, overlays, painting
from render.areas import windows
from render.cache import cached
from render.face import Face
from render.games import face
from render.geometry import WIDTH
from render.palette import blank_image, in_full_colour, to_png
from render.scene import DEFAULT_LOOK, Conclusion, Header, Look, Scene
from rules import Event, Position

#: The width of the board in a thumbnail in pixels: Discord shows it 85 pixels wide, on some screens with three dots a
#: pixel.
_THUMBNAIL = 280
#: The size of the part of the board in the thumbnail of a game, unless the board is smaller.
_CELLS = 4


def picture(
    position: Position,
    events: Sequence[Event] = (),
    decision: Conclusion | None = None,
    look: Look = DEFAULT_LOOK,
    *,
    overlay: str | None = None,
    cell: int | None = None,
    targets: Mapping[int, str] | None = None,
    areas: Mapping[str, Collection[int]] | None = None,
    before: Position | None = None,
    header: Header | None = None,
    overview: bool = False,
) -> bytes:
    """The position as a PNG file, with marks for the last turn, given by its ``events``. It is 900 pixels wide, times
    the look's ``scale``.

    ``decision`` is an end that the players decided, such as a resignation. ``header`` names the players. ``overlay``
    adds marks: the name of one of :func:`render.overlays_of` the game, for a ``cell`` if it needs one. ``targets`` are
    cells to choose from, each with the text of its badge, which may be empty. ``areas`` are groups of cells by the
    texts of their badges; the rest of the board is dimmed.

    ``before`` is the position before an unplayed turn, whose changes are half transparent, except for numbers; the
    header shows the side to play before that turn, and the overlay the marks before it. An ``overview`` below the
    picture of a part of the board marks that part on the whole board.

    Raises ``ValueError`` for an unknown overlay.
    """
    choosable = frozenset(targets or ())
    of = face(type(position))
    width = look.scale * WIDTH
    scene = Scene(of, position, tuple(events), decision, look, width, header=header, before=before, choosable=choosable)
    overview = overview and look.window is not None
    is_part = scene.geometry.window_size < position.ruleset.size
    image = painting.paint(scene)
    if before is None and overlay is None and not (targets or areas or overview or is_part):
        return to_png(image)
    image = in_full_colour(image)
    if before is not None:
        image = overlays.ghost(image, scene, before)
    if is_part:
        image = overlays.fade(image, scene)
    return to_png(overlays.draw(image, scene, overlay, cell, targets, areas, overview))


def describe(
    position: Position,
    events: Sequence[Event] = (),
    decision: Conclusion | None = None,
    look: Look = DEFAULT_LOOK,
    header: Header | None = None,
    before: Position | None = None,
) -> str:
    """The position and its last turn in words, for people who cannot see the picture: less than 1,024 characters.

    ``before`` is the position before an unplayed turn.
    """
    of = face(type(position))
    return alt_text.describe(Scene(of, position, tuple(events), decision, look, header=header, before=before))


def thumbnail(game: type[Position], theme: str = DEFAULT_LOOK.theme) -> bytes:
    """A small, square PNG file to recognise a game in a list."""
    return _draw_thumbnail(face(game), theme)


@cached
def _draw_thumbnail(face: Face[Any], theme: str) -> bytes:
    """A part of the last position of the game's example, without labels."""
    record = face.example()
    position = record.ruleset.replay(record.turns)
    shown = min(_CELLS, position.board.size)
    return board_thumbnail(position, look=Look(theme, window=(_liveliest(position, shown), shown)))


def board_thumbnail(position: Position, events: Sequence[Event] = (), look: Look = DEFAULT_LOOK) -> bytes:
    """The board of a position as a small, square PNG file, without labels and names."""
    scene = Scene(face(type(position)), position, tuple(events), look=look, width=_THUMBNAIL, bare=True)
    board = painting.paint_board(scene)
    side = max(board.size)
    image = blank_image(scene.theme, side, side)
    image.paste(scene.theme.palette.index(scene.theme.background), (0, 0, side, side))
    image.paste(board, ((side - board.width) // 2, (side - board.height) // 2))
    return to_png(image)


def _liveliest(position: Position, shown: int) -> int:
    """The middle of the liveliest part of that size: its weaker side has the most stones."""
    board, middles = position.board, windows(position.board, shown)

    def worth(middle: int) -> tuple[int, int]:
        counts = ((middles[middle] & stones).bit_count() for stones in (position.first, position.second))
        return min(counts), -board.distance(middle, board.centre)

    return max(middles, key=worth)
