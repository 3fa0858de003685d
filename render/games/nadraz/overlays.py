"""Nadraz's overlays: the lengths of snakes, where they can grow, and where they can be cut."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

from render.cache import remembered
from render.canvas import Pen
from render.colours import Theme
from render.geometry import Geometry, Point, least_text
from render.signs import Drawing, Overlay, Sign, dot, ring
from rules import PASS, Board, Phase, Side, bits
from rules.nadraz import Nadraz
from rules.text import gettext_noop


class _RunEffect(NamedTuple):
    """A legal run: its first and last cell, and masks of the tips from which it can grow and of the stones it cuts."""

    first: int
    last: int
    tips: int
    cut: int


def _lengths(drawing: Drawing[Nadraz]) -> None:
    """The length of every snake except eggs, in its middle; with a cell, only of the snake there."""
    scene = drawing.scene
    size = max(46 * drawing.unit, scene.least_text)
    for side, stones in _snakes(drawing):
        middle = _middle(scene.geometry, stones, scene.position.ends(side))
        if stones & (stones - 1) and middle is not None:
            at, length = scene.geometry.centres[middle], str(stones.bit_count())
            _draw_length(drawing.layer, scene.theme, side, size, at, length)
            drawing.explain("length")


def _growth(drawing: Drawing[Nadraz]) -> None:
    """A ring around each head, tail and egg that can grow now, and a dot where a legal run can begin.

    With a cell, only for the snake there, even out of turn, with smaller dots where its runs can end.
    """
    position, cell = drawing.scene.position, drawing.cell
    owner = None if cell is None else position.owner(cell)
    side = position.turn_of if owner is None else owner
    own = sum(stones for whose, stones in _snakes(drawing) if whose is side)
    runs = [run for run in _runs(position, side) if run.tips & own]
    starts = {run.first for run in runs}
    drawing.mark("grows", bits(reduce(or_, (run.tips for run in runs), 0) & own), side)
    if owner is not None:
        drawing.mark("ends", {run.last for run in runs} - starts, side)
    drawing.mark("starts", starts, side)


def _cuts(drawing: Drawing[Nadraz]) -> None:
    """A cross on each stone that the other side could flip on its turn; with a cell, only on the snake there."""
    snakes = sum(stones for _, stones in _snakes(drawing))
    cuts = (run.cut for side in Side for run in _runs(drawing.scene.position, side))
    drawing.mark("cut", bits(reduce(or_, cuts, 0) & snakes))


def _draw_length(pen: Pen, theme: Theme, side: Side, size: float, at: Point, length: str) -> None:
    skin = theme.stones[side]
    radius = size * (0.68 if len(length) < 3 else 0.9)
    pen.disc(at, radius + 0.08 * size, skin.body)
    pen.disc(at, radius, skin.vein)
    pen.text(length, at, size, skin.body)


def _draw_cross(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    x, y = at
    reach = max(17 * unit, 9)
    for width, ink in ((0.9 * reach, theme.background), (0.5 * reach, theme.accent)):
        for down in (reach, -reach):
            pen.line([(x - reach, y - down), (x + reach, y + down)], ink, width)


def _snakes(drawing: Drawing[Nadraz]) -> Iterator[tuple[Side, int]]:
    """All snakes as masks, or only the snake on the chosen cell."""
    position, cell = drawing.scene.position, drawing.cell
    chosen = position.board.mask if cell is None or position.owner(cell) is None else 1 << cell
    for side in Side:
        yield from ((side, snake.cells) for snake in position.snakes(side) if snake.cells & chosen)


@remembered(256)
def _middle(geometry: Geometry, stones: int, tips: int) -> int | None:
    """The stone nearest to the middle of the snake's part in the picture, preferably no tip; None without one."""
    shown = [cell for cell in geometry.cells if stones >> cell & 1]
    return geometry.middlemost(shown, [cell for cell in shown if not tips >> cell & 1]) if shown else None


@remembered(16)
def _runs(position: Nadraz, side: Side) -> tuple[_RunEffect, ...]:
    """The legal runs of a side, even out of turn; none before the first turn and after the last."""
    if position.phase is not Phase.PLAY:
        return ()
    if position.turn_of is not side:
        position = position.changed(turn_of=side)
    board, enemy = position.board, position.stones(side.other)
    tips = position.ends(side) | position.eggs(side)
    runs = []
    for turn in position.legal_turns:
        if turn != PASS:
            first, _, last = turn.partition("-")
            runs.append(_run(board, position.cell_named(first), position.cell_named(last or first), tips, enemy))
    return tuple(runs)


def _run(board: Board, first: int, last: int, tips: int, enemy: int) -> _RunEffect:
    for direction, ray in enumerate(board.rays[first]):
        if last in ray:
            cells = 1 << first | sum(1 << cell for cell in ray[: ray.index(last)])
            if cells & enemy:
                # A run that cuts continues straight from the tip just before it.
                return _RunEffect(first, last, 1 << first - board.directions[direction] & tips, cells & enemy)
    return _RunEffect(first, last, board.neighbours[first] & tips, 0)


_SIGNS = {
    "length": Sign(
        gettext_noop("length of the snake"),
        lambda pen, theme, side, unit, at: _draw_length(pen, theme, side, least_text(), at, "9"),
        width=124,
    ),
    "grows": Sign(gettext_noop("can grow"), ring(41, 14, 8)),
    "starts": Sign(gettext_noop("a run can begin"), dot(17)),
    "ends": Sign(gettext_noop("it can end"), dot(9)),
    "cut": Sign(gettext_noop("can be flipped"), _draw_cross),
}
OVERLAYS = (
    Overlay(
        "lengths",
        gettext_noop("lengths of the snakes"),
        gettext_noop("The number on a snake is its length. Eggs have none."),
        _lengths,
        _SIGNS,
        of_cell=True,
    ),
    Overlay(
        "growth",
        gettext_noop("where snakes can grow"),
        gettext_noop(
            "A ring marks a head, tail or egg that can grow now, and a dot a cell where a legal run can begin."
        ),
        _growth,
        _SIGNS,
        of_cell=True,
    ),
    Overlay(
        "cuts",
        gettext_noop("stones that can be cut"),
        gettext_noop("A cross marks a stone that the other side could flip if it were to play."),
        _cuts,
        _SIGNS,
        of_cell=True,
    ),
)
