"""Dalen: trees of dark and light stones, with leaves at the ends of their branches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PIL import Image

from render.alt_text import cells_clause, stones_clause
from render.cache import cached
from render.canvas import Canvas, blank_cell, empty_cell, icon_cell, paste_cell
from render.colours import Colour, Theme, contrast
from render.face import Face
from render.games.dalen.theme import THEMES
from render.geometry import Grid, Point, along, both_sides, bridge
from render.palette import Tile, cut_out
from render.scene import Scene
from rules import Flipped, Placed, Side, bits
from rules.dalen import Dalen
from rules.text import gettext_noop


class DalenFace(Face[Dalen]):
    themes = THEMES
    legend = (
        ("plain", gettext_noop("stone")),
        ("leaf", gettext_noop("leaf")),
        ("stagnant", gettext_noop("stagnant tree")),
    )
    emoji = "🍃"
    colour = (122, 178, 70)

    def draw(self, image: Image.Image, scene: Scene[Dalen]) -> None:
        position, geometry, theme = scene.position, scene.geometry, scene.theme
        placed = next((event.cell for event in scene.events if isinstance(event, Placed)), None)
        flipped = {cell for event in scene.events if isinstance(event, Flipped) for cell in event.cells}
        for side in Side:
            stones, stagnant = position.stones(side), position.stagnant(side)
            for cell in bits(stones & geometry.mask):
                friends = geometry.adjoining(cell, stones)
                tile = _stone(
                    theme, geometry.grid, side, friends, bool(stagnant >> cell & 1), cell == placed, cell in flipped
                )
                paste_cell(image, tile, geometry, cell)

    @cached
    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        canvas = icon_cell(height, ground, theme.fresh if kind == "placed" else theme.cell)
        ways: list[Point | None] = [(0, height) if kind == "leaf" else None]
        _draw_stone(canvas, theme, height / 100, side, ways, kind == "stagnant", kind == "placed", kind == "flipped")
        return cut_out(canvas.done(theme), ground, theme)

    def marks(self, scene: Scene[Dalen]) -> Mapping[str, bool]:
        position = scene.position
        of_kind = {"plain": position.stones, "leaf": position.leaves, "stagnant": position.stagnant}
        return {kind: any(map(of, Side)) for kind, of in of_kind.items()}

    def clauses(self, scene: Scene[Dalen]) -> list[list[str]]:
        position = scene.position
        gettext = scene.texts.gettext
        return [
            *(stones_clause(scene, side)[:1] for side in Side),
            cells_clause(scene, gettext("Stones of stagnant trees"), position.stagnant),
            cells_clause(scene, gettext("Leaves"), position.leaves),
        ]


@cached
def _stone(
    theme: Theme, grid: Grid, side: Side, friends: int, stagnant: bool, placed: bool, flipped: bool
) -> Image.Image:
    """One cell with a stone, for :func:`cell_mask`.

    Bit ``i`` of ``friends`` stands for a friend in direction ``i``. The tile has the near halves of the branches to
    friends; their tiles have the far halves.
    """
    canvas = empty_cell(grid, theme, theme.fresh if placed else theme.cell)
    ways = [way if friends >> direction & 1 else None for direction, way in enumerate(grid.ways)]
    _draw_stone(canvas, theme, grid.cell_height / 100, side, ways, stagnant, placed, flipped)
    tile = canvas.done(theme)
    gaps = [(one, other) for one, other in zip(ways, [*ways[1:], ways[0]], strict=True) if one and other]
    if stagnant and gaps:
        # The outline is around the tree, not in the gaps between adjacent stones.
        mask = blank_cell(grid, 0)
        for gap in gaps:
            mask.polygon([(0, 0), *gap], 255)
        tile.paste(_stone(theme, grid, side, friends, False, placed, flipped), mask=mask.reduced().convert("1"))
    return tile


def _draw_stone(
    canvas: Canvas,
    theme: Theme,
    unit: float,
    side: Side,
    ways: Sequence[Point | None],
    stagnant: bool,
    placed: bool,
    flipped: bool,
) -> None:
    """A stone at 0, 0 with branches along the ways that are not None; ``unit`` is a hundredth of a cell's height."""
    colours, other = theme.stones[side], theme.stones[side.other]
    friends = [way for way in ways if way is not None]
    leaf = friends[0] if len(friends) == 1 else None
    shapes = [_leaf(leaf, unit) if leaf else _circle(34 * unit)]
    # The ground shows between adjacent stones, so the cells of a large tree are distinct.
    shapes += [bridge(way, unit, 9, 23) for way in friends]
    rims: list[tuple[float, Colour]] = [(11, colours.edge), (9.8, theme.accent)] if stagnant else []
    for grow, fill in [*rims, (3, colours.edge), (0, colours.body)]:
        for shape in shapes:
            canvas.polygon(shape, fill, grow * unit)
    lines = [[(0, 0), way] for way in friends]
    if leaf and not (placed or flipped):
        lines += _veins(leaf, unit)
    for line in lines:
        canvas.line(line, colours.vein, 3 * unit)
    # Rings and dots, too, distinguish the sides, not only lightness.
    if not leaf and side is Side.FIRST:
        canvas.disc((0, 0), 20 * unit, colours.body)
        canvas.ring((0, 0), 20 * unit, colours.vein, 3 * unit)
    elif not leaf:
        canvas.disc((0, 0), 8 * unit, colours.vein)
    if placed:
        canvas.disc((0, 0), 24 * unit, colours.body)
        ring = max(theme.text, other.body, key=lambda ink: contrast(ink, colours.body))
        canvas.ring((0, 0), 18.5 * unit, ring, 6.5 * unit)
        canvas.disc((0, 0), 15 * unit, colours.body)
    if flipped:
        canvas.disc((0, 0), 14 * unit, other.edge)
        canvas.disc((0, 0), 11.5 * unit, other.body)


def _circle(radius: float) -> list[Point]:
    return [(radius * math.cos(i * math.pi / 48), radius * math.sin(i * math.pi / 48)) for i in range(96)]


def _leaf(stem: Point, unit: float) -> list[Point]:
    """A leaf with its stem along the way ``stem`` and its tip opposite."""
    right = []
    for i in range(41):
        t = i / 40
        right.append((34 - 72 * t, 49 * math.sin(math.pi * t**0.85) * (1 - 0.45 * t)))
    return along(stem, unit, both_sides(right))


def _veins(stem: Point, unit: float) -> list[list[Point]]:
    lines: list[list[Point]] = [[(34, 0), (-27, 0)]]
    for root, reach in ((16, 15), (1, 16), (-14, 10)):
        lines += [[(root, 0), (root - 0.8 * reach, reach)], [(root, 0), (root - 0.8 * reach, -reach)]]
    return [along(stem, unit, line) for line in lines]
