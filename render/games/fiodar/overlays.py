"""Fiodar's overlays: territories, threads and their ends, and weaves in danger."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from render.canvas import Canvas
from render.colours import Theme, readable_on
from render.face import Overlay
from render.games.fiodar.theme import THEMES
from render.geometry import Geometry, Point, along
from render.scene import Scene
from rules import Fiodar, Side, bits
from rules.fiodar import Thread
from rules.text import gettext_noop


def _territory(scene: Scene, cell: int | None, canvas: Canvas) -> None:
    """The owner of every empty region and its number of points; dots on points without an owner."""
    position, geometry, theme = _seen(scene)
    unit = geometry.step / 100
    owned = 0
    for side in Side:
        mask, colours = position.territory(side), theme.stones[side]
        owned |= mask
        for region in position.board.groups(mask):
            points = [each for each in bits(region) if each in geometry.cells]
            for each in points:
                canvas.polygon(geometry.grid.hexagon(geometry.centres[each], 3 * unit), (*colours.body, 150))
            if points:
                at = geometry.centres[geometry.middlemost(points)]
                canvas.text(str(region.bit_count()), at, max(50 * unit, scene.least_text), readable_on(colours.body))
    for each in bits(position.empty & ~owned):
        if each in geometry.cells:
            canvas.disc(geometry.centres[each], 8 * unit, theme.tray)


def _threads(scene: Scene, cell: int | None, canvas: Canvas) -> None:
    """The threads of the stone on the cell with their ends; of all stones, those that are cut, and those of more
    than one stone that are cut at one end.

    A bar is an enemy stone beyond the end, a ring an empty point, and a square the end of the board, where a thread
    cannot be cut.
    """
    position, geometry, theme = _seen(scene)
    for side in Side:
        enemy = position.stones(side.other)
        for thread in position.threads(side):
            blocked = sum(enemy >> point & 1 for point in thread.beyond)
            several = thread.stones.bit_count() > 1 and len(thread.beyond) == 2
            if thread.stones >> cell & 1 if cell is not None else blocked == 2 or (blocked and several):
                _draw_thread(canvas, geometry, position, thread, theme, blocked == 2)


def _danger(scene: Scene, cell: int | None, canvas: Canvas) -> None:
    """Weaves that one more enemy stone would capture, and the points for it. With a cell, only the weave there."""
    position, geometry, theme = _seen(scene)
    unit, shown = geometry.step / 100, sum(1 << each for each in geometry.cells)
    for side in Side:
        enemy = theme.stones[side.other]
        for weave, points in _captures(position, side).items():
            if cell is not None and not weave >> cell & 1:
                continue
            for stone in bits(weave & shown):
                canvas.ring(geometry.centres[stone], 40 * unit, theme.background, 10 * unit)
                canvas.ring(geometry.centres[stone], 40 * unit, theme.accent, 6 * unit)
            for point in bits(points & shown):
                centre = geometry.centres[point]
                canvas.disc(centre, 30 * unit, theme.background)
                canvas.disc(centre, 28 * unit, theme.accent)
                canvas.disc(centre, 20 * unit, enemy.edge)
                canvas.disc(centre, 17.5 * unit, enemy.body)


OVERLAYS: Mapping[str, Overlay] = {"territory": _territory, "threads": _threads, "danger": _danger}
#: The titles of the overlays.
TITLES: Mapping[str, str] = {
    "territory": gettext_noop("territories"),
    "threads": gettext_noop("threads and where they are cut"),
    "danger": gettext_noop("weaves in danger"),
}
#: What their marks mean.
LEGENDS: Mapping[str, str] = {
    "territory": gettext_noop(
        "Each territory has the colour of its owner, with its number of points. Dots are points that nobody owns."
    ),
    "threads": gettext_noop(
        "A thread ends with a bar at an enemy stone, with a ring at an empty point, and with a square at "
        "the edge of the board. Thick threads are cut."
    ),
    "danger": gettext_noop(
        "One more enemy stone would capture each weave in rings; the large dots are the points for that stone."
    ),
}


def _seen(scene: Scene) -> tuple[Fiodar, Geometry, Theme]:
    assert isinstance(scene.position, Fiodar)
    return scene.position, scene.geometry, THEMES[scene.look.theme]


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


def _draw_thread(canvas: Canvas, geometry: Geometry, position: Fiodar, thread: Thread, theme: Theme, cut: bool) -> None:
    unit, shown = geometry.step / 100, set(geometry.cells)
    step, stones = position.board.directions[thread.direction], list(bits(thread.stones))
    ahead = geometry.neighbours[position.board.centre].index(position.board.centre + step)
    row: list[Point] = [geometry.centres[stone] for stone in stones if stone in shown]
    lines, squares = [row], list[list[Point]]()
    for end, beyond, outward in ((stones[0], stones[0] - step, ahead + 3), (stones[-1], stones[-1] + step, ahead)):
        if end not in shown:
            continue
        way, at = geometry.grid.towards(outward % 6), geometry.centres[end]
        if beyond not in thread.beyond:
            squares.append(along(way, unit, [(32, -10), (45, -10), (45, 10), (32, 10)], at))
        elif position.empty >> beyond & 1:
            lines.append(along(way, unit, [(0, 0), (84, 0)], at))
            if beyond in shown:
                _ring(canvas, geometry.centres[beyond], 16 * unit, theme)
        else:
            lines += [along(way, unit, line, at) for line in ([(0, 0), (43, 0)], [(43, -16), (43, 16)])]
    width = 11 if cut else 5
    for grow, fill in ((2.5, theme.background), (0, theme.accent)):
        for line in lines:
            if line:
                canvas.line([line[0], line[-1]], fill, (width + 2 * grow) * unit)
        for square in squares:
            canvas.polygon(square, fill if grow else theme.text, grow * unit)


def _ring(canvas: Canvas, centre: Point, radius: float, theme: Theme) -> None:
    unit = radius / 16
    canvas.ring(centre, radius, theme.background, 11 * unit)
    canvas.ring(centre, radius, theme.accent, 6 * unit)
