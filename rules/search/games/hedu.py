"""Hedu: who stands better."""

from __future__ import annotations

from itertools import groupby

from rules import Hedu, Position, Side
from rules.hedu import Group
from rules.search.knowledge import Evaluation, Knowledge, tempo
from rules.search.tree import Tuning


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
    decided, worth = _decided(position)
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
        decided / 8,
        worth / 8,
    )


def _decided(position: Hedu) -> tuple[int, int]:
    """The empty cells that each side's groups would decide if every cell were a region, and what they are worth.

    Both numbers are the first side's minus the second's. The greatest group beside a cell decides it.
    """
    board, left = position.board, position.empty
    first, second = (position.groups(side) for side in Side)
    # Groups of the same rank are beside each other here; a cell next to such groups of both sides is nobody's.
    groups = sorted([(group, 1) for group in first] + [(group, -1) for group in second], key=_by_rank, reverse=True)
    cells = worth = 0
    for rank, equal in groupby(groups, key=_by_rank):
        both = [0, 0, 0]
        for group, sign in equal:
            both[sign] |= group.cells
        mine, theirs = board.spread(both[1]) & left, board.spread(both[-1]) & left
        left &= ~(mine | theirs)
        ahead = mine.bit_count() - theirs.bit_count()
        cells += ahead
        worth += ahead * rank[1]
    return cells, worth


def _by_rank(group: tuple[Group, int]) -> tuple[int, int]:
    return group[0].rank


#: By term its weight on the empty board and on the full one, as fitted.
_STANDARD = {
    "tempo": (0.382, 0.819),
    "score": (-0.505, 0.993),
    "prisoners": (0.451, 0.31),
    "greatest group": (-0.074, -0.724),
    "second group": (0.408, -0.571),
    "third group": (-0.402, -0.751),
    "squares of groups": (-0.328, 0.387),
    "stacks": (0.308, 1.063),
    "stacks at risk": (-1.456, 0.46),
    "levels above the first": (0.881, -0.175),
    "contested regions": (-0.511, 0.901),
    "cells that groups decide": (0.812, 0.151),
    "worth of these cells": (-0.101, -0.164),
}

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD}),
    Tuning(explore=0.1),
    simulations=1200,
    slack=0.6,
)
