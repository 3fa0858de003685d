"""Two positions of a game side by side: before and after a turn."""

from __future__ import annotations

from collections.abc import Mapping

from PIL import Image

from render import overlays, painting
from render.canvas import Layer, Tile, in_own_palette, paste_beside, round_corners, text_tile, to_png, width_beside
from render.colours import Theme
from render.corners import row_tiles
from render.face import Face
from render.geometry import WIDE, WIDTH, Point, least_text
from render.scene import P, Scene
from render.signs import ICON, with_rows
from render.turns import Row
from rules import Side

#: Around the boards, and between them, where the arrow is; the height of the scores, and between their parts.
MARGIN, _BETWEEN, _SCORES, _SPACE = 20, 68, 64, 12
#: The width of a board.
BOARD = (WIDTH - 2 * MARGIN - _BETWEEN) // 2
_SIZE, _ICON = least_text(), round(ICON * WIDTH / WIDE)


def draw(face: Face[P], before: Scene[P], after: Scene[P], targets: Mapping[int, str]) -> bytes:
    """Two bare scenes of the width :data:`BOARD` as a PNG file, with their scores, and the legend below.

    ``targets`` are cells of the first one, each with the text of its badge.
    """
    theme = face.themes[after.look.theme]
    boards = [painting.in_full_colour(painting.paint_board(face, scene)) for scene in (before, after)]
    overlays.draw_targets(before, face, theme, targets, Layer(boards[0]))
    height = boards[0].height
    image = Image.new("RGB", (WIDTH, MARGIN + height + _SCORES), theme.background)
    for scene, board, left in zip((before, after), boards, (MARGIN, WIDTH - MARGIN - BOARD), strict=True):
        image.paste(board, (left, MARGIN))
        _draw_scores(image, scene, face, theme, (left + BOARD / 2, MARGIN + height + _SCORES / 2))
    _draw_arrow(Layer(image), theme, WIDTH / 2, MARGIN + height / 2)
    rows = [
        row_tiles(row, face, theme, theme.text, theme.highlight, _SIZE, _ICON)
        for row in (*_legend(face, before, after), *face.turn_rows(after))
    ]
    drawn = in_own_palette(with_rows(image, rows, WIDTH / WIDE, theme), theme)
    round_corners(drawn)
    return to_png(drawn)


def _legend(face: Face[P], before: Scene[P], after: Scene[P]) -> list[Row]:
    """The rows of the legend that either picture needs, each once."""
    rows = {row[0]: row for scene in (before, after) for row in face.legend_rows(scene)}
    return list(rows.values())


def _draw_scores(image: Image.Image, scene: Scene[P], face: Face[P], theme: Theme, middle: Point) -> None:
    """Both scores, each beside a piece of its side."""
    first, second = face.scores(scene)
    icons = [face.icon("plain", side, _ICON, theme.background, theme) for side in Side]
    words = [text_tile(score, _SIZE, theme.text, theme.background, theme) for score in (first, second)]
    between = text_tile(":", _SIZE, theme.number, theme.background, theme)
    tiles: list[Tile] = [icons[0], words[0], between, words[1], icons[1]]
    paste_beside(image, tiles, (middle[0] - width_beside(tiles, _SPACE) / 2, middle[1]), _SPACE)


def _draw_arrow(layer: Layer, theme: Theme, x: float, y: float) -> None:
    layer.line([(x - 18, y), (x + 8, y)], theme.letter, 8)
    layer.polygon([(x + 4, y - 17), (x + 22, y), (x + 4, y + 17)], theme.letter, 2)
