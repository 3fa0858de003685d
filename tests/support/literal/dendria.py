"""A second reading of Dendria: every rule is a loop. Pieces are ``dS``, ``lD`` and so on."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from tests.support.literal.reading import (
    OTHER,
    STEPS,
    Cell,
    Cells,
    Reading,
    Refused,
    beside,
    cells_of,
    connected_sets,
    name,
)

Pieces = dict[Cell, str]


@cache
def lines(size: int, cell: Cell) -> list[list[Cell]]:
    """The straight lines of cells from a cell to the edge, nearest first, in each direction that has some."""
    found = []
    for dx, dy in STEPS:
        line, at = [], (cell[0] + dx, cell[1] + dy)
        while at in cells_of(size):
            line.append(at)
            at = (at[0] + dx, at[1] + dy)
        if line:
            found.append(line)
    return found


@dataclass
class Board:
    """A board with its pieces, and the terms that the rules define for them."""

    size: int
    pieces: Pieces = field(default_factory=dict)

    def soils(self) -> list[Cell]:
        return [cell for cell in sorted(cells_of(self.size)) if cell not in self.pieces]

    def copy(self) -> Board:
        return Board(self.size, dict(self.pieces))

    def of(self, side: str, kind: str) -> list[Cell]:
        return sorted(cell for cell, piece in self.pieces.items() if piece == side + kind)

    def roots(self, cell: Cell) -> list[tuple[list[Cell], Cell | None]]:
        """Each root of a piece on that cell: its soils, and the end cell if it has a piece."""
        roots = []
        for line in lines(self.size, cell):
            soils = list(itertools.takewhile(lambda at: at not in self.pieces, line))
            roots.append((soils, line[len(soils)] if len(soils) < len(line) else None))
        return roots

    def nourished_by(self, cell: Cell) -> str | None:
        """The side that nourishes a Seed on that cell; None if it is hungry."""
        nutrients = {"d": 0, "l": 0}
        for _, end in self.roots(cell):
            if end is None:
                return None
            nutrients[self.pieces[end][0]] += 1
        if nutrients["d"] == nutrients["l"]:
            return None
        return "d" if nutrients["d"] > nutrients["l"] else "l"

    def made_fertile(self, dryad: Cell) -> set[Cell]:
        return {dryad}.union(*(soils for soils, _ in self.roots(dryad)))

    def fertile(self, side: str) -> set[Cell]:
        return set().union(*(self.made_fertile(dryad) for dryad in self.of(side, "D")))

    def groups(self, side: str, kind: str) -> frozenset[Cells]:
        """The side's seedbeds or forests."""
        return connected_sets(frozenset(self.of(side, kind)))

    def group(self, cell: Cell) -> Cells:
        """The seedbed or forest of the piece on that cell."""
        return next(group for group in self.groups(*self.pieces[cell]) if cell in group)

    def around(self, group: Cells) -> set[Cell]:
        return beside(group) & cells_of(self.size) - group

    def leafiness(self, side: str) -> set[Cell]:
        """The cells that count for the side."""
        roots: dict[Cell, int] = {}
        for tree_side, weight in ((side, 1), (OTHER[side], -1)):
            for tree in self.of(tree_side, "T"):
                for soils, end in self.roots(tree):
                    lies_on = list(soils)
                    if end is not None and self.pieces[end][1] in "SD":
                        lies_on.append(end)
                    for cell in lies_on:
                        roots[cell] = roots.get(cell, 0) + weight
        trees = set(self.of(side, "T"))
        return trees | {cell for cell, more in roots.items() if more > 0}

    def protected(self, side: str) -> list[Cells]:
        return [forest for forest in self.groups(side, "T") if self.around(forest) <= self.fertile(side)]

    def attacked(self, side: str) -> list[Cells]:
        enemy = self.fertile(OTHER[side])
        return [
            forest
            for forest in self.groups(side, "T")
            if forest not in self.protected(side) and self.around(forest) <= enemy
        ]

    def stops(self, side: str, dryad: Cell, directions: tuple[Cell, ...] = STEPS) -> list[Cell]:
        """The soils where a Dryad can stop."""
        stops = []
        for dx, dy in directions:
            at = (dryad[0] + dx, dryad[1] + dy)
            while at in cells_of(self.size):
                piece = self.pieces.get(at)
                if piece is not None and (piece[1] == "T" or piece == OTHER[side] + "D"):
                    break
                if piece is None:
                    stops.append(at)
                at = (at[0] + dx, at[1] + dy)
        return stops

    def move(self, start: Cell, stop: Cell) -> None:
        self.pieces[stop] = self.pieces.pop(start)

    def can_sprout(self, side: str, seed: Cell, moved: Cell | None) -> bool:
        if self.pieces.get(seed, "..")[1] != "S" or self.nourished_by(seed) != side:
            return False
        return moved is None or any(end == moved for _, end in self.roots(seed))

    def can_germinate(self, side: str, seed: Cell, moved: Cell | None) -> bool:
        if self.pieces.get(seed, "..")[1] != "S":
            return False
        around = self.around(self.group(seed))
        if not around <= self.fertile(side):
            return False
        return moved is None or bool(around & self.made_fertile(moved))

    def can_act(self, side: str, moved: Cell) -> bool:
        return any(
            self.can_sprout(side, seed, moved) or self.can_germinate(side, seed, moved)
            for seed in self.of("d", "S") + self.of("l", "S")
        )

    def can_sow(self) -> bool:
        return any(self.nourished_by(soil) is None for soil in self.soils())

    def has_irreversible_turn(self, side: str) -> bool:
        if self.can_sow():
            return True
        for dryad in self.of(side, "D"):
            for stop in self.stops(side, dryad):
                there = self.copy()
                there.move(dryad, stop)
                if there.can_act(side, stop):
                    return True
        return False

    def has_irreversible_turn_after_wandering(self, side: str) -> bool:
        """Whether any Dryad can make an irreversible turn possible by moving alone, without acting."""
        for dryad in self.of(side, "D"):
            seen, waiting = {dryad}, [dryad]
            while waiting:
                stands = waiting.pop()
                there = self.copy()
                there.move(dryad, stands)
                if there.has_irreversible_turn(side):
                    return True
                for stop in there.stops(side, stands):
                    if stop not in seen:
                        seen.add(stop)
                        waiting.append(stop)
        return False


class Dendria(Reading):
    sides: ClassVar[tuple[str, str]] = ("dark", "light")
    first_kind: ClassVar[str] = "S"

    def __init__(self, size: int, variant: str = "standard") -> None:
        super().__init__(size, variant)
        #: The states before each turn so far.
        self.states: list[tuple[Pieces, str]] = []
        self.passed: str | None = None

    @property
    def board(self) -> Board:
        return Board(self.size, self.pieces)

    def cell(self, text: str) -> Cell:
        if text not in self.named:
            raise Refused(f"no cell {text}")
        return self.named[text]

    def score(self) -> dict[str, float]:
        return {side: len(self.board.leafiness(side)) + (0.5 if side == self.passed else 0) for side in "dl"}

    def turns(self) -> set[str]:
        """All sowings, all Dryad moves with one stop, and the pass."""
        turns = {"pass", *(name(soil) for soil in self.board.soils() if self.board.nourished_by(soil) is None)}
        for dryad in self.board.of(self.to_play, "D"):
            for stop in self.board.stops(self.to_play, dryad):
                there = self.board.copy()
                there.move(dryad, stop)
                if (there.pieces, OTHER[self.to_play]) not in self.states:
                    turns.add(f"{name(dryad)}-{name(stop)}")
        return turns

    def take_turn(self, turn: str) -> None:
        """Play a turn in notation, or raise :class:`Refused` and change nothing."""
        if turn == "pass":
            self.take_pass()
            return
        tokens = re.findall(r"[-+*]?[a-z0-9]+", turn)
        if "".join(tokens) != turn or tokens[0][0] in "-+*":
            raise Refused("not a turn")
        start = self.cell(tokens[0])
        if self.pieces.get(start) == self.to_play + "D":
            board = self.moved(start, tokens[1:])
            if (board.pieces, OTHER[self.to_play]) in self.states:
                raise Refused("an earlier state")
        else:
            board = self.sown(start, tokens[1:])
        self.states.append((self.pieces, self.to_play))
        self.pieces, self.passed = board.pieces, None

    def take_pass(self) -> None:
        self.states.append((self.pieces, self.to_play))
        if self.passed is not None:
            self.result = self.won()
            return
        self.passed, opponent = self.to_play, OTHER[self.to_play]
        if (
            self.won()[0] == self.to_play
            and not self.board.has_irreversible_turn(self.to_play)
            and not self.board.has_irreversible_turn(opponent)
            and not self.board.has_irreversible_turn_after_wandering(opponent)
        ):
            self.result = self.to_play, "forced pass"

    def act(self, board: Board, token: str, moved: Cell | None) -> None:
        cell = self.cell(token[1:])
        if token[0] == "+":
            if not board.can_sprout(self.to_play, cell, moved):
                raise Refused("cannot sprout")
            board.pieces[cell] = self.to_play + "D"
        else:
            if not board.can_germinate(self.to_play, cell, moved):
                raise Refused("cannot germinate")
            for seed in board.group(cell):
                board.pieces[seed] = self.to_play + "T"

    def sown(self, soil: Cell, tokens: list[str]) -> Board:
        board = self.board.copy()
        if soil in board.pieces or board.nourished_by(soil) is not None:
            raise Refused("cannot sow")
        board.pieces[soil] = self.to_play + "S"
        marks = "".join(token[0] for token in tokens)
        if marks != "*" and set(marks) - {"+"}:
            raise Refused("either sprouts or one germination")
        for token in tokens:
            self.act(board, token, None)
        return board

    def moved(self, start: Cell, tokens: list[str]) -> Board:
        board = self.board.copy()
        legs: list[list[str]] = []
        for token in tokens:
            if token[0] == "-":
                legs.append([token])
            elif not legs:
                raise Refused("acts on the soil it leaves")
            else:
                legs[-1].append(token)
        if not legs:
            raise Refused("goes nowhere")
        stands = start
        directions: tuple[Cell, ...] = STEPS
        for number, (stop_token, *acts) in enumerate(legs):
            stop = self.cell(stop_token[1:])
            directions = tuple(
                direction for direction in directions if stop in board.stops(self.to_play, stands, (direction,))
            )
            if not directions:
                raise Refused("cannot stop there")
            board.move(stands, stop)
            stands = stop
            marks = {token[0] for token in acts}
            if len(marks) > 1:
                raise Refused("sprouts or germinates, not both")
            if not marks and number + 1 < len(legs):
                raise Refused("does nothing there")
            for token in acts:
                self.act(board, token, stands)
        return board
