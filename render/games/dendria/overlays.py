"""Dendria's overlays: who feeds the Seeds, which soils are fertile, and which cells count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache

from render.canvas import Canvas, text_width
from render.colours import Colour, Ink
from render.face import Overlay
from render.games.dendria.theme import THEMES
from render.geometry import Grid, Point
from render.scene import Scene
from rules import Dendria, Side, bits
from rules.dendria.field import Root
from rules.text import gettext_noop

#: The opacity of a tint (of 255), and full transparency.
_TINT = 95
_NOTHING = (0, 0, 0, 0)


def position_of(scene: Scene) -> Dendria:
    assert isinstance(scene.position, Dendria)
    return scene.position


# --------------------------------------------------------------------------------------------------------------------
# Roots.


def _draw_roots(scene: Scene, cell: int | None, canvas: Canvas) -> None:
    """The roots of the chosen cell; without one, the nutrients that the roots of every Seed bring."""
    if cell is not None:
        _draw_roots_of(scene, cell, canvas)
        return
    for seed in bits(position_of(scene).seeds):
        if seed in scene.geometry.cells:
            _draw_nutrients(scene, seed, canvas)


def _draw_nutrients(scene: Scene, seed: int, canvas: Canvas) -> None:
    """A dot in the colour of its side for each nutrient of a Seed, and a hollow one for a root without a piece."""
    position, unit = position_of(scene), scene.geometry.step / 100
    theme = THEMES[scene.look.theme]
    for root in position.roots(seed):
        x, y = _along(scene, seed, root, 40 * unit)
        if root.end is None:
            canvas.disc((x, y), 9 * unit, theme.tray)
            canvas.ring((x, y), 6 * unit, theme.accent, 4 * unit)
        else:
            _draw_dot(canvas, scene, (x, y), 9 * unit, _owner(position, root.end))


def _draw_roots_of(scene: Scene, cell: int, canvas: Canvas) -> None:
    """The roots of what stands on a cell, or of a Seed that would stand there."""
    position, geometry, unit = position_of(scene), scene.geometry, scene.geometry.step / 100
    theme, side = THEMES[scene.look.theme], position.owner(cell)
    feeds = side is None or bool(position.seeds >> cell & 1)
    for root in position.roots(cell):
        start = _along(scene, cell, root, 58 * unit)
        whose = side if not feeds else None if root.end is None else _owner(position, root.end)
        if root.end is None:
            end = _along(scene, cell, root, geometry.step * (len(root.soils) + 0.4))
        else:
            end = _along(scene, cell, root, geometry.step * (len(root.soils) + 1) - 58 * unit)
        if whose is None:
            _draw_dashes(canvas, start, end, theme.tray, theme.accent, unit)
        elif root.soils:
            canvas.line([start, end], theme.stones[whose].edge, 15 * unit)
            canvas.line([start, end], theme.stones[whose].body, 9 * unit)
        if feeds and root.end is not None:
            _draw_ring(canvas, scene, root.end, theme.stones[_owner(position, root.end)].body)
    _draw_ring(canvas, scene, cell, theme.accent)
    if feeds:
        _draw_verdict(scene, cell, canvas)


def _draw_verdict(scene: Scene, cell: int, canvas: Canvas) -> None:
    """The nutrients of each side, and the verdict, near the cell."""
    gettext, theme = scene.texts.gettext, THEMES[scene.look.theme]
    got = position_of(scene).nourishment(cell)
    first, second = got.nutrients
    verdict = gettext("hungry") if got.by is None else gettext("nourished by {side}").format(side=scene.side(got.by))
    size = scene.least_text
    half, high = text_width(verdict, size) / 2 + 0.8 * size, 1.55 * size
    x, y = _clear_place(scene, cell, half, high)
    canvas.field((x - half, y - high, x + half, y + high), 0.6 * size, theme.letter)
    canvas.field((x - half + 3, y - high + 3, x + half - 3, y + high - 3), 0.5 * size, theme.highlight)
    canvas.text(verdict, (x, y + 0.75 * size), size, theme.text)
    for side, number in ((Side.FIRST, first), (Side.SECOND, second)):
        way = -1 if side is Side.FIRST else 1
        _draw_dot(canvas, scene, (x + way * 0.9 * size, y - 0.75 * size), 0.42 * size, side)
        canvas.text(str(number), (x + way * 2.1 * size, y - 0.75 * size), 1.15 * size, theme.text)


def _clear_place(scene: Scene, cell: int, half: float, high: float) -> Point:
    """The middle of a field of that half width and half height near a cell, where it covers the least."""
    position, geometry = position_of(scene), scene.geometry
    roots = position.roots(cell)
    on_roots = {geometry.centres[soil] for root in roots for soil in root.soils}
    ends = {geometry.centres[root.end] for root in roots if root.end is not None}
    pieces = {geometry.centres[piece] for piece in bits(position.field.occupied)}
    labels = {(label.x, label.y) for label in geometry.labels}
    x, y = geometry.centres[cell]
    beside, above = half + 0.6 * geometry.step, high + 0.6 * geometry.step

    def hidden(way: tuple[float, float, float]) -> float:
        far, aside, up = way
        at_x, at_y = x + far * aside * beside, y + far * up * above
        if not (half < at_x < geometry.width - half and high < at_y < geometry.height - high):
            return math.inf

        def covered(points: Iterable[Point]) -> int:
            reach_x, reach_y = half + 0.45 * geometry.step, high + 0.45 * geometry.step
            return sum(abs(u - at_x) < reach_x and abs(v - at_y) < reach_y for u, v in points)

        return far + covered(on_roots) + 3 * covered(pieces) + 3 * covered(labels) + 5 * covered(ends)

    steps = (-1, -0.5, 0, 0.5, 1)
    ways = [
        (far, aside, up) for far in (1, 1.3, 1.6, 2) for aside in steps for up in steps if 1 in (abs(aside), abs(up))
    ]
    far, aside, up = min(ways, key=hidden)
    return x + far * aside * beside, y + far * up * above


def _along(scene: Scene, cell: int, root: Root, distance: float) -> Point:
    """The pixel at that distance from the middle of a cell, along its root."""
    (x, y), toward = scene.geometry.centres[cell], root.soils[0] if root.soils else root.end
    assert toward is not None
    dx, dy = scene.geometry.centres[toward][0] - x, scene.geometry.centres[toward][1] - y
    length = math.hypot(dx, dy)
    return x + dx / length * distance, y + dy / length * distance


def _owner(position: Dendria, cell: int) -> Side:
    return Side(position.second >> cell & 1)


def _draw_dot(canvas: Canvas, scene: Scene, centre: Point, radius: float, side: Side) -> None:
    """A dot in a side's colour that is visible on any ground."""
    theme = THEMES[scene.look.theme]
    canvas.disc(centre, radius, theme.stones[side.other].body)
    canvas.disc(centre, radius * 0.82, theme.stones[side].edge)
    canvas.disc(centre, radius * 0.7, theme.stones[side].body)


def _draw_ring(canvas: Canvas, scene: Scene, cell: int, colour: Colour) -> None:
    unit, theme = scene.geometry.step / 100, THEMES[scene.look.theme]
    canvas.ring(scene.geometry.centres[cell], 44 * unit, theme.stones[0].edge, 12 * unit)
    canvas.ring(scene.geometry.centres[cell], 44 * unit, colour, 7 * unit)


def _draw_dashes(canvas: Canvas, start: Point, end: Point, rim: Ink, fill: Ink, unit: float) -> None:
    """A row of dots that ends in a hollow one."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    count = max(1, round(math.hypot(dx, dy) / (25 * unit)))
    for i in range(count):
        at = x + dx * i / count, y + dy * i / count
        canvas.disc(at, 7.5 * unit, rim)
        canvas.disc(at, 5 * unit, fill)
    canvas.disc(end, 14 * unit, rim)
    canvas.ring(end, 9 * unit, fill, 5 * unit)


# --------------------------------------------------------------------------------------------------------------------
# Cells that belong to a side.


def _draw_fertile(scene: Scene, _cell: int | None, canvas: Canvas) -> None:
    """Hatching on fertile soils, in a different direction for each side, and rims around Dryads."""
    position, geometry = position_of(scene), scene.geometry
    shown = sum(1 << cell for cell in geometry.cells)
    for side in Side:
        stone = THEMES[scene.look.theme].stones[side]
        hatches = [
            (outline, fill)
            for width, fill in ((8, stone.edge), (5, stone.body))
            for outline in _hatches(geometry.grid, side, width)
        ]
        for cell in bits(position.fertile(side) & shown):
            if position.dryads >> cell & 1:
                _draw_rim(canvas, scene, cell, side)
                continue
            x, y = geometry.centres[cell]
            for outline, fill in hatches:
                canvas.polygon([(x + dx, y + dy) for dx, dy in outline], fill)


@lru_cache(maxsize=256)
def _hatches(grid: Grid, side: Side, width: float) -> list[list[Point]]:
    """The outlines of the hatches on a cell, parallel to one pair of its edges."""
    turn, unit = math.radians(60 if side is Side.FIRST else 120), grid.step / 100
    ahead, aside = math.cos(turn) * unit, math.sin(turn) * unit
    hatches = []
    for offset in (-26, 0, 26):
        half = 43 - 0.577 * abs(offset) + width / 2
        ends = [(along, offset + way * width / 2) for along, way in ((half, 1), (half, -1), (-half, -1), (-half, 1))]
        hatches.append([(along * ahead - off * aside, along * aside + off * ahead) for along, off in ends])
    return hatches


def _draw_leafiness(scene: Scene, _cell: int | None, canvas: Canvas) -> None:
    """A rim in every cell that counts for a side, and a tint on the empty ones."""
    position = position_of(scene)
    shown = sum(1 << cell for cell in scene.geometry.cells)
    for side in Side:
        red, green, blue = THEMES[scene.look.theme].stones[side].body
        for cell in bits(position.leafiness_cells(side) & ~position.trees & shown):
            tint = (red, green, blue, _TINT) if position.empty >> cell & 1 else _NOTHING
            _draw_rim(canvas, scene, cell, side, tint)


def _draw_rim(canvas: Canvas, scene: Scene, cell: int, side: Side, inside: Ink = _NOTHING) -> None:
    """A hexagonal line along the border of a cell, filled with ``inside``."""
    stone = THEMES[scene.look.theme].stones[side]
    for inset, fill in ((4, stone.edge), (5.5, stone.body), (12.5, stone.edge), (14, inside)):
        canvas.polygon(_hexagon(scene, cell, inset), fill)


def _hexagon(scene: Scene, cell: int, inset: float) -> list[Point]:
    return scene.geometry.grid.hexagon(scene.geometry.centres[cell], inset * scene.geometry.step / 100)


OVERLAYS: Mapping[str, Overlay] = {
    "roots": _draw_roots,
    "fertile": _draw_fertile,
    "leafiness": _draw_leafiness,
}
#: The titles of the overlays.
TITLES: Mapping[str, str] = {
    "roots": gettext_noop("roots and nutrients"),
    "fertile": gettext_noop("fertile soil"),
    "leafiness": gettext_noop("cells that count for each side"),
}
#: What their marks mean.
LEGENDS: Mapping[str, str] = {
    "roots": gettext_noop(
        "Each dot around a Seed is one of its roots, in the colour of the side whose piece it ends at; a "
        "hollow dot is a root that ends at no piece."
    ),
    "fertile": gettext_noop(
        "Hatched soil is fertile, in the colour and direction of a side; a rim marks the soil of a Dryad."
    ),
    "leafiness": gettext_noop("A rim in a side's colour surrounds every cell that counts for that side now."),
}
