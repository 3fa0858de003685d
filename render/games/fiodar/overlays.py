"""Fiodar's overlays: territories, threads and their ends, and weaves in danger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from render.cache import remembered
from render.canvas import Pen
from render.colours import Theme, blend, readable_on
from render.geometry import Point, along, hexagon
from render.signs import Drawing, Overlay, Sign, Stamp, ring
from rules import Side, bits
from rules.fiodar import Fiodar, Thread
from rules.text import gettext_noop

#: The opacity of the tint of a territory (of 255).
_TINT = 150
#: The widths of cut threads and of others, and the ends of a thread, in hundredths of the distance of points.
_CUT, _THIN = 11, 5
_BAR: Sequence[list[Point]] = ([(0, 0), (43, 0)], [(43, -16), (43, 16)])
_SQUARE: list[Point] = [(32, -10), (45, -10), (45, 10), (32, 10)]


def shows_territory(position: Fiodar) -> bool:
    """Whether to show territories: once both sides have placed a stone, because the first alone would own the whole
    board, or when the board may be counted, after a pass and at the end.
    """
    return (
        all(map(position.stones, Side))
        or any(position.prisoners)
        or position.passed_first is not None
        or position.outcome is not None
    )


def territory(position: Fiodar, side: Side) -> int:
    """The mask of the side's shown territory."""
    return position.territory(side) if shows_territory(position) else 0


def _territory(drawing: Drawing[Fiodar]) -> None:
    """The owner and the points of every empty region, and dots on points without an owner."""
    scene, layer, unit = drawing.scene, drawing.layer, drawing.unit
    position, geometry = scene.position, scene.geometry
    owned = 0
    for side in Side:
        mask, body = territory(position, side), scene.theme.stones[side].body
        owned |= mask
        for region in position.board.groups(mask):
            points = [point for point in bits(region) if point in geometry.cells]
            for point in points:
                layer.polygon(geometry.grid.hexagon(geometry.centres[point], 3 * unit), (*body, _TINT))
            if points:
                at = geometry.centres[geometry.middlemost(points)]
                layer.text(str(region.bit_count()), at, max(50 * unit, scene.least_text), readable_on(body))
                drawing.explain("territory", side)
    drawing.mark("nobody's", bits(position.empty & ~owned))


def _draw_patch(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    pen.polygon(hexagon(94 * unit, centre=at), blend(theme.cell, theme.stones[side].body, _TINT / 255))


def _draw_dot(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    pen.disc(at, 8 * unit, theme.tray)


def _threads(drawing: Drawing[Fiodar]) -> None:
    """The threads of the stone on the cell, with their ends; without a cell, all cut threads, and all longer threads
    with an enemy stone at one end.

    A bar marks an enemy stone beyond the end, a ring an empty point, and a square the edge of the board, where a thread
    cannot be cut.
    """
    position, cell = drawing.scene.position, drawing.cell
    for side in Side:
        enemy = position.stones(side.other)
        for thread in position.threads(side):
            blocked = sum(enemy >> point & 1 for point in thread.beyond)
            several = thread.stones.bit_count() > 1 and len(thread.beyond) == 2
            if thread.stones >> cell & 1 if cell is not None else blocked == 2 or (blocked and several):
                _draw_thread(drawing, thread, blocked == 2)


def _danger(drawing: Drawing[Fiodar]) -> None:
    """Weaves that one more enemy stone would capture, and the points for it; with a cell, only the weave there."""
    for side in Side:
        captures = _captures(drawing.scene.position, side)
        shown = {
            weave: points for weave, points in captures.items() if drawing.cell is None or weave >> drawing.cell & 1
        }
        drawing.mark("in danger", bits(sum(shown)))
        drawing.mark("capture", chain.from_iterable(map(bits, shown.values())), side.other)


def _draw_capture(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    stone = theme.stones[side]
    for radius, fill in ((30, theme.background), (28, theme.accent), (20, stone.edge), (17.5, stone.body)):
        pen.disc(at, radius * unit, fill)


def _draw_strokes(
    pen: Pen, theme: Theme, unit: float, width: float, lines: Iterable[list[Point]], squares: Iterable[list[Point]] = ()
) -> None:
    """Lines in the accent colour and filled squares, all with a dark rim."""
    for grow, fill in ((2.5, theme.background), (0, theme.accent)):
        for line in lines:
            pen.line(line, fill, (width + 2 * grow) * unit)
        for square in squares:
            pen.polygon(square, fill if grow else theme.text, grow * unit)


def _stroke(width: float, lines: Sequence[list[Point]], squares: Sequence[list[Point]] = (), left: float = 0) -> Stamp:
    """A sign of lines and squares, moved ``left`` by hundredths of the distance between points."""

    def draw(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
        placed, filled = (
            [along((1, 0), unit, [(x - left, y) for x, y in shape], at) for shape in shapes]
            for shapes in (lines, squares)
        )
        _draw_strokes(pen, theme, unit, width, placed, filled)

    return draw


@remembered(64)
def _captures(position: Fiodar, side: Side) -> dict[int, int]:
    """The side's weaves that one more enemy stone would cut, each with the points for that stone, as masks."""
    own, enemy = position.stones(side), position.stones(side.other)
    cut = sum(position.cut_weaves(side))
    captures: dict[int, int] = {}
    for point in bits(position.placements(side.other)):
        after = position.with_stones(side, own, enemy | 1 << point, side)
        for weave in after.cut_weaves(side):
            if not weave & cut:
                captures[weave] = captures.get(weave, 0) | 1 << point
    return captures


def _draw_thread(drawing: Drawing[Fiodar], thread: Thread, cut: bool) -> None:
    scene, unit = drawing.scene, drawing.unit
    position, geometry = scene.position, scene.geometry
    offset, stones = position.board.directions[thread.direction], list(bits(thread.stones))
    ahead = geometry.neighbours[position.board.centre].index(position.board.centre + offset)
    row: list[Point] = [geometry.centres[stone] for stone in stones if stone in geometry.cells]
    if row:
        drawing.explain("cut thread" if cut else "thread")
    lines, squares = [row[:1] + row[-1:]] if row else [], list[list[Point]]()
    for end, beyond, outward in ((stones[0], stones[0] - offset, ahead + 3), (stones[-1], stones[-1] + offset, ahead)):
        if end not in geometry.cells:
            continue
        way, at = geometry.grid.ways[outward % 6], geometry.centres[end]
        if beyond not in thread.beyond:
            drawing.explain("edge")
            squares.append(along(way, unit, _SQUARE, at))
        elif position.empty >> beyond & 1:
            lines.append(along(way, unit, [(0, 0), (84, 0)], at))
            drawing.mark("empty", [beyond])
        else:
            drawing.explain("enemy")
            lines += [along(way, unit, line, at) for line in _BAR]
    _draw_strokes(drawing.layer, scene.theme, unit, _CUT if cut else _THIN, lines, squares)


_SIGNS = {
    "territory": Sign(gettext_noop("points of {side}"), _draw_patch),
    "nobody's": Sign(gettext_noop("points of nobody"), _draw_dot),
    "cut thread": Sign(gettext_noop("thread that is cut"), _stroke(_CUT, [[(-40, 0), (40, 0)]])),
    "thread": Sign(gettext_noop("thread that is not cut"), _stroke(_THIN, [[(-40, 0), (40, 0)]])),
    "enemy": Sign(gettext_noop("ends at an enemy stone"), _stroke(_CUT, _BAR, left=20)),
    "empty": Sign(gettext_noop("ends at an empty point"), ring(16, 11, 6)),
    "edge": Sign(gettext_noop("ends at the edge"), _stroke(0, [], [_SQUARE], left=38)),
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
        of_cell=True,
    ),
    Overlay(
        "danger",
        gettext_noop("weaves in danger"),
        gettext_noop(
            "One more enemy stone would capture each weave in rings; the large dots are the points for that stone."
        ),
        _danger,
        _SIGNS,
        of_cell=True,
    ),
)
