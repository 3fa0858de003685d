"""Dalen: who stands better."""

from __future__ import annotations

from rules import Side
from rules.dalen import Dalen
from rules.search.knowledge import Evaluation, Knowledge, Reason, Words, tempo
from rules.search.tree import Tuning
from rules.text import ngettext_noop


def terms(position: Dalen) -> tuple[float, ...]:
    board = position.board
    sides = []
    for side in Side:
        stones, leaves, placements = position.stones(side), position.leaves(side), position.placements(side)
        trees = [(tree, (tree & leaves).bit_count(), room.bit_count()) for tree, room in position.rooms(side)]
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
    """How many cells the side's tree with the most leaves can grow on; of several such trees, the roomiest counts."""
    return max([(count, room) for _, count, room in trees], default=(0, 0))[1]


def beside_own(position: Dalen, turn: str) -> bool:
    """A newcomer keeps its stones together, and so runs out of leaves and of room."""
    cell = position.board.cell(turn)
    return cell is not None and bool(position.board.spread(1 << cell) & position.stones(position.turn_of))


def _most_leaves(position: Dalen, side: Side) -> int:
    leaves = position.leaves(side)
    return max([(tree & leaves).bit_count() for tree in position.trees(side)], default=0)


def _room_of_tree_with_most_leaves(position: Dalen, side: Side) -> int:
    leaves, placements, spread = position.leaves(side), position.placements(side), position.board.spread
    return _room_of_greatest(
        [(tree, (tree & leaves).bit_count(), (spread(tree) & placements).bit_count()) for tree in position.trees(side)]
    )


def _could_be_flipped(position: Dalen, side: Side) -> int:
    """The side's stones in trees beside an enemy tree with at least as many leaves."""
    board, leaves, count = position.board, position.leaves(side) | position.leaves(side.other), 0
    for tree in position.trees(side):
        around, own = board.spread(tree), (tree & leaves).bit_count()
        enemies = [enemy for enemy in position.trees(side.other) if enemy & around]
        if any((enemy & leaves).bit_count() >= own for enemy in enemies):
            count += tree.bit_count()
    return count


#: Each term's fitted weights, on an empty and on a full board.
_STANDARD = {
    "tempo": (0.137, -0.282),
    "stones": (-0.58, -0.806),
    "placements": (-0.972, 0.854),
    "share of the placements": (0.012, 1.127),
    "trees": (-0.186, -1.138),
    "leaves": (-0.799, -0.271),
    "most leaves": (0.603, 2.403),
    "second most leaves": (-0.479, -0.876),
    "room of the tree with most leaves": (0.776, -0.191),
    "stones that could be flipped": (0.14, -0.172),
    "stones in danger": (-0.452, 1.635),
    "stagnant leaves": (-0.219, -0.01),
}

_LEAVES = {
    "tempo": (0.181, 0.725),
    "stones": (-0.012, 0.087),
    "placements": (-1.044, 3.448),
    "share of the placements": (-0.249, -1.492),
    "trees": (-0.047, -0.104),
    "leaves": (0.687, 2.347),
    "most leaves": (2.852, 6.478),
    "second most leaves": (0.093, -1.031),
    "room of the tree with most leaves": (0.898, 0.772),
    "stones that could be flipped": (-0.677, -1.048),
    "stones in danger": (3.869, 0.781),
    "stagnant leaves": (-0.758, -0.031),
}

_REASONS = (
    Reason[Dalen](
        ("placements", "share of the placements"),
        lambda position, side: position.placements(side).bit_count(),
        Words(
            ngettext_noop("You can place on {count} more cell.", "You can place on {count} more cells."),
            ngettext_noop("{side} can place on {count} more cell.", "{side} can place on {count} more cells."),
        ),
        Words(ngettext_noop("{other} can place on {count} cell fewer.", "{other} can place on {count} cells fewer.")),
    ),
    Reason(
        ("most leaves",),
        _most_leaves,
        Words(
            ngettext_noop("Your leafiest tree gains {count} leaf.", "Your leafiest tree gains {count} leaves."),
            ngettext_noop("{side}'s leafiest tree gains {count} leaf.", "{side}'s leafiest tree gains {count} leaves."),
        ),
        Words(
            ngettext_noop(
                "{other}'s leafiest tree loses {count} leaf.", "{other}'s leafiest tree loses {count} leaves."
            )
        ),
        remainder=Words(
            ngettext_noop(
                "Your leafiest tree keeps {count} more leaf.", "Your leafiest tree keeps {count} more leaves."
            ),
            ngettext_noop(
                "{side}'s leafiest tree keeps {count} more leaf.", "{side}'s leafiest tree keeps {count} more leaves."
            ),
        ),
    ),
    Reason(
        ("room of the tree with most leaves",),
        _room_of_tree_with_most_leaves,
        Words(
            ngettext_noop(
                "Your leafiest tree can grow on {count} more cell.",
                "Your leafiest tree can grow on {count} more cells.",
            ),
            ngettext_noop(
                "{side}'s leafiest tree can grow on {count} more cell.",
                "{side}'s leafiest tree can grow on {count} more cells.",
            ),
        ),
        Words(
            ngettext_noop(
                "{other}'s leafiest tree can grow on {count} cell fewer.",
                "{other}'s leafiest tree can grow on {count} cells fewer.",
            )
        ),
    ),
    Reason(
        ("stones that could be flipped", "stones in danger"),
        _could_be_flipped,
        Words(
            ngettext_noop(
                "The trees around can no longer flip {count} of your stones.",
                "The trees around can no longer flip {count} of your stones.",
            ),
            ngettext_noop(
                "The trees around can no longer flip {count} of {side}'s stones.",
                "The trees around can no longer flip {count} of {side}'s stones.",
            ),
        ),
        Words(
            ngettext_noop(
                "You have enough leaves to flip {count} more of {other}'s stones.",
                "You have enough leaves to flip {count} more of {other}'s stones.",
            ),
            ngettext_noop(
                "{side} has enough leaves to flip {count} more of {other}'s stones.",
                "{side} has enough leaves to flip {count} more of {other}'s stones.",
            ),
        ),
        fewer=True,
    ),
    Reason[Dalen](
        ("trees",),
        lambda position, side: len(position.trees(side)),
        Words(
            ngettext_noop("It joins two of your trees.", "It joins several of your trees."),
            ngettext_noop("It joins two of {side}'s trees.", "It joins several of {side}'s trees."),
        ),
        fewer=True,
    ),
)

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD, "leaves": _LEAVES}),
    Tuning(explore=0.1, sharpness_alone=50.0, playouts=0.25, playouts_from=8),
    # On sizes 8 and 9, random games would take too long, and without them there is time for more.
    simulations={5: 6900, 6: 3100, 7: 1600, 8: 1340, 9: 1700},
    fewer={"leaves": 1.6},
    hope=1.03,
    ratios=(8, 8, 8),
    least={7: 2},
    slack=0.9,
    habit=beside_own,
    lapses=(0.1,),
    reasons=_REASONS,
)
