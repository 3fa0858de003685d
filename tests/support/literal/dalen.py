"""A second reading of Dalen, slow and literal, against which the engine is checked.

It follows the sentences of the rules with nothing but sets of coordinates, and shares no code with the package
``rules``. A cell is ``(x, y)``: column and row, both from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache

Cell = tuple[int, int]
Tree = frozenset[Cell]
#: A flipped tree, and all stagnant trees that flipped it.
Capture = tuple[Tree, frozenset[Tree]]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIDES = ("dark", "light")


class RefusedError(Exception):
    """An illegal turn."""


def enemy(side: str) -> str:
    return "light" if side == "dark" else "dark"


@cache
def cells_of_board(size: int) -> frozenset[Cell]:
    """Every (x, y) from 0 to 2N−2 with |x − y| < N."""
    numbers = range(2 * size - 1)
    return frozenset((x, y) for x in numbers for y in numbers if abs(x - y) < size)


@cache
def name(cell: Cell) -> str:
    """The column's letter and the row's number plus one."""
    x, y = cell
    letter = "aa" if x == 26 else LETTERS[x]
    return letter + str(y + 1)


@cache
def neighbours(cell: Cell) -> frozenset[Cell]:
    """The six cells around a cell, on the board or not."""
    x, y = cell
    return frozenset({(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x - 1, y - 1)})


def around(tree: set[Cell] | Tree) -> set[Cell]:
    """The cells beside the stones of a tree, which may include its own."""
    return set().union(*map(neighbours, tree))


# Cached, because the same few boards are examined many times.


@lru_cache(maxsize=32)
def connected_sets(cells: frozenset[Cell]) -> frozenset[Tree]:
    """The maximal connected sets."""
    left = set(cells)
    found = set()
    while left:
        tree = {left.pop()}
        while True:
            more = around(tree) & left
            if not more:
                break
            tree |= more
            left -= more
        found.add(frozenset(tree))
    return frozenset(found)


@lru_cache(maxsize=32)
def leaves_among(stones: frozenset[Cell]) -> frozenset[Cell]:
    """A leaf is a stone with exactly one adjacent stone of its own colour."""
    return frozenset(stone for stone in stones if len(neighbours(stone) & stones) == 1)


@lru_cache(maxsize=32)
def rooms_among(own: frozenset[Cell], placements: frozenset[Cell], variant: str) -> dict[Tree, frozenset[Cell]]:
    """The placements with which each tree can grow or, in the variant, gains leaves."""
    trees = connected_sets(own)
    rooms = {}
    for tree in trees:
        room = frozenset(around(tree) & placements)
        if variant == "leaves":
            leaves = count_leaves(tree)
            room = frozenset(cell for cell in room if count_leaves(joined(cell, trees)) > leaves)
        rooms[tree] = room
    return rooms


def count_leaves(tree: set[Cell] | Tree) -> int:
    return sum(len(neighbours(stone) & tree) == 1 for stone in tree)


def joined(cell: Cell, trees: frozenset[Tree]) -> set[Cell]:
    """The tree of a stone placed there, perhaps merged with others, before any capture."""
    return {cell}.union(*(tree for tree in trees if tree & neighbours(cell)))


@dataclass
class Game:
    """A game of Dalen in progress; :meth:`play` changes it."""

    size: int
    variant: str = "standard"
    stones: dict[Cell, str] = field(default_factory=dict)
    #: The phase: "opening", "choice", "play" or "over".
    phase: str = "opening"
    to_play: str = "dark"
    chosen: str | None = None
    winner: str | None = None
    #: What the last turn flipped in its first and second step.
    flipped: tuple[set[Capture], set[Capture]] = field(default_factory=lambda: (set(), set()))

    def __post_init__(self) -> None:
        self.board = cells_of_board(self.size)
        self.named = {name(cell): cell for cell in self.board}

    def stones_of(self, side: str) -> frozenset[Cell]:
        return frozenset(cell for cell, owner in self.stones.items() if owner == side)

    def trees(self, side: str) -> frozenset[Tree]:
        """A tree is a maximal connected set of stones of one colour."""
        return connected_sets(self.stones_of(side))

    def leaves(self, side: str) -> frozenset[Cell]:
        return leaves_among(self.stones_of(side))

    def placements(self, side: str) -> frozenset[Cell]:
        """An empty cell that is adjacent to at most one leaf of that side, over all of that side's trees together."""
        leaves = self.leaves(side)
        return frozenset(cell for cell in self.board if cell not in self.stones and len(neighbours(cell) & leaves) <= 1)

    def rooms(self, side: str) -> dict[Tree, frozenset[Cell]]:
        return rooms_among(self.stones_of(side), self.placements(side), self.variant)

    def stagnant(self, side: str) -> frozenset[Tree]:
        """The trees that capture."""
        return frozenset(tree for tree, room in self.rooms(side).items() if not room)

    def captures_of(self, capturing: str) -> set[Capture]:
        """The enemy trees that the capturing side's stagnant trees flip on the current board."""
        other = enemy(capturing)
        stagnant = self.stagnant(capturing)
        own_leaves, other_leaves = self.leaves(capturing), self.leaves(other)
        captures = set()
        for tree in self.trees(other):
            beside = around(tree)
            by = {
                capturer
                for capturer in stagnant
                if capturer & beside and len(tree & other_leaves) <= len(capturer & own_leaves)
            }
            if by:
                captures.add((tree, frozenset(by)))
        return captures

    def flip(self, captures: set[Capture], to: str) -> None:
        for tree, _ in captures:
            for stone in tree:
                self.stones[stone] = to

    def legal_turns(self) -> set[str]:
        if self.phase == "over":
            return set()
        if self.phase == "choice":
            return set(SIDES)
        if self.phase == "opening":
            return {name(cell) for cell in self.board}
        return {name(cell) for cell in self.placements(self.to_play)} or {"pass"}

    def play(self, turn: str) -> None:
        if turn not in self.legal_turns():
            raise RefusedError(turn)
        self.flipped = (set(), set())
        if self.phase == "opening":
            self.stones[self.named[turn]] = "dark"
            self.phase = "choice"
        elif self.phase == "choice":
            self.chosen = turn
            self.to_play = "light"
            self.phase = "play"
        else:
            self.take_turn(turn)

    def take_turn(self, turn: str) -> None:
        mover = self.to_play
        if turn != "pass":
            self.stones[self.named[turn]] = mover
        enemies = self.captures_of(mover)
        self.flip(enemies, mover)
        friends = self.captures_of(enemy(mover))
        self.flip(friends, enemy(mover))
        self.flipped = (enemies, friends)
        self.to_play = enemy(mover)
        owners = set(self.stones.values())
        if len(owners) == 1:
            (self.winner,) = owners
            self.phase = "over"
