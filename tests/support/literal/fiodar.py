"""A second reading of Fiodar, straight from its rules: slow, with sets of coordinates, and independent.

A point is a pair (x, y), both from 0. Black is "b" and White is "w". A game begins before the opening.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]
Stones: TypeAlias = dict[Point, str]
Board: TypeAlias = frozenset[tuple[Point, str]]
#: Refused placements, each with the reason and the points that show it.
Refusals: TypeAlias = dict[str, tuple[str, frozenset[str]] | None]

LINES = ((1, 0), (0, 1), (1, 1))
ENEMY = {"b": "w", "w": "b"}
COLOURS = {"black": "b", "white": "w"}


@cache
def name(point: Point) -> str:
    """The name of a point, such as "c2" for (2, 1)."""
    return "abcdefghijklmnopqrstuvwxyz"[point[0]] + str(point[1] + 1)


@cache
def around(point: Point) -> frozenset[Point]:
    x, y = point
    return frozenset({(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x - 1, y - 1)})


def names(points: Iterable[Point]) -> frozenset[str]:
    return frozenset(map(name, points))


@lru_cache(maxsize=8)  # the enemy's stones are the same for every placement tried
def connected(points: frozenset[Point]) -> tuple[frozenset[Point], ...]:
    """Divide points into maximal connected sets."""
    rest, found = set(points), []
    while rest:
        group, waiting = set(), [rest.pop()]
        while waiting:
            point = waiting.pop()
            group.add(point)
            near = around(point) & rest
            rest -= near
            waiting.extend(near)
        found.append(frozenset(group))
    return tuple(found)


class Literal:
    """A game of Fiodar on a board of any size."""

    def __init__(self, size: int) -> None:
        span = range(2 * size - 1)
        self.points = {name((x, y)): (x, y) for x in span for y in span if abs(x - y) < size}
        self.on_board = frozenset(self.points.values())
        self.near = {point: around(point) & self.on_board for point in self.on_board}
        self.stones: Stones = {}
        self.phase = "opening"
        self.mover = "b"
        self.prisoners = {"b": 0, "w": 0}
        self.ends: dict[str, list[Board]] = {"b": [], "w": []}
        self.passes: list[str] = []
        self.result: tuple[str | None, str] | None = None
        self.judged: tuple[tuple[Board, str, list[Board]], Refusals] | None = None

    def copy(self) -> Literal:
        """A copy of the game that continues independently."""
        again = copy.copy(self)
        again.prisoners, again.passes = dict(self.prisoners), list(self.passes)
        again.ends = {colour: list(boards) for colour, boards in self.ends.items()}
        return again

    def neighbours(self, point: Point) -> frozenset[Point]:
        return self.near[point]

    def in_cut_thread(self, stones: Stones, point: Point) -> bool:
        """Whether one of the stone's three threads has an enemy stone just beyond both its ends."""
        colour = stones[point]
        for dx, dy in LINES:
            for sign in (1, -1):
                x, y = point
                while stones.get((x, y)) == colour:
                    x, y = x + sign * dx, y + sign * dy
                if stones.get((x, y)) != ENEMY[colour]:
                    break
            else:
                return True
        return False

    def cut_weaves(self, stones: Stones, colour: str) -> list[frozenset[Point]]:
        weaves = connected(frozenset([point for point, owner in stones.items() if owner == colour]))
        return [weave for weave in weaves if all(self.in_cut_thread(stones, point) for point in weave)]

    def placed(self, point: Point) -> tuple[Stones, list[frozenset[Point]]]:
        """The stones after the mover's placement, and the enemy weaves that it removes."""
        stones = {**self.stones, point: self.mover}
        removed = self.cut_weaves(stones, ENEMY[self.mover])
        for gone in removed:
            for weave in gone:
                del stones[weave]
        return stones, removed

    def refusal(self, turn: str) -> tuple[str, frozenset[str]] | None:
        """Why a placement is refused, and the points that show it; None if it is legal."""
        if turn not in self.points:
            return "off", frozenset()
        point = self.points[turn]
        if point in self.stones:
            return "taken", frozenset({turn})
        stones, removed = self.placed(point)
        left_cut = self.cut_weaves(stones, self.mover)
        if left_cut and not removed:
            return "cut", names(frozenset().union(*left_cut))
        if self.ends[self.mover] and frozenset(stones.items()) == self.ends[self.mover][-1]:
            return "repeats", frozenset({turn})
        return None

    def refusals(self) -> Refusals:
        """:meth:`refusal` for a placement on each point, remembered for as long as nothing changes."""
        now = frozenset(self.stones.items()), self.mover, self.ends[self.mover][-1:]
        if self.judged is None or self.judged[0] != now:
            self.judged = now, {turn: self.refusal(turn) for turn in self.points}
        return self.judged[1]

    def legal(self) -> set[str]:
        if self.phase == "over":
            return set()
        if self.phase == "opening":
            return set(self.points)
        if self.phase == "choice":
            return {"black", "white"}
        return {turn for turn, refusal in self.refusals().items() if refusal is None} | {"pass"}

    def play(self, turn: str) -> list[frozenset[str]]:
        """Play a legal turn, and return the weaves that it removed."""
        if self.phase == "choice":
            self.phase, self.mover = "play", "w"
            return []
        if self.phase == "opening":
            self.phase = "choice"
            self.stones = {self.points[turn]: "b"}
            self.ends["b"].append(frozenset(self.stones.items()))
            return []
        removed: list[frozenset[Point]] = []
        draw = False
        if turn == "pass":
            self.passes.append(self.mover)
        else:
            self.passes = []
            self.stones, removed = self.placed(self.points[turn])
            self.prisoners[self.mover] += sum(map(len, removed))
            draw = frozenset(self.stones.items()) in self.ends[self.mover][:-1]
        self.ends[self.mover].append(frozenset(self.stones.items()))
        self.mover = ENEMY[self.mover]
        if draw:
            self.phase, self.result = "over", (None, "repetition")
        elif len(self.passes) == 2:
            score = self.score()
            best = max(score.values())
            leaders = [side for side in score if score[side] == best]
            self.phase, self.result = "over", (leaders[0] if len(leaders) == 1 else None, "score")
        return [names(weave) for weave in removed]

    def territories(self, colour: str) -> list[frozenset[str]]:
        found = []
        for territory in connected(self.on_board.difference(self.stones)):
            around = {point for empty in territory for point in self.neighbours(empty)} & self.stones.keys()
            if around and all(self.stones[point] == colour for point in around):
                found.append(names(territory))
        return found

    def score(self) -> dict[str, float]:
        return {
            side: sum(map(len, self.territories(colour)))
            + self.prisoners[colour]
            + (0.5 if self.passes and self.passes[0] == colour else 0)
            for side, colour in COLOURS.items()
        }

    def held(self) -> dict[str, int]:
        return {side: self.prisoners[colour] for side, colour in COLOURS.items()}

    def cells(self) -> dict[str, str]:
        return {name(point): owner for point, owner in self.stones.items()}
