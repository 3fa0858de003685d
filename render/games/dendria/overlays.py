"""Dendria's overlays: roots and nutrients, fertile soils, and cells that count."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

from render.canvas import Layer, Pen
from render.colours import Colour, Ink, Theme
from render.geometry import Point, hexagon
from render.scene import Scene
from render.signs import Drawing, Overlay, Sign
from render.text import text_width
from rules import Side, bits
from rules.dendria import Dendria
from rules.dendria.field import Root
from rules.text import gettext_noop

#: The opacity of a tint (of 255).
_TINT = 95


def _draw_roots(drawing: Drawing[Dendria]) -> None:
    """The roots of the chosen cell; without one, the nutrients of every Seed."""
    if drawing.cell is not None:
        _draw_roots_of(drawing, drawing.cell)
        return
    for seed in bits(drawing.scene.position.seeds & drawing.scene.geometry.mask):
        _draw_nutrients(drawing, seed)


def _draw_nutrients(drawing: Drawing[Dendria], seed: int) -> None:
    """A dot in its side's colour for each nutrient of a Seed, and a hollow dot for each root without a piece."""
    scene, unit = drawing.scene, drawing.unit
    for root in scene.position.field.roots(seed):
        at = _along(scene, seed, root, 40 * unit)
        if root.end is None:
            _draw_bare_end(drawing.layer, scene.theme, 1.3 * unit, at)
            drawing.explain("bare root")
        else:
            side = _owner(scene.position, root.end)
            _draw_dot(drawing.layer, scene.theme, side, 13 * unit, at)
            drawing.explain("root", side)


def _draw_roots_of(drawing: Drawing[Dendria], cell: int) -> None:
    """The roots of the piece on a cell, or of a Seed sown there."""
    scene, layer, unit = drawing.scene, drawing.layer, drawing.unit
    position, theme, tall = scene.position, scene.theme, scene.geometry.cell_height
    side = position.owner(cell)
    feeds = side is None or bool(position.seeds >> cell & 1)
    for root in position.field.roots(cell):
        start = _along(scene, cell, root, 58 * unit)
        at_end = None if root.end is None else _owner(position, root.end)
        whose = at_end if feeds else side
        if root.end is None:
            end = _along(scene, cell, root, tall * (len(root.soils) + 0.4))
        else:
            end = _along(scene, cell, root, tall * (len(root.soils) + 1) - 58 * unit)
        if whose is None:
            _draw_dashes(layer, start, end, theme.tray, theme.accent, unit)
            drawing.explain("bare root")
        elif root.soils:
            layer.line([start, end], theme.stones[whose].edge, 15 * unit)
            layer.line([start, end], theme.stones[whose].body, 9 * unit)
            drawing.explain("root", whose)
        if feeds and root.end is not None and at_end is not None:
            _draw_ring(drawing, root.end, theme.stones[at_end].body)
    _draw_ring(drawing, cell, theme.accent)
    if feeds:
        _draw_verdict(scene, layer, cell)


def _draw_verdict(scene: Scene[Dendria], layer: Layer, cell: int) -> None:
    """The nutrients of each side, and the verdict, near the cell."""
    theme, gettext, size = scene.theme, scene.texts.gettext, scene.least_text
    got = scene.position.field.nourishment(cell)
    verdict = gettext("hungry") if got.by is None else gettext("nourished by {side}").format(side=scene.side(got.by))
    half, high = max(text_width(verdict, size) / 2 + 0.8 * size, 3 * size), 1.55 * size
    x, y = _clear_spot(scene, cell, half, high)
    layer.field((x - half, y - high, x + half, y + high), 0.6 * size, theme.letter)
    layer.field((x - half + 3, y - high + 3, x + half - 3, y + high - 3), 0.5 * size, theme.highlight)
    layer.text(verdict, (x, y + 0.75 * size), size, theme.text)
    for side, way, number in zip(Side, (-1, 1), got.nutrients, strict=True):
        _draw_dot(layer, theme, side, 0.42 * size, (x + way * 0.9 * size, y - 0.75 * size))
        layer.text(str(number), (x + way * 2.1 * size, y - 0.75 * size), 1.15 * size, theme.text)


def _clear_spot(scene: Scene[Dendria], cell: int, half: float, high: float) -> Point:
    """The middle of a field, given by half its width and height, near a cell, where it covers the least."""
    position, geometry = scene.position, scene.geometry
    roots = position.field.roots(cell)
    on_roots = {geometry.centres[soil] for root in roots for soil in root.soils}
    ends = {geometry.centres[root.end] for root in roots if root.end is not None}
    pieces = {geometry.centres[piece] for piece in bits(position.field.occupied)}
    labels = {(label.x, label.y) for label in geometry.labels}
    choosable = {geometry.centres[target] for target in scene.choosable.intersection(geometry.cells)}
    x, y = geometry.centres[cell]
    beside, above = half + 0.6 * geometry.cell_height, high + 0.6 * geometry.cell_height

    def hidden(way: tuple[float, float, float]) -> float:
        far, aside, up = way
        at_x, at_y = x + far * aside * beside, y + far * up * above
        if not (half < at_x < geometry.width - half and high < at_y < geometry.height - high):
            return math.inf

        def covered(points: Iterable[Point]) -> int:
            reach_x, reach_y = half + 0.45 * geometry.cell_height, high + 0.45 * geometry.cell_height
            return sum(abs(u - at_x) < reach_x and abs(v - at_y) < reach_y for u, v in points)

        less = covered(on_roots) + 3 * covered(pieces) + 3 * covered(labels) + 5 * covered(ends)
        return far + less + 10 * covered(choosable)

    steps = (-1, -0.5, 0, 0.5, 1)
    ways = [
        (far, aside, up) for far in (1, 1.3, 1.6, 2) for aside in steps for up in steps if 1 in (abs(aside), abs(up))
    ]
    far, aside, up = min(ways, key=hidden)
    return x + far * aside * beside, y + far * up * above


def _along(scene: Scene[Dendria], cell: int, root: Root, distance: float) -> Point:
    """The pixel at a distance from the middle of a cell, along a root."""
    (x, y), toward = scene.geometry.centres[cell], root.soils[0] if root.soils else root.end
    assert toward is not None
    dx, dy = scene.geometry.centres[toward][0] - x, scene.geometry.centres[toward][1] - y
    length = math.hypot(dx, dy)
    return x + dx / length * distance, y + dy / length * distance


def _owner(position: Dendria, cell: int) -> Side:
    return Side(position.second >> cell & 1)


def _draw_dot(pen: Pen, theme: Theme, side: Side, radius: float, at: Point) -> None:
    """A dot in a side's colour that is visible on any ground."""
    pen.disc(at, radius, theme.stones[side.other].body)
    pen.disc(at, radius * 0.82, theme.stones[side].edge)
    pen.disc(at, radius * 0.7, theme.stones[side].body)


def _draw_bare_end(pen: Pen, theme: Theme, unit: float, at: Point) -> None:
    pen.disc(at, 9 * unit, theme.tray)
    pen.ring(at, 6 * unit, theme.accent, 4 * unit)


def _draw_ring(drawing: Drawing[Dendria], cell: int, colour: Colour) -> None:
    for fill, width in ((drawing.scene.theme.stones[0].edge, 12), (colour, 7)):
        drawing.layer.ring(drawing.scene.geometry.centres[cell], 44 * drawing.unit, fill, width * drawing.unit)


def _draw_dashes(layer: Layer, start: Point, end: Point, rim: Ink, fill: Ink, unit: float) -> None:
    """A row of dots with a hollow dot at its end."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    count = max(1, round(math.hypot(dx, dy) / (25 * unit)))
    for i in range(count):
        at = x + dx * i / count, y + dy * i / count
        layer.disc(at, 7.5 * unit, rim)
        layer.disc(at, 5 * unit, fill)
    layer.disc(end, 14 * unit, rim)
    layer.ring(end, 9 * unit, fill, 5 * unit)


def _draw_fertile(drawing: Drawing[Dendria]) -> None:
    """Hatching on fertile soils, in a different direction for each side, and rims around Dryads."""
    position = drawing.scene.position
    for side in Side:
        fertile = position.field.fertile(side)
        drawing.mark("fertile", bits(fertile & ~position.dryads), side)
        drawing.mark("Dryad's soil", bits(fertile & position.dryads), side)


def _draw_leafiness(drawing: Drawing[Dendria]) -> None:
    """A rim in every cell that counts for a side, and a tint in the empty ones."""
    scene = drawing.scene
    position, geometry = scene.position, scene.geometry
    for side in Side:
        counting = position.field.leafiness_cells(side) & ~position.trees
        for cell in bits(counting & position.empty & geometry.mask):
            inside = hexagon(74 * drawing.unit, centre=geometry.centres[cell])
            drawing.layer.polygon(inside, (*scene.theme.stones[side].body, _TINT))
        drawing.mark("counts", bits(counting), side)


def _draw_hatches(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    for width, fill in ((8, theme.stones[side].edge), (5, theme.stones[side].body)):
        for outline in _hatches(side, width, unit):
            pen.polygon([(at[0] + dx, at[1] + dy) for dx, dy in outline], fill)


@lru_cache(maxsize=256)
def _hatches(side: Side, width: float, unit: float) -> list[list[Point]]:
    """The outlines of the hatches on a cell around 0, 0, parallel to one pair of its edges."""
    turn = math.radians(60 if side is Side.FIRST else 120)
    ahead, aside = math.cos(turn) * unit, math.sin(turn) * unit
    hatches = []
    for offset in (-26, 0, 26):
        half = 43 - 0.577 * abs(offset) + width / 2
        ends = [(along, offset + way * width / 2) for along, way in ((half, 1), (half, -1), (-half, -1), (-half, 1))]
        hatches.append([(along * ahead - off * aside, along * aside + off * ahead) for along, off in ends])
    return hatches


def _draw_rim(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    """A hexagonal line along the border of a cell."""
    corners = hexagon(82 * unit, centre=at)
    for width, fill in ((10, theme.stones[side].edge), (7, theme.stones[side].body)):
        pen.line([*corners, corners[0]], fill, width * unit)


_SIGNS = {
    "root": Sign(
        gettext_noop("root to a piece of {side}"),
        lambda pen, theme, side, unit, at: _draw_dot(pen, theme, side, 20 * unit, at),
    ),
    "bare root": Sign(
        gettext_noop("root to no piece"), lambda pen, theme, side, unit, at: _draw_bare_end(pen, theme, 2 * unit, at)
    ),
    "fertile": Sign(gettext_noop("fertile for {side}"), _draw_hatches),
    "Dryad's soil": Sign(gettext_noop("soil of a Dryad of {side}"), _draw_rim),
    "counts": Sign(gettext_noop("counts for {side}"), _draw_rim),
}
OVERLAYS = (
    Overlay(
        "roots",
        gettext_noop("roots and nutrients"),
        gettext_noop(
            "Each dot around a Seed is one of its roots, in the colour of the side whose piece it ends at; a "
            "hollow dot is a root that ends at no piece."
        ),
        _draw_roots,
        _SIGNS,
        of_cell=True,
    ),
    Overlay(
        "fertile",
        gettext_noop("fertile soil"),
        gettext_noop(
            "Hatched soil is fertile, in the colour and direction of a side; a rim marks the soil of a Dryad."
        ),
        _draw_fertile,
        _SIGNS,
    ),
    Overlay(
        "leafiness",
        gettext_noop("who owns what"),
        gettext_noop("A rim in a side's colour surrounds every cell that counts for that side now."),
        _draw_leafiness,
        _SIGNS,
    ),
)
