"""Hedu: stacks as terraced discs, seen from above, with their heights, and the ground that each side controls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from PIL import Image

from render.cache import cached
from render.canvas import Canvas, Tile, cell_mask, cut_out, draw_cell, paste_tile, text_tile
from render.colours import Colour, Theme, contrast
from render.face import Face
from render.formatting import format_cells
from render.games.hedu.overlays import LEGENDS, OVERLAYS, TITLES, anchor
from render.games.hedu.theme import HINT, SETTLED, THEMES, tint
from render.geometry import Grid, Point, hexagon
from render.scene import Scene
from render.turns import Row, count_rows
from rules import Hedu, Placed, Raised, Reduced, Side, bits
from rules.text import gettext_noop

#: The radius of the top of a stack, and how much wider each level below it is, in hundredths of a cell.
_TOP, _LEVEL = 28.5, 7.5
#: A text, its colour, the ground below it, and its size in hundredths of a cell.
_Text: TypeAlias = tuple[str, Colour, Colour, float]
#: A sign and the colour of the disc below it.
_Badge: TypeAlias = tuple[str, Colour]


class HeduFace(Face):
    themes = THEMES
    legend = (("prisoner", gettext_noop("prisoner")), ("region", gettext_noop("region and value")))
    overlays = OVERLAYS
    overlay_titles = TITLES
    overlay_legends = LEGENDS

    def draw(self, image: Image.Image, scene: Scene, theme: Theme) -> None:
        position, geometry = scene.position, scene.geometry
        assert isinstance(position, Hedu)
        grid, near, shown = geometry.grid, geometry.neighbours, sum(1 << cell for cell in geometry.cells)
        placed = next((event.cell for event in scene.events if isinstance(event, Placed)), None)
        changes, ghosts = turn_changes(scene), removed(scene)
        mask = cell_mask(grid)
        left, up = mask.width // 2, mask.height // 2
        for region in position.regions():
            numbered = anchor(geometry, region.cells & shown, sum(1 << cell for cell in ghosts))
            part = SETTLED if position.outcome is not None else HINT
            # Large open regions would change colour again and again.
            wide = part == HINT and 3 * region.cells.bit_count() > len(position.board.cells)
            for cell in bits(region.cells & shown):
                value = region.value if cell == numbered else None
                owner = None if wide and value is None else region.owner
                if owner is None and value is None and cell not in ghosts:
                    continue
                tile = _empty(theme, grid, owner, part, value, ghosts.get(cell), changes.get(cell))
                x, y = geometry.centres[cell]
                image.paste(tile, (x - left, y - up), mask)
        one, two, three = position.heights
        levels = (one & ~two, two & ~three, three)
        for side in Side:
            for height, level in enumerate(levels, 1):
                alike = level & position.stones(side)
                for cell in bits(alike & shown):
                    friends = sum(
                        1 << i for i, other in enumerate(near[cell]) if other is not None and alike >> other & 1
                    )
                    tile = _stack(theme, grid, side, height, friends, cell == placed, changes.get(cell))
                    x, y = geometry.centres[cell]
                    image.paste(tile, (x - left, y - up), mask)

    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        return _icon(kind, side, height, ground, theme)

    def counts(self, scene: Scene, side: Side) -> Sequence[tuple[str, str]]:
        position = scene.position
        assert isinstance(position, Hedu)
        held = position.prisoners[side]
        gained = sum(
            event.before - event.after
            for event in scene.events
            if isinstance(event, Reduced) and event.side is side.other
        )
        return [("prisoner", f"{held} (+{gained})" if gained else str(held))]

    def turn_rows(self, scene: Scene) -> list[Row]:
        gettext = scene.texts.gettext
        return [
            *super().turn_rows(scene),
            *count_rows("lowered", _levels(scene, Reduced), gettext("lowered")),
            *count_rows("raised", _levels(scene, Raised), gettext("raised")),
        ]

    def turn_clauses(self, scene: Scene, with_cells: bool) -> list[str]:
        clauses, heights = super().turn_clauses(scene, with_cells), _heights(scene)
        if heights:
            count, board = len(heights), scene.position.board
            clause = scene.texts.ngettext(
                "{count} stack changed its height", "{count} stacks changed their heights", count
            ).format(count=count)
            steps = (f"{board.name(cell)} {'→'.join(map(str, passed))}" for cell, passed in heights.items())
            clauses.append(f"{clause} ({', '.join(steps)})" if with_cells else clause)
        return clauses

    def clauses(self, scene: Scene) -> list[list[str]]:
        position, gettext = scene.position, scene.texts.gettext
        assert isinstance(position, Hedu)
        first, second = (scene.side(side) for side in Side)
        totals = (
            (gettext("Points: {first} {one}, {second} {two}."), self.scores(scene)),
            (gettext("Prisoners: {first} {one}, {second} {two}."), position.prisoners),
        )
        return [
            *([text.format(first=first, second=second, one=one, two=two)] for text, (one, two) in totals),
            *(_stacks_clause(scene, side) for side in Side),
            *(_regions_clause(scene, side) for side in (*Side, None)),
        ]


def _stacks_clause(scene: Scene, side: Side) -> list[str]:
    """The side's stacks by their heights."""
    position, ngettext = scene.position, scene.texts.ngettext
    assert isinstance(position, Hedu)
    count = position.stones(side).bit_count()
    wordings = [ngettext("{side} has {count} stack.", "{side} has {count} stacks.", count)]
    levels = {
        height: sum(group.cells for group in position.groups(side) if group.height == height) for height in (3, 2, 1)
    }
    level = scene.texts.gettext("height {height}: {cells}")
    listed = [
        level.format(height=height, cells=format_cells(position.board, stacks))
        for height, stacks in levels.items()
        if stacks
    ]
    if listed:
        wordings.insert(
            0, ngettext("{side} has {count} stack, {levels}.", "{side} has {count} stacks, {levels}.", count)
        )
    return [text.format(side=scene.side(side), count=count, levels="; ".join(listed)) for text in wordings]


def _regions_clause(scene: Scene, side: Side | None) -> list[str]:
    """The regions that the side controls, by their values, or those that nobody controls."""
    position, ngettext = scene.position, scene.texts.ngettext
    assert isinstance(position, Hedu)
    regions = [region for region in position.regions() if region.owner is side]
    if not regions:
        return []
    count, board = len(regions), position.board
    if side is None:
        wordings = (
            ngettext("Nobody controls {count} region: {cells}.", "Nobody controls {count} regions: {cells}.", count),
            ngettext("Nobody controls {count} region.", "Nobody controls {count} regions.", count),
        )
        cells = format_cells(board, sum(region.cells for region in regions))
        return [text.format(count=count, cells=cells) for text in wordings]
    wordings = (
        ngettext("{side} controls {count} region, {worth}.", "{side} controls {count} regions, {worth}.", count),
        ngettext(
            "{side} controls {count} region, worth {value}.",
            "{side} controls {count} regions, worth {value} in all.",
            count,
        ),
    )
    worth = scene.texts.gettext("worth {value}: {cells}")
    values = {value: sum(region.cells for region in regions if region.value == value) for value in (3, 2, 1)}
    listed = [worth.format(value=value, cells=format_cells(board, cells)) for value, cells in values.items() if cells]
    value = sum(region.value for region in regions)
    return [text.format(side=scene.side(side), count=count, worth="; ".join(listed), value=value) for text in wordings]


def turn_changes(scene: Scene) -> Mapping[int, int]:
    """The change in height of each stack that the last turn lowered or raised, 0 if it did both equally."""
    changes: dict[int, int] = {}
    for event in scene.events:
        if isinstance(event, Reduced | Raised):
            changes[event.cell] = changes.get(event.cell, 0) + event.after - event.before
    return changes


def _levels(scene: Scene, kind: type[Reduced | Raised]) -> list[int]:
    """By how many levels the last turn lowered or raised the stacks of each side."""
    changes = [event for event in scene.events if isinstance(event, kind)]
    return [sum(event.amount for event in changes if event.side is side) for side in Side]


def _heights(scene: Scene) -> Mapping[int, list[int]]:
    """The heights that each stack had in the course of the last turn, by cell, if it changed its height."""
    heights: dict[int, list[int]] = {}
    for event in scene.events:
        if isinstance(event, Reduced | Raised):
            heights.setdefault(event.cell, [event.before]).append(event.after)
    return heights


def removed(scene: Scene) -> Mapping[int, Side]:
    """The cells whose stacks the last turn removed, each with the side that lost one."""
    return {event.cell: event.side for event in scene.events if isinstance(event, Reduced) and not event.after}


def _cell(theme: Theme, grid: Grid, fill: Colour) -> Canvas:
    """A canvas for :func:`cell_mask` with a cell whose middle is at 0, 0, and the edges of its neighbours."""
    width, height = cell_mask(grid).size
    canvas = Canvas(-width // 2, -height // 2, width, height, theme.tray)
    for direction in range(6):
        draw_cell(canvas, grid, grid.towards(direction), theme.cell)
    draw_cell(canvas, grid, (0, 0), fill)
    return canvas


@cached
def _empty(
    theme: Theme, grid: Grid, owner: Side | None, part: float, value: int | None, ghost: Side | None, change: int | None
) -> Image.Image:
    """An empty cell in its owner's tint, with the region's value, and the outline of a removed stack of ``ghost``."""
    fill, unit = tint(theme, owner, part), grid.step / 100
    canvas = _cell(theme, grid, fill)
    if ghost is not None:
        _draw_ghost(canvas, theme, unit, ghost)
    ink = theme.stones[Side.FIRST].body
    if owner is not None and part == SETTLED:
        ink = theme.stones[owner.other].body
    elif owner is not None and contrast(theme.stones[owner].body, fill) >= 2.5:
        ink = theme.stones[owner].body
    text: _Text | None = None
    if value is not None:
        size = 50 if part == SETTLED and ghost is None else 38
        text = ("=" if owner is None else str(value), ink, fill, size)
    return _written(canvas, theme, unit, text, _badge(theme, change))


@cached
def _stack(
    theme: Theme, grid: Grid, side: Side, height: int, friends: int, placed: bool, change: int | None
) -> Image.Image:
    """One cell with a stack, for :func:`cell_mask`.

    Bit ``i`` of ``friends`` says that a stack of the same group stands in direction ``i``; the tile holds the near half
    of the bridge to it.
    """
    canvas, unit = _cell(theme, grid, theme.fresh if placed else theme.cell), grid.step / 100
    ways = [grid.towards(direction) for direction in range(6) if friends >> direction & 1]
    _draw_stack(canvas, theme, unit, side, height, ways)
    text = (str(height), theme.stones[side.other].body, theme.stones[side].body, 44)
    return _written(canvas, theme, unit, text, _badge(theme, change))


@cached
def _icon(kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
    """A cell outside the board.

    It has a stack that is ``plain``, ``placed``, ``lowered`` or ``raised``, a ``prisoner`` that the side holds, or is
    a ``region`` that the side controls.
    """
    unit, wide = height / 100, math.ceil(height * 0.6)
    canvas = Canvas(-wide, -height // 2, 2 * wide, height, ground)
    cell = tint(theme, side, SETTLED) if kind == "region" else theme.fresh if kind == "placed" else theme.cell
    canvas.polygon(hexagon(height * 0.86), cell, 7 * unit)
    if kind == "prisoner":
        _draw_stack(canvas, theme, unit, side.other, 1, [])
        _draw_bars(canvas, unit, theme.stones[side].body)
    elif kind != "region":
        _draw_stack(canvas, theme, unit, side, 2 if kind == "plain" else 1, [])
    text = ("2", theme.stones[side.other].body, cell, 44) if kind == "region" else None
    badge = {"lowered": ("\N{MINUS SIGN}", theme.accent), "raised": ("+", theme.number)}.get(kind)
    return cut_out(_written(canvas, theme, unit, text, badge, 23), ground, theme)


def _badge(theme: Theme, change: int | None) -> _Badge | None:
    """The badge for a change in height."""
    if change is None:
        return None
    sign = f"{change:+}".replace("-", "\N{MINUS SIGN}") if change else "±0"
    return sign, theme.accent if change < 0 else theme.number


def _written(
    canvas: Canvas, theme: Theme, unit: float, text: _Text | None, badge: _Badge | None, radius: float = 16.5
) -> Image.Image:
    """The canvas with a text in its middle and, at its upper right, a badge of that radius in hundredths of a cell."""
    at = 18 * unit, (radius - 47.5) * unit
    if badge is not None:
        canvas.disc(at, (radius + 2) * unit, theme.background)
        canvas.disc(at, radius * unit, badge[1])
    image = canvas.done(theme)
    x, y = image.width / 2, image.height / 2
    if text is not None:
        written, ink, ground, size = text
        # The badge covers a corner of the stack, so the number moves aside.
        aside = 0 if badge is None else 2 * unit
        paste_tile(image, text_tile(written, round(size * unit), ink, ground, theme), (x - aside, y + aside))
    if badge is not None:
        sign, fill = badge
        size = radius * {1: 2.3, 2: 1.45}[len(sign)] * (0.88 if sign == "±0" else 1)
        paste_tile(image, text_tile(sign, round(size * unit), theme.background, fill, theme), (x + at[0], y + at[1]))
    return image


def _draw_stack(canvas: Canvas, theme: Theme, unit: float, side: Side, height: int, ways: Sequence[Point]) -> None:
    """A stack at 0, 0 with bridges along those ways; ``unit`` is a hundredth of a cell's height."""
    colours = theme.stones[side]
    radius = (_TOP + _LEVEL * (height - 1)) * unit
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


def _draw_bars(canvas: Canvas, unit: float, fill: Colour) -> None:
    for x, tall in ((-16, 34), (0, 40), (16, 34)):
        canvas.line([(x * unit, -tall * unit), (x * unit, tall * unit)], fill, 6 * unit)
