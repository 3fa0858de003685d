"""What all games share: sides, the pie rule, turns, events, outcomes and the ways in which a turn is refused.

A turn is its notation: a canonical lower-case string such as ``e5``, ``dark`` or ``pass``. A :class:`Position` lists
the legal ones, reads what a person typed, says why a turn is refused, and plays one. Nothing else knows it.
"""

from __future__ import annotations

import enum
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self, TypeAlias

from rules.board import Board, bits, board

PASS = "pass"

_SPACED_MARK = re.compile(r" ?([-+*,]) ?")


class Side(enum.IntEnum):
    """The first side (Dark, Black) and the second (Light, White)."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Side:
        return Side(1 - self)


class Phase(enum.StrEnum):
    OPENING = "opening"
    CHOICE = "choice"
    PLAY = "play"
    OVER = "over"


class Reason(enum.StrEnum):
    """Why a game ended by its rules."""

    ANNIHILATION = "annihilation"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the side that won (None is a draw) and why."""

    winner: Side | None
    reason: Reason


class TurnError(ValueError):
    """A turn that cannot be played. Its text is the reason, in plain words to the player."""


class NotATurn(TurnError):
    """The text is not the notation of any turn now."""


class OffTheBoard(TurnError):
    """A cell that this board does not have."""


class IllegalTurn(TurnError):
    """A turn that breaks a rule; ``cells`` are those that show it."""

    def __init__(self, reason: str, cells: tuple[int, ...] = ()) -> None:
        super().__init__(reason)
        self.cells = cells


class GameOver(TurnError):
    """The game has ended, so no turn can be played."""


class UnknownRuleset(ValueError):
    """No game, size or variant of that name."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A stone of ``side`` was placed on ``cell``."""

    side: Side
    cell: int


@dataclass(frozen=True, slots=True)
class Flipped:
    """The stones on ``cells``, one group, now belong to ``side``; the stones on ``by`` flipped them."""

    side: Side
    cells: tuple[int, ...]
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SideChosen:
    """The second player took ``side``, so the first player has the other one."""

    side: Side


@dataclass(frozen=True, slots=True)
class Passed:
    side: Side


Event: TypeAlias = Placed | Flipped | SideChosen | Passed


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game with a size and a variant: everything that decides how a list of turns is read."""

    game: type[Position]
    size: int
    variant: str

    @property
    def id(self) -> str:
        """The name under which games are stored: game, version of its rules, size and variant."""
        return f"{self.game.name}/{self.game.version}/{self.size}/{self.variant}"

    @property
    def board(self) -> Board:
        return board(self.size)

    def start(self) -> Position:
        """The position before the opening."""
        return self.game(self)

    def replay(self, turns: list[str] | tuple[str, ...]) -> Position:
        """The position after the turns. Raises :class:`TurnError` at the first one that cannot be played."""
        position = self.start()
        for turn in turns:
            position, _ = position.play(turn)
        return position


@dataclass(frozen=True)
class Position(ABC):
    """A position of one game. It never changes: :meth:`play` gives the next one.

    ``first`` and ``second`` are the masks of the two sides' stones; ``second_player`` is the side that the second
    player chose (None before the choice). Positions are equal, and hash alike, when their contents are equal.
    """

    ruleset: Ruleset
    first: int = 0
    second: int = 0
    second_player: Side | None = None
    turn_of: Side = Side.FIRST
    outcome: Outcome | None = None

    name: ClassVar[str]
    title: ClassVar[str]
    #: Raised when the same turns would give another game than before.
    version: ClassVar[int]
    sizes: ClassVar[tuple[int, ...]]
    default_size: ClassVar[int]
    variants: ClassVar[tuple[str, ...]]
    #: The names of the first and the second side.
    sides: ClassVar[tuple[str, str]]

    @cached_property
    def board(self) -> Board:
        return self.ruleset.board

    @property
    def phase(self) -> Phase:
        if self.outcome is not None:
            return Phase.OVER
        if not (self.first or self.second):
            return Phase.OPENING
        return Phase.CHOICE if self.second_player is None else Phase.PLAY

    @property
    def to_play(self) -> Side | None:
        """The side to play; None in the opening, the choice and at the end."""
        return self.turn_of if self.phase is Phase.PLAY else None

    @property
    def empty(self) -> int:
        return self.board.mask & ~(self.first | self.second)

    def stones(self, side: Side) -> int:
        """The mask of the side's stones."""
        return self.second if side else self.first

    def owner(self, cell: int) -> Side | None:
        """The side of the stone on that cell."""
        if self.first >> cell & 1:
            return Side.FIRST
        return Side.SECOND if self.second >> cell & 1 else None

    def with_stones(self, side: Side, own: int, enemy: int, turn_of: Side) -> Self:
        """This position with other stones: those of ``side`` and those of its enemy."""
        first, second = (enemy, own) if side else (own, enemy)
        return replace(self, first=first, second=second, turn_of=turn_of)

    @cached_property
    def legal_turns(self) -> tuple[str, ...]:
        """All legal turns in canonical notation; empty only when the game is over."""
        match self.phase:
            case Phase.OVER:
                return ()
            case Phase.CHOICE:
                return self.sides
            case Phase.OPENING:
                return tuple(self.board.names(self.board.mask))
            case Phase.PLAY:
                return tuple(self.board.names(self.placements(self.turn_of))) or (PASS,)

    def parse(self, text: str) -> str:
        """The canonical form of a turn that somebody typed; it is legal.

        Upper case and spaces are accepted. Raises :class:`NotATurn`, :class:`OffTheBoard`, :class:`IllegalTurn` or
        :class:`GameOver`, each with a reason for the player.
        """
        turn = _SPACED_MARK.sub(r"\1", " ".join(text.lower().split()))
        if turn in self.legal_turns:
            return turn
        raise self.refusal(turn)

    def refusal(self, turn: str) -> TurnError:
        """Why a turn that is not among the legal ones is refused."""
        phase = self.phase
        if phase is Phase.OVER:
            return GameOver("the game is over, so no more turns can be played")
        if phase is Phase.CHOICE:
            return NotATurn(f"the second player chooses a side now: {self.sides[0]} or {self.sides[1]}")
        if turn in self.sides:
            chosen = "is chosen after the opening" if phase is Phase.OPENING else "was chosen already"
            return NotATurn(f"a side {chosen}; now name a cell, such as {self.board.name(self.board.centre)}")
        if turn == PASS:
            return IllegalTurn(
                "the opening is a stone on any cell"
                if phase is Phase.OPENING
                else "you can pass only when you have no legal placement"
            )
        try:
            cell = self.board.cell(turn)
        except ValueError:
            shown = turn if len(turn) <= 20 else turn[:20] + "…"
            example = self.board.name(self.board.centre)
            return NotATurn(f"“{shown}” is not a turn; name a cell by its letter and number, such as {example}")
        if cell is None:
            last = self.board.name(self.board.cells[-1])
            return OffTheBoard(f"{turn} is off the board, which runs from a1 to {last}")
        owner = self.owner(cell)
        if owner is not None:
            return IllegalTurn(f"{turn} is taken by a {self.sides[owner]} stone", (cell,))
        return self.placement_refusal(self.turn_of, cell)

    def play(self, text: str) -> tuple[Self, tuple[Event, ...]]:
        """The position after a turn, and what the turn did, in order. Raises as :meth:`parse` does."""
        turn = self.parse(text)
        match self.phase:
            case Phase.CHOICE:
                chosen = Side(self.sides.index(turn))
                return replace(self, second_player=chosen, turn_of=Side.SECOND), (SideChosen(chosen),)
            case Phase.OPENING:
                cell = self.board.cell(turn)
                assert cell is not None
                return replace(self, first=1 << cell), (Placed(Side.FIRST, cell),)
        return self.take_turn(None if turn == PASS else self.board.cell(turn))

    @abstractmethod
    def placements(self, side: Side) -> int:
        """The mask of the cells where the side may place a stone."""

    @abstractmethod
    def placement_refusal(self, side: Side, cell: int) -> IllegalTurn:
        """Why the side may not place a stone on this empty cell."""

    @abstractmethod
    def take_turn(self, cell: int | None) -> tuple[Self, tuple[Event, ...]]:
        """A legal turn of the side to play, after the choice: a placement, or a pass (None)."""

    @abstractmethod
    def pieces(self) -> dict[str, str]:
        """The occupied cells by name, each with its short text as in the replay interface."""

    @abstractmethod
    def score(self) -> dict[str, int | float | list[int]]:
        """What each side, by name, would have if the game ended here."""

    def __str__(self) -> str:
        marks = {None: "·", Side.FIRST: "●", Side.SECOND: "○"}
        return self.board.diagram(lambda cell: marks[self.owner(cell)])


def cell_names(on: Board, cells: tuple[int, ...] | int) -> str:
    """The cells' names in a row, such as ``d5, e6``."""
    return ", ".join(on.name(cell) for cell in (bits(cells) if isinstance(cells, int) else cells))
