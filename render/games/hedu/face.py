"""Hedu: stacks as terraced discs from above, with their heights, and the ground that each side controls."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from PIL import Image

from render.alt_text import format_cells, totals_clause
from render.cache import cached
from render.canvas import Canvas, empty_cell, icon_cell, paste_cell
from render.colours import Colour, Theme
from render.corners import Row, count_rows, prisoners_row
from render.face import Face
from render.games.hedu.overlays import OVERLAYS, anchor, draw_plate, is_valued
from render.games.hedu.theme import HINT, SETTLED, THEMES, WIDE, tint
from render.geometry import Grid, Point
from render.palette import Tile, cut_out, paste_tile
from render.scene import Scene
from render.text import text_tile
from rules import Placed, Side, bits
from rules.hedu import Hedu, Raised, Reduced
from rules.text import gettext_noop, ngettext_noop

#: The radius of the top of a stack, and the extra width of each level below it, in hundredths of a cell.
_TOP, _LEVEL = 28.5, 7.5
#: A text, its colour, and the ground below it.
_Text: TypeAlias = tuple[str, Colour, Colour]
#: The value of a region and the side that controls it.
_Value: TypeAlias = tuple[int, Side | None]


class HeduFace(Face[Hedu]):
    themes = THEMES
    legend = (("plain", gettext_noop("stack height")), ("region", gettext_noop("region value")))
    emoji = "🗿"
    colour = (150, 122, 204)
    overlays = OVERLAYS

    def draw(self, image: Image.Image, scene: Scene[Hedu]) -> None:
        position, geometry, theme = scene.position, scene.geometry, scene.theme
        grid, shown = geometry.grid, geometry.mask
        placed = next((event.cell for event in scene.events if isinstance(event, Placed)), None)
        changes = {cell: heights[-1] - heights[0] for cell, heights in height_changes(scene).items()}
        ghosts = removals(scene)
        anchors = set(self.numbered(scene))
        size = _written_size(scene)
        regions = position.regions if is_valued(position) else []
        for region in regions:
            # Tinting a region that is the whole board would only darken it, as if nobody could play there.
            owner = region.owner if len(regions) > 1 else None
            wide = 3 * region.cells.bit_count() > len(position.board.cells)
            share = SETTLED if position.outcome is not None else WIDE if wide else HINT
            for cell in bits(region.cells & shown):
                value = (region.value, region.owner) if cell in anchors else None
                if owner is None and value is None and cell not in ghosts:
                    continue
                rim = 0b111111 & ~geometry.adjoining(cell, region.cells)
                tile = _empty(theme, grid, owner, share, rim, value, ghosts.get(cell), changes.get(cell), size)
                paste_cell(image, tile, geometry, cell)
        one, two, three = position.heights
        levels = (one & ~two, two & ~three, three)
        for side in Side:
            for height, level in enumerate(levels, 1):
                alike = level & position.stones(side)
                for cell in bits(alike & shown):
                    friends = geometry.adjoining(cell, alike)
                    tile = _stack(theme, grid, side, height, friends, cell == placed, changes.get(cell), size)
                    paste_cell(image, tile, geometry, cell)

    @cached
    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        # Without numbers, which would be too small.
        unit, canvas = height / 100, icon_cell(height, ground, theme.fresh if kind == "placed" else theme.cell)
        if kind == "prisoner":
            _draw_stack(canvas, theme, unit, side.other, 1, [])
            for x, tall in ((-16, 34), (0, 40), (16, 34)):
                canvas.line([(x * unit, -tall * unit), (x * unit, tall * unit)], theme.stones[side].body, 6 * unit)
        elif kind == "region":
            draw_plate(canvas, theme, side, unit)
        elif kind == "removed":
            _draw_ghost(canvas, theme, unit, side)
        else:
            _draw_stack(canvas, theme, unit, side, 2 if kind == "plain" else 1, [], placed=kind == "placed")
        change = {"lowered": -1, "raised": 1}.get(kind)
        return cut_out(_write_on(canvas, theme, unit, None, change, 0), ground, theme)

    def numbered(self, scene: Scene[Hedu]) -> Collection[int]:
        position, geometry = scene.position, scene.geometry
        if not is_valued(position):
            return ()
        ghosts = sum(1 << cell for cell in removals(scene))
        anchors = (anchor(geometry, region.cells & geometry.mask, ghosts) for region in position.regions)
        return [cell for cell in anchors if cell is not None]

    def counts(self, scene: Scene[Hedu], side: Side) -> Sequence[Row]:
        position = scene.position
        held = position.prisoners[side]
        gained = sum(
            event.before - event.after
            for event in scene.events
            if isinstance(event, Reduced) and event.side is side.other
        )
        return [prisoners_row(scene, "prisoner", side, held, gained)]

    def marks(self, scene: Scene[Hedu]) -> Mapping[str, bool]:
        return {"plain": any(map(scene.position.stones, Side)), "region": is_valued(scene.position)}

    def turn_rows(self, scene: Scene[Hedu]) -> list[Row]:
        gone = [list(removals(scene).values()).count(side) for side in Side]
        return [
            *super().turn_rows(scene),
            *count_rows(scene, "lowered", _levels(scene, Reduced), ngettext_noop("lowered", "lowered")),
            *count_rows(scene, "raised", _levels(scene, Raised), ngettext_noop("raised", "raised")),
            *count_rows(scene, "removed", gone, ngettext_noop("removed", "removed")),
        ]

    def turn_clauses(self, scene: Scene[Hedu], with_cells: bool) -> list[str]:
        clauses, heights = super().turn_clauses(scene, with_cells), height_changes(scene)
        if heights:
            count, board = len(heights), scene.position.board
            clause = scene.texts.ngettext(
                "{count} stack changed its height", "{count} stacks changed their heights", count
            ).format(count=count)
            changes = (f"{board.name(cell)} {'→'.join(map(str, passed))}" for cell, passed in heights.items())
            clauses.append(f"{clause} ({', '.join(changes)})" if with_cells else clause)
        return clauses

    def clauses(self, scene: Scene[Hedu]) -> list[list[str]]:
        position, gettext = scene.position, scene.texts.gettext
        return [
            totals_clause(scene, gettext("Points: {first} {one}, {second} {two}."), self.scores(scene)),
            totals_clause(scene, gettext("Prisoners: {first} {one}, {second} {two}."), position.prisoners),
            *(_stacks_clause(scene, side) for side in Side),
            *(_regions_clause(scene, side) for side in (*Side, None)),
        ]


def _stacks_clause(scene: Scene[Hedu], side: Side) -> list[str]:
    """Wordings of the side's stacks, with and without their heights."""
    position, ngettext = scene.position, scene.texts.ngettext
    count, groups = position.stones(side).bit_count(), position.groups(side)
    masks = {height: sum(group.cells for group in groups if group.height == height) for height in (3, 2, 1)}
    levels = _by_number(scene, scene.texts.gettext("height {number}: {cells}"), masks)
    wordings = (
        ngettext("{side} has {count} stack, {levels}.", "{side} has {count} stacks, {levels}.", count),
        ngettext("{side} has {count} stack.", "{side} has {count} stacks.", count),
    )
    texts = wordings if levels else wordings[1:]
    return [text.format(side=scene.side(side), count=count, levels=levels) for text in texts]


def _regions_clause(scene: Scene[Hedu], side: Side | None) -> list[str]:
    """Wordings of the regions of a side, with their values, or of the regions without an owner."""
    position, ngettext = scene.position, scene.texts.ngettext
    regions = [region for region in position.regions if region.owner is side]
    if not regions:
        return []
    count = len(regions)
    if side is None:
        wordings = (
            ngettext("Nobody controls {count} region: {cells}.", "Nobody controls {count} regions: {cells}.", count),
            ngettext("Nobody controls {count} region.", "Nobody controls {count} regions.", count),
        )
        cells = format_cells(position.board, sum(region.cells for region in regions))
        return [text.format(count=count, cells=cells) for text in wordings]
    wordings = (
        ngettext("{side} controls {count} region, {worth}.", "{side} controls {count} regions, {worth}.", count),
        ngettext(
            "{side} controls {count} region, worth {value}.",
            "{side} controls {count} regions, worth {value} in all.",
            count,
        ),
    )
    masks = {value: sum(region.cells for region in regions if region.value == value) for value in (3, 2, 1)}
    worth = _by_number(scene, scene.texts.gettext("worth {number}: {cells}"), masks)
    value = sum(region.value for region in regions)
    return [text.format(side=scene.side(side), count=count, worth=worth, value=value) for text in wordings]


def _by_number(scene: Scene[Hedu], text: str, masks: Mapping[int, int]) -> str:
    """The cells for each height or value."""
    board = scene.position.board
    return "; ".join(
        text.format(number=number, cells=format_cells(board, mask)) for number, mask in masks.items() if mask
    )


def _levels(scene: Scene[Hedu], kind: type[Reduced | Raised]) -> list[int]:
    """The number of levels that the last turn took from or gave to the remaining stacks of each side."""
    changes = [event for event in scene.events if isinstance(event, kind) and event.cell not in removals(scene)]
    return [sum(event.amount for event in changes if event.side is side) for side in Side]


def height_changes(scene: Scene[Hedu]) -> Mapping[int, list[int]]:
    """The successive heights of each stack that changed in the last turn, by cell."""
    heights: dict[int, list[int]] = {}
    for event in scene.events:
        if isinstance(event, Reduced | Raised):
            heights.setdefault(event.cell, [event.before]).append(event.after)
    return heights


def removals(scene: Scene[Hedu]) -> Mapping[int, Side]:
    """The cells from which the last turn removed stacks, each with the stack's side."""
    return {event.cell: event.side for event in scene.events if isinstance(event, Reduced) and not event.after}


def _written_size(scene: Scene[Hedu]) -> int:
    """The font size of the numbers on the board; 0 where terraces must suffice, or without numbers."""
    size = max(scene.least_text, round(44 * scene.geometry.cell_height / 100))
    return size if size < 0.7 * scene.geometry.cell_height and not scene.unnumbered else 0


@cached
def _empty(
    theme: Theme,
    grid: Grid,
    owner: Side | None,
    share: float,
    rim: int,
    value: _Value | None,
    ghost: Side | None,
    change: int | None,
    size: int,
) -> Image.Image:
    """An empty cell in its owner's tint, with the region's value and the outline of a removed stack of ``ghost``.

    Bit ``i`` of ``rim`` stands for the end of the region in direction ``i``, with a line in the owner's colour.
    """
    fill, unit = tint(theme, owner, share), grid.cell_height / 100
    canvas = empty_cell(grid, theme, fill)
    if owner is not None:
        for line in _rim_lines(grid, rim):
            canvas.line(line, theme.stones[owner].body, 7 * unit)
    if ghost is not None:
        _draw_ghost(canvas, theme, unit, ghost)
    text: _Text | None = None
    if value is not None and size:
        number, whose = value
        ink, ground = draw_plate(canvas, theme, whose, max(unit, size / 57))
        text = (str(number), ink, ground)
    return _write_on(canvas, theme, unit, text, change, size)


@cached
def _stack(
    theme: Theme, grid: Grid, side: Side, height: int, friends: int, placed: bool, change: int | None, size: int
) -> Image.Image:
    """One cell with a stack, for :func:`cell_mask`.

    Bit ``i`` of ``friends`` stands for a stack of the same group in direction ``i``; the tile has the near half of the
    bridge to it.
    """
    canvas, unit = empty_cell(grid, theme, theme.fresh if placed else theme.cell), grid.cell_height / 100
    ways = [way for direction, way in enumerate(grid.ways) if friends >> direction & 1]
    _draw_stack(canvas, theme, unit, side, height, ways, placed=placed)
    return _write_on(
        canvas, theme, unit, (str(height), theme.stones[side.other].body, theme.stones[side].body), change, size
    )


def _rim_lines(grid: Grid, rim: int) -> list[list[Point]]:
    """Lines just inside a cell around 0, 0, along its edges in the directions of ``rim``.

    Lines of neighbouring cells meet on the edge between them.
    """
    corners, inset = grid.hexagon((0, 0)), 0.06 * grid.cell_height
    lines = []
    for direction in bits(rim):
        line = []
        for corner, before, onward in (
            (direction + 1, direction - 1, direction),
            (direction + 2, direction + 1, direction + 3),
        ):
            (x, y), (to_x, to_y) = corners[corner % 6], corners[onward % 6]
            if rim >> before % 6 & 1:
                line.append((x - 2 * inset * x / grid.cell_height, y - 2 * inset * y / grid.cell_height))
            else:
                share = inset * 2 / math.sqrt(3) / math.hypot(to_x - x, to_y - y)
                line.append((x + (to_x - x) * share, y + (to_y - y) * share))
        lines.append(line)
    return lines


def _write_on(
    canvas: Canvas, theme: Theme, unit: float, text: _Text | None, change: int | None, size: int
) -> Image.Image:
    """The canvas with a text in the middle and, at the upper right, a badge for a change in height."""
    if change is not None:
        _draw_badge(canvas, theme, unit, change)
    image = canvas.done(theme)
    if text is not None and size:
        written, ink, ground = text
        # The badge covers a corner of the stack, so the number moves aside.
        aside = 0 if change is None else 3.5 * unit
        at = image.width / 2 - aside, image.height / 2 + aside
        paste_tile(image, text_tile(written, size, ink, ground, theme), at)
    return image


def _draw_badge(canvas: Canvas, theme: Theme, unit: float, change: int) -> None:
    """An arrowhead for each level that a stack gained or lost; both kinds after both."""
    x, y, radius = 24 * unit, -32 * unit, 14 * unit
    canvas.disc((x, y), radius + 2 * unit, theme.background)
    canvas.disc((x, y), radius, theme.accent if change < 0 else theme.number)
    way = -1 if change > 0 else 1
    heads = {0: [(-10, -1, 8), (10, 1, 8)], 1: [(6 * way, way, 12)]}
    for tip, to, length in heads.get(abs(change), [(9 * way, way, 8), (0, way, 8)]):
        base, reach = y + (tip - to * length) * unit, 8.5 * unit
        canvas.polygon([(x - reach, base), (x + reach, base), (x, y + tip * unit)], theme.background)


def _draw_stack(
    canvas: Canvas, theme: Theme, unit: float, side: Side, height: int, ways: Sequence[Point], *, placed: bool = False
) -> None:
    """A stack at 0, 0 with bridges along the ways; ``unit`` is a hundredth of a cell's height.

    A stack that was just ``placed`` has a ring around it.
    """
    colours = theme.stones[side]
    radius = (_TOP + _LEVEL * (height - 1)) * unit
    if placed:
        # The highest stacks leave little room for it.
        ring = min(radius + 8 * unit, 47 * unit)
        radius = min(radius, ring - 8 * unit)
        canvas.disc((0, 0), ring + 3 * unit, colours.edge)
        canvas.disc((0, 0), ring, theme.fresh)
    for grow, fill in ((2.5 * unit, colours.edge), (0.0, colours.body)):
        for way in ways:
            canvas.line([(0, 0), way], fill, 17 * unit + 2 * grow)
        canvas.disc((0, 0), radius + grow, fill)
    for level in range(1, height):
        canvas.ring((0, 0), (_TOP + _LEVEL * (level - 1)) * unit, colours.vein, 3 * unit)


def _draw_ghost(canvas: Canvas, theme: Theme, unit: float, side: Side) -> None:
    """The dotted outline of a removed stack."""
    for grow, fill in ((2, theme.stones[side].edge), (0, theme.stones[side].body)):
        for i in range(12):
            angle = math.pi * i / 6
            canvas.disc((_TOP * unit * math.cos(angle), _TOP * unit * math.sin(angle)), (4 + grow) * unit, fill)
