"""Nadraz's overlays: how long the snakes are, where they can grow and where they can be cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from render.canvas import Layer, Pen
from render.colours import Theme
from render.geometry import Geometry, Point, least_text
from render.scene import Scene
from render.signs import Mark, Overlay, Sign, dot, draw_signs, ring
from rules import PASS, Board, Phase, Side, bits
from rules.nadraz import Nadraz
from rules.text import gettext_noop


class _Run(NamedTuple):
    """A legal run: its first and last cell, and masks of the tips that it can grow from and of the stones it cuts."""

    first: int
    last: int
    tips: int
    cut: int


def lengths(scene: Scene[Nadraz], theme: Theme, layer: Layer, cell: int | None) -> set[Mark]:
    """The length of every snake, except eggs, in its middle. With a cell, only that of the snake there."""
    position, geometry = scene.position, scene.geometry
    size = max(46 * geometry.step / 100, scene.least_text)
    marks = set[Mark]()
    for side, stones in _snakes(scene, cell):
        if stones & (stones - 1) and (middle := _middle(geometry, stones, position.ends(side))) is not None:
            _draw_length(layer, theme, side, size, geometry.centres[middle], str(stones.bit_count()))
            marks.add(("length", Side.FIRST))
    return marks


def growth(scene: Scene[Nadraz], theme: Theme, layer: Layer, cell: int | None) -> set[Mark]:
    """A ring around each head, tail and egg that can grow now, and a dot where a legal run may start.

    With a cell, only for the snake there, even when it is not its turn, with smaller dots where its runs may end.
    """
    position = scene.position
    owner = None if cell is None else position.owner(cell)
    side = position.turn_of if owner is None else owner
    own = sum(stones for whose, stones in _snakes(scene, cell) if whose is side)
    runs = [run for run in _runs(position, side) if run.tips & own]
    starts = {run.first for run in runs}
    marks: dict[Mark, Collection[int]] = {
        ("grows", side): list(bits(_union(run.tips for run in runs) & own)),
        ("ends", side): {run.last for run in runs} - starts if owner is not None else (),
        ("starts", side): starts,
    }
    return draw_signs(_SIGNS, marks, scene, theme, layer)


def cuts(scene: Scene[Nadraz], theme: Theme, layer: Layer, cell: int | None) -> set[Mark]:
    """A cross on each stone that the other side could flip if it were to play. With a cell, only on the snake there."""
    position = scene.position
    snakes = _union(stones for _, stones in _snakes(scene, cell))
    cut = _union(run.cut for side in Side for run in _runs(position, side)) & snakes
    return draw_signs(_SIGNS, {("cut", Side.FIRST): list(bits(cut))}, scene, theme, layer)


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


def _snakes(scene: Scene[Nadraz], cell: int | None) -> Iterator[tuple[Side, int]]:
    """All snakes as masks, or only the one on the cell if there is one."""
    position = scene.position
    all_of_them = cell is None or position.owner(cell) is None
    for side in Side:
        for snake in position.snakes(side):
            if all_of_them or (cell is not None and snake.cells >> cell & 1):
                yield side, snake.cells


@lru_cache(maxsize=256)
def _middle(geometry: Geometry, stones: int, tips: int) -> int | None:
    """The shown stone nearest to the middle of those shown, preferably not a tip; None if none is shown."""
    shown = [cell for cell in geometry.cells if stones >> cell & 1]
    return geometry.middlemost(shown, [cell for cell in shown if not tips >> cell & 1]) if shown else None


@lru_cache(maxsize=16)
def _runs(position: Nadraz, side: Side) -> tuple[_Run, ...]:
    """The legal runs of a side, as if it were to play; none before the first turn and after the last."""
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
            runs.append(_run(board, position.named(first), position.named(last or first), tips, enemy))
    return tuple(runs)


def _run(board: Board, first: int, last: int, tips: int, enemy: int) -> _Run:
    for direction, ray in enumerate(board.rays[first]):
        if last in ray:
            cells = 1 << first | sum(1 << cell for cell in ray[: ray.index(last)])
            if cells & enemy:
                # A run that cuts continues straight from the tip just before it.
                return _Run(first, last, 1 << first - board.directions[direction] & tips, cells & enemy)
    return _Run(first, last, board.neighbours[first] & tips, 0)


def _union(masks: Iterator[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


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
        lengths,
        _SIGNS,
    ),
    Overlay(
        "growth",
        gettext_noop("where snakes can grow"),
        gettext_noop(
            "A ring marks a head, tail or egg that can grow now, and a dot a cell where a legal run can begin."
        ),
        growth,
        _SIGNS,
    ),
    Overlay(
        "cuts",
        gettext_noop("stones that can be cut"),
        gettext_noop("A cross marks a stone that the other side could flip if it were to play."),
        cuts,
        _SIGNS,
    ),
)
