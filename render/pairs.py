"""Two positions of a game side by side: before and after a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from render import overlays, painting
from render.canvas import Layer
from render.colours import Theme
from render.corners import row_tiles
from render.games import face
from render.geometry import WIDE, WIDTH, Point, least_text
from render.palette import in_full_colour, in_own_palette, paste_beside, to_png, width_beside
from render.scene import DEFAULT_LOOK, Look, P, Scene
from render.signs import ICON, with_rows
from render.text import text_tile
from rules import Event, Position, Side

#: The space around the boards, and between them for the arrow; the height of the scores, and the space between their
#: parts.
MARGIN, _BETWEEN, _SCORES, _SPACE = 20, 68, 64, 12
#: The width of a board.
BOARD = (WIDTH - 2 * MARGIN - _BETWEEN) // 2
_SIZE, _ICON = least_text(), round(ICON * WIDTH / WIDE)


def pair(
    before: Position,
    after: Position,
    events: Sequence[Event],
    look: Look = DEFAULT_LOOK,
    targets: Mapping[int, str] | None = None,
) -> bytes:
    """The positions before and after a turn side by side, with their scores and a legend, in one PNG file.

    It is as wide as a picture of one position. ``events`` are those of the turn; ``targets`` are cells of the first
    position, as for :func:`render.picture`. Any number of threads may call this at once.
    """
    scenes = [
        Scene(face(type(after)), position, tuple(did), None, look, BOARD, bare=True, labelled=look.coordinates)
        for position, did in ((before, ()), (after, events))
    ]
    theme = scenes[0].theme
    boards = [in_full_colour(painting.paint_board(scene)) for scene in scenes]
    overlays.draw_targets(scenes[0], targets or {}, Layer(boards[0]))
    height, scored = boards[0].height, any(scenes[0].face.scores(scenes[0]))
    image = Image.new("RGB", (WIDTH, MARGIN + height + (_SCORES if scored else MARGIN)), theme.background)
    for scene, board, left in zip(scenes, boards, (MARGIN, WIDTH - MARGIN - BOARD), strict=True):
        image.paste(board, (left, MARGIN))
        if scored:
            _draw_scores(image, scene, (left + BOARD / 2, MARGIN + height + _SCORES / 2))
    _draw_arrow(Layer(image), theme, WIDTH / 2, MARGIN + height / 2)
    legend = {row[0]: row for scene in scenes for row in scene.face.legend_rows(scene)}
    rows = [*legend.values(), *scenes[1].face.turn_rows(scenes[1])]
    tiles = [row_tiles(row, scenes[1], theme.text, theme.highlight, _SIZE, _ICON) for row in rows]
    return to_png(in_own_palette(with_rows(image, tiles, WIDTH / WIDE, theme), theme))


def _draw_scores(image: Image.Image, scene: Scene[P], middle: Point) -> None:
    """Both scores, each beside a piece of its side."""
    theme = scene.theme
    first, second = (("plain", side) for side in Side)
    one, other = scene.face.scores(scene)
    tiles = row_tiles([first, one], scene, theme.text, theme.background, _SIZE, _ICON)
    tiles.append(text_tile(":", _SIZE, theme.number, theme.background, theme))
    tiles += row_tiles([other, second], scene, theme.text, theme.background, _SIZE, _ICON)
    paste_beside(image, tiles, (middle[0] - width_beside(tiles, _SPACE) / 2, middle[1]), _SPACE)


def _draw_arrow(layer: Layer, theme: Theme, x: float, y: float) -> None:
    layer.line([(x - 18, y), (x + 8, y)], theme.letter, 8)
    layer.polygon([(x + 4, y - 17), (x + 22, y), (x + 4, y + 17)], theme.letter, 2)
