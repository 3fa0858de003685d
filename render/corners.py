"""The four corners that the board leaves free, with rows of icons and texts.

The upper corners hold the sides' counts, the lower left corner the legend, and the lower right corner the last turn.
This module has the rows for events of all games; a game's face adds its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from PIL import Image

from render.alt_text import placements
from render.cache import remembered
from render.colours import Colour
from render.geometry import Box, Geometry, least_text
from render.palette import Tile, paste_tile, width_beside
from render.scene import P, Scene
from render.text import label_box, text_tile
from rules import Event, Passed, Position, Side, SideChosen

#: An item of a row: an icon's kind and side, or text.
Item: TypeAlias = tuple[str, Side] | str
Row: TypeAlias = list[Item]

#: Separates an icon from the number before it, because it belongs to the number after it.
APART = ""
#: The margin, the heights of an icon and of a row, and the space between the items of a row.
_MARGIN, _ICON, _ROW, _SPACE = 14, 54, 57, 10
#: Maximum rows in a corner.
_MOST = 4


def placement_row(scene: Scene[Position], side: Side, cells: Sequence[int], last: int) -> Row:
    """A row with the last of the new pieces on some cells and, if there are others, the farthest from it."""
    board = scene.position.board
    _, first = max((board.distance(cell, last), cell) for cell in cells)
    return [("placed", side), " – ".join(dict.fromkeys((board.name(first), board.name(last))))]


def placement_rows(scene: Scene[Position]) -> list[Row]:
    """A row for each side with new pieces."""
    return [
        placement_row(scene, side, [piece.cell for piece in pieces], pieces[-1].cell)
        for side, pieces in placements(scene).items()
    ]


def choice_rows(scene: Scene[Position]) -> list[Row]:
    """A row for a pass or for the choice of a side."""
    gettext = scene.texts.gettext
    words: dict[type[Event], str] = {Passed: gettext("passed"), SideChosen: gettext("side chosen")}
    return [[("plain", event.side), words[type(event)]] for event in scene.events if type(event) in words]


def count_rows(scene: Scene[Position], kind: str, counts: Sequence[int], words: tuple[str, str]) -> list[Row]:
    """A row with an icon and each side's count, and the word for one piece or for several; none without counts."""
    counted = [side for side in Side if counts[side]]
    items = [item for side in counted for item in (APART, (kind, side), str(counts[side]))]
    return [[*items[1:], scene.texts.ngettext(*words, counts[counted[-1]])]] if counted else []


def cell_count_rows(scene: Scene[Position], kind: str, masks: Sequence[int], words: tuple[str, str]) -> list[Row]:
    """:func:`count_rows` for the number of cells in each side's mask."""
    return count_rows(scene, kind, [mask.bit_count() for mask in masks], words)


def prisoners_row(scene: Scene[Position], kind: str, side: Side, held: int, gained: int = 0) -> Row:
    """A row with the number of a side's prisoners and its gain by the last turn."""
    word = scene.texts.ngettext("prisoner", "prisoners", held)
    return [(kind, side), f"{held} (+{gained})" if gained else str(held), word]


def draw(image: Image.Image, scene: Scene[P]) -> None:
    """Draw in all four corners."""
    face, theme = scene.face, scene.theme
    for side in Side:
        _draw_rows(image, scene, face.counts(scene, side), side, theme.number, below=False)
    _draw_rows(image, scene, face.legend_rows(scene), Side.FIRST, theme.number, below=True)
    _draw_rows(image, scene, face.turn_rows(scene), Side.SECOND, theme.text, below=True)


def _draw_rows(
    image: Image.Image, scene: Scene[P], rows: Sequence[Row], side: Side, colour: Colour, *, below: bool
) -> None:
    """Rows of icons and texts in the corner at the side's field, above or ``below`` the board."""
    geometry = scene.geometry
    left, unit = side is Side.FIRST, geometry.unit
    space = rooms(geometry, below)[side]

    def lay_out(of: Sequence[Row]) -> tuple[list[list[Tile]], list[int | None]]:
        size, icon = least_text(geometry.width), round(_ICON * unit)
        tiles = [row_tiles(row, scene, colour, scene.theme.background, size, icon) for row in of]
        return tiles, _slots([width_beside(drawn_row, _SPACE * unit) for drawn_row in tiles], space, below=below)

    drawn, slots = lay_out(rows)
    for shortened in range(1, len(rows) + 1):
        if None not in slots:
            break
        # Rows lose their words first where there is the least room, far from the rim of the picture.
        far = range(shortened) if below else range(len(rows) - shortened, len(rows))
        drawn, slots = lay_out([_short(row) if number in far else row for number, row in enumerate(rows)])
    for tiles, slot in zip(drawn, slots, strict=True):
        if slot is None:
            continue
        y = _row_middle(geometry, slot, below)
        x = _MARGIN * unit if left else geometry.width - _MARGIN * unit
        for tile in tiles if left else reversed(tiles):
            paste_tile(image, tile, (x, y), "l" if left else "r")
            x += (1 if left else -1) * (tile.image.width + _SPACE * unit)


def _short(row: Row) -> Row:
    """The row without its last text, a word for the count, unless there is no other text."""
    texts = [at for at, item in enumerate(row) if isinstance(item, str)]
    return [item for at, item in enumerate(row) if len(texts) < 2 or at != texts[-1]]


def row_tiles(row: Row, scene: Scene[P], colour: Colour, ground: Colour, size: int, icon: int) -> list[Tile]:
    """The icons and texts of a row for a ground, in a font size and with icons of a height."""
    return [
        text_tile(item, size, colour, ground, scene.theme)
        if isinstance(item, str)
        else scene.face.icon(*item, icon, ground, scene.theme)
        for item in row
    ]


def _slots(widths: Sequence[float], space: Sequence[float], *, below: bool) -> list[int | None]:
    """The slot of each row, counted from the rim of the picture; None for a row that does not fit.

    They stay in order if possible. Otherwise wider rows move nearer to the rim, where there is more room.
    """
    count = len(widths)
    ordered = list(range(count))[:: -1 if below else 1]
    for order in (ordered, sorted(ordered, key=lambda row: -widths[row])):
        if count <= len(space) and all(widths[row] <= space[at] for at, row in enumerate(order)):
            return [order.index(row) for row in range(count)]
    slots: list[int | None] = [None] * count
    free = list(range(len(space)))
    for row in sorted(range(count), key=lambda row: -widths[row]):
        fitting = [at for at in free if widths[row] <= space[at]]
        if fitting:
            slots[row] = fitting[-1]
            free.remove(fitting[-1])
    return slots


def _row_middle(geometry: Geometry, row: int, below: bool) -> float:
    """The middle of a row, counted from the upper or the lower rim."""
    away = (_MARGIN + _ICON / 2 + row * _ROW) * geometry.unit
    return geometry.height - away if below else geometry.header + away - _MARGIN / 2 * geometry.unit


@remembered(256)
def rooms(geometry: Geometry, below: bool) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The free width for each row beside the board, on the left and on the right."""
    boxes = _boxes(geometry)
    half, margin = _ICON / 2 * geometry.unit, _MARGIN * geometry.unit
    left, right = [], []
    for row in range(_MOST):
        y = _row_middle(geometry, row, below)
        beside = [box for box in boxes if box[1] < y + half and box[3] > y - half]
        left.append(min((box[0] for box in beside), default=geometry.width / 2) - 1.6 * margin)
        right.append(geometry.width - max((box[2] for box in beside), default=geometry.width / 2) - 1.6 * margin)
    return tuple(left), tuple(right)


def _boxes(geometry: Geometry) -> list[Box]:
    """Boxes that together cover the cells and the labels."""
    boxes = [label_box(label, geometry) for label in geometry.labels]
    for cell in geometry.cells:
        x, y = geometry.centres[cell]
        for across, down in ((2 / 3, 0.2), (1 / 2, 0.35), (1 / 3, 1 / 2)):
            wide, tall = across * geometry.pitch, down * geometry.cell_height
            boxes.append((x - wide, y - tall, x + wide, y + tall))
    return boxes
