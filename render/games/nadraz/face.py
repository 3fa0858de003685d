"""Nadraz: snakes of black and white stones, painted as on old vases, with a head, a tail and a pattern."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, groupby, takewhile
from typing import NamedTuple, TypeAlias

from PIL import Image

from render.alt_text import cells_clause, placements, stones_clause
from render.cache import cached
from render.canvas import Canvas, blank_cell, draw_cell, icon_cell, paste_cell
from render.colours import Colour, Stone, Theme, blend
from render.corners import Row, placement_row
from render.face import Face
from render.games.nadraz.overlays import OVERLAYS
from render.games.nadraz.theme import THEMES, edge_colour
from render.geometry import WIDE, Geometry, Grid, Point, along, both_sides, hexagon, least_text
from render.palette import Tile, blank_image, cut_out
from render.scene import Scene
from render.text import text_width
from rules import Flipped, Placed, Side, bits
from rules.nadraz import Nadraz
from rules.text import gettext_noop

#: Half the breadth of a snake, and the line around it, in hundredths of a cell's height, like everything below. Their
#: sum must stay below half a cell's edge, 28.9, or the neighbour's tile would cut them off.
_BREADTH, _LINE = 22, 2.8
#: The room for the lengths.
_ROOM = 280
#: Translates the digits of a binary number to bytes of 0 and 1.
_DIGITS = bytes.maketrans(b"01", b"\0\1")

#: Bits of a stone's code; the lower six are for friends.
_HEAD, _EDGE = 1 << 6, 1 << 7

#: A length, and the number of snakes with it.
Shared: TypeAlias = tuple[int, int]


class _Mark(NamedTuple):
    """The effect of the last turn on a stone.

    Bit ``i`` of ``trail`` stands for another cell of the run in direction ``i``; ``stop`` marks its first and last
    cell, and ``flipped`` a cut stone.
    """

    trail: int
    stop: bool
    flipped: bool


class NadrazFace(Face[Nadraz]):
    themes = THEMES
    legend = (
        ("egg", gettext_noop("egg")),
        ("snake", gettext_noop("head, tail")),
        ("edge", gettext_noop("edge: only by cuts")),
    )
    overlays = OVERLAYS
    emoji = "🐍"
    colour = (217, 113, 63)

    def ground(self, cell: int, geometry: Geometry, theme: Theme) -> Colour:
        return edge_colour(theme) if geometry.board.edge >> cell & 1 else theme.cell

    def draw(self, image: Image.Image, scene: Scene[Nadraz]) -> None:
        geometry, marks = scene.geometry, _marks(scene)
        for side in Side:
            codes = _codes(scene, side)
            for cell in bits(scene.position.stones(side) & geometry.mask):
                tile = _tile(scene.theme, geometry.grid, side, codes[cell], marks.get(cell))
                paste_cell(image, tile, geometry, cell)

    @cached
    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        """A cell outside the board: empty on the ``edge``, with an ``egg``, or with the part of a snake of that kind.

        There are also two cells with a whole ``snake``, and the crown of the side ``ahead``.
        """
        if kind == "snake":
            return _snake(side, height, ground, theme)
        unit = height / 100
        fill = {"ahead": ground, "edge": edge_colour(theme), "placed": theme.fresh}.get(kind, theme.cell)
        canvas = icon_cell(height, ground, fill)
        if kind == "ahead":
            canvas.polygon(along((1, 0), unit, _CROWN), theme.accent, 3 * unit)
        ways = [(height * math.sin(i * math.pi / 3), -height * math.cos(i * math.pi / 3)) for i in range(6)]
        friends = {"egg": 0, "flipped": 0b001001, "plain": 0b001000, "placed": 0b001000}.get(kind)
        if friends is not None:
            mark = _Mark(0, kind == "placed", kind == "flipped") if kind in ("placed", "flipped") else None
            _draw_stone(canvas, theme, unit, side, friends | _HEAD, mark, ways)
        return cut_out(canvas.done(theme), ground, theme)

    def scores(self, scene: Scene[Nadraz]) -> tuple[str, str]:
        """The length compared first: the longest or, in the variant, the shortest."""
        first, second = (_length_list(_counted_lengths(scene, side)[:1]) or "0" for side in Side)
        return first, second

    def counts(self, scene: Scene[Nadraz], side: Side) -> Sequence[Row]:
        """The lengths of the snakes in the order of comparison, below a crown for the side ahead."""
        lengths = _excerpt(*(_counted_lengths(scene, player) for player in (side, side.other)))
        if not lengths:
            return []
        words = scene.texts.gettext("lengths")
        return [[("ahead", side), words] if scene.position.leader() is side else [words], [lengths]]

    def marks(self, scene: Scene[Nadraz]) -> Mapping[str, bool]:
        position = scene.position
        return {"egg": any(map(position.eggs, Side)), "snake": any(map(position.ends, Side)), "edge": True}

    def placement_rows(self, scene: Scene[Nadraz]) -> list[Row]:
        # A run consists of its placements and, between them, the flipped stones.
        flipped = scene.tally.flipped
        return [
            placement_row(scene, side, [*(piece.cell for piece in pieces), *bits(flipped[side])], pieces[-1].cell)
            for side, pieces in placements(scene).items()
        ]

    def clauses(self, scene: Scene[Nadraz]) -> list[list[str]]:
        position, gettext = scene.position, scene.texts.gettext
        if not position.first:
            return []
        leader = position.leader()
        if leader is None:
            lead = gettext("The lengths are equal.")
        else:
            lead = gettext("{side} is ahead by lengths.").format(side=scene.side(leader))
        return [
            [lead] if scene.conclusion is None else [],
            *(_lengths(scene, side) for side in Side),
            cells_clause(scene, gettext("Eggs"), position.eggs),
            cells_clause(scene, gettext("Heads and tails"), position.ends),
            *(stones_clause(scene, side) for side in Side),
        ]


def _heads(position: Nadraz, side: Side) -> int:
    """The higher end of each snake, as a mask; the rules do not distinguish heads from tails."""
    return sum(snake.ends & (snake.ends - 1) for snake in position.snakes(side))


def _codes(scene: Scene[Nadraz], side: Side) -> bytes:
    """A byte for each cell: bit ``i`` for a friend in direction ``i``, then bits for a head and for an edge cell."""
    stones, geometry = scene.position.stones(side), scene.geometry
    # In each direction of the picture, all neighbours have the same offset on the board, so a shift covers all cells.
    near = geometry.neighbours[geometry.board.centre]
    offsets = [other - geometry.board.centre for other in near if other is not None]
    friends = [stones >> offset if offset > 0 else stones << -offset for offset in offsets]
    length = geometry.board.mask.bit_length()
    codes = 0
    for bit, mask in enumerate((*friends, _heads(scene.position, side), geometry.board.edge)):
        codes |= int.from_bytes(f"{mask & geometry.board.mask:0{length}b}".encode().translate(_DIGITS), "big") << bit
    return codes.to_bytes(length, "little")


def _marks(scene: Scene[Nadraz]) -> dict[int, _Mark]:
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
            trail = sum(1 << i for i, other in enumerate(scene.geometry.neighbours[cell]) if other in run)
            marks[cell] = _Mark(trail, cell in (run[0], run[-1]), cell in flipped)
    return marks


def _counted_lengths(scene: Scene[Nadraz], side: Side) -> list[Shared]:
    """The lengths of the side's snakes in the order of comparison."""
    lengths = scene.position.lengths(side)
    if scene.position.ruleset.variant == "reverse":
        lengths = lengths[::-1]
    return [(length, len(list(snakes))) for length, snakes in groupby(lengths)]


def _length_list(lengths: Sequence[Shared], between: str = "  ") -> str:
    return between.join(str(length) if count == 1 else f"{length}×{count}" for length, count in lengths)


def _excerpt(own: Sequence[Shared], others: Sequence[Shared]) -> str:
    """As many lengths as fit, including the first difference from the other side's."""
    equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, others, strict=False)))
    text, shown = _longest_that_fits(own, "")
    return text if equal < shown or shown == len(own) else _longest_that_fits(own[min(equal, len(own) - 1) :], "…")[0]


def _longest_that_fits(lengths: Sequence[Shared], before: str) -> tuple[str, int]:
    """As many of the first lengths as fit, and their number."""
    for count in range(len(lengths), 0, -1):
        text = before + _length_list(lengths[:count]) + "…" * (count < len(lengths))
        if count == 1 or text_width(text, least_text(WIDE)) <= _ROOM:
            return text, count
    return "", 0


def _lengths(scene: Scene[Nadraz], side: Side) -> list[str]:
    """Wordings of the lengths of the side's snakes in the order of comparison: all, or the first ones."""
    compared = _counted_lengths(scene, side)
    text = scene.texts.gettext("Lengths of {side}: {lengths}.")
    wordings = [_length_list(compared, ", ")]
    if len(compared) > 4:
        wordings.append(f"{_length_list(compared[:4], ', ')}, …")
    return [text.format(side=scene.side(side), lengths=lengths) for lengths in wordings]


@cached
def _tile(theme: Theme, grid: Grid, side: Side, code: int, mark: _Mark | None) -> Image.Image:
    """One cell with a stone, for :func:`cell_mask`; see :func:`_codes`.

    The tile has the near half of the body to each friend; their tiles have the far halves.
    """
    canvas = blank_cell(grid, theme.tray)
    ground = theme.fresh if mark else edge_colour(theme) if code & _EDGE else theme.cell
    draw_cell(canvas, grid, (0, 0), ground)
    _draw_stone(canvas, theme, grid.cell_height / 100, side, code, mark, grid.ways)
    return canvas.done(theme)


def _draw_stone(
    canvas: Canvas, theme: Theme, unit: float, side: Side, code: int, mark: _Mark | None, ways: Sequence[Point]
) -> None:
    """A stone at 0, 0; ``ways`` lead to its neighbours, and ``unit`` is a hundredth of a cell's height."""
    skin, other = theme.stones[side], theme.stones[side.other]
    friends = [i for i in range(6) if code >> i & 1]
    middle: Point = (0, 0)
    if not friends:
        _draw_egg(canvas, skin, unit)
    elif len(friends) == 1:
        # The mark of the last turn moves away from the snake's face.
        middle = _scaled(ways[friends[0]], 0.3)
        (_draw_head if code & _HEAD else _draw_tail)(canvas, skin, unit, _scaled(ways[friends[0]], -1))
    else:
        _draw_body(canvas, skin, unit, friends, ways)
        if not mark:
            _draw_pattern(canvas, skin, unit, side, friends, ways)
    if not mark:
        return
    for i in range(6):
        if mark.trail >> i & 1:
            canvas.line([middle, ways[i]], skin.vein, 16 * unit)
    if mark.flipped:
        canvas.disc(middle, 23 * unit, skin.vein)
        canvas.disc(middle, 18 * unit, other.body)
    elif mark.stop and (len(friends) > 1 or (friends and not mark.trail)):
        canvas.disc(middle, 18 * unit, skin.vein)
        canvas.disc(middle, 10 * unit, skin.body)


def _draw_body(canvas: Canvas, skin: Stone, unit: float, friends: list[int], ways: Sequence[Point]) -> None:
    shapes: list[tuple[list[Point], float]] = []
    for one, other in combinations(friends, 2):
        if (other - one) % 6 in (1, 5):
            shapes.append(([(0, 0), ways[one], ways[other]], _BREADTH * unit))
        else:
            shapes.append((_bend(ways[one], ways[other], _BREADTH * unit), 0))
    for grow, fill in ((_LINE * unit, skin.edge), (0, skin.body)):
        for shape, wider in shapes:
            canvas.polygon(shape, fill, wider + grow)


def _bend(one: Point, other: Point, breadth: float) -> list[Point]:
    """The outline of a band from just beyond the border with one neighbour to just beyond another."""
    right, left = [], []
    for i in range(-1, 14):
        # A parabola that crosses both borders in their middles at right angles.
        t = i / 12
        near, far = (1 - t) ** 2 / 2, t**2 / 2
        along = other[0] * t - one[0] * (1 - t), other[1] * t - one[1] * (1 - t)
        x, y = one[0] * near + other[0] * far, one[1] * near + other[1] * far
        length = math.hypot(*along)
        across, down = -along[1] / length * breadth, along[0] / length * breadth
        right.append((x + across, y + down))
        left.append((x - across, y - down))
    return right + left[::-1]


def _scaled(way: Point, share: float) -> Point:
    return way[0] * share, way[1] * share


def _smooth(points: Sequence[Point], count: int = 6) -> list[Point]:
    """A curve through the points, a Catmull–Rom spline."""
    padded = [points[0], *points, points[-1]]
    curve = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for i in range(count):
            t = i / count
            curve.append(
                tuple(
                    0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t**2 + (3 * q - p - 3 * r + s) * t**3)
                    for p, q, r, s in zip(a, b, c, d, strict=True)
                )
            )
    return [(x, y) for x, y in curve] + [points[-1]]


_SKULL = both_sides(
    _smooth([(-60, 22), (-46, 22), (-36, 22), (-23, 29), (-9, 36), (6, 31), (20, 20), (31, 13), (35, 0)])
)
_FACE = both_sides(_smooth([(-22, 0), (-19, 14), (-9, 26), (4, 22), (17, 12), (26, 7), (29, 0)]))
_TAIL = both_sides(_smooth([(-60, 22), (-44, 22), (-28, 22), (-10, 19), (8, 14), (28, 7), (43, 0)]))
_TIP = both_sides(_smooth([(-5, 0), (-5, 13), (8, 10), (26, 5), (40, 0)]))
_SPECKLES = [
    (-3, -25, 4.5),
    (13, -15, 5.5),
    (-15, -10, 5.5),
    (-18, 9, 4.5),
    (18, 7, 5.5),
    (-7, 22, 6),
    (10, 25, 4),
    (1, 2, 7),
]
_CROWN = [(-30, 22), (-34, -14), (-15, 3), (0, -24), (15, 3), (34, -14), (30, 22)]


def _draw_head(canvas: Canvas, skin: Stone, unit: float, ahead: Point) -> None:
    for tongue in ([(33, 0), (41, 0), (47, 6)], [(33, 0), (41, 0), (47, -6)]):
        canvas.line(along(ahead, unit, tongue), skin.edge, 3.5 * unit)
    for grow, fill in ((_LINE, skin.edge), (0, skin.body)):
        canvas.polygon(along(ahead, unit, _SKULL), fill, grow * unit)
    canvas.polygon(along(ahead, unit, _FACE), skin.vein)
    for eye in along(ahead, unit, [(-3, 13), (-3, -13)]):
        canvas.disc(eye, 5.5 * unit, skin.body)


def _draw_tail(canvas: Canvas, skin: Stone, unit: float, ahead: Point) -> None:
    for grow, fill in ((_LINE, skin.edge), (0, skin.body)):
        canvas.polygon(along(ahead, unit, _TAIL), fill, grow * unit)
    canvas.polygon(along(ahead, unit, _TIP), skin.vein)
    canvas.line(along(ahead, unit, [(-14, 13), (-14, -13)]), skin.vein, 6 * unit)


def _draw_egg(canvas: Canvas, skin: Stone, unit: float) -> None:
    oval = [(28 * unit * math.cos(i * math.pi / 32), 35 * unit * math.sin(i * math.pi / 32)) for i in range(64)]
    for grow, fill in ((_LINE, skin.edge), (0, skin.body)):
        canvas.polygon(oval, fill, grow * unit)
    for x, y, radius in _SPECKLES:
        canvas.disc((x * unit, y * unit), radius * unit, skin.vein)


def _draw_pattern(
    canvas: Canvas, skin: Stone, unit: float, side: Side, friends: list[int], ways: Sequence[Point]
) -> None:
    """A diamond or a band for each stone, to count a snake's length."""
    one, other = ways[friends[0]], ways[friends[1]]
    bent = len(friends) == 2 and friends[1] - friends[0] in (2, 4)
    at = ((one[0] + other[0]) / 4, (one[1] + other[1]) / 4) if bent else (0, 0)
    way = (other[0] - one[0], other[1] - one[1]) if bent else one
    soft = blend(skin.body, skin.vein, 2 / 3)
    # On small cells, larger figures are no clearer, but make larger files.
    unit *= 1 if unit < 0.5 else 1.5
    if side is Side.FIRST:
        canvas.polygon(along(way, unit, [(-18, 0), (0, 10), (18, 0), (0, -10)], at), soft)
    else:
        canvas.line(along(way, unit, [(0, -12), (0, 12)], at), soft, 8 * unit)


def _snake(side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
    """A tail on the left and a head on the right."""
    unit, wide = height / 100, math.ceil(height * 0.9)
    image = blank_image(theme, 2 * wide, height)
    for head in (False, True):
        to_border = round(height * (-0.41 if head else 0.41))
        canvas = Canvas(to_border if head else to_border - wide, -height // 2, wide, height, ground)
        # These hexagons stand on a corner, to be side by side.
        canvas.polygon([(x, y) for y, x in hexagon(height * 0.76)], theme.cell, 4 * unit)
        _draw_stone(canvas, theme, unit, side, 1 | _HEAD * head, None, [(2 * to_border, 0)])
        image.paste(canvas.done(theme), (wide if head else 0, 0))
    return cut_out(image, ground, theme)
