"""Fiodar's overlays: territories, threads and their ends, and weaves in danger."""

from __future__ import annotations

from functools import lru_cache

from render.canvas import Layer, Pen
from render.colours import Theme, blend, readable_on
from render.geometry import Geometry, Point, along, hexagon
from render.scene import Scene
from render.signs import Mark, Overlay, Sign, Stamp, draw_signs, ring
from rules import Side, bits
from rules.fiodar import Fiodar, Thread
from rules.text import gettext_noop

#: The opacity of the tint of a territory (of 255).
_TINT = 150
#: The widths of threads that are cut and of others, and the ends of a thread, in hundredths of the distance of points.
_CUT, _THIN = 11, 5
_BAR = ([(0, 0), (43, 0)], [(43, -16), (43, 16)])
_SQUARE = [(32, -10), (45, -10), (45, 10), (32, 10)]


def shows_territory(position: Fiodar) -> bool:
    """Whether territories are shown yet: once both sides have placed a stone, for the first one alone would have the
    whole board; but also when the board may be counted as it is, after a pass and at the end.
    """
    return (
        all(map(position.stones, Side))
        or any(position.prisoners)
        or position.passed_first is not None
        or position.outcome is not None
    )


def territory(position: Fiodar, side: Side) -> int:
    """The mask of the side's territory, as it is shown."""
    return position.territory(side) if shows_territory(position) else 0


def _territory(scene: Scene[Fiodar], theme: Theme, layer: Layer, cell: int | None) -> set[Mark]:
    """The owner of every empty region and its number of points; dots on points without an owner."""
    position, geometry = scene.position, scene.geometry
    unit, marks = geometry.step / 100, set[Mark]()
    owned = 0
    for side in Side:
        mask, colours = territory(position, side), theme.stones[side]
        owned |= mask
        for region in position.board.groups(mask):
            points = [each for each in bits(region) if each in geometry.cells]
            for each in points:
                layer.polygon(geometry.grid.hexagon(geometry.centres[each], 3 * unit), (*colours.body, _TINT))
            if points:
                at = geometry.centres[geometry.middlemost(points)]
                layer.text(str(region.bit_count()), at, max(50 * unit, scene.least_text), readable_on(colours.body))
                marks.add(("territory", side))
    for each in bits(position.empty & ~owned):
        if each in geometry.cells:
            _draw_dot(layer, theme, Side.FIRST, unit, geometry.centres[each])
            marks.add(("nobody's", Side.FIRST))
    return marks


def _draw_patch(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    pen.polygon(hexagon(94 * unit, centre=at), blend(theme.cell, theme.stones[side].body, _TINT / 255))


def _draw_dot(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    pen.disc(at, 8 * unit, theme.tray)


def _threads(scene: Scene[Fiodar], theme: Theme, layer: Layer, cell: int | None) -> set[Mark]:
    """The threads of the stone on the cell with their ends; without a cell, the cut threads of all stones, and longer
    threads with an enemy stone at one end.

    A bar is an enemy stone beyond the end, a ring an empty point, and a square the end of the board, where a thread
    cannot be cut.
    """
    position, geometry = scene.position, scene.geometry
    marks = set[Mark]()
    for side in Side:
        enemy = position.stones(side.other)
        for thread in position.threads(side):
            blocked = sum(enemy >> point & 1 for point in thread.beyond)
            several = thread.stones.bit_count() > 1 and len(thread.beyond) == 2
            if thread.stones >> cell & 1 if cell is not None else blocked == 2 or (blocked and several):
                marks |= _draw_thread(layer, geometry, position, thread, theme, blocked == 2)
    return marks


def _danger(scene: Scene[Fiodar], theme: Theme, layer: Layer, cell: int | None) -> set[Mark]:
    """Weaves that one more enemy stone would capture, and the points for it. With a cell, only the weave there."""
    position = scene.position
    marks: dict[Mark, list[int]] = {}
    for side in Side:
        for weave, points in _captures(position, side).items():
            if cell is None or weave >> cell & 1:
                marks.setdefault(("in danger", Side.FIRST), []).extend(bits(weave))
                marks.setdefault(("capture", side.other), []).extend(bits(points))
    return draw_signs(_SIGNS, marks, scene, theme, layer)


def _draw_capture(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    stone = theme.stones[side]
    for radius, fill in ((30, theme.background), (28, theme.accent), (20, stone.edge), (17.5, stone.body)):
        pen.disc(at, radius * unit, fill)


def _line(width: float) -> Stamp:
    def draw(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
        for grow, fill in ((2.5, theme.background), (0, theme.accent)):
            pen.line(along((1, 0), unit, [(-40, 0), (40, 0)], at), fill, (width + 2 * grow) * unit)

    return draw


def _draw_bar(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    for grow, fill in ((2.5, theme.background), (0, theme.accent)):
        for line in _BAR:
            pen.line(along((1, 0), unit, [(x - 20, y) for x, y in line], at), fill, (_CUT + 2 * grow) * unit)


def _draw_square(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    corners = along((1, 0), unit, [(x - 38, y) for x, y in _SQUARE], at)
    for grow, fill in ((2.5, theme.background), (0, theme.text)):
        pen.polygon(corners, fill, grow * unit)


@lru_cache(maxsize=64)
def _captures(position: Fiodar, side: Side) -> dict[int, int]:
    """The side's weaves that one more enemy stone would cut, with the points for that stone; all masks."""
    own, enemy = position.stones(side), position.stones(side.other)
    cut = sum(position.cut_weaves(side))
    captures: dict[int, int] = {}
    for point in bits(position.placements(side.other)):
        after = position.with_stones(side, own, enemy | 1 << point, side)
        for weave in after.cut_weaves(side):
            if not weave & cut:
                captures[weave] = captures.get(weave, 0) | 1 << point
    return captures


def _draw_thread(
    layer: Layer, geometry: Geometry, position: Fiodar, thread: Thread, theme: Theme, cut: bool
) -> set[Mark]:
    unit, shown = geometry.step / 100, set(geometry.cells)
    step, stones = position.board.directions[thread.direction], list(bits(thread.stones))
    ahead = geometry.neighbours[position.board.centre].index(position.board.centre + step)
    row: list[Point] = [geometry.centres[stone] for stone in stones if stone in shown]
    kinds = {"cut thread" if cut else "thread"} if row else set[str]()
    lines, squares = [row[:1] + row[-1:]], list[list[Point]]()
    for end, beyond, outward in ((stones[0], stones[0] - step, ahead + 3), (stones[-1], stones[-1] + step, ahead)):
        if end not in shown:
            continue
        way, at = geometry.grid.towards(outward % 6), geometry.centres[end]
        if beyond not in thread.beyond:
            kinds.add("edge")
            squares.append(along(way, unit, _SQUARE, at))
        elif position.empty >> beyond & 1:
            lines.append(along(way, unit, [(0, 0), (84, 0)], at))
            if beyond in shown:
                kinds.add("empty")
                _SIGNS["empty"].draw(layer, theme, Side.FIRST, unit, geometry.centres[beyond])
        else:
            kinds.add("enemy")
            lines += [along(way, unit, line, at) for line in _BAR]
    for grow, fill in ((2.5, theme.background), (0, theme.accent)):
        for line in filter(None, lines):
            layer.line(line, fill, ((_CUT if cut else _THIN) + 2 * grow) * unit)
        for square in squares:
            layer.polygon(square, fill if grow else theme.text, grow * unit)
    return {(kind, Side.FIRST) for kind in kinds}


_SIGNS = {
    "territory": Sign(gettext_noop("points of {side}"), _draw_patch),
    "nobody's": Sign(gettext_noop("points of nobody"), _draw_dot),
    "cut thread": Sign(gettext_noop("thread that is cut"), _line(_CUT)),
    "thread": Sign(gettext_noop("thread that is not cut"), _line(_THIN)),
    "enemy": Sign(gettext_noop("ends at an enemy stone"), _draw_bar),
    "empty": Sign(gettext_noop("ends at an empty point"), ring(16, 11, 6)),
    "edge": Sign(gettext_noop("ends at the edge"), _draw_square),
    "in danger": Sign(gettext_noop("weave in danger"), ring(40, 10, 6)),
    "capture": Sign(gettext_noop("here {side} captures it"), _draw_capture),
}
OVERLAYS = (
    Overlay(
        "territory",
        gettext_noop("territories"),
        gettext_noop(
            "Each territory has the colour of its owner, with its number of points. Dots are points that nobody owns."
        ),
        _territory,
        _SIGNS,
    ),
    Overlay(
        "threads",
        gettext_noop("threads and where they are cut"),
        gettext_noop(
            "A thread ends with a bar at an enemy stone, with a ring at an empty point, and with a square at "
            "the edge of the board. Thick threads are cut."
        ),
        _threads,
        _SIGNS,
    ),
    Overlay(
        "danger",
        gettext_noop("weaves in danger"),
        gettext_noop(
            "One more enemy stone would capture each weave in rings; the large dots are the points for that stone."
        ),
        _danger,
        _SIGNS,
    ),
)
