"""Hedu's overlays: who controls which region and why, and the groups that decide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from render.canvas import Canvas, text_width
from render.colours import Colour, Theme
from render.games.hedu.theme import SETTLED, THEMES, tint
from render.geometry import Geometry, Point
from render.scene import Scene
from rules import Hedu, Side, bits
from rules.hedu import Group, Groups, Region
from rules.text import gettext_noop


def anchor(geometry: Geometry, cells: int, avoided: int = 0) -> int | None:
    """The cell for a region's value: deep inside the region and, if possible, not one to be ``avoided``."""
    core = cells & ~avoided or cells
    if not core:
        return None
    board, inside = geometry.board, _inside(geometry)
    while inner := core & inside & ~board.spread(board.mask & ~core):
        core = inner
    return geometry.middlemost(list(bits(core)))


@lru_cache(maxsize=64)
def _inside(geometry: Geometry) -> int:
    """The mask of the cells that are not on the edge of the board."""
    return sum(1 << cell for cell in geometry.board.cells if None not in geometry.neighbours[cell])


def deciding(region: Region) -> Group | None:
    """The group by which the owner controls the region; None if it has no owner or groups do not decide."""
    if region.owner is None:
        return None
    return _greater(region.groups[region.owner], region.groups[region.owner.other])


def _greater(groups: Groups, others: Groups) -> Group | None:
    """The first group by which a list exceeds the other; None if it does not."""
    for entry, group in enumerate(groups):
        if entry == len(others) or group.rank > others[entry].rank:
            return group
        if group.rank < others[entry].rank:
            return None
    return None


def regions(scene: Scene, cell: int | None, canvas: Canvas) -> None:
    """The owner and the value of each region and, below the value, the reason.

    The reason is a group, as its size times its height, with a line to it, or else the numbers of stacks of the owner
    and the enemy; in a small region among many there is no room for it. Regions without an owner have an equals sign.
    With a cell, only its region, or the regions next to its stack, are shown, with all adjacent groups; the deciding
    ones are circled.
    """
    position, theme = scene.position, THEMES[scene.look.theme]
    assert isinstance(position, Hedu)
    near = position.board.mask if cell is None else _reach(position, cell)
    shown = [region for region in position.regions() if region.cells & near]
    if cell is not None:
        for group in {group for region in shown for groups in region.groups for group in groups}:
            _draw_label(scene, canvas, theme, group, False)
    for region in shown:
        _draw_region(scene, canvas, theme, region, cell is not None)
    if cell is not None:
        for region in shown:
            if (decider := deciding(region)) is not None:
                _circle(scene, canvas, theme, decider.cells)
                _draw_label(scene, canvas, theme, decider, True)


def groups(scene: Scene, cell: int | None, canvas: Canvas) -> None:
    """The size and height of every group of more than one stack; the group that earns the ½ point is marked.

    With a cell, only the group of its stack and the regions that it decides are shown.
    """
    position, theme = scene.position, THEMES[scene.look.theme]
    assert isinstance(position, Hedu)
    listed = [position.groups(side) for side in Side]
    if cell is None:
        for side in Side:
            best = _greater(listed[side], listed[side.other])
            for group in listed[side]:
                if group.size > 1 or group is best:
                    _draw_label(scene, canvas, theme, group, group is best)
        return
    for group in (group for each in listed for group in each if group.cells >> cell & 1):
        for region in position.regions():
            if deciding(region) == group:
                _draw_region(scene, canvas, theme, region, True)
        _circle(scene, canvas, theme, group.cells)
        _draw_label(scene, canvas, theme, group, True)


def _reach(position: Hedu, cell: int) -> int:
    """The cell itself if it is empty, or else the cells around it."""
    return 1 << cell if position.owner(cell) is None else position.board.spread(1 << cell)


def _shown(scene: Scene, cells: int) -> list[int]:
    """The cells of a mask that the picture shows."""
    return [cell for cell in scene.geometry.cells if cells >> cell & 1]


def _draw_region(scene: Scene, canvas: Canvas, theme: Theme, region: Region, alone: bool = False) -> None:
    geometry = scene.geometry
    shown, grid, unit = _shown(scene, region.cells), geometry.grid, geometry.step / 100
    for cell in shown:
        fill = tint(theme, region.owner, SETTLED)
        canvas.polygon(grid.hexagon(geometry.centres[cell], 5 * unit), fill, 4 * unit)
    at = anchor(geometry, sum(1 << cell for cell in shown))
    if at is None:
        return
    x, y = geometry.centres[at]
    size = max(scene.least_text, round(40 * unit))
    if region.owner is None:
        canvas.disc((x, y), 36 * unit, theme.cell)
        canvas.ring((x, y), 36 * unit, theme.accent, 5 * unit)
        canvas.text("=", (x, y), size, theme.stones[Side.FIRST].body)
        return
    ink, group = theme.stones[region.owner.other].body, deciding(region)
    if group is not None:
        _draw_line(scene, canvas, theme, region, group, at)
        why = _measure(group)
    else:
        why = f"{region.stacks[region.owner]}:{region.stacks[region.owner.other]}"
    below = geometry.neighbours[at][3]
    roomy = below is not None and bool(region.cells >> below & 1)
    canvas.text(str(region.value), (x, y - 12 * unit * roomy), size, ink)
    # The reason is as large as the value, so it reaches into the cell below; it must not hide a stack there.
    if roomy or alone:
        _draw_words(canvas, theme, region.owner, why, (x, y + 0.36 * geometry.step + 0.2 * size), size, [])


def _draw_line(scene: Scene, canvas: Canvas, theme: Theme, region: Region, group: Group, at: int) -> None:
    """A short line from the region to the nearest stack of the group that decides it."""
    geometry, board = scene.geometry, scene.geometry.board
    ends = [
        (cell, stack)
        for cell in _shown(scene, region.cells & board.spread(group.cells))
        for stack in _shown(scene, group.cells & board.spread(1 << cell))
    ]
    if ends:
        cell, stack = min(ends, key=lambda pair: (board.distance(pair[0], at), pair))
        (x, y), (to_x, to_y) = geometry.centres[cell], geometry.centres[stack]
        line = [(x + (to_x - x) * part, y + (to_y - y) * part) for part in (0.4, 0.72)]
        for width, colour in ((13, theme.background), (8, theme.accent)):
            canvas.line(line, colour, width * geometry.step / 100)


def _circle(scene: Scene, canvas: Canvas, theme: Theme, stacks: int) -> None:
    unit = scene.geometry.step / 100
    for cell in _shown(scene, stacks):
        canvas.ring(scene.geometry.centres[cell], 46 * unit, theme.background, 8 * unit)
        canvas.ring(scene.geometry.centres[cell], 46 * unit, theme.accent, 4.5 * unit)


def _measure(group: Group) -> str:
    return f"{group.size}×{group.height}"


def _draw_label(scene: Scene, canvas: Canvas, theme: Theme, group: Group, marked: bool) -> None:
    """The group's size and height on its middle stack, in the colours of its side."""
    geometry, unit, measure = scene.geometry, scene.geometry.step / 100, _measure(group)
    shown = _shown(scene, group.cells)
    if shown:
        side = Side(scene.position.second >> shown[0] & 1)
        size = max(scene.least_text, round(34 * unit))
        rims = [(8 * unit, theme.background), (5 * unit, theme.accent)] if marked else []
        _draw_words(canvas, theme, side, measure, geometry.centres[geometry.middlemost(shown)], size, rims)


def _draw_words(
    canvas: Canvas,
    theme: Theme,
    side: Side,
    words: str,
    at: Point,
    size: int,
    rims: Sequence[tuple[float, Colour]],
) -> None:
    """A label in the colours of a side, in ``rims`` or in a thin line."""
    (x, y), wide, tall = at, text_width(words, size) / 2 + 0.25 * size, 0.52 * size
    for grow, fill in [*(rims or [(0.06 * size, theme.stones[side.other].body)]), (0, theme.stones[side].body)]:
        canvas.field((x - wide - grow, y - tall - grow, x + wide + grow, y + tall + grow), tall + grow, fill)
    canvas.text(words, at, size, theme.stones[side.other].body)


OVERLAYS = {"regions": regions, "groups": groups}
#: The titles of the overlays.
TITLES: Mapping[str, str] = {
    "regions": gettext_noop("regions and who controls them"),
    "groups": gettext_noop("groups of stacks"),
}
#: What their marks mean.
LEGENDS: Mapping[str, str] = {
    "regions": gettext_noop(
        "Each region shows its owner and its value and, below the value, what decides: a group, as stacks ×"
        " height, or the numbers of stacks. A region marked “=” has no owner."
    ),
    "groups": gettext_noop(
        "The label of a group is its number of stacks × its height. The group that earns half a point is marked."
    ),
}
