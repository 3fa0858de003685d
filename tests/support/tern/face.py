"""The pictures of Tern."""

from __future__ import annotations

from PIL import Image

from render.alt_text import stones_clause
from render.canvas import Canvas, cell_mask, draw_cell, paste_cell
from render.colours import Colour, Theme
from render.face import Face
from render.games.dalen.theme import THEMES
from render.palette import Tile, cut_out
from render.scene import Scene
from rules import Placed, Side, bits
from tests.support.tern import Tern


class TernFace(Face[Tern]):
    """A face of plain discs, with the last one on a bright cell."""

    themes = THEMES
    emoji = "🔺"
    colour = (44, 120, 160)

    def draw(self, image: Image.Image, scene: Scene[Tern]) -> None:
        theme, geometry = scene.theme, scene.geometry
        mask = cell_mask(geometry.grid)
        fresh = {event.cell for event in scene.events if isinstance(event, Placed)}
        for side in Side:
            for cell in bits(scene.position.stones(side)):
                canvas = Canvas(-mask.width // 2, -mask.height // 2, *mask.size, theme.tray)
                draw_cell(canvas, geometry.grid, (0, 0), theme.fresh if cell in fresh else theme.cell)
                _draw_disc(canvas, geometry.cell_height, side, theme)
                paste_cell(image, canvas.done(theme), geometry, cell)

    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        canvas = Canvas(-height // 2, -height // 2, height, height, ground)
        _draw_disc(canvas, height, side, theme)
        return cut_out(canvas.done(theme), ground, theme)

    def clauses(self, scene: Scene[Tern]) -> list[list[str]]:
        return [stones_clause(scene, side) for side in Side]


def _draw_disc(canvas: Canvas, height: float, side: Side, theme: Theme) -> None:
    stone = theme.stones[side]
    canvas.disc((0, 0), 0.34 * height, stone.edge)
    canvas.disc((0, 0), 0.3 * height, stone.body)
