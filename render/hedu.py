"""Hedu: stacks as terraced discs, seen from above, with their heights, and the ground that each side controls."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from PIL import Image

from render import sprites, words
from render.face import Face
from render.layout import Grid, Layout, Point, hexagon
from render.look import Scene, later
from render.sprites import Canvas, Tile
from render.theme import Colour, Stone, Theme, blend, colour
from rules import Hedu, Placed, Raised, Reduced, Side, bits

#: How much of its owner's colour a region's cells have: in a game and when it is over.
HINT, SETTLED = 0.16, 0.5
#: The radius of the top of a stack, and how much wider each level below it is, in hundredths of a cell.
_TOP, _LEVEL = 28.5, 7.5


def tint(theme: Theme, owner: Side | None, part: float) -> Colour:
    """The colour of a cell in a region of that owner."""
    return theme.cell if owner is None else blend(theme.cell, theme.stones[owner].body, part)


def _with_tints(theme: Theme) -> Theme:
    mixes = []
    for side in Side:
        hint, settled = (tint(theme, side, part) for part in (HINT, SETTLED))
        ink = theme.stones[side.other].body
        mixes += [(hint, theme.stones[side].body), (settled, theme.tray), (settled, ink), (settled, theme.panel)]
    return dataclasses.replace(theme, mixes=tuple(mixes))


#: The face of the game, and its other schemes.
THEMES = {
    "dark": _with_tints(
        Theme(
            panel=colour("2a2436"),
            raised=colour("423a55"),
            tray=colour("564c66"),
            cell=colour("877c99"),
            fresh=colour("f0dca0"),
            text=colour("f6f1fa"),
            letter=colour("e2c6a0"),
            number=colour("a9d6c9"),
            tick=colour("5d5371"),
            warm=colour("ffab2e"),
            stones=(
                Stone(body=colour("120e19"), edge=colour("120e19"), vein=colour("8c82a0")),
                Stone(body=colour("fbf7f0"), edge=colour("2b2338"), vein=colour("7d7289")),
            ),
        )
    ),
    "light": _with_tints(
        Theme(
            panel=colour("f3f0f6"),
            raised=colour("e0d8ea"),
            tray=colour("9a8fab"),
            cell=colour("bfb5cd"),
            fresh=colour("fbe7a6"),
            text=colour("2a2436"),
            letter=colour("6a4a1e"),
            number=colour("1d6255"),
            tick=colour("bdb4c9"),
            warm=colour("c83e0c"),
            stones=(
                Stone(body=colour("16111f"), edge=colour("16111f"), vein=colour("8c82a0")),
                Stone(body=colour("ffffff"), edge=colour("2b2338"), vein=colour("7d7289")),
            ),
        )
    ),
    "contrast": _with_tints(
        Theme(
            panel=colour("000000"),
            raised=colour("262626"),
            tray=colour("3a3a3a"),
            cell=colour("7d7d7d"),
            fresh=colour("ffe14d"),
            text=colour("ffffff"),
            letter=colour("ffe14d"),
            number=colour("ffffff"),
            tick=colour("8a8a8a"),
            warm=colour("ffb000"),
            stones=(
                Stone(body=colour("000000"), edge=colour("000000"), vein=colour("a0a0a0")),
                Stone(body=colour("ffffff"), edge=colour("000000"), vein=colour("6a6a6a")),
            ),
        )
    ),
    "safe": _with_tints(
        Theme(
            panel=colour("1d2433"),
            raised=colour("2e3a52"),
            tray=colour("5b6272"),
            cell=colour("8b93a3"),
            fresh=colour("eef1f5"),
            text=colour("f5f6f8"),
            letter=colour("f3c86a"),
            number=colour("b9c4d8"),
            tick=colour("4d586e"),
            warm=colour("f2e11c"),
            stones=(
                Stone(body=colour("06305c"), edge=colour("06305c"), vein=colour("5c9ad6")),
                Stone(body=colour("ffcf7d"), edge=colour("5a3700"), vein=colour("a86a10")),
            ),
        )
    ),
}


class HeduFace(Face):
    themes = THEMES
    legend = (("prisoner", later("prisoner")), ("region", later("territory")))

    def draw(self, image: Image.Image, scene: Scene, theme: Theme) -> None:
        position, place = scene.position, scene.place
        assert isinstance(position, Hedu)
        grid, near, shown = place.grid, place.neighbours, sum(1 << cell for cell in place.cells)
        placed = next((event.cell for event in scene.events if isinstance(event, Placed)), None)
        changes, ghosts = turn_changes(scene), removed(scene)
        mask = sprites.cell_mask(grid)
        left, up = mask.width // 2, mask.height // 2
        for region in position.regions():
            numbered = anchor(place, region.cells & shown, sum(1 << cell for cell in ghosts))
            part = SETTLED if position.outcome is not None else HINT
            if part == HINT and 3 * region.cells.bit_count() > len(position.board.cells):
                part = 0  # most of the board is open country, and would change its colour again and again
            for cell in bits(region.cells & shown):
                value = region.value if cell == numbered else None
                if value is None and cell not in ghosts and (region.owner is None or not part):
                    continue
                tile = _empty(theme, grid, region.owner, part, value, ghosts.get(cell), changes.get(cell))
                x, y = place.centres[cell]
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
                    x, y = place.centres[cell]
                    image.paste(tile, (x - left, y - up), mask)

    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        return _icon(kind, side, height, ground, theme)

    def counts(self, scene: Scene, side: Side) -> Sequence[tuple[str, str]]:
        position = scene.position
        assert isinstance(position, Hedu)
        return [
            ("prisoner", str(position.prisoners[side])),
            ("region", str(sum(region.value for region in position.regions() if region.owner is side))),
        ]

    def clauses(self, scene: Scene) -> list[list[str]]:
        return []


def turn_changes(scene: Scene) -> Mapping[int, int]:
    """By how much the last turn changed the height of each stack whose height it touched; 0: it sank and rose again."""
    changes: dict[int, int] = {}
    for event in scene.events:
        if isinstance(event, Reduced | Raised):
            changes[event.cell] = changes.get(event.cell, 0) + event.after - event.before
    return changes


def removed(scene: Scene) -> Mapping[int, Side]:
    """The cells that stacks left in the last turn, each with the side that lost it."""
    return {event.cell: event.side for event in scene.events if isinstance(event, Reduced) and not event.after}


def anchor(place: Layout, cells: int, avoided: int = 0) -> int | None:
    """The cell of a region where its value stands: deep inside it and, if possible, none of the ``avoided`` ones."""
    core = cells & ~avoided or cells
    if not core:
        return None
    on, inside = place.board, _inside(place)
    while inner := core & inside & ~on.spread(on.mask & ~core):
        core = inner
    at = [place.centres[cell] for cell in bits(core)]
    x, y = (sum(part) / len(at) for part in zip(*at, strict=True))
    return min(bits(core), key=lambda cell: math.hypot(place.centres[cell][0] - x, place.centres[cell][1] - y))


@lru_cache(maxsize=64)
def _inside(place: Layout) -> int:
    """The mask of the cells that are not on the edge of the board."""
    return sum(1 << cell for cell in place.board.cells if None not in place.neighbours[cell])


def _cell(theme: Theme, grid: Grid, fill: Colour) -> Canvas:
    """A canvas for :func:`sprites.cell_mask` with one cell, its middle at 0, 0, and what its neighbours show of theirs."""
    width, height = sprites.cell_mask(grid).size
    canvas = Canvas(-width // 2, -height // 2, width, height, theme.tray)
    for direction in range(6):
        sprites.draw_cell(canvas, grid, grid.towards(direction), theme.cell)
    sprites.draw_cell(canvas, grid, (0, 0), fill)
    return canvas


@lru_cache(maxsize=1024)
def _empty(
    theme: Theme, grid: Grid, owner: Side | None, part: float, value: int | None, ghost: Side | None, change: int | None
) -> Image.Image:
    """An empty cell in its owner's tint, with the region's value, and the ghost of a stack of side ``ghost``."""
    fill, unit, over = tint(theme, owner, part), grid.step / 100, part == SETTLED
    canvas = _cell(theme, grid, fill)
    if ghost is not None:
        _draw_ghost(canvas, theme, unit, ghost)
    ink = theme.tray if owner is None else theme.stones[owner.other if over else owner].body
    text = None if value is None else (str(value), ink, fill, 50 if over and ghost is None else 34)
    return _written(canvas, theme, unit, text, change)


@lru_cache(maxsize=4096)
def _stack(
    theme: Theme, grid: Grid, side: Side, height: int, friends: int, placed: bool, change: int | None
) -> Image.Image:
    """One cell with a stack, for :func:`sprites.cell_mask`.

    Bit ``i`` of ``friends`` says that a stack of the same group stands in direction ``i``; the tile holds the near half
    of the bridge to it.
    """
    canvas, unit = _cell(theme, grid, theme.fresh if placed else theme.cell), grid.step / 100
    ways = [grid.towards(direction) for direction in range(6) if friends >> direction & 1]
    _draw_stack(canvas, theme, unit, side, height, ways)
    text = (str(height), theme.stones[side.other].body, theme.stones[side].body, 44)
    return _written(canvas, theme, unit, text, change)


@lru_cache(maxsize=512)
def _icon(kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
    """A cell outside the board: a stack that is ``plain``, ``placed``, ``lowered`` or ``raised``, or else a ``prisoner``
    that the side holds or a cell of a ``region`` that it controls."""
    unit, wide = height / 100, math.ceil(height * 0.6)
    canvas = Canvas(-wide, -height // 2, 2 * wide, height, ground)
    cell = tint(theme, side, SETTLED) if kind == "region" else theme.fresh if kind == "placed" else theme.cell
    canvas.polygon(hexagon(height * 0.86), cell, 7 * unit)
    if kind == "prisoner":
        _draw_stack(canvas, theme, unit, side.other, 1, [])
        _draw_bars(canvas, theme, unit, side.other)
    elif kind != "region":
        _draw_stack(canvas, theme, unit, side, 2 if kind == "plain" else 1, [])
    change = {"lowered": -1, "raised": 1}.get(kind)
    return sprites.cut_out(_written(canvas, theme, unit, None, change), ground, theme)


def _written(
    canvas: Canvas,
    theme: Theme,
    unit: float,
    text: tuple[str, Colour, Colour, float] | None,
    change: int | None,
) -> Image.Image:
    """The canvas with a text in its middle (words, colour, ground, size in units) and a badge of the height's change."""
    at = 19 * unit, -33 * unit
    badge = theme.warm if change is not None and change < 0 else theme.number
    if change is not None:
        canvas.disc(at, 19 * unit, theme.panel)
        canvas.disc(at, 16.5 * unit, badge)
    image = canvas.done(theme)
    x, y = image.width / 2, image.height / 2
    if text is not None:
        written, ink, ground, size = text
        # The badge covers a corner of a stack, so the number makes room for it.
        aside = 0 if change is None else 2 * unit
        sprites.paste(image, sprites.text(written, round(size * unit), ink, ground, theme), (x - aside, y + aside))
    if change is not None:
        sign, size = (f"{change:+}".replace("-", "\N{MINUS SIGN}"), 24) if change else ("±0", 21)
        sprites.paste(image, sprites.text(sign, round(size * unit), theme.panel, badge, theme), (x + at[0], y + at[1]))
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
    """The dotted outline of a stack that left."""
    for grow, fill in ((2, theme.stones[side].edge), (0, theme.stones[side].body)):
        for i in range(12):
            angle = math.pi * i / 6
            canvas.disc((_TOP * unit * math.cos(angle), _TOP * unit * math.sin(angle)), (4 + grow) * unit, fill)


def _draw_bars(canvas: Canvas, theme: Theme, unit: float, side: Side) -> None:
    for x in (-14, 0, 14):
        tall = 42 if x == 0 else 36
        canvas.line([(x * unit, -tall * unit), (x * unit, tall * unit)], theme.warm, 5 * unit)
