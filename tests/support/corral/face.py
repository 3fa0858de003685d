"""The pictures of Corral, the sixth game of the tests: everything a new game needs under ``render``."""

from __future__ import annotations

from PIL import Image

from render.alt_text import change_clauses, stones_clause
from render.canvas import Canvas, Pen, cell_mask, draw_cell, paste_cell
from render.colours import Colour, Theme
from render.corners import Row, cell_count_rows
from render.face import Face
from render.games.dalen.theme import THEMES
from render.geometry import Point
from render.palette import Tile, cut_out
from render.scene import Scene
from render.signs import Drawing, Overlay, Sign
from rules import Record, Side, bits, ruleset
from tests.support.corral import Corral, Penned


def _mark_centre(drawing: Drawing[Corral]) -> None:
    drawing.mark("centre", [drawing.scene.position.board.centre])


def _draw_centre(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    pen.disc(at, 20 * unit, theme.accent)


_SIGNS = {"centre": Sign("the centre", _draw_centre)}


class CorralFace(Face[Corral]):
    """A minimal face: discs."""

    themes = THEMES
    legend = (("plain", "disc"),)
    overlays = (Overlay("centre", "the centre", "", _mark_centre, _SIGNS),)

    @classmethod
    def example(cls) -> Record:
        return Record(ruleset(Corral.name, 3), ("c1", "light", "c4", "b4", "b3", "d2"))

    def draw(self, image: Image.Image, scene: Scene[Corral]) -> None:
        theme = scene.theme
        mask = cell_mask(scene.geometry.grid)
        for side in Side:
            for cell in bits(scene.position.stones(side)):
                canvas = Canvas(-mask.width // 2, -mask.height // 2, *mask.size, theme.tray)
                draw_cell(canvas, scene.geometry.grid, (0, 0), theme.cell)
                canvas.disc((0, 0), 0.3 * scene.geometry.cell_height, theme.stones[side].body)
                paste_cell(image, canvas.done(theme), scene.geometry, cell)

    def turn_rows(self, scene: Scene[Corral]) -> list[Row]:
        return [
            *super().turn_rows(scene),
            *cell_count_rows(scene, "penned", scene.tally.changed(Penned)[::-1], ("penned", "penned")),
        ]

    def turn_clauses(self, scene: Scene[Corral], with_cells: bool) -> list[str]:
        penned, words = scene.tally.changed(Penned)[::-1], ("{count} of {side} penned",) * 2
        return [*super().turn_clauses(scene, with_cells), *change_clauses(scene, penned, words, with_cells)]

    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        canvas = Canvas(-height // 2, -height // 2, height, height, ground)
        canvas.disc((0, 0), 0.3 * height, theme.stones[side].body)
        return cut_out(canvas.done(theme), ground, theme)

    def clauses(self, scene: Scene[Corral]) -> list[list[str]]:
        return [stones_clause(scene, side) for side in Side]
