"""A second reading of Nadraz, sentence by sentence."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from tests.support.literal.reading import OTHER, STEPS, Cell, Cells, Reading, around, cells_of, connected_sets, name

Stones = dict[Cell, str]


@cache
def edge_of(size: int) -> Cells:
    """Edge cells have fewer than six neighbours."""
    return frozenset(cell for cell in cells_of(size) if len(around(cell) & cells_of(size)) < 6)


@cache
def straight_lines(size: int) -> tuple[tuple[Cell | None, list[Cell]], ...]:
    """Every line of consecutive cells, with the cell just before it if that is on the board.

    A single cell has no direction, so it is listed once for each direction.
    """
    board = cells_of(size)
    lines: list[tuple[Cell | None, list[Cell]]] = []
    for cell in board:
        for dx, dy in STEPS:
            before = (cell[0] - dx, cell[1] - dy)
            line = [cell]
            while line[-1] in board:
                lines.append((before if before in board else None, list(line)))
                line.append((line[-1][0] + dx, line[-1][1] + dy))
    return tuple(lines)


def run_name(run: list[Cell]) -> str:
    return name(run[0]) if len(run) == 1 else f"{name(run[0])}-{name(run[-1])}"


@cache
def runs_of(size: int) -> dict[str, list[Cell]]:
    """Every line by its notation, whether legal as a run or not."""
    return {run_name(line): line for _, line in straight_lines(size)}


def snakes_of(stones: Stones, colour: str) -> frozenset[Cells]:
    """A snake is a maximal connected set of stones of one colour."""
    return connected_sets(frozenset([cell for cell, owner in stones.items() if owner == colour]))


def touching(cell: Cell, snake: Cells) -> int:
    return len(snake.intersection(around(cell)))


def ends_of(snake: Cells) -> set[Cell]:
    """The stones of a longer snake with exactly one adjacent stone of the snake."""
    return {cell for cell in snake if touching(cell, snake) == 1}


def ends_or_egg(snake: Cells) -> set[Cell]:
    return set(snake) if len(snake) == 1 else ends_of(snake)


def well_formed(stones: Stones) -> bool:
    """Every snake of both sides is an egg or has exactly two ends."""
    snakes = snakes_of(stones, "b") | snakes_of(stones, "w")
    return all(len(snake) == 1 or len(ends_of(snake)) == 2 for snake in snakes)


class Nadraz(Reading):
    sides: ClassVar[tuple[str, str]] = ("black", "white")
    starts: ClassVar[int] = 0

    def __init__(self, size: int, variant: str = "standard") -> None:
        super().__init__(size, variant)
        self.edge = edge_of(size)
        self.passes, self.last_placed = 0, "w"

    def openings(self) -> set[str]:
        inner = [name(cell) for cell in self.cells - self.edge]
        return {f"{one},{other}" for one in inner for other in inner if one != other}

    def open(self, turn: str) -> None:
        one, other = turn.split(",")
        self.pieces = {self.named[one]: "b", self.named[other]: "w"}

    def legal_runs(self) -> set[str]:
        own = {cell for cell, owner in self.pieces.items() if owner == self.to_play}
        friendly = snakes_of(self.pieces, self.to_play)
        enemy_ends = {cell for snake in snakes_of(self.pieces, OTHER[self.to_play]) for cell in ends_or_egg(snake)}
        ends = {snake: ends_or_egg(snake) for snake in friendly}
        legal = set()
        for before, run in straight_lines(self.size):
            # Each empty or holding an enemy stone, the last one empty.
            if run[-1] in self.pieces or not own.isdisjoint(run):
                continue
            flipped = [cell for cell in run if cell in self.pieces]
            if not any(
                self.start(snake, ends[snake], before, run)
                and self.flips(ends[snake], before, flipped, enemy_ends)
                and self.growing_or_merging(snake, friendly, run)
                and self.stop_after_merging(snake, friendly, before, run)
                for snake in friendly
            ):
                continue
            # A run that puts a stone on an empty edge cell must flip at least one stone.
            if not flipped and any(cell in self.edge for cell in run):
                continue
            if well_formed({**self.pieces, **dict.fromkeys(run, self.to_play)}):
                legal.add(run_name(run))
        return legal

    def start(self, snake: Cells, ends: set[Cell], before: Cell | None, run: list[Cell]) -> bool:
        first = run[0]
        if first in self.pieces:
            # c1 is an enemy stone and the cell just before it in the line is an end or the egg of S.
            return before in ends
        # c1 is empty and adjacent to one or two stones of S, at least one of them an end or the egg.
        return touching(first, snake) in (1, 2) and any(near in ends for near in around(first))

    def flips(self, ends: set[Cell], before: Cell | None, flipped: list[Cell], enemy_ends: set[Cell]) -> bool:
        if not flipped:
            return True
        # The cell just before c1 in the line is an end or the egg of S. No flipped stone is an enemy end or egg.
        return before in ends and not any(cell in enemy_ends for cell in flipped)

    def growing_or_merging(self, snake: Cells, friendly: frozenset[Cells], run: list[Cell]) -> bool:
        # ck is adjacent to 0, 1 or 2 stones of each friendly snake other than S.
        return all(touching(run[-1], other) in (0, 1, 2) for other in friendly if other != snake)

    def stop_after_merging(
        self, snake: Cells, friendly: frozenset[Cells], before: Cell | None, run: list[Cell]
    ) -> bool:
        # Let cm be the first cell of the run adjacent to a friendly snake other than S.
        merging = [
            number
            for number, cell in enumerate(run)
            if any(touching(cell, other) for other in friendly if other != snake)
        ]
        if not merging:
            return True
        m = merging[0]
        step = (run[-1][0] - run[-2][0], run[-1][1] - run[-2][1]) if len(run) > 1 else None
        following = run[m + 1] if m + 1 < len(run) else None
        if following is None and step is not None:
            following = (run[m][0] + step[0], run[m][1] + step[1])
        cm_is_empty = run[m] not in self.pieces
        if cm_is_empty and self.pieces.get(following) != OTHER[self.to_play]:  # type: ignore[arg-type]
            # The run ends at cm.
            return len(run) == m + 1
        # It ends at cm (when empty) or at the first empty cell behind that unbroken group of enemy stones.
        if cm_is_empty and len(run) == m + 1:
            return True
        last = m + 1 if cm_is_empty else m
        while last < len(run) and self.pieces.get(run[last]) == OTHER[self.to_play]:
            last += 1
        return len(run) == last + 1

    def turns(self) -> set[str]:
        # A side with a legal run must play one; otherwise it passes.
        return self.legal_runs() or {"pass"}

    def take_turn(self, turn: str) -> None:
        if turn == "pass":
            self.passes += 1
            if self.passes == 2:
                self.result = self.won()
        else:
            self.pieces |= dict.fromkeys(runs_of(self.size)[turn], self.to_play)
            self.passes, self.last_placed = 0, self.to_play

    def lengths(self, colour: str) -> list[int]:
        return sorted(map(len, snakes_of(self.pieces, colour)), reverse=True)

    def score(self) -> dict[str, list[int]]:
        return {colour: self.lengths(colour) for colour in "bw"}

    def won(self) -> tuple[str, str]:
        """The winner, and whether by the snakes or by placing last."""
        black, white = self.lengths("b"), self.lengths("w")
        longest = max(black + white)
        if self.variant == "standard":
            for length in range(longest, 0, -1):
                if black.count(length) != white.count(length):
                    return ("b" if black.count(length) > white.count(length) else "w"), "snakes"
        else:
            for length in range(1, longest + 1):
                if black.count(length) != white.count(length):
                    return ("b" if black.count(length) < white.count(length) else "w"), "snakes"
        return self.last_placed, "last placed"
