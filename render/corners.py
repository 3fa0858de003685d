"""The four corners that the board leaves free: what each side has, the legend, and what the last turn did.

The upper corners hold the sides' counts, the lower left one the legend, and the lower right one the last turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from PIL import Image

from render.canvas import Tile, label_box, paste_tile, text_tile, width_beside
from render.colours import Colour, Theme
from render.face import Face
from render.geometry import Box, Geometry, least_text
from render.scene import P, Scene
from render.turns import Row
from rules import Side

#: The margin, the height of an icon and that of a row, and between the parts
#: of a row.
_MARGIN, _ICON, _ROW, _SPACE = 14, 54, 57, 10
#: The most rows for which a corner has room.
_MOST = 4


def draw(image: Image.Image, scene: Scene[P], face: Face[P], theme: Theme) -> None:
    """Draw in all four corners."""
    for side in Side:
        _draw_rows(image, scene, face, theme, face.counts(scene, side), side, theme.number, below=False)
    _draw_rows(image, scene, face, theme, face.legend_rows(scene), Side.FIRST, theme.number)
    _draw_rows(image, scene, face, theme, face.turn_rows(scene), Side.SECOND, theme.text)


def _draw_rows(
    image: Image.Image,
    scene: Scene[P],
    face: Face[P],
    theme: Theme,
    rows: Sequence[Row],
    side: Side,
    colour: Colour,
    *,
    below: bool = True,
) -> None:
    """Rows of icons and texts in a corner on the side's own side, above or ``below`` the board."""
    geometry = scene.geometry
    left, unit = side is Side.FIRST, geometry.unit
    space = rooms(geometry, below)[side]

    def laid_out(of: Sequence[Row]) -> tuple[list[list[Tile]], list[int | None]]:
        size, icon = least_text(geometry.width), round(_ICON * unit)
        tiles = [row_tiles(row, face, theme, colour, theme.background, size, icon) for row in of]
        return tiles, _places([_width(each, geometry) for each in tiles], space, below=below)

    drawn, places = laid_out(rows)
    for shortened in range(1, len(rows) + 1):
        if None not in places:
            break
        # Words are left out first where there is least room, far from the rim of the picture.
        far = range(shortened) if below else range(len(rows) - shortened, len(rows))
        drawn, places = laid_out([_short(row) if number in far else row for number, row in enumerate(rows)])
    for tiles, place in zip(drawn, places, strict=True):
        if place is None:
            continue
        y = row_middle(geometry, place, below)
        x = _MARGIN * unit if left else geometry.width - _MARGIN * unit
        for tile in tiles if left else reversed(tiles):
            paste_tile(image, tile, (x, y), "l" if left else "r")
            x += (1 if left else -1) * (tile.image.width + _SPACE * unit)


def _short(row: Row) -> Row:
    """The row without its last text if there are others: it is a word for what was counted."""
    texts = [at for at, part in enumerate(row) if isinstance(part, str)]
    return [part for at, part in enumerate(row) if len(texts) < 2 or at != texts[-1]]


def row_tiles(
    row: Row, face: Face[Any], theme: Theme, colour: Colour, ground: Colour, size: int, icon: int
) -> list[Tile]:
    """The icons and texts of a row, for that ground, in that font size and with icons of that height."""
    return [
        text_tile(part, size, colour, ground, theme) if isinstance(part, str) else face.icon(*part, icon, ground, theme)
        for part in row
    ]


def _width(tiles: Sequence[Tile], geometry: Geometry) -> float:
    return width_beside(tiles, _SPACE * geometry.unit)


def _places(widths: Sequence[float], space: Sequence[float], *, below: bool) -> list[int | None]:
    """The place of each row, counted from the picture's rim; None for a row that does not fit.

    They stay in order if that is possible. Otherwise the wider ones come nearer to the rim, where there is more room.
    """
    count = len(widths)
    ordered = list(range(count))[:: -1 if below else 1]
    for order in (ordered, sorted(ordered, key=lambda row: -widths[row])):
        if count <= len(space) and all(widths[row] <= space[at] for at, row in enumerate(order)):
            return [order.index(row) for row in range(count)]
    places: list[int | None] = [None] * count
    free = list(range(len(space)))
    for row in sorted(range(count), key=lambda row: -widths[row]):
        fitting = [at for at in free if widths[row] <= space[at]]
        if fitting:
            places[row] = fitting[-1]
            free.remove(fitting[-1])
    return places


def row_middle(geometry: Geometry, row: int, below: bool) -> float:
    """The middle of a row, counted from the upper or the lower rim."""
    away = (_MARGIN + _ICON / 2 + row * _ROW) * geometry.unit
    return geometry.height - away if below else geometry.header + away - _MARGIN / 2 * geometry.unit


@lru_cache(maxsize=256)
def rooms(geometry: Geometry, below: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The free width for each row beside the board, on the left and on the right."""
    taken = [*_boxes(geometry)]
    half, margin = _ICON / 2 * geometry.unit, _MARGIN * geometry.unit
    left, right = [], []
    for row in range(_MOST):
        y = row_middle(geometry, row, below)
        beside = [box for box in taken if box[1] < y + half and box[3] > y - half]
        left.append(min((box[0] for box in beside), default=geometry.width / 2) - 1.6 * margin)
        right.append(geometry.width - max((box[2] for box in beside), default=geometry.width / 2) - 1.6 * margin)
    return tuple(left), tuple(right)


def _boxes(geometry: Geometry) -> list[Box]:
    """Boxes that together cover the cells and the labels."""
    boxes = [label_box(label, geometry) for label in geometry.labels]
    for cell in geometry.cells:
        x, y = geometry.centres[cell]
        for across, down in ((2 / 3, 0.2), (1 / 2, 0.35), (1 / 3, 1 / 2)):
            wide, tall = across * geometry.pitch, down * geometry.step
            boxes.append((x - wide, y - tall, x + wide, y + tall))
    return boxes
