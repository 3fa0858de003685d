"""A second reading of Nadraz, sentence by sentence, against which the engine is checked: slow, and without the library.

A cell is a pair (column, row), both from 0; a position is a dict from the occupied cells to ``"b"`` or ``"w"``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

Cell = tuple[int, int]
Stones = dict[Cell, str]

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))


@cache
def cells_of(size: int) -> tuple[Cell, ...]:
    side = range(2 * size - 1)
    return tuple((x, y) for x in side for y in side if abs(x - y) < size)


@cache
def name(cell: Cell) -> str:
    x, y = cell
    return ("aa" if x == 26 else "abcdefghijklmnopqrstuvwxyz"[x]) + str(y + 1)


@cache
def around(cell: Cell) -> tuple[Cell, ...]:
    return tuple((cell[0] + dx, cell[1] + dy) for dx, dy in STEPS)


@cache
def edge_of(size: int) -> frozenset[Cell]:
    """Edge cells have fewer than six neighbours."""
    board = cells_of(size)
    return frozenset(cell for cell in board if sum(near in board for near in around(cell)) < 6)


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


def snakes_of(stones: Stones, colour: str) -> list[frozenset[Cell]]:
    """A snake is a maximal connected set of stones of one colour."""
    left = {cell for cell, owner in stones.items() if owner == colour}
    snakes = []
    while left:
        snake: set[Cell] = set()
        waiting = [left.pop()]
        while waiting:
            cell = waiting.pop()
            snake.add(cell)
            for near in around(cell):
                if near in left:
                    left.remove(near)
                    waiting.append(near)
        snakes.append(frozenset(snake))
    return snakes


def touching(cell: Cell, snake: frozenset[Cell]) -> int:
    return len(snake.intersection(around(cell)))


def ends_of(snake: frozenset[Cell]) -> set[Cell]:
    """The stones of a longer snake with exactly one adjacent stone of the snake."""
    return {cell for cell in snake if touching(cell, snake) == 1}


def ends_or_egg(snake: frozenset[Cell]) -> set[Cell]:
    return set(snake) if len(snake) == 1 else ends_of(snake)


def well_formed(stones: Stones) -> bool:
    """Every snake of both sides is an egg or has exactly two ends."""
    snakes = snakes_of(stones, "b") + snakes_of(stones, "w")
    return all(len(snake) == 1 or len(ends_of(snake)) == 2 for snake in snakes)


@dataclass
class Literal:
    """A game after its opening and choice of side."""

    size: int
    variant: str
    stones: Stones
    mover: str = "b"
    passes: int = 0
    last_placed: str = "w"
    over: bool = False
    edge: frozenset[Cell] = field(init=False)

    def __post_init__(self) -> None:
        self.edge = edge_of(self.size)

    @property
    def enemy(self) -> str:
        return "w" if self.mover == "b" else "b"

    def legal_runs(self) -> set[str]:
        own = {cell for cell, owner in self.stones.items() if owner == self.mover}
        friendly = snakes_of(self.stones, self.mover)
        enemy_ends = {cell for snake in snakes_of(self.stones, self.enemy) for cell in ends_or_egg(snake)}
        ends = {snake: ends_or_egg(snake) for snake in friendly}
        legal = set()
        for before, run in straight_lines(self.size):
            # Each empty or holding an enemy stone, the last one empty.
            if run[-1] in self.stones or not own.isdisjoint(run):
                continue
            flipped = [cell for cell in run if cell in self.stones]
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
            if well_formed({**self.stones, **dict.fromkeys(run, self.mover)}):
                legal.add(run_name(run))
        return legal

    def start(self, snake: frozenset[Cell], ends: set[Cell], before: Cell | None, run: list[Cell]) -> bool:
        first = run[0]
        if first in self.stones:
            # c1 is an enemy stone and the cell just before it in the line is an end or the egg of S.
            return before in ends
        # c1 is empty and adjacent to one or two stones of S, at least one of them an end or the egg.
        return touching(first, snake) in (1, 2) and any(near in ends for near in around(first))

    def flips(self, ends: set[Cell], before: Cell | None, flipped: list[Cell], enemy_ends: set[Cell]) -> bool:
        if not flipped:
            return True
        # The cell just before c1 in the line is an end or the egg of S. No flipped stone is an enemy end or egg.
        return before in ends and not any(cell in enemy_ends for cell in flipped)

    def growing_or_merging(self, snake: frozenset[Cell], friendly: list[frozenset[Cell]], run: list[Cell]) -> bool:
        # ck is adjacent to 0, 1 or 2 stones of each friendly snake other than S.
        return all(touching(run[-1], other) in (0, 1, 2) for other in friendly if other != snake)

    def stop_after_merging(
        self, snake: frozenset[Cell], friendly: list[frozenset[Cell]], before: Cell | None, run: list[Cell]
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
        cm_is_empty = run[m] not in self.stones
        if cm_is_empty and self.stones.get(following) != self.enemy:  # type: ignore[arg-type]
            # The run ends at cm.
            return len(run) == m + 1
        # It ends at cm (when empty) or at the first empty cell behind that unbroken group of enemy stones.
        if cm_is_empty and len(run) == m + 1:
            return True
        last = m + 1 if cm_is_empty else m
        while last < len(run) and self.stones.get(run[last]) == self.enemy:
            last += 1
        return len(run) == last + 1

    def legal_turns(self) -> set[str]:
        if self.over:
            return set()
        # A side with a legal run must play one; otherwise it passes.
        return self.legal_runs() or {"pass"}

    def play(self, turn: str) -> None:
        """Play a turn from :meth:`legal_turns` without recomputing them."""
        if turn == "pass":
            self.passes += 1
            self.over = self.passes == 2
        else:
            self.stones.update(dict.fromkeys(runs_of(self.size)[turn], self.mover))
            self.passes = 0
            self.last_placed = self.mover
        self.mover = self.enemy

    def lengths(self, colour: str) -> list[int]:
        return sorted(map(len, snakes_of(self.stones, colour)), reverse=True)

    def winner(self) -> tuple[str, str]:
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
