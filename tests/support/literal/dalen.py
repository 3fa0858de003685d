"""A second reading of Dalen."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import ClassVar, TypeAlias

from tests.support.literal.reading import OTHER, Cell, Cells, Reading, around, beside, connected_sets, name

Tree: TypeAlias = Cells
#: A flipped tree, and all stagnant trees that flipped it.
Capture: TypeAlias = tuple[Tree, frozenset[Tree]]

# Cached, because the same few boards are examined many times.


@lru_cache(maxsize=32)
def leaves_among(stones: Cells) -> Cells:
    """A leaf is a stone with exactly one adjacent stone of its own colour."""
    return frozenset(stone for stone in stones if len(around(stone) & stones) == 1)


@lru_cache(maxsize=32)
def rooms_among(own: Cells, placements: Cells, variant: str) -> dict[Tree, Cells]:
    """The placements with which each tree can grow or, in the variant, gains leaves."""
    trees = connected_sets(own)
    rooms = {}
    for tree in trees:
        room = beside(tree) & placements
        if variant == "leaves":
            leaves = len(leaves_among(tree))
            room = {cell for cell in room if len(leaves_among(joined(cell, trees))) > leaves}
        rooms[tree] = frozenset(room)
    return rooms


def joined(cell: Cell, trees: Iterable[Tree]) -> Tree:
    """The tree of a stone placed there, perhaps merged with others, before any capture."""
    return frozenset({cell}.union(*(tree for tree in trees if tree & around(cell))))


class Dalen(Reading):
    sides: ClassVar[tuple[str, str]] = ("dark", "light")
    #: What the last turn flipped in its first and second step.
    flipped: tuple[set[Capture], set[Capture]]

    def trees(self, side: str) -> frozenset[Tree]:
        """A tree is a maximal connected set of stones of one colour."""
        return connected_sets(self.of(side))

    def leaves(self, side: str) -> Cells:
        return leaves_among(self.of(side))

    def placements(self, side: str) -> Cells:
        """An empty cell that is adjacent to at most one leaf of that side, over all of that side's trees together."""
        leaves = self.leaves(side)
        return frozenset(cell for cell in self.cells.difference(self.pieces) if len(around(cell) & leaves) <= 1)

    def rooms(self, side: str) -> dict[Tree, Cells]:
        return rooms_among(self.of(side), self.placements(side), self.variant)

    def stagnant(self, side: str) -> set[Tree]:
        """The trees that capture."""
        return {tree for tree, room in self.rooms(side).items() if not room}

    def captures_of(self, capturing: str) -> set[Capture]:
        """The enemy trees that the capturing side's stagnant trees flip on the current board."""
        other = OTHER[capturing]
        stagnant, own_leaves, other_leaves = self.stagnant(capturing), self.leaves(capturing), self.leaves(other)
        captures = set()
        for tree in self.trees(other):
            by = {
                capturer
                for capturer in stagnant
                if capturer & beside(tree) and len(tree & other_leaves) <= len(capturer & own_leaves)
            }
            if by:
                captures.add((tree, frozenset(by)))
        return captures

    def turns(self) -> set[str]:
        return set(map(name, self.placements(self.to_play))) or {"pass"}

    def take_turn(self, turn: str) -> None:
        mover = self.to_play
        if turn != "pass":
            self.pieces[self.named[turn]] = mover
        steps = []
        for capturing in (mover, OTHER[mover]):
            steps.append(self.captures_of(capturing))
            for tree, _ in steps[-1]:
                self.pieces |= dict.fromkeys(tree, capturing)
        self.flipped = (steps[0], steps[1])
        owners = set(self.pieces.values())
        if len(owners) == 1:
            self.result = owners.pop(), "annihilation"

    def score(self) -> dict[str, int]:
        return {side[0]: len(self.of(side[0])) for side in self.sides}
