"""Dalen: trees of dark and light stones, with leaves at the ends of their branches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache

from PIL import Image

from render import panel, sprites, words
from render.layout import DIRECTIONS, Layout, Point, hexagon, layout
from render.sprites import Canvas, Tile
from render.theme import LEAVES, Colour
from render.words import Ending
from rules import Board, Dalen, Event, Flipped, Placed, Side, bits

THEME = LEAVES


def paint(position: Dalen, events: Sequence[Event], ended: Ending | None) -> Image.Image:
    """The picture, mode P."""
    place = layout(position.ruleset.size)
    image = sprites.empty_board(THEME, place).copy()
    placed = next((event.cell for event in events if isinstance(event, Placed)), None)
    flipped = {cell for event in events if isinstance(event, Flipped) for cell in event.cells}
    mask, near = sprites.cell_mask(place), _neighbours(position.board)
    for side in Side:
        stones, stagnant = position.stones(side), position.stagnant(side)
        for cell in bits(stones):
            friends = sum(1 << i for i, other in enumerate(near[cell]) if other is not None and stones >> other & 1)
            tile = _stone(place, side, friends, bool(stagnant >> cell & 1), cell == placed, cell in flipped)
            x, y = place.centre(cell)
            image.paste(tile, (x - mask.width // 2, y - mask.height // 2), mask)
    panel.sides(image, THEME, position, ended, [str(position.stones(side).bit_count()) for side in Side], _icon)
    panel.last_turn(image, THEME, position, events, _icon)
    panel.legend(image, THEME, ("leaf", "stagnant"), _icon)
    return image


@cache
def _neighbours(board: Board) -> dict[int, list[int | None]]:
    """For each cell its neighbours in the six directions, None beyond the edge."""
    at = {(board.column(cell), board.row(cell)): cell for cell in board.cells}
    return {cell: [at.get((x + dx, y + dy)) for dx, dy in DIRECTIONS] for (x, y), cell in at.items()}


@cache
def _stone(place: Layout, side: Side, friends: int, stagnant: bool, placed: bool, flipped: bool) -> Image.Image:
    """One cell with a stone, for :func:`sprites.cell_mask`.

    Bit ``i`` of ``friends`` says that a friend stands in direction ``i``. The tile holds the near half of the branches
    to the friends; theirs hold the other halves.
    """
    width, height = sprites.cell_mask(place).size
    canvas = Canvas(-width // 2, -height // 2, width, height, THEME.tray)
    for direction in range(6):
        sprites.draw_cell(canvas, place, place.towards(direction), THEME.cell)
    sprites.draw_cell(canvas, place, (0, 0), THEME.fresh if placed else THEME.cell)
    ways = [place.towards(direction) if friends >> direction & 1 else None for direction in range(6)]
    _draw_stone(canvas, place.step / 100, side, ways, stagnant, placed, flipped)
    return canvas.done(THEME)


@lru_cache(maxsize=256)
def _icon(kind: str, side: Side, height: int, ground: Colour) -> Tile:
    """A cell outside the board; its stone is ``plain``, a ``leaf``, ``stagnant``, ``placed`` or ``flipped``."""
    unit, wide = height / 100, math.ceil(height * 0.6)
    canvas = Canvas(-wide, -height // 2, 2 * wide, height, ground)
    canvas.polygon(hexagon(height * 0.86), THEME.fresh if kind == "placed" else THEME.cell, 7 * unit)
    ways: list[Point | None] = [(0, height) if kind == "leaf" else None]
    _draw_stone(canvas, unit, side, ways, kind == "stagnant", kind == "placed", kind == "flipped")
    return sprites.cut_out(canvas.done(THEME), ground, THEME)


def _draw_stone(
    canvas: Canvas,
    unit: float,
    side: Side,
    ways: Sequence[Point | None],
    stagnant: bool,
    placed: bool,
    flipped: bool,
) -> None:
    """A stone at 0, 0, with branches along those ways that are not None; ``unit`` is a hundredth of a cell's height."""
    colours, other = THEME.stones[side], THEME.stones[side.other]
    friends = [way for way in ways if way is not None]
    leaf = friends[0] if len(friends) == 1 else None
    shapes = [_leaf(leaf, unit) if leaf else _circle(34 * unit)]
    shapes += [_branch(way, unit) for way in friends]
    shapes += [[(0, 0), one, two] for one, two in zip(ways, [*ways[1:], ways[0]], strict=True) if one and two]
    rims: list[tuple[float, Colour]] = [(11, colours.edge), (9.8, THEME.warm)] if stagnant else []
    for grow, fill in [*rims, (3, colours.edge), (0, colours.body)]:
        for shape in shapes:
            canvas.polygon(shape, fill, grow * unit)
    lines = [[(0, 0), way] for way in friends]
    if leaf and not (placed or flipped):
        lines += _veins(leaf, unit)
    for line in lines:
        canvas.line(line, colours.vein, 3 * unit)
    # Besides their lightness, rings on one side's stones and dots on the other's tell the sides apart.
    if not leaf and side is Side.FIRST:
        canvas.disc((0, 0), 20 * unit, colours.body)
        canvas.ring((0, 0), 20 * unit, colours.vein, 3 * unit)
    elif not leaf:
        canvas.disc((0, 0), 8 * unit, colours.vein)
    if placed:
        canvas.disc((0, 0), 24 * unit, colours.body)
        canvas.ring((0, 0), 18.5 * unit, THEME.text if side is Side.FIRST else other.body, 6.5 * unit)
        canvas.disc((0, 0), 15 * unit, colours.body)
    if flipped:
        canvas.disc((0, 0), 14 * unit, other.edge)
        canvas.disc((0, 0), 11.5 * unit, other.body)


def _circle(radius: float) -> list[Point]:
    return [(radius * math.cos(i * math.pi / 48), radius * math.sin(i * math.pi / 48)) for i in range(96)]


def _along(way: Point, unit: float, points: Sequence[Point]) -> list[Point]:
    """Points given as distances along the way and to its right, in units, as pixels."""
    length = math.hypot(*way)
    x, y = way[0] / length * unit, way[1] / length * unit
    return [(x * ahead - y * aside, y * ahead + x * aside) for ahead, aside in points]


def _both_sides(right: list[Point]) -> list[Point]:
    return right + [(ahead, -aside) for ahead, aside in reversed(right)]


def _branch(way: Point, unit: float) -> list[Point]:
    """From the middle of a stone to the middle of its friend, slimmest halfway."""
    length = math.hypot(*way) / unit
    right = [(length * i / 24, 9 + 14 * (i / 12 - 1) ** 2) for i in range(25)]
    return _along(way, unit, _both_sides(right))


def _leaf(stem: Point, unit: float) -> list[Point]:
    """A leaf whose stem points along ``stem`` and whose tip points the other way."""
    right = []
    for i in range(41):
        t = i / 40
        right.append((34 - 72 * t, 49 * math.sin(math.pi * t**0.85) * (1 - 0.45 * t)))
    return _along(stem, unit, _both_sides(right))


def _veins(stem: Point, unit: float) -> list[list[Point]]:
    lines: list[list[Point]] = [[(34, 0), (-27, 0)]]
    for root, reach in ((16, 15), (1, 16), (-14, 10)):
        lines += [[(root, 0), (root - 0.8 * reach, reach)], [(root, 0), (root - 0.8 * reach, -reach)]]
    return [_along(stem, unit, line) for line in lines]


def describe(position: Dalen, events: Sequence[Event], ended: Ending | None) -> str:
    """The position in words."""
    return words.fit(
        [
            [words.heading(position, ended)],
            words.last_turn(position, events),
            *([words.stones(position, side)] for side in Side),
            words.listed(position, "Stones of stagnant trees", position.stagnant),
            words.listed(position, "Leaves", position.leaves),
        ]
    )
