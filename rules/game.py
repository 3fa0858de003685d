"""What all games share: sides, the pie rule, turns, events, outcomes and the ways in which a turn is refused.

A turn is its notation: a canonical lower-case string such as ``e5``, ``dark`` or ``pass``. A :class:`Position` lists
the legal ones, reads what a person typed, says why a turn is refused, and plays one. Nothing else knows it.
"""

from __future__ import annotations

import enum
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cache
from gettext import NullTranslations
from typing import ClassVar, NamedTuple, Self, TypeAlias

from rules.board import Board, bits, board
from rules.lazy import lazy
from rules.text import Text, later

PASS = "pass"

_SPACED_MARK = re.compile(r" ?([-+*,]) ?")
_STEP = re.compile(r"[-+*,]?[a-z0-9]+")


class Side(enum.IntEnum):
    """The first side (Dark, Black) and the second (Light, White)."""

    FIRST = 0
    SECOND = 1

    #: The opposite side.
    other: Side


Side.FIRST.other, Side.SECOND.other = Side.SECOND, Side.FIRST


class Phase(enum.StrEnum):
    OPENING = "opening"
    CHOICE = "choice"
    PLAY = "play"
    OVER = "over"


class Reason(enum.StrEnum):
    """Why a game ended by its rules."""

    ANNIHILATION = later("annihilation")
    SCORE = later("score")
    SNAKES = later("snakes")
    LAST_PLACED = later("last placed")
    REPETITION = later("repetition")
    FORCED_PASS = later("forced pass")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the side that won (None is a draw) and why."""

    winner: Side | None
    reason: Reason


class Refusal(ValueError):
    """Something that is not possible. Its text is the reason, in plain words to a person.

    ``reason`` is a text, or the template of one with its values.
    """

    def __init__(self, reason: Text | str, /, **values: object) -> None:
        self.text = Text(reason, **values) if isinstance(reason, str) else reason
        super().__init__(self.text)

    def told(self, texts: NullTranslations) -> str:
        """The reason in the language of a catalogue."""
        return self.text.told(texts)


class TurnError(Refusal):
    """A turn that cannot be played.

    ``rule`` is the section of a rule page that says why, as the pages link to it: ``dalen.md#passing``.
    """

    def __init__(self, reason: Text | str, /, *, rule: str = "README.md#writing-down-turns", **values: object) -> None:
        super().__init__(reason, **values)
        self.rule = rule


class NotATurn(TurnError):
    """The text is not the notation of any turn now."""


class OffTheBoard(TurnError):
    """A cell that this board does not have."""


class IllegalTurn(TurnError):
    """A turn that breaks a rule; ``cells`` are those that show it."""

    def __init__(self, reason: Text | str, cells: tuple[int, ...] = (), /, *, rule: str, **values: object) -> None:
        super().__init__(reason, rule=rule, **values)
        self.cells = cells


class GameOver(TurnError):
    """The game has ended, so no turn can be played."""


class UnknownRuleset(Refusal):
    """No game, size or variant of that name."""


class Sections(NamedTuple):
    """The sections of a game's rule page on what all games have, each as a link: ``dalen.md#passing``."""

    opening: str
    turn: str
    passing: str
    end: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of ``side`` was placed on ``cell``; a stack has a ``height``."""

    side: Side
    cell: int
    height: int = 1


@cache
def placement(side: Side, cell: int, height: int = 1) -> Placed:
    """The event of that placement, made once: it is the most frequent of all."""
    return Placed(side, cell, height)


@dataclass(frozen=True, slots=True)
class Flipped:
    """The stones on ``cells``, one group, now belong to ``side``; the stones on ``by`` flipped them."""

    side: Side
    cells: tuple[int, ...]
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Captured:
    """The pieces on ``cells``, one group, left the board and became prisoners of ``side``."""

    side: Side
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """The stack of ``side`` on ``cell`` became lower, which gave its enemy prisoners; at height 0 it left the board."""

    side: Side
    cell: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Raised:
    """The stack of ``side`` on ``cell`` became higher."""

    side: Side
    cell: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A piece of ``side`` moved, with the cells where it acted or stopped on its way."""

    side: Side
    start: int
    stops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sprouted:
    """The Seed on ``cell`` became a Dryad of ``side``."""

    side: Side
    cell: int


@dataclass(frozen=True, slots=True)
class Germinated:
    """The seedbed on ``cells`` became a forest of ``side``."""

    side: Side
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Territory:
    """At the end of the game, ``cells`` count for ``side``."""

    side: Side
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SideChosen:
    """The second player took ``side``, so the first player has the other one."""

    side: Side


@dataclass(frozen=True, slots=True)
class Passed:
    side: Side


Event: TypeAlias = (
    Placed | Flipped | Captured | Reduced | Raised | Moved | Sprouted | Germinated | Territory | SideChosen | Passed
)


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
    sections: ClassVar[Sections]
    #: The side that plays first after the choice of sides.
    starts: ClassVar[Side] = Side.SECOND

    @lazy
    def board(self) -> Board:
        return self.ruleset.board

    @lazy
    def phase(self) -> Phase:
        if self.outcome is not None:
            return Phase.OVER
        if self.second_player is not None:
            return Phase.PLAY
        return Phase.CHOICE if self.first or self.second else Phase.OPENING

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
        return self.changed(first=first, second=second, turn_of=turn_of)

    def changed(self, **changes: object) -> Self:
        """This position with other contents: ``dataclasses.replace``, but several times as fast."""
        other = object.__new__(type(self))
        mine, others = self.__dict__, other.__dict__
        for name in _fields(type(self)):
            others[name] = mine[name]
        others["board"] = self.board
        others.update(changes)
        return other

    @lazy
    def legal_turns(self) -> tuple[str, ...]:
        """All legal turns in canonical notation; empty only when the game is over."""
        match self.phase:
            case Phase.OVER:
                return ()
            case Phase.CHOICE:
                return self.sides
            case Phase.OPENING:
                return self.openings()
            case Phase.PLAY:
                return self.turns()

    def parse(self, text: str) -> str:
        """The canonical form of a turn that somebody typed; it is legal.

        Upper case and spaces are accepted. Raises :class:`NotATurn`, :class:`OffTheBoard`, :class:`IllegalTurn` or
        :class:`GameOver`, each with a reason for the player.
        """
        if self.is_legal(text):
            return text
        turn = tidy(text)
        if self.is_legal(turn):
            return turn
        raise self.refusal(turn)

    def is_legal(self, turn: str) -> bool:
        """Whether a turn in canonical notation is legal."""
        return turn in self._legal

    @lazy
    def _legal(self) -> frozenset[str]:
        return frozenset(self.legal_turns)

    def refusal(self, turn: str) -> TurnError:
        """Why a turn that is not among the legal ones is refused."""
        match self.phase:
            case Phase.OVER:
                return GameOver("the game is over, so no more turns can be played", rule=self.sections.end)
            case Phase.CHOICE:
                first, second = self.sides
                return NotATurn(
                    "the second player chooses a side now: {first} or {second}",
                    rule=self.sections.opening,
                    first=first,
                    second=second,
                )
            case Phase.OPENING:
                if turn in self.sides:
                    return NotATurn(
                        "a side is chosen after the opening; {example}",
                        rule=self.sections.opening,
                        example=self.example,
                    )
                return self.opening_refusal(turn)
            case Phase.PLAY:
                if turn in self.sides:
                    return NotATurn(
                        "a side was chosen already; {example}", rule=self.sections.opening, example=self.example
                    )
                return self.turn_refusal(turn)

    def play(self, text: str) -> tuple[Self, tuple[Event, ...]]:
        """The position after a turn, and what the turn did, in order. Raises as :meth:`parse` does."""
        turn = self.parse(text)
        match self.phase:
            case Phase.CHOICE:
                chosen = Side(self.sides.index(turn))
                return self.changed(second_player=chosen, turn_of=self.starts), (SideChosen(chosen),)
            case Phase.OPENING:
                return self.open(turn)
        return self.take_turn(turn)

    def draft(self, text: str = "") -> Draft:
        """A turn under construction: ``text`` is a part of one, such as the first cell of a run.

        Raises as :meth:`parse` does when no legal turn begins so.
        """
        begun = tidy(text)
        steps: dict[str, None] = {}
        for turn in self.legal_turns:
            if turn.startswith(begun) and (not begun or len(turn) == len(begun) or turn[len(begun)] in "-+*,"):
                following = _STEP.match(turn, len(begun))
                if following:
                    steps[following[0]] = None
        complete = self.is_legal(begun)
        if not steps and not complete:
            raise self.refusal(begun)
        preview, events = self.play(begun) if complete else (self, ())
        return Draft(begun, tuple(steps), complete, preview, events)

    def named(self, name: str) -> int:
        """The cell of that name. Raises :class:`NotATurn` or :class:`OffTheBoard`."""
        try:
            cell = self.board.cell(name)
        except ValueError:
            shown = name if len(name) <= 20 else name[:20] + "…"
            raise NotATurn("“{text}” is not a turn; {example}", text=shown, example=self.example) from None
        if cell is None:
            last = self.board.name(self.board.cells[-1])
            raise OffTheBoard(
                "{cell} is off the board, which runs from a1 to {last}",
                rule="README.md#the-board",
                cell=name,
                last=last,
            )
        return cell

    @property
    def example(self) -> Text:
        """How a turn is written, to be told to somebody who wrote something else."""
        centre = self.board.name(self.board.centre)
        return Text("name a cell by its letter and number, such as {cell}", cell=centre)

    def openings(self) -> tuple[str, ...]:
        """The legal openings: one piece on any cell."""
        return tuple(self.board.names(self.board.mask))

    def opening_refusal(self, turn: str) -> TurnError:
        """Why the text is not an opening."""
        if turn == PASS:
            return IllegalTurn(
                "the opening cannot be passed; {example}", example=self.example, rule=self.sections.opening
            )
        try:
            self.named(turn)
        except TurnError as error:
            return error
        raise AssertionError(f"{turn} is a legal opening")

    def open(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        """A legal opening: one piece of the first side."""
        cell = self.named(turn)
        return self.changed(first=1 << cell), (Placed(Side.FIRST, cell),)

    @abstractmethod
    def turns(self) -> tuple[str, ...]:
        """All legal turns after the choice of sides, each once."""

    @abstractmethod
    def turn_refusal(self, turn: str) -> TurnError:
        """Why a turn after the choice of sides is refused."""

    @abstractmethod
    def take_turn(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        """A legal turn of the side to play, after the choice of sides."""

    @abstractmethod
    def pieces(self) -> dict[str, str]:
        """The occupied cells by name, each with its short text as in the replay interface."""

    @abstractmethod
    def score(self) -> dict[str, int | float | list[int]]:
        """What each side, by name, would have if the game ended here."""

    def held(self) -> dict[str, int] | None:
        """What each side, by name, has captured; None in games without prisoners."""
        return None

    def __str__(self) -> str:
        marks = {None: "·", Side.FIRST: "●", Side.SECOND: "○"}
        return self.board.diagram(lambda cell: marks[self.owner(cell)])


@dataclass(frozen=True)
class PlacementPosition(Position):
    """A position of a game whose turns are a placement on one empty cell, or a pass."""

    #: One piece of the first and of the second side, in words.
    a_piece: ClassVar[tuple[str, str]]

    def is_legal(self, turn: str) -> bool:
        if turn == PASS or self.phase is not Phase.PLAY:
            return super().is_legal(turn)
        cell = self.board.find(turn)
        return cell is not None and bool(self.open_cells >> cell & 1)

    @lazy
    def open_cells(self) -> int:
        """The mask of the cells where the side to play may place."""
        return self.placements(self.turn_of)

    def turns(self) -> tuple[str, ...]:
        turns = self.board.names(self.open_cells)
        if self.may_pass(bool(turns)):
            turns.append(PASS)
        return tuple(turns)

    def may_pass(self, has_placement: bool) -> bool:
        """Whether passing is legal: in most games when there is no legal placement, and only then."""
        return not has_placement

    def turn_refusal(self, turn: str) -> TurnError:
        if turn == PASS:
            return IllegalTurn("you can pass only when you have no legal placement", rule=self.sections.passing)
        try:
            cell = self.named(turn)
        except TurnError as error:
            return error
        owner = self.owner(cell)
        if owner is not None:
            return IllegalTurn(
                "{cell} is taken by {piece}",
                (cell,),
                cell=turn,
                piece=Text(self.a_piece[owner]),
                rule=self.sections.turn,
            )
        return self.placement_refusal(self.turn_of, cell)

    def take_turn(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        return self.place(None if turn == PASS else self.named(turn))

    @abstractmethod
    def placements(self, side: Side) -> int:
        """The mask of the cells where the side may place."""

    @abstractmethod
    def placement_refusal(self, side: Side, cell: int) -> IllegalTurn:
        """Why the side may not place on this empty cell."""

    @abstractmethod
    def place(self, cell: int | None) -> tuple[Self, tuple[Event, ...]]:
        """A legal placement of the side to play, or its pass (None)."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn under construction.

    ``steps`` are the texts that may follow ``text``; when ``complete``, the turn may also end here. ``preview`` is the
    position, and ``events`` what happens, if it ends here (or, while it may not, after the steps so far).
    """

    text: str
    steps: tuple[str, ...]
    complete: bool
    preview: Position
    events: tuple[Event, ...]


@cache
def _fields(of: type[Position]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(of))


def tidy(text: str) -> str:
    """A typed turn in lower case, without spaces around and between its tokens."""
    return _SPACED_MARK.sub(r"\1", " ".join(text.lower().split()))


def cell_names(on: Board, cells: tuple[int, ...] | int) -> str:
    """The cells' names in a row, such as ``d5, e6``."""
    return ", ".join(on.name(cell) for cell in (bits(cells) if isinstance(cells, int) else cells))
