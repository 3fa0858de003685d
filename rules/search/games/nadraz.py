"""Nadraz: who stands better."""

from __future__ import annotations

import sys
from random import Random

from rules import PASS, Side
from rules.board import bits
from rules.nadraz import Nadraz
from rules.nadraz.snakes import leading
from rules.search.knowledge import Evaluation, Knowledge, Reason, Words, tempo
from rules.search.moment import Moment
from rules.search.tree import Tuning
from rules.text import ngettext_noop


class Run(Moment):
    """A position of Nadraz, whose random runs are drawn without listing all runs."""

    __slots__ = ()
    position: Nadraz

    def after(self, option: str) -> Moment:
        return Run(self.position.after(option))

    def at_random(self, chance: Random) -> tuple[str, Moment]:
        names = self._draw_runs(chance, 1)
        run = names[int(chance.random() * len(names))]
        return run, self.after(run)

    def some_at_random(self, chance: Random) -> list[str]:
        return self._draw_runs(chance, 3)

    def _draw_runs(self, chance: Random, cells: int) -> list[str]:
        """The runs from ``cells`` random cells, or from all if there are fewer; the pass if there is no run."""
        runs, found = self.position.runs(), list[str]()
        origins = list(bits(runs.origins))
        while origins and cells:
            if names := runs.from_origin(origins.pop(int(chance.random() * len(origins)))):
                found += names
                cells -= 1
        return found or [PASS]


def terms(position: Nadraz) -> tuple[float, ...]:
    inner = position.empty & ~position.board.edge
    found = []
    for side in Side:
        exposed = _exposed(position, side)
        snakes = sorted(
            [(snake.cells.bit_count(), (snake.front & inner).bit_count()) for snake in position.snakes(side)],
            reverse=True,
        )
        lengths = [length for length, _ in snakes]
        growing = [length for length, room in snakes if room]
        first, second, third, *_ = *lengths, 0, 0
        found.append(
            (
                first / 8,
                second / 8,
                third / 8,
                lengths[-1] / 4,
                (lengths[-2] if len(lengths) > 1 else 0) / 4,
                sum(lengths) / 16,
                len(lengths) / 4,
                lengths.count(1) / 2,
                snakes[0][1] / 4,
                (snakes[1][1] if len(snakes) > 1 else 0) / 4,
                sum([room for _, room in snakes]) / 16,
                (growing[0] if growing else 0) / 8,
                sum(growing[:2]) / 8,
                (len(lengths) - len(growing)) / 4,
                exposed.bit_count() / 8,
                sum([(s.cells & exposed).bit_count() for s in position.snakes(side) if s.length == first]) / 8,
            )
        )
    leader, (own, enemy) = position.leader(), found
    return (
        tempo(position),
        0.0 if leader is None else -1.0 if leader else 1.0,
        *[mine - theirs for mine, theirs in zip(own, enemy, strict=True)],
    )


def _exposed(position: Nadraz, side: Side) -> int:
    """The side's stones that an enemy tip sees across empty cells and other such stones, with an empty cell behind.

    That is where a run could cut the side's snakes, if the rest of the rules allowed it.
    """
    empty, tips, enemy_tips = position.empty, 0, 0
    for snake in position.snakes(side):
        tips |= snake.tips
    for snake in position.snakes(side.other):
        enemy_tips |= snake.tips
    inner = position.stones(side) & ~tips
    exposed = 0
    for offset in position.board.directions:
        if cut := leading(empty, inner, offset):
            exposed |= cut & leading(enemy_tips, empty | inner, -offset)
    return exposed


def _open_cells(position: Nadraz, side: Side) -> int:
    """The empty cells, but for the edge, beside the heads, tails and eggs of the side's snakes."""
    inner, cells = position.empty & ~position.board.edge, 0
    for snake in position.snakes(side):
        cells |= snake.front & inner
    return cells.bit_count()


def _blocked(position: Nadraz, side: Side) -> int:
    inner = position.empty & ~position.board.edge
    return sum([not snake.front & inner for snake in position.snakes(side)])


#: Each term's fitted weights, on an empty and on a full board.
_STANDARD = {
    "tempo": (-0.194, 0.486),
    "leader": (-0.725, 1.405),
    "longest": (-0.616, 1.812),
    "second longest": (0.168, -0.023),
    "third longest": (0.776, -0.862),
    "shortest": (0.116, -0.189),
    "second shortest": (0.005, -0.032),
    "stones": (-0.646, 0.084),
    "snakes": (0.245, -0.268),
    "eggs": (0.212, 0.126),
    "open cells at the longest": (-0.034, 0.103),
    "open cells at the second longest": (-0.193, 0.305),
    "open cells": (-0.08, 1.533),
    "longest that still grow": (0.407, -0.268),
    "best merge": (-0.028, -0.351),
    "blocked snakes": (-1.537, -1.72),
    "exposed stones": (-0.055, -1.424),
    "exposed stones of the longest": (-0.58, 1.074),
}

_REVERSE = {
    "tempo": (-0.469, 0.481),
    "leader": (-0.407, 1.918),
    "longest": (0.154, -0.728),
    "second longest": (-0.317, -0.142),
    "third longest": (-0.167, 0.318),
    "shortest": (-0.513, 0.497),
    "second shortest": (-0.729, 0.738),
    "stones": (-0.214, -0.237),
    "snakes": (0.048, -0.308),
    "eggs": (0.385, -1.348),
    "open cells at the longest": (-0.352, 0.836),
    "open cells at the second longest": (0.42, 0.49),
    "open cells": (0.319, 0.749),
    "longest that still grow": (0.649, 0.075),
    "best merge": (-0.322, -0.436),
    "blocked snakes": (-1.16, -1.843),
    "exposed stones": (-0.318, -1.174),
    "exposed stones of the longest": (0.367, -0.847),
}

_REASONS = (
    Reason[Nadraz](
        ("leader",),
        lambda position, side: int(position.leader() is side),
        Words(
            ngettext_noop("It gives you the lead.", "It gives you the lead."),
            ngettext_noop("It gives {side} the lead.", "It gives {side} the lead."),
        ),
        Words(ngettext_noop("It takes the lead from {other}.", "It takes the lead from {other}.")),
    ),
    Reason[Nadraz](
        ("longest",),
        lambda position, side: max([snake.length for snake in position.snakes(side)]),
        Words(
            ngettext_noop("Your longest snake grows by {count}.", "Your longest snake grows by {count}."),
            ngettext_noop("{side}'s longest snake grows by {count}.", "{side}'s longest snake grows by {count}."),
        ),
        Words(
            ngettext_noop(
                "{other}'s longest snake becomes {count} shorter.", "{other}'s longest snake becomes {count} shorter."
            )
        ),
    ),
    Reason(
        ("open cells",),
        _open_cells,
        Words(
            ngettext_noop("Your snakes can grow on {count} more cell.", "Your snakes can grow on {count} more cells."),
            ngettext_noop(
                "{side}'s snakes can grow on {count} more cell.", "{side}'s snakes can grow on {count} more cells."
            ),
        ),
        Words(
            ngettext_noop(
                "{other}'s snakes can grow on {count} cell fewer.", "{other}'s snakes can grow on {count} cells fewer."
            )
        ),
        remainder=Words(
            ngettext_noop(
                "Your snakes keep {count} more cell to grow on.", "Your snakes keep {count} more cells to grow on."
            ),
            ngettext_noop(
                "{side}'s snakes keep {count} more cell to grow on.",
                "{side}'s snakes keep {count} more cells to grow on.",
            ),
        ),
    ),
    Reason(
        ("blocked snakes",),
        _blocked,
        Words(
            ngettext_noop("{count} of your snakes can grow again.", "{count} of your snakes can grow again."),
            ngettext_noop("{count} of {side}'s snakes can grow again.", "{count} of {side}'s snakes can grow again."),
        ),
        Words(ngettext_noop("It blocks {count} of {other}'s snakes.", "It blocks {count} of {other}'s snakes.")),
        fewer=True,
    ),
    Reason[Nadraz](
        ("exposed stones",),
        lambda position, side: _exposed(position, side).bit_count(),
        Words(
            ngettext_noop(
                "{other}'s runs threaten to cut {count} fewer of your stones.",
                "{other}'s runs threaten to cut {count} fewer of your stones.",
            ),
            ngettext_noop(
                "{other}'s runs threaten to cut {count} fewer of {side}'s stones.",
                "{other}'s runs threaten to cut {count} fewer of {side}'s stones.",
            ),
        ),
        Words(
            ngettext_noop(
                "Your runs threaten to cut {count} more of {other}'s stones.",
                "Your runs threaten to cut {count} more of {other}'s stones.",
            ),
            ngettext_noop(
                "{side}'s runs threaten to cut {count} more of {other}'s stones.",
                "{side}'s runs threaten to cut {count} more of {other}'s stones.",
            ),
        ),
        fewer=True,
    ),
)

_OWN_TURNS = Tuning(explore=0.15, sharpness=3.0, playouts=1.0, patience=sys.maxsize)

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD, "reverse": _REVERSE}),
    # Games are decided by merges some turns ahead, which random games see and the terms do not.
    Tuning(explore=0.15, sharpness=3.0, playouts=0.5, learning=True, horizon=24),
    moment=Run,
    simulations={6: 13000, 7: 8000, 8: 5600, 9: 4600, 10: 3300, 14: 2300},
    hope=1.2,
    # The second level has simulations of its own.
    ratios=(10, 10, 1),
    # On large boards short searches find little.
    least={10: 105, 12: 155, 14: 212},
    slack=0.4,
    contrary=100,
    # It tries out only its own turns, so it loses less often to a random player, and more often to a thinking one.
    second={"standard": (_OWN_TURNS, 40), "reverse": (_OWN_TURNS, 27)},
    reasons=_REASONS,
)
