"""Hedu: who stands better."""

from __future__ import annotations

from rules import Hedu, Position, Side
from rules.search.knowledge import Evaluation, Knowledge, tempo


def terms(position: Position) -> tuple[float, ...]:
    assert isinstance(position, Hedu)
    first, second = position.first, position.second
    points, more_points = position.score().values()
    assert not isinstance(points, list)
    assert not isinstance(more_points, list)
    groups, others = ([group.rank[0] for group in position.groups(side)] for side in Side)
    greatest = (*groups[:3], 0, 0, 0), (*others[:3], 0, 0, 0)
    empty = position.empty
    once, twice = position.board.contacts(empty)
    single = once & ~twice
    _, two, three = position.heights
    contested = 0.0
    for region in position.regions():
        mine, theirs = region.groups
        # By how much the greatest group beside it decides the region, and how much is at stake.
        ahead = (mine[0].rank[0] if mine else 0) - (theirs[0].rank[0] if theirs else 0)
        contested += ahead / (1 + abs(ahead))
    return (
        tempo(position),
        (points - more_points) / 4,
        (position.prisoners[0] - position.prisoners[1]) / 4,
        (greatest[0][0] - greatest[1][0]) / 4,
        (greatest[0][1] - greatest[1][1]) / 4,
        (greatest[0][2] - greatest[1][2]) / 4,
        (sum([size * size for size in groups]) - sum([size * size for size in others])) / 40,
        (first.bit_count() - second.bit_count()) / 4,
        ((single & first).bit_count() - (single & second).bit_count()) / 4,
        (
            (two & first).bit_count()
            + (three & first).bit_count()
            - (two & second).bit_count()
            - (three & second).bit_count()
        )
        / 4,
        contested / 2,
    )


#: By term its weight on the empty board and on the full one, as fitted.
_STANDARD = {
    "tempo": (0.173, 0.873),
    "score": (-0.295, 0.824),
    "prisoners": (0.259, -0.054),
    "greatest group": (0.925, -0.519),
    "second group": (1.015, -0.711),
    "third group": (0.724, -0.243),
    "squares of groups": (-0.872, 0.236),
    "stacks": (0.681, -0.641),
    "stacks at risk": (-0.111, -0.12),
    "levels above the first": (0.0, 0.0),
    "contested regions": (0.326, 0.306),
}

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD}),
    simulations=1200,
    slack=0.25,
)
