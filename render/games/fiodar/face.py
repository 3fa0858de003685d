"""Fiodar: stones on the points of a woven cloth, joined by cords; red threads run through cut stones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from PIL import Image, ImageChops

from render.alt_text import cells_clause, stones_clause, totals_clause
from render.cache import cached
from render.canvas import Canvas, blank_cell, cell_mask, corner, icon_cell
from render.colours import Colour, Theme
from render.corners import Row, prisoners_row
from render.face import Face
from render.games.fiodar.overlays import OVERLAYS, shows_territory, territory
from render.games.fiodar.theme import THEMES, faded, shade
from render.geometry import Geometry, Grid, Point, along, hexagon
from render.palette import Tile, cut_out
from render.scene import Scene
from rules import SCORE, Placed, Side, bits
from rules.fiodar import Fiodar
from rules.text import gettext_noop

#: The radius of a stone and the width of a cord, in hundredths of the distance between points.
_STONE, _CORD = 34, 16
#: The extent of the cloth and of its selvedge beyond the outer points, as fractions of that distance.
_CLOTH, _SELVEDGE = 0.425, 0.475


class FiodarFace(Face[Fiodar]):
    themes = THEMES
    overlays = OVERLAYS
    legend = (
        ("plain", gettext_noop("stone")),
        ("cut", gettext_noop("cut thread")),
        ("lost", gettext_noop("cut weave")),
        ("territory", gettext_noop("territory")),
    )
    emoji = "🧵"
    colour = (88, 116, 205)

    def draw_ground(self, canvas: Canvas, geometry: Geometry, cells: Sequence[int], theme: Theme) -> None:
        ways = geometry.grid.ways
        corners = [_shift(geometry.centres[geometry.middle], way, geometry.window_size - 1) for way in ways]
        # Cords leave a window at its corners.
        wider = 0.075 if geometry.window_size < geometry.size else 0
        canvas.polygon(corners, theme.tray, (_SELVEDGE + wider) * geometry.cell_height)
        canvas.polygon(corners, theme.cell, (_CLOTH + wider) * geometry.cell_height)
        shown = set(geometry.cells)
        for cell in cells:
            # The triangle to the right of each point: half of all triangles.
            at, near = geometry.centres[cell], geometry.neighbours[cell]
            if near[1] in shown and near[2] in shown:
                canvas.polygon([at, _shift(at, ways[1]), _shift(at, ways[2])], shade(theme))
        for cell in cells:
            at = geometry.centres[cell]
            for way, other in zip(ways, geometry.neighbours[cell], strict=True):
                if other is not None:
                    canvas.line([at, _shift(at, way, 0.5)], theme.tray, 2)
        for cell in _stars(geometry) & shown:
            canvas.disc(geometry.centres[cell], 0.06 * geometry.cell_height, theme.tray)

    def draw(self, image: Image.Image, scene: Scene[Fiodar]) -> None:
        position, geometry, theme = scene.position, scene.geometry, scene.theme
        grid, shown = geometry.grid, geometry.mask
        placed = next((event.cell for event in scene.events if isinstance(event, Placed)), None)
        for side in Side:
            stones, lines = position.stones(side), _cut_lines(position, side, geometry)
            lost = sum(position.cut_weaves(side))
            for cell in bits(stones & shown):
                friends = geometry.adjoining(cell, stones)
                cut = sum(1 << line for line, mask in enumerate(lines) if mask >> cell & 1)
                tile = _stone(theme, grid, side, friends, cut, bool(lost >> cell & 1), cell == placed)
                image.paste(tile.image, corner(geometry, cell), tile.mask)
            owned = position.territory(side) if _is_counted(position) else 0
            for kind, mask in (("captured", scene.tally.captured[side]), ("territory", owned)):
                for cell in bits(mask & shown):
                    tile = _mark(theme, grid, kind, side)
                    image.paste(tile.image, corner(geometry, cell), tile.mask)

    @cached
    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        # A piece of cloth with a stone: "cut" in a cut thread, "lost" in a cut weave.
        unit, patch = height / 100, hexagon(height * 0.86)
        canvas = icon_cell(height, ground, theme.fresh if kind == "placed" else theme.cell)
        for start, end in zip(patch[:3], patch[3:], strict=True):
            canvas.line([start, end], theme.tray, max(1, 3 * unit))
        match kind:
            case "captured":
                _draw_captured(canvas, theme, unit, side)
            case "prisoners":
                _draw_captured(canvas, theme, unit, side.other)
            case "territory":
                _draw_territory(canvas, theme, unit, side)
            case _:
                ways = [(0.0, -height), (0.0, 0.0), (0.0, 0.0), (0.0, height), (0.0, 0.0), (0.0, 0.0)]
                cut = int(kind in ("cut", "lost"))
                _draw_stone(canvas, theme, unit, side, ways, 0, cut, kind == "lost", kind == "placed")
        return cut_out(canvas.done(theme), ground, theme)

    def scores(self, scene: Scene[Fiodar]) -> tuple[str, str]:
        position = scene.position
        return super().scores(scene) if shows_territory(position) else ("0", "0")

    def counts(self, scene: Scene[Fiodar], side: Side) -> Sequence[Row]:
        position = scene.position
        return [prisoners_row(scene, "prisoners", side, position.prisoners[side])]

    def marks(self, scene: Scene[Fiodar]) -> Mapping[str, bool]:
        position = scene.position
        return {
            "plain": any(map(position.stones, Side)),
            "cut": any(position.stones(side) & ~position.uncut(side) for side in Side),
            "lost": any(map(position.cut_weaves, Side)),
            "territory": _is_counted(position),
        }

    def clauses(self, scene: Scene[Fiodar]) -> list[list[str]]:
        position, gettext = scene.position, scene.texts.gettext
        clauses = []
        if position.passed_first is not None and scene.conclusion is None:
            passed = gettext("{side} passed first, for half a point; another pass ends the match.")
            clauses.append([passed.format(side=scene.side(position.passed_first))])
        return [
            *clauses,
            totals_clause(scene, gettext("Points: {first} {one}, {second} {two}."), self.scores(scene)),
            totals_clause(scene, gettext("Prisoners: {first} {one}, {second} {two}."), position.prisoners),
            *(stones_clause(scene, side) for side in Side),
            cells_clause(scene, gettext("Cut weaves"), lambda side: sum(position.cut_weaves(side))),
            cells_clause(
                scene, gettext("Stones in cut threads"), lambda side: position.stones(side) & ~position.uncut(side)
            ),
            cells_clause(scene, gettext("Territory"), lambda side: territory(position, side)),
        ]


def _is_counted(position: Fiodar) -> bool:
    """Whether the game was decided by counting its territories."""
    return position.outcome is not None and position.outcome.reason == SCORE


def _cut_lines(position: Fiodar, side: Side, geometry: Geometry) -> list[int]:
    """The side's stones in cut threads, as masks for the first three directions of the picture."""
    lines, middle = [0, 0, 0], position.board.centre
    for direction, offset in enumerate(position.board.directions[:3]):
        lines[geometry.neighbours[middle].index(middle + offset) % 3] = position.cut_along(side, direction)
    return lines


@lru_cache(maxsize=64)
def _stars(geometry: Geometry) -> frozenset[int]:
    """The points with a dot for orientation: the middle, and halfway to each corner."""
    board = geometry.board
    half = (board.size - 1) // 2
    return frozenset((board.centre, *(board.centre + half * offset for offset in board.directions)))


def _shift(at: Point, way: Point, share: float = 1) -> Point:
    return at[0] + share * way[0], at[1] + share * way[1]


def _tile(canvas: Canvas, theme: Theme, grid: Grid) -> Tile:
    """The drawing without the cloth, limited to the hexagon around the point."""
    image, mask = cut_out(canvas.done(theme), theme.cell, theme)
    return Tile(image, ImageChops.logical_and(mask, cell_mask(grid)))


@cached
def _stone(theme: Theme, grid: Grid, side: Side, friends: int, cut: int, lost: bool, placed: bool) -> Tile:
    """A stone with the near halves of the cords to its friends; their tiles have the far halves.

    Bit ``i`` of ``friends`` stands for a friend in direction ``i``, and bit ``i`` of ``cut`` for a cut thread in that
    direction and the opposite one. Stones of cut weaves are ``lost``.
    """
    canvas = blank_cell(grid, theme.cell)
    _draw_stone(canvas, theme, grid.cell_height / 100, side, grid.ways, friends, cut, lost, placed)
    return _tile(canvas, theme, grid)


@cached
def _mark(theme: Theme, grid: Grid, kind: str, side: Side) -> Tile:
    """A mark on an empty point, for a ``captured`` stone or for the side's ``territory``."""
    canvas = blank_cell(grid, theme.cell)
    draw = _draw_captured if kind == "captured" else _draw_territory
    draw(canvas, theme, grid.cell_height / 100, side)
    return _tile(canvas, theme, grid)


def _draw_stone(
    canvas: Canvas,
    theme: Theme,
    unit: float,
    side: Side,
    ways: Sequence[Point],
    friends: int,
    cut: int,
    lost: bool,
    placed: bool,
) -> None:
    """A stone at 0, 0; ``ways`` lead to its neighbours, and ``unit`` is a hundredth of the distance between points."""
    colours, other = theme.stones[side], theme.stones[side.other]
    cords = [way for i, way in enumerate(ways) if friends >> i & 1]
    if placed:
        canvas.disc((0, 0), 47 * unit, theme.tray)
        canvas.disc((0, 0), 45.5 * unit, theme.fresh)
    rims: list[tuple[float, Colour]] = [(9.5, colours.edge), (8.3, theme.accent)] if lost else []
    for grow, fill in [*rims, (3, colours.edge), (0, colours.body)]:
        for way in cords:
            canvas.line([(0, 0), way], fill, (_CORD + 2 * grow) * unit)
        canvas.disc((0, 0), (_STONE + grow) * unit, fill)
    for way in cords:
        for strand in _twist(way, unit):
            canvas.line(strand, colours.vein, 2.5 * unit)
    # Rings and dots, too, distinguish the sides, not only lightness.
    if placed:
        canvas.ring((0, 0), 19 * unit, other.body, 6.5 * unit)
    elif side is Side.FIRST:
        canvas.ring((0, 0), 23 * unit, colours.vein, 3 * unit)
    else:
        canvas.disc((0, 0), 7 * unit, colours.vein)
    _draw_cuts(canvas, theme, unit, side, ways, friends, cut)


def _draw_cuts(
    canvas: Canvas, theme: Theme, unit: float, side: Side, ways: Sequence[Point], friends: int, cut: int
) -> None:
    """The red thread through a stone, to the next stones of a cut thread or to bars at its ends."""
    ends, bars = [], []
    for line in bits(cut):
        for direction in (line, line + 3):
            way = ways[direction]
            if friends >> direction & 1:
                ends.append(way)
            else:
                ends.append(along(way, unit, [(43, 0)])[0])
                bars.append(along(way, unit, [(43, -13), (43, 13)]))
    for grow, fill in ((1.6, theme.stones[side].edge), (0, theme.accent)):
        for end in ends:
            canvas.line([(0, 0), end], fill, (4.5 + 2 * grow) * unit)
        for bar in bars:
            canvas.line(bar, fill, (5.5 + 2 * grow) * unit)


def _draw_captured(canvas: Canvas, theme: Theme, unit: float, side: Side) -> None:
    """A faded stone at 0, 0, crossed out."""
    canvas.disc((0, 0), 28 * unit, theme.stones[side].edge)
    canvas.disc((0, 0), 25.5 * unit, faded(theme, side))
    for x, y in ((11, 11), (11, -11)):
        canvas.line([(-x * unit, -y * unit), (x * unit, y * unit)], theme.stones[side.other].body, 5.5 * unit)


def _draw_territory(canvas: Canvas, theme: Theme, unit: float, side: Side) -> None:
    """The mark of a side's empty point at 0, 0: a diamond or a dot."""
    colours = theme.stones[side]
    for grow, fill in ((3, colours.edge), (0, colours.body)):
        if side is Side.FIRST:
            reach = (16 + grow) * unit
            canvas.polygon([(-reach, 0), (0, -reach), (reach, 0), (0, reach)], fill)
        else:
            canvas.disc((0, 0), (13 + grow) * unit, fill)


def _twist(way: Point, unit: float) -> list[list[Point]]:
    """The strands across the cord between two stones, the same from both ends."""
    half, aside = math.hypot(*way) / unit / 2, _CORD / 2 - 2
    return [along(way, unit, [(half + at - 4, -aside), (half + at + 4, aside)]) for at in (-8, 0, 8)]
