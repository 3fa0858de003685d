"""Dalen: who stands better."""

from __future__ import annotations

from rules import Dalen, Position, Side
from rules.search.knowledge import Evaluation, Knowledge, tempo

NAMES = (
    "tempo",
    "stones",
    "placements",
    "share of the placements",
    "trees",
    "leaves",
    "most leaves",
    "second most leaves",
    "room of the tree with most leaves",
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
    room, room_of_second = placements.bit_count(), placements_of_second.bit_count()
    safe = danger = 0.0
    for tree, count, tree_room in trees:
        around = board.spread(tree)
        for other, other_count, other_room in others:
            if other & around:
                # The tree that runs out of room first flips the other, if that has no more leaves.
                if other_count <= count:
                    safe += other.bit_count()
                    danger += other.bit_count() / (1 + tree_room)
                if count <= other_count:
                    safe -= tree.bit_count()
                    danger -= tree.bit_count() / (1 + other_room)
    return (
        tempo(position),
        (first.bit_count() - second.bit_count()) / 8,
        (room - room_of_second) / 8,
        2 * (room - room_of_second) / (room + room_of_second + 1),
        (len(trees) - len(others)) / 4,
        (leaves.bit_count() - by_second.bit_count()) / 8,
        (most[0] - most_others[0]) / 4,
        (most[1] - most_others[1]) / 4,
        (_room_of_greatest(trees) - _room_of_greatest(others)) / 4,
        safe / 8,
        danger / 8,
        sum([count for _, count, ahead in trees if not ahead]) / 4
        - sum([count for _, count, ahead in others if not ahead]) / 4,
    )


def _room_of_greatest(trees: list[tuple[int, int, int]]) -> int:
    """The cells at which the side's tree with the most leaves can grow; of several such trees the roomiest counts."""
    return max([(count, room) for _, count, room in trees], default=(0, 0))[1]


_WEIGHTS = (
    (0.273, 0.101, -1.89, -0.111, 0.328, 0.032, -0.503, -1.011, 1.11, -0.295, -0.031, -0.375),
    (0.008, -0.185, 1.883, 0.544, -0.923, 0.305, 3.286, -0.416, -0.376, 0.125, 0.163, -0.112),
)

KNOWLEDGE = Knowledge(Evaluation(NAMES, terms, {"standard": _WEIGHTS, "leaves": _WEIGHTS}), simulations=1300, slack=0.8)
