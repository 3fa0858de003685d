"""A second reading of Hedu. Pieces are stacks, such as ``b2``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar, TypeAlias

from tests.support.literal.reading import OTHER, Cell, Cells, Reading, around, connected_sets, name

#: The size and the height of a group.
Entry: TypeAlias = tuple[int, int]


class Hedu(Reading):
    sides: ClassVar[tuple[str, str]] = ("black", "white")
    first_kind: ClassVar[str] = "1"
    takes_prisoners: ClassVar[bool] = True

    def __init__(self, size: int, variant: str = "standard") -> None:
        super().__init__(size, variant)
        self.passes_in_a_row = 0
        #: What the last turn did, in order: ("placed" | "reduced" | "raised", colour, cell's name, before, after).
        self.happened: list[tuple[str, str, str, int, int]] = []

    # The terms

    def regions(self) -> frozenset[Cells]:
        return connected_sets(self.cells.difference(self.pieces))

    def counts(self, stacks: Iterable[Cell]) -> dict[Cell, int]:
        """How many regions of the current board are adjacent to each of the cells."""
        regions = self.regions()
        return {stack: sum(not region.isdisjoint(around(stack)) for region in regions) for stack in stacks}

    def groups(self, colour: str) -> list[tuple[Cells, int]]:
        """The colour's groups, each as its cells and its height."""
        return [
            (group, int(stack[1:]))
            for stack in sorted({stack for stack in self.pieces.values() if stack[0] == colour})
            for group in connected_sets(frozenset([cell for cell, other in self.pieces.items() if other == stack]))
        ]

    def adjacent_stacks(self, colour: str, region: Cells) -> set[Cell]:
        return {cell for cell in self.of(colour) if not region.isdisjoint(around(cell))}

    def adjacent_list(self, colour: str, region: Cells) -> list[Entry]:
        """The (size, height) of the colour's groups with a stack adjacent to the region, in descending order."""
        adjacent = self.adjacent_stacks(colour, region)
        return sorted([(len(group), height) for group, height in self.groups(colour) if group & adjacent], reverse=True)

    def whole_list(self, colour: str) -> list[Entry]:
        return sorted([(len(group), height) for group, height in self.groups(colour)], reverse=True)

    def compare(self, black: list[Entry], white: list[Entry]) -> tuple[str | None, str]:
        """The colour with the greater list, and the reason: ``ended``, ``size``, ``height`` or ``equal``."""
        at = 0
        while True:
            if at == len(black) and at == len(white):
                return None, "equal"
            if at == len(black):
                return "w", "ended"
            if at == len(white):
                return "b", "ended"
            for part, decided in ((0, "size"), (1, "height")):
                if black[at][part] != white[at][part]:
                    return ("b" if black[at][part] > white[at][part] else "w"), decided
            at += 1

    def control(self, region: Cells) -> tuple[str | None, int]:
        """The side that controls the region, and the region's value for it."""
        lists = {colour: self.adjacent_list(colour, region) for colour in "bw"}
        controller, _ = self.compare(lists["b"], lists["w"])
        if controller is None:
            black, white = (len(self.adjacent_stacks(colour, region)) for colour in "bw")
            if black > white:
                controller = "b"
            if white > black:
                controller = "w"
        return controller, 0 if controller is None else lists[controller][0][1]

    def controls(self) -> dict[str, tuple[str | None, int]]:
        """Every region by its cells' names, with the side that controls it and its value."""
        return {" ".join(sorted(map(name, region))): self.control(region) for region in self.regions()}

    def score(self) -> dict[str, Fraction]:
        points = {colour: Fraction(held) for colour, held in self.prisoners.items()}
        for controller, value in self.controls().values():
            if controller is not None:
                points[controller] += value
        greater, _ = self.compare(self.whole_list("b"), self.whole_list("w"))
        if greater is not None:
            points[greater] += Fraction(1, 2)
        return points

    # The turns

    def may_place(self, cell: Cell) -> bool:
        if cell in self.pieces:
            return False
        self.pieces[cell] = self.to_play
        height = self.counts([cell])[cell]
        del self.pieces[cell]
        return height != 0

    def turns(self) -> set[str]:
        return {"pass", *(name(cell) for cell in self.cells if self.may_place(cell))}

    def take_turn(self, turn: str) -> None:
        self.happened = []
        if turn == "pass":
            self.passes_in_a_row += 1
        else:
            self.passes_in_a_row = 0
            self.place(self.named[turn])
        if self.passes_in_a_row == 2 or not any(map(self.may_place, self.cells)):
            self.result = self.won()

    def place(self, cell: Cell) -> None:
        # (1) The height is the number of regions adjacent to the cell once it is occupied.
        self.pieces[cell] = self.to_play
        height = self.counts([cell])[cell]
        self.pieces[cell] = f"{self.to_play}{height}"
        self.happened.append(("placed", self.to_play, name(cell), 0, height))
        # (2) and (3)
        self.reduce(OTHER[self.to_play])
        self.reduce(self.to_play)
        # (4)
        for stack, count in self.counts(self.pieces).items():
            colour, height = self.pieces[stack][0], int(self.pieces[stack][1:])
            if height < count:
                self.pieces[stack] = f"{colour}{count}"
                self.happened.append(("raised", colour, name(stack), height, count))

    def reduce(self, colour: str) -> None:
        for stack, count in self.counts(self.of(colour)).items():
            height = int(self.pieces[stack][1:])
            if height > count:
                self.prisoners[OTHER[colour]] += height - count
                self.happened.append(("reduced", colour, name(stack), height, count))
                if count == 0:
                    del self.pieces[stack]
                else:
                    self.pieces[stack] = f"{colour}{count}"
