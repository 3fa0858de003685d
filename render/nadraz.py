"""Nadraz: snakes of black and white stones like those on old vases, with a head, a tail and a pattern on their backs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

from PIL import Image

from render import sprites, words
from render.face import Face
from render.layout import Grid, Layout, Point, hexagon
from render.look import Scene, later
from render.sprites import Canvas, Tile
from render.theme import Colour, Theme, blend, colour
from render.theme import Stone as Skin
from rules import Flipped, Nadraz, Placed, Side, bits

#: The face of the game, and its other schemes. A stone's ``vein`` is the colour of what grows: heads, tails and eggs.
THEMES = {
    "dark": Theme(
        panel=colour("241a1b"),
        raised=colour("43302c"),
        tray=colour("5f3325"),
        cell=colour("c27a52"),
        fresh=colour("f3c78f"),
        text=colour("fff4e2"),
        letter=colour("f0bf86"),
        number=colour("cfb3a2"),
        tick=colour("6d5148"),
        warm=colour("ffc53d"),
        stones=(
            Skin(body=colour("16110f"), edge=colour("16110f"), vein=colour("f2a93b")),
            Skin(body=colour("fff6e4"), edge=colour("3a1d14"), vein=colour("0d6b7a")),
        ),
    ),
}

#: Half of a snake's breadth, as everything below in hundredths of a cell's height.
_BREADTH = 29
_CHARACTERS = 130


class _Mark(NamedTuple):
    """What the last turn did to a stone: in which directions its run went on, and whether it cut the stone off."""

    trail: int
    first: bool
    last: bool
    flipped: bool


class _Shape(NamedTuple):
    """A stone as its tile shows it; bit ``i`` of ``friends`` says that a friend stands in direction ``i``."""

    side: Side
    friends: int
    head: bool
    edge: bool
    mark: _Mark | None


def edge_colour(theme: Theme) -> Colour:
    """The darker ground of the edge cells, on which only runs that cut may put stones."""
    return blend(theme.tray, theme.cell, 0.5)


class NadrazFace(Face):
    themes = THEMES
    legend = (("snake", later("head and tail")), ("egg", later("egg")), ("edge", later("edge: cuts only")))

    def draw_ground(self, canvas: Canvas, place: Layout, cells: Sequence[int], theme: Theme) -> None:
        for cell in cells:
            canvas.polygon(place.grid.hexagon(place.centres[cell]), theme.tray, place.step * 0.06)
        for cell in cells:
            fill = edge_colour(theme) if place.board.edge >> cell & 1 else theme.cell
            sprites.draw_cell(canvas, place.grid, place.centres[cell], fill)

    def draw(self, image: Image.Image, scene: Scene, theme: Theme) -> None:
        position, place = scene.position, scene.place
        assert isinstance(position, Nadraz)
        grid, near, centres, edge = place.grid, place.neighbours, place.centres, place.board.edge
        shown, marks = sum(1 << cell for cell in place.cells), _marks(scene)
        mask = sprites.cell_mask(grid)
        left, up = mask.width // 2, mask.height // 2
        for side in Side:
            stones, heads = position.stones(side), _heads(position, side)
            for cell in bits(stones & shown):
                friends = 0
                for i, other in enumerate(near[cell]):
                    if other is not None and stones >> other & 1:
                        friends |= 1 << i
                shape = _Shape(side, friends, bool(heads >> cell & 1), bool(edge >> cell & 1), marks.get(cell))
                x, y = centres[cell]
                image.paste(_tile(theme, grid, shape), (x - left, y - up), mask)

    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        return _icon(kind, side, height, ground, theme)

    def scores(self, scene: Scene) -> tuple[str, str]:
        """The length that is compared first: that of the longest snake, or in the variant of the shortest."""
        first, second = ((_compared(scene, side) or ["0"])[0] for side in Side)
        return first, second

    def counts(self, scene: Scene, side: Side) -> Sequence[tuple[str, str]]:
        """The lengths that are compared next, with a crown for the side that leads."""
        position = scene.position
        assert isinstance(position, Nadraz)
        kind = "ahead" if position.leader() is side else "behind"
        return ((kind, _abridged(_compared(scene, side)[1:])),)

    def clauses(self, scene: Scene) -> list[list[str]]:
        position = scene.position
        assert isinstance(position, Nadraz)
        return []


def _heads(position: Nadraz, side: Side) -> int:
    """One end of each snake, as a mask. The rules do not tell head and tail apart; here the higher cell is the head."""
    return sum(snake.ends & (snake.ends - 1) for snake in position.snakes(side))


def _marks(scene: Scene) -> dict[int, _Mark]:
    """The marks of the last turn, by cell."""
    flipped = {cell for event in scene.events if isinstance(event, Flipped) for cell in event.cells}
    runs: dict[Side, list[int]] = {}
    for event in scene.events:
        match event:
            case Placed(side, cell):
                runs.setdefault(side, []).append(cell)
            case Flipped(side, cells):
                runs.setdefault(side, []).extend(cells)
    marks = {}
    for run in runs.values():
        for cell in run:
            trail = sum(1 << i for i, other in enumerate(scene.place.neighbours[cell]) if other in run)
            marks[cell] = _Mark(trail, cell == run[0], cell == run[-1], cell in flipped)
    return marks


def _compared(scene: Scene, side: Side) -> list[str]:
    """The lengths of the side's snakes, each with its number where there are several, in the order of comparison."""
    position = scene.position
    assert isinstance(position, Nadraz)
    lengths = position.lengths(side)
    if position.ruleset.variant == "reverse":
        lengths = lengths[::-1]
    counted = [(length, len(list(same))) for length, same in groupby(lengths)]
    return [str(length) if count == 1 else f"{length}×{count}" for length, count in counted]


def _abridged(lengths: list[str]) -> str:
    shown = list(lengths)
    while shown and sprites.font(25).getlength("  ".join(shown)) > _CHARACTERS:
        shown.pop()
    return "  ".join(shown) + ("…" if len(shown) < len(lengths) else "")


@lru_cache(maxsize=8192)
def _tile(theme: Theme, grid: Grid, shape: _Shape) -> Image.Image:
    """One cell with a stone, for :func:`sprites.cell_mask`.

    The tile holds the near half of the body that leads to each friend; theirs hold the other halves.
    """
    width, height = sprites.cell_mask(grid).size
    canvas = Canvas(-width // 2, -height // 2, width, height, theme.tray)
    ground = theme.fresh if shape.mark else edge_colour(theme) if shape.edge else theme.cell
    sprites.draw_cell(canvas, grid, (0, 0), ground)
    _draw_stone(canvas, theme, grid.step / 100, shape, [grid.towards(direction) for direction in range(6)])
    return canvas.done(theme)


def _draw_stone(canvas: Canvas, theme: Theme, unit: float, shape: _Shape, ways: Sequence[Point]) -> None:
    """A stone at 0, 0; ``ways`` lead to the neighbours and ``unit`` is a hundredth of a cell's height."""
    skin = theme.stones[shape.side]
    friends = [i for i in range(6) if shape.friends >> i & 1]
    if not friends:
        _draw_egg(canvas, skin, unit, marked=shape.mark is not None)
    elif len(friends) == 1:
        draw = _draw_head if shape.head else _draw_tail
        draw(canvas, theme, skin, unit, ways[friends[0]])
    else:
        _draw_body(canvas, skin, unit, friends, ways)
    if not shape.mark:
        _draw_pattern(canvas, skin, unit, shape.side, friends, ways)
    else:
        _draw_mark(canvas, theme, unit, shape, shape.mark, ways)


def _draw_body(canvas: Canvas, skin: Skin, unit: float, friends: list[int], ways: Sequence[Point]) -> None:
    lines, corners = [], []
    for one, other in combinations(friends, 2):
        if (other - one) % 6 in (1, 5):
            corners.append([(0.0, 0.0), ways[one], ways[other]])
            lines += [[(0.0, 0.0), ways[one]], [(0.0, 0.0), ways[other]]]
        else:
            lines.append(_bend(ways[one], ways[other]))
    for grow, fill in ((3 * unit, skin.edge), (0, skin.body)):
        for corner in corners:
            canvas.polygon(corner, fill, grow)
        for line in lines:
            canvas.line(line, fill, 2 * (_BREADTH * unit + grow))


def _bend(one: Point, other: Point) -> list[Point]:
    """A smooth way from beyond the border to one neighbour to beyond that to another."""
    points = [_part(one, 0.6)]
    for i in range(13):
        t = i / 12
        near, far = (1 - t) ** 2 / 2, t**2 / 2
        points.append((one[0] * near + other[0] * far, one[1] * near + other[1] * far))
    return [*points, _part(other, 0.6)]


def _part(way: Point, part: float) -> Point:
    return way[0] * part, way[1] * part


def _along(way: Point, unit: float, points: Sequence[Point], at: Point = (0, 0)) -> list[Point]:
    """Points given as distances along the way and to its right, in units, as pixels."""
    length = math.hypot(*way)
    x, y = way[0] / length * unit, way[1] / length * unit
    return [(at[0] + x * ahead - y * aside, at[1] + y * ahead + x * aside) for ahead, aside in points]


def _both_sides(right: list[Point]) -> list[Point]:
    return right + [(ahead, -aside) for ahead, aside in reversed(right)]


def _smooth(points: Sequence[Point], steps: int = 6) -> list[Point]:
    """A curve through the points (Catmull and Rom's spline)."""
    padded = [points[0], *points, points[-1]]
    curve = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for i in range(steps):
            t = i / steps
            curve.append(
                tuple(
                    0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t**2 + (3 * q - p - 3 * r + s) * t**3)
                    for p, q, r, s in zip(a, b, c, d, strict=True)
                )
            )
    return [(x, y) for x, y in curve] + [points[-1]]


_HEAD = _both_sides(_smooth([(-70, 29), (-40, 29), (-22, 27), (-8, 33), (4, 36), (18, 31), (32, 19), (39, 8), (40, 0)]))
_FACE = _both_sides(_smooth([(-13, 0), (-4, 17), (4, 25), (15, 21), (27, 12), (32, 0)]))
_TAIL = _both_sides(_smooth([(-70, 29), (-44, 29), (-28, 27), (-12, 20), (8, 13), (28, 7), (42, 0)]))
_TIP = _both_sides(_smooth([(-2, 0), (-2, 12), (8, 10), (28, 5), (40, 0)]))


def _draw_head(canvas: Canvas, theme: Theme, skin: Skin, unit: float, way: Point) -> None:
    ahead = (-way[0], -way[1])
    canvas.line(_along(ahead, unit, [(30, 0), (45, 0)]), skin.edge, 4 * unit)
    for grow, fill in ((3, skin.edge), (0, skin.body)):
        canvas.polygon(_along(ahead, unit, _HEAD), fill, grow * unit)
    canvas.polygon(_along(ahead, unit, _FACE), skin.vein)
    for eye in _along(ahead, unit, [(9, 13), (9, -13)]):
        canvas.disc(eye, 5.5 * unit, skin.body)


def _draw_tail(canvas: Canvas, theme: Theme, skin: Skin, unit: float, way: Point) -> None:
    ahead = (-way[0], -way[1])
    for grow, fill in ((3, skin.edge), (0, skin.body)):
        canvas.polygon(_along(ahead, unit, _TAIL), fill, grow * unit)
    canvas.polygon(_along(ahead, unit, _TIP), skin.vein)
    canvas.line(_along(ahead, unit, [(-12, 14), (-12, -14)]), skin.vein, 5 * unit)


def _draw_egg(canvas: Canvas, skin: Skin, unit: float, marked: bool) -> None:
    oval = [(28 * math.cos(i * math.pi / 32), 35 * math.sin(i * math.pi / 32)) for i in range(64)]
    for grow, fill in ((3, skin.edge), (0, skin.body)):
        canvas.polygon([(x * unit, y * unit) for x, y in oval], fill, grow * unit)
    speckles = [(-2, -22, 4), (12, -12, 5), (-13, -9, 5.5), (-17, 9, 4), (16, 10, 5.5), (-6, 20, 5.5), (9, 25, 3.5)]
    if not marked:
        speckles.append((2, 3, 6))
    for x, y, radius in speckles:
        canvas.disc((x * unit, y * unit), radius * unit, skin.vein)


def _draw_pattern(
    canvas: Canvas, skin: Skin, unit: float, side: Side, friends: list[int], ways: Sequence[Point]
) -> None:
    soft = blend(skin.body, skin.vein, 1 / 3)
    spots = [(_part(ways[i], 0.5), ways[i]) for i in friends]
    if len(friends) == 2:
        one, other = (ways[i] for i in friends)
        if (friends[1] - friends[0]) % 6 in (1, 5):
            spots.append(((0, 0), one))
        else:
            middle = (one[0] + other[0]) / 4, (one[1] + other[1]) / 4
            spots.append((middle, (other[0] - one[0], other[1] - one[1])))
    elif len(friends) > 2:
        spots.append(((0, 0), ways[0]))
    for at, way in spots:
        if side is Side.FIRST:
            canvas.polygon(_along(way, unit, [(-17, 0), (0, 11), (17, 0), (0, -11)], at), soft)
        else:
            canvas.line(_along(way, unit, [(0, -13), (0, 13)], at), soft, 7 * unit)


def _draw_mark(canvas: Canvas, theme: Theme, unit: float, shape: _Shape, mark: _Mark, ways: Sequence[Point]) -> None:
    skin, other = theme.stones[shape.side], theme.stones[shape.side.other]
    strong = skin.vein
    for i in range(6):
        if mark.trail >> i & 1:
            canvas.line([(0, 0), ways[i]], strong, 8 * unit)
    if mark.first or mark.last:
        canvas.disc((0, 0), 17 * unit, strong)
        canvas.disc((0, 0), 10 * unit, skin.body)
    if mark.flipped:
        canvas.disc((0, 0), 19 * unit, other.edge)
        canvas.disc((0, 0), 16 * unit, other.body)


@lru_cache(maxsize=512)
def _icon(kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
    """A cell outside the board; see :meth:`Face.icon`."""
    unit, wide = height / 100, math.ceil(height * 0.6)
    canvas = Canvas(-wide, -height // 2, 2 * wide, height, ground)
    grid_ways = [(0.0, -height), (height * 0.866, -height / 2), (height * 0.866, height / 2)]
    ways = grid_ways + [(-x, -y) for x, y in grid_ways]
    mark = {"placed": _Mark(0, True, True, False), "flipped": _Mark(0, False, False, True)}.get(kind)
    if kind in ("ahead", "behind"):
        if kind == "ahead":
            canvas.polygon([(x * unit, y * unit) for x, y in _CROWN], theme.warm, 3 * unit)
        return sprites.cut_out(canvas.done(theme), ground, theme)
    fill = edge_colour(theme) if kind == "edge" else theme.fresh if kind == "placed" else theme.cell
    canvas.polygon(hexagon(height * 0.86), fill, 7 * unit)
    friends = {"plain": 8, "snake": 8, "flipped": 9, "placed": 8}.get(kind, 0)
    if kind != "edge":
        _draw_stone(canvas, theme, unit, _Shape(side, friends, True, False, mark), ways)
    return sprites.cut_out(canvas.done(theme), ground, theme)


_CROWN = [(-30, 22), (-34, -14), (-15, 3), (0, -24), (15, 3), (34, -14), (30, 22)]
