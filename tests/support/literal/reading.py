"""What the second readings share: the board, connected cells, and the course of a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import ClassVar, Self, TypeAlias

#: A cell: its column and row, both from 0.
Cell: TypeAlias = tuple[int, int]
Cells: TypeAlias = frozenset[Cell]

STEPS = ((1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1))
#: The sides are letters.
OTHER = {"d": "l", "l": "d", "b": "w", "w": "b"}


class Refused(Exception):
    """An illegal turn."""


@cache
def cells_of(size: int) -> Cells:
    """Every (x, y) from 0 to 2N−2 with |x − y| < N."""
    numbers = range(2 * size - 1)
    return frozenset((x, y) for x in numbers for y in numbers if abs(x - y) < size)


@cache
def name(cell: Cell) -> str:
    """The column's letter and the row's number plus one."""
    x, y = cell
    return ("aa" if x == 26 else "abcdefghijklmnopqrstuvwxyz"[x]) + str(y + 1)


@cache
def around(cell: Cell) -> Cells:
    """The six cells around a cell, on the board or not."""
    return frozenset((cell[0] + dx, cell[1] + dy) for dx, dy in STEPS)


def beside(cells: Iterable[Cell]) -> set[Cell]:
    """The cells around these cells, which may include some of them."""
    return set().union(*map(around, cells))


@lru_cache(maxsize=32)  # the same few boards are examined many times
def connected_sets(cells: Cells) -> frozenset[Cells]:
    """The maximal connected sets."""
    left, found = set(cells), set()
    while left:
        waiting = [left.pop()]
        connected = set(waiting)
        while waiting:
            near = around(waiting.pop()) & left
            left -= near
            connected |= near
            waiting += near
        found.add(frozenset(connected))
    return frozenset(found)


class Reading(ABC):
    """A game in progress; :meth:`play` changes it."""

    #: The names of the sides, whose first letters stand for them elsewhere.
    sides: ClassVar[tuple[str, str]]
    #: The kind of the first piece, and the side that plays after the choice of sides.
    first_kind: ClassVar[str] = ""
    starts: ClassVar[int] = 1
    takes_prisoners: ClassVar[bool] = False

    def __init__(self, size: int, variant: str = "standard") -> None:
        self.size, self.variant = size, variant
        self.cells = cells_of(size)
        self.named = {name(cell): cell for cell in self.cells}
        #: Pieces such as ``d``, ``lS`` or ``b2``: the letter of the side and the kind.
        self.pieces: dict[Cell, str] = {}
        self.phase = "opening"
        self.to_play = self.sides[0][0]
        self.prisoners = {side[0]: 0 for side in self.sides} if self.takes_prisoners else {}
        #: The winner, None in a draw, and the reason.
        self.result: tuple[str | None, str] | None = None

    @classmethod
    def at(cls, size: int, variant: str, pieces: Mapping[str, str], to_play: str) -> Self:
        """A game that goes on from these pieces."""
        game = cls(size, variant)
        game.pieces = {game.named[cell]: piece for cell, piece in pieces.items()}
        game.phase, game.to_play = "play", to_play
        return game

    def of(self, side: str) -> Cells:
        """The cells of a side's pieces."""
        return frozenset([cell for cell, piece in self.pieces.items() if piece[0] == side])

    def legal_turns(self) -> set[str]:
        match self.phase:
            case "opening":
                return self.openings()
            case "choice":
                return set(self.sides)
            case "play":
                return self.turns()
        return set()

    def play(self, turn: str) -> None:
        """Play a legal turn."""
        if self.phase == "opening":
            self.open(turn)
            self.phase = "choice"
        elif self.phase == "choice":
            self.phase, self.to_play = "play", self.sides[self.starts][0]
        else:
            self.take_turn(turn)
            self.to_play = OTHER[self.to_play]
            if self.result is not None:
                self.phase = "over"

    def openings(self) -> set[str]:
        return set(self.named)

    def open(self, turn: str) -> None:
        self.pieces[self.named[turn]] = self.to_play + self.first_kind

    @abstractmethod
    def turns(self) -> set[str]: ...

    @abstractmethod
    def take_turn(self, turn: str) -> None: ...

    @abstractmethod
    def score(self) -> Mapping[str, object]: ...

    def won(self) -> tuple[str | None, str]:
        """The result by the present score."""
        score: Mapping[str, float] = self.score()  # type: ignore[assignment]
        first, second = (score[side[0]] for side in self.sides)
        return None if first == second else max(score, key=score.__getitem__), "score"
