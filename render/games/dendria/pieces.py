"""Dendria's pieces: an acorn for a Seed, a crown seen from above for a Tree, a winged figure for a Dryad."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from render.cache import cached
from render.canvas import Canvas, empty_cell, icon_cell
from render.colours import Colour, Theme
from render.geometry import Grid, Point, bridge, hexagon
from render.palette import Tile, cut_out
from rules import Side

SEED, TREE, DRYAD = "seed", "tree", "dryad"
PROTECTED, ATTACKED, NOURISHED, LEAFY = "protected", "attacked", "nourished", "leafy"


@dataclass(frozen=True)
class Show:
    """The content of one cell.

    ``state`` is that of a Tree's forest or of a Seed, and ``by`` is the side that nourishes the Seed. Bit ``i`` of
    ``friends`` stands for a Tree of the same forest in direction ``i``, and bit ``i`` of ``trail`` for the moved
    Dryad's way there. The last turn sowed or moved a ``fresh`` piece, or ``made`` it from a Seed; the Dryad left a
    ``ghost`` on its first soil, and acted at a ``stop``. The cell ``counts`` for a side at the end.
    """

    kind: str = ""
    side: Side = Side.FIRST
    state: str = ""
    by: Side | None = None
    friends: int = 0
    trail: int = 0
    fresh: bool = False
    made: bool = False
    ghost: bool = False
    stop: bool = False
    counts: Side | None = None


@cached
def tile(theme: Theme, grid: Grid, show: Show) -> Image.Image:
    """One cell, for :func:`cell_mask`, with the near halves of the bridges from a Tree to its neighbours."""
    unit = grid.cell_height / 100
    soil = theme.fresh if show.fresh else theme.cell
    canvas = empty_cell(grid, theme, theme.fresh if show.made else soil)
    if show.made and show.kind == DRYAD:
        canvas.polygon(grid.hexagon((0, 0), 17 * unit), soil, 4 * unit)
    if show.counts is not None and show.kind != TREE:
        _draw_rim(canvas, theme, grid.cell_height, show.counts, soil)
    _draw(canvas, theme, unit, show, grid.ways)
    return canvas.done(theme)


@cached
def icon(kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
    """A cell outside the board."""
    show = {
        "plain": Show(TREE, side),
        "placed": Show(SEED, side, fresh=True),
        "moved": Show(DRYAD, side, fresh=True),
        "sprouted": Show(DRYAD, side, made=True),
        "germinated": Show(TREE, side, made=True),
        PROTECTED: Show(TREE, side, PROTECTED),
        ATTACKED: Show(TREE, side, ATTACKED),
        NOURISHED: Show(SEED, side.other, NOURISHED, by=side),
        LEAFY: Show(),
    }.get(kind, Show(kind, side))
    canvas = icon_cell(height, ground, theme.fresh if show.fresh or show.made else theme.cell, width=1.08)
    if show.made and show.kind == DRYAD:
        canvas.polygon(hexagon(height * 0.74), theme.cell)
    if kind == LEAFY:
        _draw_rim(canvas, theme, height, side, theme.cell)
    _draw(canvas, theme, height / 100, show, [(0, 0)] * 6)
    return cut_out(canvas.done(theme), ground, theme)


def _draw(canvas: Canvas, theme: Theme, unit: float, show: Show, ways: Sequence[Point]) -> None:
    """The content of a cell around 0, 0; ``ways`` lead to its neighbours, and ``unit`` is a hundredth of its height."""
    for width, fill in ((17, theme.tray), (11, theme.fresh)):
        for direction, (x, y) in enumerate(ways):
            if show.trail >> direction & 1:
                canvas.line([(0, 0), (x / 2, y / 2)], fill, width * unit)
    if show.stop:
        canvas.disc((0, 0), 17 * unit, theme.tray)
        canvas.disc((0, 0), 14 * unit, theme.fresh)
        canvas.disc((0, 0), 6 * unit, theme.tray)
    if show.ghost:
        _draw_dryad(canvas, theme, unit, show.side, ghost=True)
    elif show.kind == SEED:
        _draw_seed(canvas, theme, unit, show)
    elif show.kind == DRYAD:
        _draw_dryad(canvas, theme, unit, show.side)
    elif show.kind == TREE:
        _draw_tree(canvas, theme, unit, show, ways)


def _draw_rim(canvas: Canvas, theme: Theme, height: float, side: Side, inside: Colour) -> None:
    """A line in a side's colour along the border of a cell of that height around 0, 0."""
    stone = theme.stones[side]
    for inset, fill in ((5, stone.edge), (6.5, stone.body), (13.5, stone.edge), (15, inside)):
        canvas.polygon(hexagon(height * (1 - inset / 50)), fill)


def _draw_seed(canvas: Canvas, theme: Theme, unit: float, show: Show) -> None:
    """An acorn; a nourished one has a ring in the colour of the side that nourishes it."""
    colours = theme.stones[show.side]
    if show.by is not None:
        ring = theme.stones[show.by]
        canvas.disc((0, 0), 47 * unit, ring.edge)
        canvas.disc((0, 0), 45 * unit, ring.body)
        canvas.disc((0, 0), 39 * unit, ring.edge)
        canvas.disc((0, 0), 37 * unit, theme.fresh if show.fresh else theme.cell)
    unit *= _SEED
    nut, cap = _scaled(_NUT, unit), _scaled(_CAP, unit)
    stem = _scaled([(0, -16), (2, -25)], unit)
    for grow, fill in ((3, colours.edge), (0, colours.body)):
        for shape in (nut, cap):
            canvas.polygon(shape, fill, grow * unit)
        canvas.line(stem, fill, (3 + 2 * grow) * unit)
    canvas.line(_scaled([(-18, -4), (-8, -1), (8, -1), (18, -4)], unit), colours.vein, 3.5 * unit)


def _draw_dryad(canvas: Canvas, theme: Theme, unit: float, side: Side, ghost: bool = False) -> None:
    """A winged figure; a ghost is its outline."""
    colours = theme.stones[side]
    shapes = [_scaled(shape, unit) for shape in (*_WINGS, _GOWN)]
    head = (0.0, -25 * unit)
    for grow, fill in [(4.5, colours.body), (0, theme.cell)] if ghost else [(3, colours.edge), (0, colours.body)]:
        for shape in shapes:
            canvas.polygon(shape, fill, grow * unit)
        canvas.disc(head, (9 + grow) * unit, fill)
    if not ghost:
        for line in _WING_VEINS:
            canvas.line(_scaled(line, unit), colours.vein, 3 * unit)


def _draw_tree(canvas: Canvas, theme: Theme, unit: float, show: Show, ways: Sequence[Point]) -> None:
    """A crown from above, joined to the crowns of neighbouring friends."""
    colours = theme.stones[show.side]
    friends = [way if show.friends >> i & 1 else None for i, way in enumerate(ways)]
    shapes = [_circle(13 * unit, (x * unit, y * unit)) for x, y in _LOBES] + [_circle(26 * unit)]
    # Narrowest halfway: a rim must not reach into a third cell.
    shapes += [bridge(way, unit, 16.5, 28.5) for way in friends if way]
    shapes += [[(0, 0), one, two] for one, two in zip(friends, [*friends[1:], friends[0]], strict=True) if one and two]
    rims: list[tuple[float, Colour]] = [(3, colours.edge), (0, colours.body)]
    if show.state == PROTECTED:
        rims = [(12, colours.edge), (10.5, theme.calm), (6.5, colours.edge), *rims]
    elif show.state == ATTACKED:
        rims = [(12, colours.edge), (10.5, theme.accent), *rims]
    for grow, fill in rims:
        for shape in shapes:
            canvas.polygon(shape, fill, grow * unit)
    if show.made and not show.state:
        rings = ((30, colours.edge), (27.5, theme.fresh), (22, colours.edge), (19.5, colours.body))
        for radius, fill in rings:
            canvas.disc((0, 0), radius * unit, fill)
    if show.state == PROTECTED:
        for grow, fill in ((3, colours.edge), (0, theme.calm)):
            canvas.polygon(_scaled(_SHIELD, unit), fill, grow * unit)
        return
    if show.state == ATTACKED:
        canvas.disc((0, 0), 19.5 * unit, colours.edge)
        canvas.disc((0, 0), 17 * unit, theme.accent)
        canvas.line(_scaled([(0, -9), (0, 1)], unit), colours.edge, 6 * unit)
        canvas.disc((0, 9 * unit), 3.5 * unit, colours.edge)
        return
    for line in _FOLIAGE[: 3 if show.made else None]:
        canvas.line(_scaled(line, unit), colours.vein, 3.5 * unit)


def _scaled(points: Sequence[Point], unit: float) -> list[Point]:
    return [(x * unit, y * unit) for x, y in points]


def _mirrored(right: Sequence[Point]) -> list[Point]:
    """A symmetrical shape from its right half, from top to bottom."""
    return [*right, *((-x, y) for x, y in reversed(right))]


def _arc(centre: Point, radius: Point, start: float, end: float) -> list[Point]:
    """Points of an ellipse; angles in degrees, clockwise from the right."""
    turns = (math.radians(start + (end - start) * i / 24) for i in range(25))
    return [(centre[0] + radius[0] * math.cos(a), centre[1] + radius[1] * math.sin(a)) for a in turns]


def _circle(radius: float, centre: Point = (0, 0)) -> list[Point]:
    return _arc(centre, (radius, radius), 0, 360)


def _leaf(root: Point, tip: Point, wide: float) -> list[Point]:
    """A wing: narrow at its root, wider further out, and pointed."""
    (x, y), dx, dy = root, tip[0] - root[0], tip[1] - root[1]
    length = math.hypot(dx, dy)
    right, left = [], []
    for i in range(25):
        t = i / 24
        aside = wide * math.sin(math.pi * t**1.25) ** 0.8 / length
        right.append((x + dx * t - dy * aside, y + dy * t + dx * aside))
        left.append((x + dx * t + dy * aside, y + dy * t - dx * aside))
    return right + left[::-1]


#: The enlargement of an acorn from its outline below. It is clearly smaller than a winged figure, even on a phone.
_SEED = 1.05
_NUT = _mirrored(_arc((0, -3), (17, 29), 0, 90))
_CAP = _mirrored(_arc((0, -3), (21, 16), -90, 0))
_GOWN = _mirrored([(2, -18), (5, -12), (4.5, -4), (8, 12), (11, 34), (4, 38)])
_WINGS = [
    _leaf((way * 3, y), (way * x, to), wide)
    for way in (1, -1)
    for y, x, to, wide in ((-10, 40, -28, 11.5), (-2, 34, 21, 9))
]
_WING_VEINS = [[(way * 8, y), (way * x, to)] for way in (1, -1) for y, x, to in ((-13, 31, -23.5), (1, 26, 14))]
_SHIELD = _mirrored([(0, -14), (12, -11), (11.5, 1), (7, 9), (0, 14.5)])
_LOBES = [(26 * math.cos(turn), 26 * math.sin(turn)) for turn in (math.radians(angle) for angle in range(20, 380, 40))]
_FOLIAGE = [
    _arc(centre, (9, 8), 200, 340)
    for centre in ((-8, -6), (9, -1), (-5, 10), (-14, -20), (13, -17), (-23, 6), (21, 13), (1, 26))
]
