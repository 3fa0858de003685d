"""A second, slow reading of Hedu, written from its rules alone, against which the engine is checked.

Cells are pairs (x, y). The stacks are a dict from cells to pairs of a colour, ``black`` or ``white``, and a height.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

Cell = tuple[int, int]
Entry = tuple[int, int]

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))
OPPONENT = {"black": "white", "white": "black"}


class Refused(Exception):
    """An illegal turn."""


@lru_cache(maxsize=32)  # the same few boards are examined many times
def connected_sets(cells: frozenset[Cell]) -> tuple[frozenset[Cell], ...]:
    """Divide cells into maximal connected sets."""
    found = []
    left = set(cells)
    while left:
        waiting = [left.pop()]
        connected = set(waiting)
        while waiting:
            x, y = waiting.pop()
            for dx, dy in STEPS:
                there = (x + dx, y + dy)
                if there in left:
                    left.remove(there)
                    connected.add(there)
                    waiting.append(there)
        found.append(frozenset(connected))
    return tuple(found)


class Literal:
    """A game in progress on a board with ``size`` cells on each side; :meth:`play` changes it."""

    def __init__(self, size: int) -> None:
        numbers = range(2 * size - 1)
        self.cells = [(x, y) for x in numbers for y in numbers if abs(x - y) < size]
        self.on_board = frozenset(self.cells)
        self.near = {
            (x, y): [there for dx, dy in STEPS if (there := (x + dx, y + dy)) in self.on_board] for x, y in self.cells
        }
        self.stacks: dict[Cell, tuple[str, int]] = {}
        self.prisoners = {"black": 0, "white": 0}
        self.phase = "opening"
        self.to_play = "black"
        self.passes_in_a_row = 0
        #: What the last turn did, in order: ("placed" | "reduced" | "raised", colour, cell's name, before, after).
        self.happened: list[tuple[str, str, str, int, int]] = []

    # The board

    def name(self, cell: Cell) -> str:
        return "abcdefghijklmnopqrstuvwxyz"[cell[0]] + str(cell[1] + 1)

    def neighbours(self, cell: Cell) -> list[Cell]:
        return self.near[cell]

    # The terms

    def regions(self) -> tuple[frozenset[Cell], ...]:
        return connected_sets(self.on_board.difference(self.stacks))

    def regions_adjacent_to(self, cell: Cell, regions: tuple[frozenset[Cell], ...] | None = None) -> int:
        """How many regions of the current board are adjacent to the cell."""
        if regions is None:
            regions = self.regions()
        return sum(not region.isdisjoint(self.neighbours(cell)) for region in regions)

    def counts(self, stacks: list[Cell]) -> dict[Cell, int]:
        regions = self.regions()
        return {stack: self.regions_adjacent_to(stack, regions) for stack in stacks}

    def stacks_of(self, colour: str) -> list[Cell]:
        return [cell for cell, (owner, _) in self.stacks.items() if owner == colour]

    def groups(self, colour: str) -> list[tuple[frozenset[Cell], int]]:
        """The colour's groups, each as its cells and its height."""
        heights = {height for _, height in self.stacks.values()}
        return [
            (group, height)
            for height in sorted(heights)
            for group in connected_sets(
                frozenset([cell for cell, stack in self.stacks.items() if stack == (colour, height)])
            )
        ]

    def adjacent_stacks(self, colour: str, region: frozenset[Cell]) -> list[Cell]:
        return [cell for cell in self.stacks_of(colour) if not region.isdisjoint(self.neighbours(cell))]

    def adjacent_list(self, colour: str, region: frozenset[Cell]) -> list[Entry]:
        """The (size, height) of the colour's groups with a stack adjacent to the region, in descending order."""
        adjacent = self.adjacent_stacks(colour, region)
        entries = [(len(group), height) for group, height in self.groups(colour) if group & set(adjacent)]
        return sorted(entries, reverse=True)

    def whole_list(self, colour: str) -> list[Entry]:
        return sorted(((len(group), height) for group, height in self.groups(colour)), reverse=True)

    def compare(self, black: list[Entry], white: list[Entry]) -> tuple[str | None, str]:
        """The colour with the greater list, and the reason: ``ended``, ``size``, ``height`` or ``equal``."""
        at = 0
        while True:
            if at == len(black) and at == len(white):
                return None, "equal"
            if at == len(black):
                return "white", "ended"
            if at == len(white):
                return "black", "ended"
            for part, decided in ((0, "size"), (1, "height")):
                if black[at][part] != white[at][part]:
                    return ("black" if black[at][part] > white[at][part] else "white"), decided
            at += 1

    def control(self, region: frozenset[Cell]) -> tuple[str | None, int]:
        """The side that controls the region, and the region's value for it."""
        lists = {colour: self.adjacent_list(colour, region) for colour in OPPONENT}
        controller, _ = self.compare(lists["black"], lists["white"])
        if controller is None:
            black, white = (len(self.adjacent_stacks(colour, region)) for colour in ("black", "white"))
            if black > white:
                controller = "black"
            if white > black:
                controller = "white"
        return controller, 0 if controller is None else lists[controller][0][1]

    def controls(self) -> dict[str, tuple[str | None, int]]:
        """Every region by its cells' names, with its value and the side that controls it."""
        return {" ".join(sorted(map(self.name, region))): self.control(region) for region in self.regions()}

    def score(self) -> dict[str, Fraction]:
        points = {colour: Fraction(held) for colour, held in self.prisoners.items()}
        for region in self.regions():
            controller, value = self.control(region)
            if controller is not None:
                points[controller] += value
        greater, _ = self.compare(self.whole_list("black"), self.whole_list("white"))
        if greater is not None:
            points[greater] += Fraction(1, 2)
        return points

    def winner(self) -> str | None:
        score = self.score()
        if score["black"] == score["white"]:
            return None
        return "black" if score["black"] > score["white"] else "white"

    # The turns

    def may_place(self, cell: Cell) -> bool:
        if cell in self.stacks:
            return False
        self.stacks[cell] = (self.to_play, 1)
        height = self.regions_adjacent_to(cell)
        del self.stacks[cell]
        return height != 0

    def legal(self) -> set[str]:
        if self.phase == "opening":
            return {self.name(cell) for cell in self.cells}
        if self.phase == "choice":
            return {"black", "white"}
        if self.phase == "over":
            return set()
        return {"pass", *(self.name(cell) for cell in self.cells if self.may_place(cell))}

    def is_legal(self, turn: str) -> bool:
        if self.phase == "play" and turn != "pass":
            return any(self.name(cell) == turn and self.may_place(cell) for cell in self.cells)
        return turn in self.legal()

    def play(self, turn: str) -> None:
        if not self.is_legal(turn):
            raise Refused(turn)
        self.happened = []
        if self.phase == "opening":
            self.stacks[self.cell(turn)] = ("black", 1)
            self.happened.append(("placed", "black", turn, 0, 1))
            self.phase = "choice"
        elif self.phase == "choice":
            self.phase = "play"
            self.to_play = "white"
        else:
            if turn == "pass":
                self.passes_in_a_row += 1
            else:
                self.passes_in_a_row = 0
                self.place(self.cell(turn))
            self.to_play = OPPONENT[self.to_play]
            if self.passes_in_a_row == 2 or not any(self.may_place(cell) for cell in self.cells):
                self.phase = "over"

    def cell(self, turn: str) -> Cell:
        return next(cell for cell in self.cells if self.name(cell) == turn)

    def place(self, cell: Cell) -> None:
        # (1) The height is the number of regions adjacent to the cell once it is occupied.
        self.stacks[cell] = (self.to_play, 0)
        height = self.regions_adjacent_to(cell)
        self.stacks[cell] = (self.to_play, height)
        self.happened.append(("placed", self.to_play, self.name(cell), 0, height))
        # (2) and (3)
        self.reduce(OPPONENT[self.to_play])
        self.reduce(self.to_play)
        # (4)
        for stack, count in self.counts(list(self.stacks)).items():
            colour, height = self.stacks[stack]
            if height < count:
                self.stacks[stack] = (colour, count)
                self.happened.append(("raised", colour, self.name(stack), height, count))

    def reduce(self, colour: str) -> None:
        for stack, count in self.counts(self.stacks_of(colour)).items():
            height = self.stacks[stack][1]
            if height > count:
                self.prisoners[OPPONENT[colour]] += height - count
                self.happened.append(("reduced", colour, self.name(stack), height, count))
                if count == 0:
                    del self.stacks[stack]
                else:
                    self.stacks[stack] = (colour, count)
