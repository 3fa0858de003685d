"""Positions: the common part of all games, such as the choice of sides and the parsing of turns.

A turn is its notation. A :class:`Position` lists the legal turns, parses typed ones, refuses others with a reason, and
plays them. No other code knows the rules.
"""

from __future__ import annotations

import enum
import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple, NoReturn, Self

from rules.board import Board, bits, board
from rules.errors import GameOver, IllegalTurn, NotATurn, OffTheBoard
from rules.events import Event, Passed, Placed, SideChosen
from rules.lazy import lazy
from rules.notation import MARKS, PASS, Notation, elements_after, foreign_character, tidy
from rules.side import Side
from rules.text import Text, format_score, gettext_noop


class Phase(enum.StrEnum):
    """The next decision in a position: the opening, the choice of sides, a turn, or none."""

    OPENING = "opening"
    CHOICE = "choice"
    PLAY = "play"
    OVER = "over"


class Weight(enum.StrEnum):
    """How much there is to learn before a first match of a game."""

    LIGHT = "light"
    MEDIUM = "medium"
    HEAVY = "heavy"


#: The reason of an :class:`Outcome` decided by score.
SCORE = "score"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the winning side (None: a draw), and one of :attr:`Position.reasons`."""

    winner: Side | None
    reason: str


class Sections(NamedTuple):
    """Links to sections of a rule page, such as ``dalen/rules.md#passing``.

    That section says when a side may pass, where this is limited.
    """

    opening: str
    turn: str
    end: str
    passing: str | None = None


class ScorePart(NamedTuple):
    """A part of the score, such as the prisoners, with the amounts of the first and the second side."""

    name: Text
    first: float | str
    second: float | str


class Swing(NamedTuple):
    """The amount by which a turn changed what decides the game, and a sentence about it without a full stop."""

    amount: float
    text: Text | None = None


#: The numbers of extra stones that a handicap can have.
HANDICAPS = range(6)


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game with a size and a variant, and perhaps a setup: everything needed to replay a list of turns.

    A ``setup`` replaces the empty board and the opening at the beginning; :mod:`rules.setups` explains the text.
    """

    game: type[Position]
    size: int
    variant: str
    setup: str = ""

    @property
    def id(self) -> str:
        """The stored name of the rules: the game, its version, the size, the variant and, after these, any setup."""
        name = f"{self.game.name}/{self.game.version}/{self.size}/{self.variant}"
        return f"{name}/{self.setup}" if self.setup else name

    @property
    def board(self) -> Board:
        return board(self.size)

    @property
    def handicap(self) -> int | None:
        """How many extra stones the first side, the first player's, begins with; None without a handicap."""
        return int(self.setup) if self.setup.isdecimal() else None

    @property
    def continues(self) -> bool:
        """Whether the game begins with a position after the opening."""
        return bool(self.setup) and self.handicap is None

    @property
    def plies_before_play(self) -> int:
        """How many turns come before the sides alternate: the opening and the choice, unless a setup includes them."""
        head, turns = split_setup(self.game, self.setup)
        if len(head) > 1:  # pieces
            return 0
        return max(0, (1 if head else 2) - len(turns))

    @property
    def second_player(self) -> Side | None:
        """The side of the second player, if the setup has it."""
        head, turns = split_setup(self.game, self.setup)
        if head:
            return Side.SECOND
        return Side(self.game.sides.index(turns[1])) if len(turns) > 1 else None

    @property
    def handicap_stones(self) -> int | None:
        """The mask of the extra stones: opposite cells around the centre, and the centre for odd numbers.

        None without a handicap, and in a game that continues a handicap game.
        """
        number, _, _ = self.setup.partition(" ")
        if not number.isdecimal():
            return None
        stones, board = int(number), self.board
        around = [board.rays[board.centre][direction][board.size // 2 - 1] for direction in (0, 3, 1, 4)]
        cells = [*around[: stones // 2 * 2], *[board.centre] * (stones % 2)]
        return sum(1 << cell for cell in cells)

    def start(self) -> Position:
        """Return the position before the first turn: before the opening, unless there is a setup."""
        return _set_up(self) if self.setup else self.game(self)

    def replay(self, turns: list[str] | tuple[str, ...]) -> Position:
        """Return the position after the turns. Raises :class:`TurnError` at the first illegal one."""
        position = self.start()
        for turn in turns:
            position, _ = position.play(turn)
        return position


@dataclass(frozen=True)
class Position(ABC):
    """A position of one game. It never changes: :meth:`play` returns the next one.

    ``first`` and ``second`` are the masks of the two sides' stones; ``second_player`` is the side of the second player,
    None before the choice. Positions with equal contents are equal and hash alike.
    """

    ruleset: Ruleset
    first: int = 0
    second: int = 0
    second_player: Side | None = None
    turn_of: Side = Side.FIRST
    outcome: Outcome | None = None

    name: ClassVar[str]
    title: ClassVar[str]
    #: Increased whenever the rules change the result of the same turns.
    version: ClassVar[int]
    sizes: ClassVar[tuple[int, ...]]
    default_size: ClassVar[int]
    variants: ClassVar[tuple[str, ...]]
    #: The names of the first and the second side.
    sides: ClassVar[tuple[str, str]]
    #: The symbols of each side's pieces in text pictures.
    symbols: ClassVar[tuple[str, str]] = ("●", "○")
    #: By variant, how to win and what a turn is: two sentences, which explain every term that they use.
    goals: ClassVar[Mapping[str, str]]
    #: About how many minutes a match on the smallest board takes.
    minutes: ClassVar[int]
    weight: ClassVar[Weight]
    #: The reasons that an :class:`Outcome` can have, each in words that follow “wins” in a sentence.
    reasons: ClassVar[Mapping[str, str]]
    #: Whether the game can end in a draw by its rules.
    has_draws: ClassVar[bool] = False
    #: Whether :attr:`legal_turns` lists all legal turns after the choice of sides, and whether the openings are few
    #: enough for a list. Otherwise, :meth:`draft` finds the turns element by element.
    lists_all_turns: ClassVar[bool] = True
    lists_openings: ClassVar[bool] = True
    #: The special rule of a variant.
    variant_notes: ClassVar[Mapping[str, str]] = {}
    #: The opening in a sentence about the sides ``first`` and ``second``, and as a request and in a few words about the
    #: first ``side``.
    opening_rule: ClassVar[str] = gettext_noop("Opening: the first player places a {first} stone on any cell.")
    opening_question: ClassVar[str] = gettext_noop("Place the first stone (**{side}**).")
    opening_hint: ClassVar[str] = gettext_noop("a {side} stone anywhere")
    sections: ClassVar[Sections]
    #: The side that plays first after the choice of sides.
    starts: ClassVar[Side] = Side.SECOND

    @classmethod
    def folder(cls) -> Path:
        """The folder of the game, with its rule page, lessons, tasks and puzzles beside its code."""
        return Path(inspect.getfile(cls)).parent

    @lazy
    def board(self) -> Board:
        return self.ruleset.board

    @lazy
    def phase(self) -> Phase:
        if self.outcome is not None:
            return Phase.OVER
        if self.ruleset.setup and not self.second and self.first == self.ruleset.handicap_stones:
            return Phase.OPENING
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
        """Return a copy with these stones of ``side`` and of its enemy."""
        first, second = (enemy, own) if side else (own, enemy)
        return self.changed(first=first, second=second, turn_of=turn_of)

    def changed(self, **changes: object) -> Self:
        """Return a copy with other contents: ``dataclasses.replace``, but several times as fast."""
        other = object.__new__(type(self))
        mine, others = self.__dict__, other.__dict__
        for name in _fields(type(self)):
            others[name] = mine[name]
        others["board"] = self.board
        others.update(changes)
        return other

    def __getstate__(self) -> dict[str, object]:
        """The contents to pickle or copy, without values that can be computed from them."""
        return {name: vars(self)[name] for name in _fields(type(self))}

    @lazy
    def legal_turns(self) -> tuple[str, ...]:
        """The legal turns in canonical notation, each once, unless :attr:`lists_all_turns` says otherwise.

        Only a finished game has none.
        """
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
        """Return the canonical form of a typed turn, which may have upper case and spaces.

        Raises :class:`NotATurn`, :class:`OffTheBoard`, :class:`IllegalTurn` or :class:`GameOver`, with a reason for the
        player. Several turns in this form may lead to the same position; :meth:`same_turn` compares them.
        """
        if not self.is_legal(text):
            text = tidy(text)
            if not self.is_legal(text):
                self.refuse(text)
        return text

    def is_legal(self, turn: str) -> bool:
        """Whether a turn in canonical notation is legal."""
        return turn in self._legal

    @lazy
    def _legal(self) -> frozenset[str]:
        return frozenset(self.legal_turns)

    def refuse(self, turn: str) -> NoReturn:
        """Raise the reason why a turn is not legal."""
        opening = self.sections.opening
        if self.phase is Phase.OVER:
            raise GameOver("the match is over, so no more turns can be played", rule=self.sections.end)
        _check_characters(turn)
        match self.phase:
            case Phase.CHOICE:
                first, second = map(Notation, self.sides)
                raise NotATurn(
                    "the second player chooses a side now: {first} or {second}",
                    rule=opening,
                    first=first,
                    second=second,
                )
            case Phase.OPENING if turn in self.sides:
                raise NotATurn("a side is chosen after the opening; {example}", rule=opening, example=self.example)
            case Phase.OPENING if turn == PASS:
                raise IllegalTurn("the opening cannot be passed; {example}", rule=opening, example=self.example)
            case Phase.OPENING:
                self.refuse_opening(turn)
            case Phase.PLAY if turn in self.sides:
                raise NotATurn("the side has already been chosen; {example}", rule=opening, example=self.example)
            case Phase.PLAY:
                self.refuse_turn(turn)

    def play(self, text: str) -> tuple[Self, tuple[Event, ...]]:
        """Return the position after a turn and the turn's events in order. Raises like :meth:`parse`."""
        turn = self.parse(text)
        match self.phase:
            case Phase.CHOICE:
                chosen = Side(self.sides.index(turn))
                return self.changed(second_player=chosen, turn_of=self.starts), (SideChosen(chosen),)
            case Phase.OPENING:
                opened, events = self.open(turn)
                return (opened if self.second_player is None else opened.changed(turn_of=self.starts)), events
        return self.take_turn(turn)

    def same_turn(self, one: str, other: str) -> bool:
        """Whether two legal turns lead to the same position. Raises like :meth:`parse`.

        A run of Nadraz may have two directions, and the acts of a turn of Dendria several orders.
        """
        return one == other or self.play(one)[0] == self.play(other)[0]

    def draft(self, text: str = "") -> Draft:
        """Return a turn under construction that begins with ``text``. Raises like :meth:`parse` if none is legal."""
        begun = tidy(text)
        elements = elements_after(begun, self.legal_turns)
        complete = self.is_legal(begun)
        if not elements and not complete:
            self.refuse(begun)
        preview, events = self.play(begun) if complete else (self, ())
        return Draft(begun, elements, complete, preview, events)

    def cell_named(self, name: str) -> int:
        """The cell with that name. Raises :class:`NotATurn` or :class:`OffTheBoard`."""
        try:
            cell = self.board.cell(name)
        except ValueError:
            _check_characters(name)
            shown = name if len(name) <= 20 else name[:20] + "…"
            raise NotATurn("“{text}” is not a turn; {example}", text=Notation(shown), example=self.example) from None
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
        """The notation of a turn, in words that follow a refusal."""
        centre = self.board.name(self.board.centre)
        return Text("name a cell by its letter and number, such as {cell}", cell=Notation(centre))

    @classmethod
    def handicaps(cls, variant: str) -> range:
        """The numbers of extra stones that a handicap can have in a variant."""
        return HANDICAPS

    @classmethod
    def side_name(cls, side: Side) -> Text:
        return Text(cls.sides[side]).capitalized()

    def turn_name(self, turn: str) -> Text | str:
        """The name of a turn for people: its notation, or a word for a pass and a side."""
        if turn == PASS:
            return Text("Pass")
        return self.side_name(Side(self.sides.index(turn))) if turn in self.sides else turn

    def element_name(self, begun: str, element: str) -> Text | str:
        """The name of an element after ``begun`` for people: its cell, or a word for a pass and a side."""
        return self.turn_name(element) if element == PASS or element in self.sides else element.lstrip(MARKS)

    def element_cell(self, element: str) -> int | None:
        """The cell that an element names; None if it names none."""
        return self.board.find(element.lstrip(MARKS))

    def question(self, draft: Draft) -> Text:
        """The question that the next element of a draft answers, in Markdown."""
        match self.phase:
            case Phase.CHOICE:
                return Text("Which side do you want to play?")
            case Phase.OPENING:
                side = self.side_name(Side.FIRST)
                return Text(self.opening_question, side=side)
        return Text("Where do you play?")

    def openings(self) -> tuple[str, ...]:
        """The legal openings: one piece on any cell."""
        return tuple(self.board.names(self.empty))

    def refuse_opening(self, turn: str) -> NoReturn:
        """Raise the reason why an opening is not legal."""
        raise self.handicap_refusal(self.cell_named(turn))

    def handicap_refusal(self, cell: int) -> IllegalTurn:
        """The refusal of an opening on a cell of the handicap."""
        name = self.board.name(cell)
        return IllegalTurn("{cell} is taken by the handicap", (cell,), cell=name, rule=self.sections.opening)

    def open(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        """Play a legal opening: one piece of the first side."""
        cell = self.cell_named(turn)
        return self.changed(first=self.first | 1 << cell), (Placed(Side.FIRST, cell),)

    @abstractmethod
    def turns(self) -> tuple[str, ...]:
        """The legal turns after the choice of sides."""

    @abstractmethod
    def refuse_turn(self, turn: str) -> NoReturn:
        """Raise the reason why a turn after the choice of sides is not legal."""

    @abstractmethod
    def take_turn(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        """Play a legal turn after the choice of sides.

        Then it is the other side's turn: :attr:`turn_of` changes hands after the last turn, too, since it shows who
        played that turn.
        """

    def pieces(self) -> dict[str, str]:
        """The occupied cells by name, each with a short name of its piece: the first letter of its side."""
        return {self.board.name(cell): self.sides[side][0] for side in Side for cell in bits(self.stones(side))}

    def score(self) -> dict[str, int | float | list[int]]:
        """The score of each side, by its name, if the game ended here; empty in a game without points."""
        return {}

    def leader(self) -> Side | None:
        """The side that would win by score if the game ended here; None if the scores are equal or do not decide."""
        return None

    def swing(self, after: Self) -> Swing | None:
        """The change of the lead from this position to another one; None in a game without points."""
        scores = [
            [value for value in position.score().values() if not isinstance(value, list)] for position in (self, after)
        ]
        if not all(scores):
            return None
        (first, second), (new_first, new_second) = scores
        before, now = first - second, new_first - new_second
        leader = Side((now or before) < 0)
        if leader:
            before, now = -before, -now
        values = {"side": self.side_name(leader), "before": format_score(abs(before)), "after": format_score(abs(now))}
        if not now:
            text = Text("{side} loses its lead of {before}", **values)
        elif before < 0:
            text = Text("{side} takes the lead: from {before} behind to {after} ahead", **values)
        elif not before:
            text = Text("{side} takes the lead by {after}", **values)
        elif now > before:
            text = Text("{side}'s lead grows from {before} to {after}", **values)
        else:
            text = Text("{side}'s lead shrinks from {before} to {after}", **values)
        return Swing(abs(now - before), text)

    def score_parts(self) -> tuple[ScorePart, ...]:
        """The parts of the score that decided a finished game, in the game's own terms; empty if no score did."""
        return ()

    def held(self) -> dict[str, int] | None:
        """The captures of each side, by its name; None in games without prisoners."""
        return None

    def __str__(self) -> str:
        """A text picture with :attr:`symbols` for pieces and ``·`` for empty cells."""
        return self.board.diagram(lambda cell: self.symbol(cell) or "·")

    def symbol(self, cell: int) -> str:
        """The symbol of the piece on that cell; empty if there is none."""
        owner = self.owner(cell)
        return "" if owner is None else self.symbols[owner][0]

    def piece_name(self, cell: int) -> Text | None:
        """The name of the piece on that cell, such as ``Dark stone``; None if there is none."""
        owner = self.owner(cell)
        return None if owner is None else Text("{side} stone", side=self.side_name(owner))

    def set_up(self, symbols: Mapping[int, str], turn_of: Side) -> Self:
        """Return a position after the choice of sides with these pieces: the symbol of each, by its cell."""
        first, second = (
            sum(1 << cell for cell, symbol in symbols.items() if symbol in of_side) for of_side in self.symbols
        )
        return self.changed(first=first, second=second, second_player=Side.SECOND, turn_of=turn_of)

    def can_stand(self) -> bool:
        """Whether such pieces can occur in a game: at least, each side has one."""
        return bool(self.first and self.second)


@dataclass(frozen=True)
class PlacementPosition(Position):
    """A position of a game in which a turn is a placement on an empty cell, or a pass."""

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
        """Whether passing is legal: in most games, only if there is no legal placement."""
        return not has_placement

    def refuse_turn(self, turn: str) -> NoReturn:
        if turn == PASS:
            rule = self.sections.passing or self.sections.turn
            raise IllegalTurn("you can pass only when you have no legal placement", rule=rule)
        cell = self.cell_named(turn)
        owner = self.owner(cell)
        if owner is None:
            raise self.placement_refusal(self.turn_of, cell)
        piece = Text(self.a_piece[owner])
        raise IllegalTurn("{cell} is taken by {piece}", (cell,), cell=turn, piece=piece, rule=self.sections.turn)

    def take_turn(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        return self.pass_turn() if turn == PASS else self.place(self.cell_named(turn))

    def placements(self, side: Side) -> int:
        """The mask of the cells where the side may place: by default, all empty ones."""
        return self.empty

    def placement_refusal(self, side: Side, cell: int) -> IllegalTurn:
        """The reason why the side may not place on an empty cell."""
        return IllegalTurn("you cannot place on {cell}", (cell,), cell=self.board.name(cell), rule=self.sections.turn)

    @abstractmethod
    def place(self, cell: int) -> tuple[Self, tuple[Event, ...]]:
        """Play a legal placement of the side to play."""

    def pass_turn(self) -> tuple[Self, tuple[Event, ...]]:
        """Play a legal pass of the side to play."""
        return self.changed(turn_of=self.turn_of.other), (Passed(self.turn_of),)


@dataclass(frozen=True)
class TerritorialPosition(PlacementPosition):
    """A position of a game that points decide, with passing always legal.

    ``prisoners`` are the captures of the first and the second side.
    """

    prisoners: tuple[int, int] = (0, 0)

    @abstractmethod
    def points(self, side: Side) -> int | float:
        """The side's points if the game ended here."""

    def may_pass(self, has_placement: bool) -> bool:
        return True

    def score(self) -> dict[str, int | float | list[int]]:
        return {self.sides[side]: self.points(side) for side in Side}

    def leader(self) -> Side | None:
        first, second = map(self.points, Side)
        return None if first == second else Side(second > first)

    def held(self) -> dict[str, int]:
        return {self.sides[side]: self.prisoners[side] for side in Side}


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn under construction.

    ``next`` are the elements that may follow ``text``; if ``complete``, the turn may also end here. ``preview`` is the
    position after ``text``, and ``events`` are its effects.
    """

    text: str
    next: tuple[str, ...]
    complete: bool
    preview: Position
    events: tuple[Event, ...]

    @property
    def has_effect(self) -> bool:
        """Whether the turn already has an effect."""
        return self.complete or bool(self.events)


@cache
def _fields(of: type[Position]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(of))


def _check_characters(turn: str) -> None:
    """Raise :class:`NotATurn` if a turn has a foreign character, and name it: it may look like a letter or a sign."""
    foreign = foreign_character(turn)
    if foreign is not None:
        raise NotATurn(
            "turns are written in plain letters, digits and signs such as - and +; {character} is none of these",
            character=foreign,
        )


def split_setup(game: type[Position], setup: str) -> tuple[list[str], list[str]]:
    """Split a setup into the words for pieces and their side to play, or for the handicap, and the turns."""
    words = setup.split()
    pieces = [word for word in words if word[0] in "".join(game.symbols)]
    head = len(pieces) + 1 if pieces else int(words[:1] != [] and words[0].isdecimal())
    return words[:head], words[head:]


@lru_cache(maxsize=256)
def _set_up(ruleset: Ruleset) -> Position:
    """The position after a canonical setup."""
    start = ruleset.game(ruleset)
    head, turns = split_setup(ruleset.game, ruleset.setup)
    stones = ruleset.handicap_stones
    if stones is not None:
        extra = dict.fromkeys(bits(stones), start.symbols[0][0])
        start = start.set_up(extra, Side.FIRST)
    elif head:
        *pieces, side = head
        start = start.set_up({start.cell_named(piece[1:]): piece[0] for piece in pieces}, Side(start.sides.index(side)))
    for turn in turns:
        start, _ = start.play(turn)
    return start
