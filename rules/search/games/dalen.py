"""Dalen: who stands better."""

from __future__ import annotations

from rules import Dalen, Position, Side
from rules.search.knowledge import Evaluation, Knowledge, tempo

NAMES = (
    "tempo",
    "stones",
    "placements",
    "own placements",
    "trees",
    "leaves",
    "most leaves",
    "second most leaves",
    "stones that could be flipped",
    "stones in danger",
    "stagnant leaves",
)


def terms(position: Position) -> tuple[float, ...]:
    assert isinstance(position, Dalen)
    board = position.board
    sides = []
    for side in Side:
        stones, leaves, placements = position.stones(side), position.leaves(side), position.placements(side)
        trees = [
            (tree, (tree & leaves).bit_count(), (board.spread(tree) & placements).bit_count())
            for tree in position.trees(side)
        ]
        counts = sorted((count for _, count, _ in trees), reverse=True)
        sides.append((stones, leaves, placements, trees, (*counts, 0, 0)))
    (first, leaves, placements, trees, most), (second, by_second, placements_of_second, others, most_others) = sides
    safe = danger = 0.0
    for tree, count, room in trees:
        around = board.spread(tree)
        for other, other_count, other_room in others:
            if other & around:
                # The tree that runs out of room first flips the other, if that has no more leaves.
                if other_count <= count:
                    safe += other.bit_count()
                    danger += other.bit_count() / (1 + room)
                if count <= other_count:
                    safe -= tree.bit_count()
                    danger -= tree.bit_count() / (1 + other_room)
    return (
        tempo(position),
        (first.bit_count() - second.bit_count()) / 8,
        (placements.bit_count() - placements_of_second.bit_count()) / 8,
        ((placements & ~placements_of_second).bit_count() - (placements_of_second & ~placements).bit_count()) / 8,
        (len(trees) - len(others)) / 4,
        (leaves.bit_count() - by_second.bit_count()) / 8,
        (most[0] - most_others[0]) / 4,
        (most[1] - most_others[1]) / 4,
        safe / 8,
        danger / 8,
        sum([count for _, count, room in trees if not room]) / 4
        - sum([count for _, count, room in others if not room]) / 4,
    )


_HAND = (
    (0.1, 0.0, 0.2, 0.1, 0.0, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1),
    (0.1, 0.1, 0.2, 0.1, 0.0, 0.2, 0.5, 0.1, 0.3, 0.5, 0.1),
)

KNOWLEDGE = Knowledge(Evaluation(NAMES, terms, {"standard": _HAND, "leaves": _HAND}))
