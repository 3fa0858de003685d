"""Hedu: who stands better."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rules import Side
from rules.hedu import Group, Hedu
from rules.search.knowledge import Evaluation, Knowledge, Reason, Words, tempo
from rules.search.tree import Tuning
from rules.text import ngettext_noop


def terms(position: Hedu) -> tuple[float, ...]:
    first, second = position.first, position.second
    groups, others = ([group.rank[0] for group in position.groups(side)] for side in Side)
    greatest = (*groups[:3], 0, 0, 0), (*others[:3], 0, 0, 0)
    empty = position.empty
    once, twice = position.board.contacts(empty)
    single = once & ~twice
    _, two, three = position.heights
    contested = 0.0
    for region in position.regions:
        mine, theirs = region.groups
        # By how much the greatest group beside a region decides it, and how much is at stake.
        ahead = (mine[0].rank[0] if mine else 0) - (theirs[0].rank[0] if theirs else 0)
        contested += ahead / (1 + abs(ahead))
    decided, worth = _decision_balance(position)
    return (
        tempo(position),
        (position.points(Side.FIRST) - position.points(Side.SECOND)) / 4,
        (position.prisoners[0] - position.prisoners[1]) / 4,
        (greatest[0][0] - greatest[1][0]) / 4,
        (greatest[0][1] - greatest[1][1]) / 4,
        (greatest[0][2] - greatest[1][2]) / 4,
        (sum([size * size for size in groups]) - sum([size * size for size in others])) / 40,
        (first.bit_count() - second.bit_count()) / 4,
        ((single & first).bit_count() - (single & second).bit_count()) / 4,
        sum([(level & first).bit_count() - (level & second).bit_count() for level in (two, three)]) / 4,
        contested / 2,
        decided / 8,
        worth / 8,
    )


def _decision_balance(position: Hedu) -> tuple[int, int]:
    """The empty cells that each side's groups decide, and what they are worth, the first side's minus the second's."""
    cells = worth = 0
    for rank, mine, theirs in _deciding(position):
        ahead = mine.bit_count() - theirs.bit_count()
        cells += ahead
        worth += ahead * rank[1]
    return cells, worth


def _deciding(position: Hedu) -> Iterator[tuple[tuple[int, int], int, int]]:
    """The empty cells that groups of each rank would decide if every cell were a region, by side.

    The greatest group beside a cell decides it.
    """
    board, left = position.board, position.empty
    first, second = (position.groups(side) for side in Side)
    # Groups of the same rank are beside each other here; a cell next to such groups of both sides is nobody's.
    groups = sorted([(group, 1) for group in first] + [(group, -1) for group in second], key=_by_rank, reverse=True)
    for rank, equal in groupby(groups, key=_by_rank):
        both = [0, 0, 0]
        for group, sign in equal:
            both[sign] |= group.cells
        mine, theirs = board.spread(both[1]) & left, board.spread(both[-1]) & left
        left &= ~(mine | theirs)
        yield rank, mine, theirs


def _by_rank(group: tuple[Group, int]) -> tuple[int, int]:
    return group[0].rank


def _decision_count(position: Hedu, side: Side) -> int:
    """The empty cells beside which the greatest group is the side's."""
    return sum([(cells[side] & ~cells[side.other]).bit_count() for _, *cells in _deciding(position)])


#: Each term's fitted weights, on an empty and on a full board.
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

_REASONS = (
    Reason(
        ("cells that groups decide", "worth of these cells"),
        _decision_count,
        Words(
            ngettext_noop(
                "You would have the largest group beside {count} more empty cell: a region cut off there would "
                "be yours.",
                "You would have the largest group beside {count} more empty cells: a region cut off there would "
                "be yours.",
            ),
            ngettext_noop(
                "{side} would have the largest group beside {count} more empty cell: a region cut off there "
                "would be {side}'s.",
                "{side} would have the largest group beside {count} more empty cells: a region cut off there "
                "would be {side}'s.",
            ),
        ),
        Words(
            ngettext_noop(
                "{other} would no longer have the largest group beside {count} empty cell: a region cut off "
                "there would not be {other}'s.",
                "{other} would no longer have the largest group beside {count} empty cells: a region cut off "
                "there would not be {other}'s.",
            )
        ),
    ),
    Reason[Hedu](
        ("stacks at risk",),
        lambda position, side: (position.stones(side) & ~position.board.contacts(position.empty)[1]).bit_count(),
        # Most often a side has fewer because one has left the board, which is no gain.
        loss=Words(
            ngettext_noop(
                "It leaves {count} more of {other}'s stacks a single empty cell.",
                "It leaves {count} more of {other}'s stacks a single empty cell.",
            )
        ),
        fewer=True,
    ),
    Reason[Hedu](
        ("levels above the first",),
        lambda position, side: (position.heights.two & position.stones(side)).bit_count(),
        Words(
            ngettext_noop("You have {count} more stack higher than 1.", "You have {count} more stacks higher than 1."),
            ngettext_noop(
                "{side} has {count} more stack higher than 1.", "{side} has {count} more stacks higher than 1."
            ),
        ),
        Words(
            ngettext_noop(
                "{other} has {count} fewer stack higher than 1.", "{other} has {count} fewer stacks higher than 1."
            )
        ),
    ),
)

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD}),
    # A long search sees farther than the evaluation.
    Tuning(explore=0.5, playouts=1.0, trust=8.0, patience=3, learning=True),
    simulations={5: 7000, 7: 1650},
    hope=1.9,
    slack=0.5,
    lapses=(0.2,),
    reasons=_REASONS,
)
