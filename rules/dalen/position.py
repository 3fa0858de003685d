"""A position of Dalen; each term of ``rules/dalen/rules.md`` is a method of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from rules.board import bits, cell_names
from rules.errors import IllegalTurn
from rules.events import Event, Flipped, Passed, placement
from rules.lazy import by_side
from rules.position import Outcome, PlacementPosition, ScorePart, Sections, Weight
from rules.side import Side
from rules.text import Text, gettext_noop, number

_ANNIHILATION = "annihilation"


@dataclass(frozen=True)
class Dalen(PlacementPosition):
    """A position of Dalen."""

    name: ClassVar[str] = "dalen"
    title: ClassVar[str] = "Dalen"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (5, 6, 7, 8, 9)
    default_size: ClassVar[int] = 7
    variants: ClassVar[tuple[str, ...]] = (gettext_noop("standard"), gettext_noop("leaves"))
    sides: ClassVar[tuple[str, str]] = (gettext_noop("dark"), gettext_noop("light"))
    goals: ClassVar[Mapping[str, str]] = dict.fromkeys(
        variants,
        gettext_noop(
            "You win when all stones are yours. Each turn, place a stone; a group with no room left to grow can flip "
            "enemy groups beside it."
        ),
    )
    minutes: ClassVar[int] = 15
    weight: ClassVar[Weight] = Weight.LIGHT
    reasons: ClassVar[Mapping[str, str]] = {_ANNIHILATION: gettext_noop("by annihilation")}
    variant_notes: ClassVar[Mapping[str, str]] = {"leaves": gettext_noop("a tree captures once it cannot gain leaves")}
    sections: ClassVar[Sections] = Sections(
        "dalen/rules.md#the-opening",
        "dalen/rules.md#your-turn-place-a-stone",
        "dalen/rules.md#the-end",
        "dalen/rules.md#passing",
    )
    a_piece: ClassVar[tuple[str, str]] = (gettext_noop("a dark stone"), gettext_noop("a light stone"))

    def trees(self, side: Side) -> list[int]:
        """The side's trees: maximal connected sets of its stones, each a mask."""
        return list(self.board.groups(self.stones(side)))

    @by_side
    def leaves(self) -> tuple[int, int]:
        """The mask of the side's leaves: its stones with exactly one adjacent stone of their own colour."""
        return self._leaves_of(self.first), self._leaves_of(self.second)

    def _leaves_of(self, stones: int) -> int:
        once, twice = self.board.contacts(stones)
        return stones & once & ~twice

    @by_side
    def placements(self) -> tuple[int, int]:
        """The mask of the empty cells next to at most one leaf of the side, counted over all its trees together."""
        empty, contacts = self.empty, self.board.contacts
        return empty & ~contacts(self.leaves(Side.FIRST))[1], empty & ~contacts(self.leaves(Side.SECOND))[1]

    def placement_refusal(self, side: Side, cell: int) -> IllegalTurn:
        leaves = self.board.spread(1 << cell) & self.leaves(side)
        return IllegalTurn(
            "{cell} is next to {count} of your leaves: {leaves}",
            tuple(bits(leaves)),
            cell=self.board.name(cell),
            count=number(leaves.bit_count()),
            leaves=cell_names(self.board, leaves),
            rule=self.sections.turn,
        )

    @by_side
    def stagnant(self) -> tuple[int, int]:
        """The mask of the side's stagnant trees, which capture.

        Standard: trees that no legal placement of their own side touches. Variant ``leaves``: trees to which no legal
        placement of their own side gives more leaves.
        """
        find = self._cannot_gain_leaves if self.ruleset.variant == "leaves" else self._cannot_grow
        return find(Side.FIRST), find(Side.SECOND)

    def _cannot_grow(self, side: Side) -> int:
        stones = self.stones(side)
        growing = self.board.flood(self.board.spread(self.placements(side)), stones)
        return stones & ~growing

    def _cannot_gain_leaves(self, side: Side) -> int:
        return sum([tree for tree, room in self._gains(side) if not room])

    def rooms(self, side: Side) -> list[tuple[int, int]]:
        """The side's trees, each with the mask of legal placements on which it can grow; without any, it stagnates.

        Standard: placements that touch the tree. Variant ``leaves``: placements that give it more leaves.
        """
        if self.ruleset.variant == "leaves":
            return self._gains(side)
        return [(tree, self.board.spread(tree) & self.placements(side)) for tree in self.trees(side)]

    @by_side
    def _gains(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        return self._gains_of(Side.FIRST), self._gains_of(Side.SECOND)

    def _gains_of(self, side: Side) -> list[tuple[int, int]]:
        board, leaves, placements = self.board, self.leaves(side), self.placements(side)
        once, twice = board.contacts(self.stones(side))
        beside_leaf = board.spread(leaves)
        # Beside a single stone, the new stone is a leaf: one more, unless that stone stops being a leaf.
        alone = ~twice & ~beside_leaf
        # Beside several stones, it is none. The tree gets the leaves of the trees that it joins, and stones without
        # neighbours become leaves; it loses the leaf that the new stone touches, at most one.
        trees = []
        for tree in self.trees(side):
            single = not tree & once
            trees.append((tree, board.spread(tree) & placements, single, 1 if single else (tree & leaves).bit_count()))
        rooms = []
        for tree, around, single, _ in trees:
            one_more, two_more = around if single else 0, 0
            for other, beside, _, gain in trees:
                if gain and other != tree:
                    two_more |= beside if gain > 1 else one_more & beside
                    one_more |= beside
            rooms.append((tree, around & (alone | twice & (two_more | one_more & ~beside_leaf))))
        return rooms

    def captures(self, capturing: Side) -> list[Flipped]:
        """The trees that the stagnant trees of one side flip on the current board.

        A tree of the other side is flipped when it touches a stagnant tree and has no more leaves than that tree.
        """
        enemy = capturing.other
        stagnant = list(self.board.groups(self.stagnant(capturing)))
        touched = self.board.flood(self.board.spread(self.stagnant(capturing)), self.stones(enemy))
        flipped = []
        for tree in self.board.groups(touched):
            leaves, around = (tree & self.leaves(enemy)).bit_count(), self.board.spread(tree)
            by = 0
            for other in stagnant:
                if other & around and leaves <= (other & self.leaves(capturing)).bit_count():
                    by |= other
            if by:
                flipped.append(Flipped(capturing, tuple(bits(tree)), tuple(bits(by))))
        return flipped

    def place(self, cell: int) -> tuple[Self, tuple[Event, ...]]:
        return self._after(placement(self.turn_of, cell), 1 << cell)

    def pass_turn(self) -> tuple[Self, tuple[Event, ...]]:
        return self._after(Passed(self.turn_of), 0)

    def _after(self, done: Event, placed: int) -> tuple[Self, tuple[Event, ...]]:
        """The position and the events after a placement or a pass, with all captures."""
        mover, events = self.turn_of, [done]
        position = self.with_stones(mover, self.stones(mover) | placed, self.stones(mover.other), mover.other)
        # The mover's stagnant trees capture first; then, on the resulting board, the enemy's.
        for capturing in (mover, mover.other):
            if flipped := position.captures(capturing):
                events += flipped
                turned = sum(1 << stone for tree in flipped for stone in tree.cells)
                position = position.changed(first=position.first ^ turned, second=position.second ^ turned)
        for side in Side:
            if not position.stones(side.other):
                position = position.changed(outcome=Outcome(side, _ANNIHILATION))
        return position, tuple(events)

    def score(self) -> dict[str, int | float | list[int]]:
        """The stones of each side."""
        return {self.sides[side]: self.stones(side).bit_count() for side in Side}

    def score_parts(self) -> tuple[ScorePart, ...]:
        return (ScorePart(Text("stones"), *(self.stones(side).bit_count() for side in Side)),)
