"""The corners of a picture: the two sides above, the legend and the last turn below."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image

from render.cache import cached
from render.canvas import Canvas, Tile, cut_out, font_at, label_box, paste_tile, text_tile
from render.colours import Theme
from render.face import Face
from render.geometry import MARGIN, Box, Geometry
from render.scene import Scene
from render.turns import APART, Row
from rules import Phase, Side

_WIDTH, _HEIGHT, _INSET = 268, 90, 16
_LARGE, _SMALL = 46, 25
_ICON, _ROW = 46, 54
#: Between the parts of a row.
_SPACE = 6
#: The rows on the last turn for which there is room.
_TURN_ROWS = 4


def field_box(side: Side, width: int) -> Box:
    """The box of a side's field in a picture of that width."""
    left = _INSET if side is Side.FIRST else width - _INSET - _WIDTH
    return left, _INSET, left + _WIDTH, _INSET + _HEIGHT


def draw(image: Image.Image, scene: Scene, face: Face, theme: Theme) -> None:
    """Draw in all four corners."""
    scores = face.scores(scene)
    for side in Side:
        _draw_side(image, scene, face, theme, side, scores[side])
    legend: list[Row] = [[(kind, Side.SECOND), scene.texts.gettext(word)] for kind, word in face.legend]
    for row, parts in enumerate(reversed(legend)):
        _draw_row(image, scene.geometry, face, theme, parts, (MARGIN, _row_middle(image, row)), 1, theme.number)
    for row, parts in enumerate(reversed(face.turn_rows(scene)[:_TURN_ROWS])):
        at = image.width - MARGIN, _row_middle(image, row)
        _draw_row(image, scene.geometry, face, theme, parts, at, -1, theme.text)


def _draw_side(image: Image.Image, scene: Scene, face: Face, theme: Theme, side: Side, score: str) -> None:
    """A side's score in its upper corner; the field of the side to play, or of the winner, stands out."""
    caption, active = _caption(scene, side)
    ground, strong, soft = (
        (theme.highlight, theme.text, theme.letter) if active else (theme.background, theme.number, theme.number)
    )
    left, top, right, bottom = field_box(side, image.width)
    # The second side's field mirrors the first one's.
    edge, inward, align = (left, 1, "l") if side is Side.FIRST else (right, -1, "r")
    middle = (top + bottom) / 2
    if active:
        paste_tile(image, _field(theme), (left, middle), "l")
    paste_tile(image, face.icon("plain", side, 70, ground, theme), (edge + inward * 49, middle))
    number = text_tile(score, _LARGE, strong, ground, theme)
    paste_tile(image, number, (edge + inward * 95, middle - 16), align)
    size = _fitting(caption, _SMALL, _WIDTH - 106)
    paste_tile(image, text_tile(caption, size, soft, ground, theme), (edge + inward * 96, middle + 25), align)
    counts = face.counts(scene, side)
    for row, first in enumerate(range(0, len(counts), 2)):
        # The board leaves no room for three side by side.
        parts: Row = []
        for kind, count in counts[first : first + 2]:
            parts += [*([APART] if parts else []), (kind, side), count]
        at = edge + inward * 26, bottom + 34 + row * 42
        _draw_row(image, scene.geometry, face, theme, parts[::inward], at, inward, theme.number)


@lru_cache(maxsize=1024)
def _fitting(text: str, size: int, width: int) -> int:
    """The largest font size, at most ``size``, at which the text is no wider than that."""
    while size > 14 and font_at(size).getlength(text) > width:
        size -= 1
    return size


def _caption(scene: Scene, side: Side) -> tuple[str, bool]:
    """The text below a side's score, and whether the side is to act or has won."""
    position, ended, texts = scene.position, scene.ended, scene.texts
    name = scene.side(side)
    if ended is not None:
        if ended.winner is None:
            drawn = position.second_player is not None and not ended.abandoned
            return (texts.gettext("draw"), True) if drawn else (name, False)
        return (texts.gettext("{side} wins").format(side=name), True) if ended.winner is side else (name, False)
    match position.phase:
        case Phase.OPENING:
            return (texts.gettext("{side} opens").format(side=name), True) if side is Side.FIRST else (name, False)
        case Phase.CHOICE:
            return f"{name}?", True
    return (texts.gettext("{side} to play").format(side=name), True) if position.turn_of is side else (name, False)


@cached
def _field(theme: Theme) -> Tile:
    canvas = Canvas(0, 0, _WIDTH, _HEIGHT, theme.background)
    canvas.field((0, 0, _WIDTH, _HEIGHT), 24, theme.letter)
    canvas.field((3, 3, _WIDTH - 3, _HEIGHT - 3), 21, theme.highlight)
    return cut_out(canvas.done(theme), theme.background, theme)


def _draw_row(
    image: Image.Image,
    geometry: Geometry,
    face: Face,
    theme: Theme,
    parts: Row,
    at: tuple[float, float],
    inward: int,
    colour: tuple[int, int, int],
) -> None:
    """Icons and text in a row, from the left (``inward`` 1) or up to the right (-1) rim of the picture.

    The text is smaller where a label of the board would be in its way.
    """
    x, y = at
    tiles = {part: face.icon(*part, _ICON, theme.background, theme) for part in parts if not isinstance(part, str)}
    taken = _SPACE * len(parts) + (x if inward == 1 else geometry.width - x)
    taken += sum(tiles[part].image.width if part in tiles else 2 for part in parts)
    room = _room(geometry, round(y - _ICON / 2), round(y + _ICON / 2), inward)
    size = _fitting("".join(part for part in parts if isinstance(part, str)), _SMALL, int(room - taken))
    for part in parts[::inward]:
        tile = text_tile(part, size, colour, theme.background, theme) if isinstance(part, str) else tiles[part]
        paste_tile(image, tile, (x, y), "l" if inward == 1 else "r")
        x += inward * (tile.image.width + _SPACE)


@lru_cache(maxsize=256)
def _room(geometry: Geometry, top: int, bottom: int, inward: int) -> float:
    """The free width between two heights, from the left (1) or the right (-1) rim to the board's labels."""
    labels = [label_box(label, geometry) for label in (*geometry.letters, *geometry.numbers, *geometry.names)]
    beside = [box for box in labels if box[1] < bottom and box[3] > top]
    if inward == 1:
        return min((box[0] for box in beside if box[0] < geometry.width / 2), default=geometry.width / 2)
    return geometry.width - max((box[2] for box in beside if box[2] > geometry.width / 2), default=geometry.width / 2)


def _row_middle(image: Image.Image, row: int) -> float:
    """The middle of a row in the lower corners, counted from below."""
    return image.height - MARGIN - _ICON / 2 - row * _ROW
