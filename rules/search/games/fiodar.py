"""Fiodar: who stands better."""

from __future__ import annotations

from rules import Fiodar, Position, Side
from rules.search.knowledge import Evaluation, Knowledge, tempo

NAMES = (
    "tempo",
    "half point",
    "prisoners",
    "territory",
    "area",
    "influence",
    "stones",
    "uncut stones",
    "free stones",
    "stones of weaves with one uncut stone",
    "stones of weaves with two",
    "stones of weaves without a free stone",
    "points in between",
    "weaves",
)


def terms(position: Position) -> tuple[float, ...]:
    assert isinstance(position, Fiodar)
    board, empty = position.board, position.empty
    first, second = position.first, position.second
    one, two, unfree = [0, 0], [0, 0], [0, 0]
    weaves = [0, 0]
    for side in Side:
        uncut, free = position.uncut(side), position.free(side)
        # Weaves with a free stone are safe from the next turn.
        stones = position.stones(side)
        weaves[side] = len(position.weaves(side))
        for weave in board.groups(stones & ~board.flood(free, stones)):
            size, left = weave.bit_count(), (weave & uncut).bit_count()
            unfree[side] += size
            if left <= 1:
                one[side] += size
            elif left == 2:
                two[side] += size
    near, near_second = board.spread(first) & empty, board.spread(second) & empty
    area = (near & ~near_second).bit_count() - (near_second & ~near).bit_count()
    open_points = empty & ~(near | near_second)
    far, far_second = board.spread(near) & open_points, board.spread(near_second) & open_points
    influence = (far & ~far_second).bit_count() - (far_second & ~far).bit_count()
    passed = position.passed_first
    held, held_second = position.prisoners
    return (
        tempo(position),
        0.0 if passed is None else -1.0 if passed else 1.0,
        (held - held_second) / 8,
        (position.territory(Side.FIRST).bit_count() - position.territory(Side.SECOND).bit_count()) / 8,
        area / 8,
        influence / 8,
        (first.bit_count() - second.bit_count()) / 8,
        (position.uncut(Side.FIRST).bit_count() - position.uncut(Side.SECOND).bit_count()) / 8,
        (position.free(Side.FIRST).bit_count() - position.free(Side.SECOND).bit_count()) / 8,
        (one[0] - one[1]) / 8,
        (two[0] - two[1]) / 8,
        (unfree[0] - unfree[1]) / 8,
        (position.between(Side.FIRST).bit_count() - position.between(Side.SECOND).bit_count()) / 8,
        (weaves[0] - weaves[1]) / 4,
    )


_WEIGHTS = (
    (0.134, -0.067, -0.39, -1.404, 0.473, 0.157, -0.414, 0.387, -0.041, -1.233, -0.085, 0.001, 0.4, 0.041),
    (0.113, 0.833, 3.497, 1.148, 1.864, 0.63, 2.457, 0.211, 1.139, -2.865, -0.631, -0.168, -1.453, -0.885),
)

KNOWLEDGE = Knowledge(Evaluation(NAMES, terms, {"standard": _WEIGHTS}), simulations=1200, slack=0.2)
