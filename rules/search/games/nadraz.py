"""Nadraz: who stands better."""

from __future__ import annotations

from rules import Nadraz, Position, Side
from rules.search.knowledge import Evaluation, Knowledge, tempo
from rules.search.tree import Tuning


def terms(position: Position) -> tuple[float, ...]:
    assert isinstance(position, Nadraz)
    inner = position.empty & ~position.board.edge
    found = []
    for side in Side:
        snakes = sorted(
            [(snake.cells.bit_count(), (snake.front & inner).bit_count()) for snake in position.snakes(side)],
            reverse=True,
        )
        lengths = [length for length, _ in snakes]
        growing = [length for length, room in snakes if room]
        eggs = lengths.count(1)
        found.append(
            (
                0.0,
                0.0,
                lengths[0] / 8,
                (lengths[1] if len(lengths) > 1 else 0) / 8,
                (lengths[2] if len(lengths) > 2 else 0) / 8,
                lengths[-1] / 4,
                (lengths[-2] if len(lengths) > 1 else 0) / 4,
                sum(lengths) / 16,
                len(lengths) / 4,
                eggs / 2,
                snakes[0][1] / 4,
                (snakes[1][1] if len(snakes) > 1 else 0) / 4,
                sum([room for _, room in snakes]) / 16,
                (growing[0] if growing else 0) / 8,
                sum(growing[:2]) / 8,
                (len(lengths) - len(growing)) / 4,
            )
        )
    leader = position.leader()
    own, enemy = found
    return (
        tempo(position),
        0.0 if leader is None else -1.0 if leader else 1.0,
        *[mine - theirs for mine, theirs in zip(own[2:], enemy[2:], strict=True)],
    )


#: By term its weight on the empty board and on the full one, as fitted.
_STANDARD = {
    "tempo": (0.149, 0.544),
    "leader": (-0.568, 1.272),
    "longest": (-0.339, 1.359),
    "second longest": (-0.48, 0.088),
    "third longest": (-0.029, -0.075),
    "shortest": (0.189, -0.194),
    "second shortest": (0.076, -0.147),
    "stones": (-0.014, 0.141),
    "snakes": (2.158, -0.444),
    "eggs": (-0.254, -0.204),
    "open cells at the longest": (-0.211, 0.245),
    "open cells at the second longest": (0.412, -0.269),
    "open cells": (0.02, -0.886),
    "longest that still grow": (0.071, -0.199),
    "best merge": (-0.073, 0.156),
    "blocked snakes": (-0.67, -0.741),
}

_REVERSE = {
    "tempo": (0.094, 0.455),
    "leader": (-0.556, 1.34),
    "longest": (0.569, -0.514),
    "second longest": (-0.258, -0.218),
    "third longest": (-0.182, 0.089),
    "shortest": (-0.708, 0.901),
    "second shortest": (-0.543, 0.655),
    "stones": (0.205, -0.234),
    "snakes": (0.734, 0.419),
    "eggs": (0.055, -1.565),
    "open cells at the longest": (-0.007, 0.511),
    "open cells at the second longest": (-0.18, 0.285),
    "open cells": (0.854, 1.19),
    "longest that still grow": (0.483, -0.266),
    "best merge": (-0.185, -0.269),
    "blocked snakes": (-1.087, -1.719),
}

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD, "reverse": _REVERSE}),
    # What decides a game are merges far ahead, which playouts see and the terms do not.
    Tuning(explore=0.4, sharpness=3.0, playouts=1.0),
    simulations=700,
    slack=0.8,
)
