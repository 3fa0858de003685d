"""Hedu's overlays: regions with their owners and the reasons, and groups."""

from __future__ import annotations

from collections.abc import Sequence

from render.canvas import Pen
from render.colours import Colour, Theme, readable_on
from render.games.hedu.theme import HINT, SETTLED, tint
from render.geometry import Geometry, Point, along, least_text
from render.scene import Scene
from render.signs import Drawing, Overlay, Sign, Stamp, ring
from render.text import text_width
from rules import Side, bits
from rules.hedu import Group, Groups, Hedu, Region
from rules.text import gettext_noop


def anchor(geometry: Geometry, cells: int, avoided: int = 0) -> int | None:
    """The cell for a region's value: deep inside the region and, if possible, not an ``avoided`` one."""
    core = cells & ~avoided or cells
    if not core:
        return None
    board = geometry.board
    while inner := core & ~board.edge & ~board.spread(board.mask & ~core):
        core = inner
    return geometry.middlemost(list(bits(core)))


def deciding(region: Region) -> Group | None:
    """The group that gives the owner the region; None without an owner, or if groups do not decide."""
    if region.owner is None:
        return None
    return _greater(region.groups[region.owner], region.groups[region.owner.other])


def _greater(groups: Groups, others: Groups) -> Group | None:
    """The first group that makes a list greater than the other; None without one."""
    for entry, group in enumerate(groups):
        if entry == len(others) or group.rank > others[entry].rank:
            return group
        if group.rank < others[entry].rank:
            return None
    return None


def _regions(drawing: Drawing[Hedu]) -> None:
    """The owner and the value of each region and, below the value, the reason.

    The reason is a group, as its size times its height, with a line to it, or else the numbers of the owner's and the
    enemy's stacks; without room, it is left out. A cell limits this to its region, or to the regions next to its stack,
    and adds all adjacent groups, with circles around the deciding groups.
    """
    position, cell = drawing.scene.position, drawing.cell
    near = position.board.mask if cell is None else 1 << cell
    if cell is not None and position.owner(cell) is not None:
        near = position.board.spread(near)
    shown = [region for region in position.regions if region.cells & near] if is_valued(position) else []
    if cell is not None:
        for group in {group for region in shown for groups in region.groups for group in groups}:
            _draw_label(drawing, group, marked=False)
    for region in shown:
        _draw_region(drawing, region, alone=cell is not None)
    if cell is not None:
        for decider in filter(None, map(deciding, shown)):
            _draw_decider(drawing, decider)


def _groups(drawing: Drawing[Hedu]) -> None:
    """The size and height of every group of more than one stack, and a mark on the group that earns the ½ point.

    A cell limits this to the group of its stack and the regions that it decides.
    """
    position = drawing.scene.position
    groups = [position.groups(side) for side in Side]
    if drawing.cell is None:
        for side in Side:
            best = _greater(groups[side], groups[side.other])
            for group in groups[side]:
                if group.size > 1 or group is best:
                    _draw_label(drawing, group, marked=group is best)
                if group is best:
                    drawing.explain("best")
        return
    for group in (group for own in groups for group in own if group.cells >> drawing.cell & 1):
        for region in position.regions:
            if deciding(region) == group:
                _draw_region(drawing, region, alone=True)
        _draw_decider(drawing, group)


def is_valued(position: Hedu) -> bool:
    """Whether any region can have an owner: on an empty board, nobody controls one."""
    return any(map(position.stones, Side)) and bool(position.regions)


def draw_plate(pen: Pen, theme: Theme, owner: Side | None, unit: float, at: Point = (0, 0)) -> tuple[Colour, Colour]:
    """Draw a diamond for a region's value, unlike the discs of stacks; return the colours of ink and ground."""
    if owner is None:
        rim, ground, ink = theme.tray, theme.cell, readable_on(theme.cell)
    else:
        rim, ground, ink = theme.stones[owner].body, tint(theme, owner, SETTLED), theme.stones[owner.other].body
    x, y = at
    for reach, fill in ((40, theme.tray), (38, rim), (32, ground)):
        away = reach * unit
        pen.polygon([(x, y - away), (x + away, y), (x, y + away), (x - away, y)], fill)
    return ink, ground


def _cells_in(scene: Scene[Hedu], cells: int) -> list[int]:
    """The cells of a mask that the picture shows."""
    return [cell for cell in scene.geometry.cells if cells >> cell & 1]


def _draw_region(drawing: Drawing[Hedu], region: Region, *, alone: bool) -> None:
    scene, layer, unit, owner = drawing.scene, drawing.layer, drawing.unit, region.owner
    geometry, theme = scene.geometry, scene.theme
    shown = _cells_in(scene, region.cells)
    # In full colour, a wide region would look as if nobody could play there.
    wide = 3 * region.cells.bit_count() > len(geometry.board.cells)
    for cell in shown:
        fill = tint(theme, owner, HINT if wide else SETTLED)
        layer.polygon(geometry.grid.hexagon(geometry.centres[cell], 13 * unit), fill, 4 * unit)
    at = anchor(geometry, sum(1 << cell for cell in shown))
    if at is None:
        return
    x, y = geometry.centres[at]
    size = max(scene.least_text, round(40 * unit))
    ink, _ = draw_plate(layer, theme, owner, max(unit, size / 57), (x, y))
    layer.text(str(region.value), (x, y), size, ink)
    if owner is None:
        drawing.explain("nobody's")
        return
    drawing.explain("value", owner)
    group, below = deciding(region), geometry.neighbours[at][3]
    if group is not None:
        _draw_line(drawing, region, group, at)
    # The reason fills the cell below, and must not hide a stack.
    if alone or (below is not None and region.cells >> below & 1):
        ratio = f"{region.stacks[owner]}:{region.stacks[owner.other]}"
        why = ratio if group is None else _measure(group)
        _draw_words(layer, theme, owner, why, (x, y + 0.36 * geometry.cell_height + 0.62 * size), size, [])
        drawing.explain("numbers" if group is None else "group")


def _draw_line(drawing: Drawing[Hedu], region: Region, group: Group, at: int) -> None:
    """A short line from the region to the nearest stack of the deciding group, if the picture shows both."""
    scene = drawing.scene
    geometry, board = scene.geometry, scene.position.board
    ends = [
        (cell, stack)
        for cell in _cells_in(scene, region.cells & board.spread(group.cells))
        for stack in _cells_in(scene, group.cells & board.spread(1 << cell))
    ]
    if ends:
        cell, stack = min(ends, key=lambda pair: (board.distance(pair[0], at), pair))
        (x, y), (to_x, to_y) = geometry.centres[cell], geometry.centres[stack]
        line = [(x + (to_x - x) * share, y + (to_y - y) * share) for share in (0.4, 0.72)]
        _draw_lead(drawing.layer, scene.theme, line, drawing.unit)
        drawing.explain("line")


def _draw_lead(pen: Pen, theme: Theme, line: Sequence[Point], unit: float) -> None:
    for width, colour in ((13, theme.background), (8, theme.accent)):
        pen.line(line, colour, width * unit)


def _draw_decider(drawing: Drawing[Hedu], group: Group) -> None:
    drawing.mark("deciding", bits(group.cells))
    _draw_label(drawing, group, marked=True)
    drawing.explain("deciding")


def _measure(group: Group) -> str:
    return f"{group.size}×{group.height}"


def _draw_label(drawing: Drawing[Hedu], group: Group, *, marked: bool) -> None:
    """The group's size and height on its middle stack, in the colours of its side."""
    scene, unit = drawing.scene, drawing.unit
    shown = _cells_in(scene, group.cells)
    if shown:
        side = Side(scene.position.second >> shown[0] & 1)
        size = max(scene.least_text, round(34 * unit))
        rims = [(8 * unit, scene.theme.background), (5 * unit, scene.theme.accent)] if marked else []
        at = scene.geometry.centres[scene.geometry.middlemost(shown)]
        _draw_words(drawing.layer, scene.theme, side, _measure(group), at, size, rims)
        drawing.explain("group")


def _draw_words(
    pen: Pen, theme: Theme, side: Side, words: str, at: Point, size: int, rims: Sequence[tuple[float, Colour]]
) -> None:
    """A label in the colours of a side, in ``rims`` or in a thin line."""
    (x, y), wide, tall = at, text_width(words, size) / 2 + 0.25 * size, 0.52 * size
    for grow, fill in [*(rims or [(0.06 * size, theme.stones[side.other].body)]), (0, theme.stones[side].body)]:
        pen.field((x - wide - grow, y - tall - grow, x + wide + grow, y + tall + grow), tall + grow, fill)
    pen.text(words, at, size, theme.stones[side.other].body)


def _pill(words: str, *, marked: bool = False) -> Stamp:
    """A label in the key, as large as on the board."""

    def draw(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
        rims = [(7 * unit, theme.background), (5 * unit, theme.accent)] if marked else []
        _draw_words(pen, theme, Side.SECOND, words, at, least_text(), rims)

    return draw


_SIGNS = {
    "value": Sign(gettext_noop("region of {side}"), draw_plate),
    "nobody's": Sign(
        gettext_noop("region of nobody"), lambda pen, theme, _, unit, at: draw_plate(pen, theme, None, unit, at)
    ),
    "numbers": Sign(gettext_noop("stacks next to it"), _pill("3:2"), width=190),
    "line": Sign(
        gettext_noop("leads to the group that decides"),
        lambda pen, theme, _, unit, at: _draw_lead(pen, theme, along((1, 0), unit, [(-26, 0), (26, 0)], at), unit),
        width=80,
    ),
    "deciding": Sign(gettext_noop("group that decides"), ring(46, 8, 4.5)),
    "group": Sign(gettext_noop("group: stacks × height"), _pill("2×1"), width=205),
    "best": Sign(gettext_noop("earns ½ point"), _pill("4×1", marked=True), width=205),
}
OVERLAYS = (
    Overlay(
        "regions",
        gettext_noop("regions and who controls them"),
        gettext_noop(
            "The diamond in each region shows its value in its owner's colour; if it has the colour of the board, "
            "nobody controls the region. The reason is below it: a group, as stacks × height, or else the numbers of "
            "stacks next to the region."
        ),
        _regions,
        _SIGNS,
        of_cell=True,
    ),
    Overlay(
        "groups",
        gettext_noop("groups of stacks"),
        gettext_noop(
            "The label of a group is its number of stacks × its height. The group that earns half a point is marked."
        ),
        _groups,
        _SIGNS,
        of_cell=True,
    ),
)
