"""A second reading of Fiodar, whose cells are called points."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import ClassVar, TypeAlias

from tests.support.literal.reading import OTHER, STEPS, Cell, Cells, Reading, beside, connected_sets, name

Stones: TypeAlias = dict[Cell, str]
Board: TypeAlias = frozenset[tuple[Cell, str]]
#: Refused placements, each with the reason and the points that show it.
Refusals: TypeAlias = dict[str, tuple[str, frozenset[str]] | None]

LINES = STEPS[:3]


def names(points: Iterable[Cell]) -> frozenset[str]:
    return frozenset(map(name, points))


def in_cut_thread(stones: Stones, point: Cell) -> bool:
    """Whether one of the stone's three threads has an enemy stone just beyond both its ends."""
    colour = stones[point]
    for dx, dy in LINES:
        for sign in (1, -1):
            x, y = point
            while stones.get((x, y)) == colour:
                x, y = x + sign * dx, y + sign * dy
            if stones.get((x, y)) != OTHER[colour]:
                break
        else:
            return True
    return False


def cut_weaves(stones: Stones, colour: str) -> list[Cells]:
    weaves = connected_sets(frozenset([point for point, owner in stones.items() if owner == colour]))
    return [weave for weave in weaves if all(in_cut_thread(stones, point) for point in weave)]


class Fiodar(Reading):
    sides: ClassVar[tuple[str, str]] = ("black", "white")
    takes_prisoners: ClassVar[bool] = True

    def __init__(self, size: int, variant: str = "standard") -> None:
        super().__init__(size, variant)
        self.ends: dict[str, list[Board]] = {"b": [], "w": []}
        self.passes: list[str] = []
        #: The enemy weaves that the last turn removed.
        self.removed: list[Cells] = []
        self._judged: tuple[object, Refusals] | None = None

    def copy(self) -> Fiodar:
        """A copy of the game that continues independently."""
        again = copy.copy(self)
        again.prisoners, again.passes = dict(self.prisoners), list(self.passes)
        again.ends = {colour: list(boards) for colour, boards in self.ends.items()}
        return again

    def placed(self, point: Cell) -> tuple[Stones, list[Cells]]:
        """The stones after the mover's placement, and the enemy weaves that it removes."""
        stones = {**self.pieces, point: self.to_play}
        removed = cut_weaves(stones, OTHER[self.to_play])
        for weave in removed:
            for gone in weave:
                del stones[gone]
        return stones, removed

    def refusal(self, turn: str) -> tuple[str, frozenset[str]] | None:
        """Why a placement is refused, and the points that show it; None if it is legal."""
        point = self.named[turn]
        if point in self.pieces:
            return "taken", frozenset({turn})
        stones, removed = self.placed(point)
        left_cut = cut_weaves(stones, self.to_play)
        if left_cut and not removed:
            return "cut", names(frozenset().union(*left_cut))
        if self.ends[self.to_play] and frozenset(stones.items()) == self.ends[self.to_play][-1]:
            return "repeats", frozenset({turn})
        return None

    def refusals(self) -> Refusals:
        """:meth:`refusal` for a placement on each point, remembered for as long as nothing changes."""
        now = frozenset(self.pieces.items()), self.to_play, self.ends[self.to_play][-1:]
        if self._judged is None or self._judged[0] != now:
            self._judged = now, {turn: self.refusal(turn) for turn in self.named}
        return self._judged[1]

    def open(self, turn: str) -> None:
        super().open(turn)
        self.ends["b"].append(frozenset(self.pieces.items()))

    def turns(self) -> set[str]:
        return {turn for turn, refusal in self.refusals().items() if refusal is None} | {"pass"}

    def take_turn(self, turn: str) -> None:
        mover, self.removed = self.to_play, []
        if turn == "pass":
            self.passes.append(mover)
        else:
            self.passes = []
            self.pieces, self.removed = self.placed(self.named[turn])
            self.prisoners[mover] += sum(map(len, self.removed))
            if frozenset(self.pieces.items()) in self.ends[mover][:-1]:
                self.result = None, "repetition"
        self.ends[mover].append(frozenset(self.pieces.items()))
        if len(self.passes) == 2:
            self.result = self.won()

    def territories(self, colour: str) -> list[frozenset[str]]:
        found = []
        for territory in connected_sets(self.cells.difference(self.pieces)):
            owners = {self.pieces[point] for point in beside(territory) & self.pieces.keys()}
            if owners == {colour}:
                found.append(names(territory))
        return found

    def score(self) -> dict[str, float]:
        return {
            colour: sum(map(len, self.territories(colour)))
            + self.prisoners[colour]
            + (0.5 if self.passes[:1] == [colour] else 0)
            for colour in "bw"
        }
