"""A position of Dendria: the turns, the ban on repetition, and the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field as dataclass_field
from typing import ClassVar, NoReturn, Self

from rules.board import bits
from rules.dendria.field import SIDES, STOP, Field
from rules.dendria.history import StateHistory
from rules.dendria.turn import MOVING, SOWING, TURN, PartialTurn, recreating
from rules.errors import IllegalTurn, TurnError
from rules.events import Event, Passed, Territory, placement
from rules.lazy import lazy
from rules.notation import MARKS, PASS, Notation, elements_of, tidy
from rules.position import SCORE, Draft, Outcome, Phase, Position, ScorePart, Sections, Weight
from rules.side import Side
from rules.text import Text, gettext_noop

_FORCED_PASS = "forced pass"


@dataclass(frozen=True)
class Dendria(Position):
    """A position of Dendria.

    ``seeds``, ``trees`` and ``dryads`` are the masks of each kind of piece. ``earlier`` are this and all other states
    since the last irreversible turn, which may not recur. Older states cannot: they had fewer pieces, or Seeds that
    have been transformed. Between irreversible turns only Dryads move, so each side's cells determine the pieces.
    ``first_to_pass`` is set while the last turn is a pass: the side that passed, and after two passes the first of
    them.
    """

    seeds: int = 0
    trees: int = 0
    dryads: int = 0
    earlier: StateHistory = dataclass_field(default=StateHistory(), repr=False)
    first_to_pass: Side | None = None

    name: ClassVar[str] = "dendria"
    title: ClassVar[str] = "Dendria"
    version: ClassVar[int] = 1
    sizes: ClassVar[tuple[int, ...]] = (7, 9, 11)
    default_size: ClassVar[int] = 9
    variants: ClassVar[tuple[str, ...]] = (gettext_noop("standard"),)
    sides: ClassVar[tuple[str, str]] = SIDES
    symbols: ClassVar[tuple[str, str]] = ("●▲◆", "○△◇")
    lists_all_turns: ClassVar[bool] = False
    goals: ClassVar[Mapping[str, str]] = {
        "standard": gettext_noop(
            "You win when the roots of your trees cover more of the field. Each turn, sow a seed, or move a dryad, a "
            "moth that helps seeds grow into trees."
        )
    }
    minutes: ClassVar[int] = 30
    weight: ClassVar[Weight] = Weight.HEAVY
    reasons: ClassVar[Mapping[str, str]] = {
        SCORE: gettext_noop("on points"),
        _FORCED_PASS: gettext_noop("by a forced pass"),
    }
    opening_rule: ClassVar[str] = gettext_noop("Opening: the first player sows a {first} Seed on any cell.")
    opening_question: ClassVar[str] = gettext_noop("Sow the first Seed (**{side}**).")
    opening_hint: ClassVar[str] = gettext_noop("a {side} Seed anywhere")
    sections: ClassVar[Sections] = Sections(
        "dendria/rules.md#opening", TURN, "dendria/rules.md#the-end-and-the-score", "dendria/rules.md#pass"
    )

    @lazy
    def field(self) -> Field:
        return Field(self.board, self.first, self.second, self.seeds, self.trees, self.dryads)

    # For players: the roles of pieces

    def protected(self, side: Side) -> list[int]:
        """The side's protected forests: every adjacent cell is fertile for it. This has no effect on play."""
        field, fertile = self.field, self.field.fertile(side)
        return [forest for forest in field.forests(side) if not field.around(forest) & ~fertile]

    def attacked(self, side: Side) -> list[int]:
        """The side's unprotected forests whose adjacent cells are all fertile for the enemy. This has no effect on
        play."""
        field, fertile, protected = self.field, self.field.fertile(side.other), self.protected(side)
        surrounded = (forest for forest in field.forests(side) if not field.around(forest) & ~fertile)
        return [forest for forest in surrounded if forest not in protected]

    def pieces(self) -> dict[str, str]:
        """The occupied cells by name, each with colour and kind: ``dS dT dD lS lT lD``."""
        return {
            self.board.name(cell): colour + kind
            for colour, own in (("d", self.first), ("l", self.second))
            for kind, all_of_kind in (("S", self.seeds), ("T", self.trees), ("D", self.dryads))
            for cell in bits(own & all_of_kind)
        }

    def symbol(self, cell: int) -> str:
        """Seeds ``●○``, Trees ``▲△``, Dryads ``◆◇``, Dark's filled and Light's hollow."""
        owner = self.owner(cell)
        if owner is None:
            return ""
        kind = 0 if self.seeds >> cell & 1 else 1 if self.trees >> cell & 1 else 2
        return self.symbols[owner][kind]

    def piece_name(self, cell: int) -> Text | None:
        owner = self.owner(cell)
        if owner is None:
            return None
        side = self.side_name(owner)
        if self.seeds >> cell & 1:
            return Text("{side} Seed", side=side)
        return Text("{side} Tree", side=side) if self.trees >> cell & 1 else Text("{side} Dryad", side=side)

    def set_up(self, symbols: Mapping[int, str], turn_of: Side) -> Self:
        position = super().set_up(symbols, turn_of)
        seeds, trees, dryads = (
            sum(1 << cell for cell, symbol in symbols.items() if symbol in of_kind)
            for of_kind in zip(*self.symbols, strict=True)
        )
        earlier = StateHistory([(position.first, position.second, turn_of)])
        return position.changed(seeds=seeds, trees=trees, dryads=dryads, earlier=earlier)

    # The score and the end

    def score(self) -> dict[str, int | float | list[int]]:
        """The leafiness of each side, plus ½ for the first to pass while the last turn is a pass."""
        return {
            self.sides[side]: self.field.leafiness(side) + (0.5 if side == self.first_to_pass else 0) for side in Side
        }

    def leader(self) -> Side | None:
        return self._leader(self.first_to_pass)

    def _leader(self, first_to_pass: Side | None) -> Side | None:
        """The side with the higher score; with equal leafiness, the ½ for passing first decides."""
        first, second = map(self.field.leafiness, Side)
        return first_to_pass if first == second else Side(second > first)

    def score_parts(self) -> tuple[ScorePart, ...]:
        return (
            ScorePart(Text("leafiness"), *map(self.field.leafiness, Side)),
            ScorePart(Text("passed first"), *(0.5 * (side is self.first_to_pass) for side in Side)),
        )

    def pass_is_forced(self) -> bool:
        """Whether a pass by the side to play would force the opponent to pass, and so end the game.

        That is so if the opponent has not just passed, the side to play is ahead (with its ½ for passing first), and
        neither side has an irreversible turn, the opponent not even after wandering with one Dryad.
        """
        side = self.turn_of
        return (
            self.first_to_pass is None
            and not self.field.sowable  # the same for both sides, and quick
            and self._leader(side) is side
            and not self.field.has_irreversible_turn(side)
            and not self.field.will_have_irreversible_turn(side.other)
        )

    def _pass(self) -> tuple[Self, tuple[Event, ...]]:
        side = self.turn_of
        first_to_pass = side if self.first_to_pass is None else self.first_to_pass
        reason = SCORE if self.first_to_pass is not None else _FORCED_PASS if self.pass_is_forced() else None
        events: tuple[Event, ...] = (Passed(side),)
        outcome = None
        if reason is not None:
            outcome = Outcome(self._leader(first_to_pass), reason)
            counted = ((owner, tuple(bits(self.field.leafiness_cells(owner)))) for owner in Side)
            events += tuple(Territory(owner, cells) for owner, cells in counted if cells)
        earlier = self.earlier.and_then((self.first, self.second, side.other))
        position = self.changed(turn_of=side.other, earlier=earlier, first_to_pass=first_to_pass, outcome=outcome)
        return position, events

    # Turns

    def open(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        position, events = super().open(turn)
        seed = position.first
        return position.changed(seeds=seed, earlier=StateHistory([(seed, 0, self.starts)])), events

    def turns(self) -> tuple[str, ...]:
        """The legal turns without acts: every sowing, every Dryad move to one stop, and the pass.

        There may be millions of turns with ``+`` or ``*``: :meth:`draft` finds them, and :meth:`is_legal` and
        :meth:`play` accept them. A plain move that would recreate an earlier state is illegal, but may be legal with an
        act.
        """
        board, side, now = self.board, self.turn_of, self.field
        turns = board.names(now.sowable)
        for dryad in bits(now.own_dryads(side)):
            soils = now.ways(side, dryad)
            soils &= ~recreating(self.earlier, now, side, dryad, soils)
            start = board.name(dryad)
            turns += [f"{start}{STOP}{soil}" for soil in board.names(soils)]
        return (*turns, PASS)

    def parse(self, text: str) -> str:
        """Return the canonical form of a typed turn. Its acts stay in the typed order. Raises like
        :meth:`Position.parse`.
        """
        if self.phase is not Phase.PLAY:
            return super().parse(text)
        turn = tidy(text)
        if turn != PASS:
            self._complete(turn)
        return turn

    def play(self, text: str) -> tuple[Self, tuple[Event, ...]]:
        if self.phase is not Phase.PLAY:
            return super().play(text)
        return self.take_turn(tidy(text))

    def is_legal(self, turn: str) -> bool:
        if self.phase is not Phase.PLAY or turn == PASS:
            return super().is_legal(turn)
        try:
            return self.parse(turn) == turn
        except TurnError:
            return False

    def refuse_turn(self, turn: str) -> NoReturn:
        self.parse(turn)
        raise AssertionError(f"{turn} is a legal turn")

    def take_turn(self, turn: str) -> tuple[Self, tuple[Event, ...]]:
        if turn == PASS:
            return self._pass()
        partial = self._complete(turn)
        return self.after(partial), partial.events()

    def draft(self, text: str = "") -> Draft:
        """Return a turn under construction. Raises like :meth:`parse` if no legal turn begins that way.

        Its first element is a cell to sow on, a Dryad to move, or ``pass``. Later elements are ``-cell`` for a stop,
        ``+cell`` for a Seed to sprout, and ``*cell`` for a seedbed to germinate, named by its first Seed (though any
        will do).
        """
        begun = tidy(text)
        if self.phase is not Phase.PLAY or begun in self.sides:
            return super().draft(text)
        if begun == PASS:
            return Draft(begun, (), True, *self._pass())
        if not begun:
            dryads = (cell for cell in bits(self.field.own_dryads(self.turn_of)) if self.dryad_turn(cell).stops_ahead)
            first_elements = (*self.board.names(self.field.sowable), *map(self.board.name, dryads), PASS)
            return Draft(begun, first_elements, False, self, ())
        partial = self.partial_turn(begun)
        preview = self.after(partial) if partial.complete else self._with_field(partial.field)
        return Draft(begun, partial.next(), partial.complete, preview, partial.events())

    def _complete(self, turn: str) -> PartialTurn:
        """Build a complete turn. Raises :class:`TurnError` if it is not legal."""
        if turn in self.sides:
            self.refuse(turn)
        partial = self.partial_turn(turn)
        if not partial.complete:
            raise partial.unfinished()
        return partial

    def partial_turn(self, turn: str) -> PartialTurn:
        """Build a turn, or the beginning of one. Raises :class:`TurnError` at the first illegal element."""
        head, *elements = elements_of(turn) or ("",)
        cell = self.cell_named(head)
        if self.field.own_dryads(self.turn_of) >> cell & 1:
            partial = self.dryad_turn(cell)
            if not partial.stops_ahead and not elements:
                raise partial.unfinished()
        else:
            if elements and elements[0][0] == STOP:
                raise self._no_dryad(cell)
            if not self.field.sowable >> cell & 1:
                raise self._sowing_refusal(cell)
            partial = self.sowing(cell)
        for element in elements:
            partial = partial.after(element)
        return partial

    def dryad_turn(self, dryad: int) -> PartialTurn:
        """The turn in which the side to play has chosen its Dryad on that cell, but not moved it."""
        return PartialTurn(self, self.earlier, self.field, (), dryad, dryad)

    def sowing(self, cell: int) -> PartialTurn:
        """The turn in which the side to play has sown on that cell."""
        return PartialTurn(self, self.earlier, self.field.sown(self.turn_of, cell), (placement(self.turn_of, cell),))

    def _with_field(self, now: Field, **changes: object) -> Self:
        return self.changed(
            first=now.first, second=now.second, seeds=now.seeds, trees=now.trees, dryads=now.dryads, **changes
        )

    def after(self, partial: PartialTurn) -> Self:
        """The position after a complete turn."""
        now, to_play = partial.field, self.turn_of.other
        state = now.first, now.second, to_play
        earlier = StateHistory([state]) if partial.acts else self.earlier.and_then(state)
        position = self._with_field(now, turn_of=to_play, earlier=earlier, first_to_pass=None)
        vars(position)["field"] = now  # keeps the values computed for it
        return position

    # Words for elements, and refusals of first elements

    def element_name(self, begun: str, element: str) -> Text | str:
        cell = element.lstrip(MARKS)
        if self.phase is not Phase.PLAY or element == PASS:
            return super().element_name(begun, element)
        match element[0]:
            case "+":
                return Text("Sprout {cell}", cell=cell)
            case "*":
                return self._growing(begun, cell)
            case "-" if "-" in begun:
                return Text("Go on to {cell}", cell=cell)
            case "-":
                return Text("Move to {cell}", cell=cell)
        return Text("Dryad on {cell}", cell=cell) if self._moves(cell) else Text("Sow on {cell}", cell=cell)

    def _growing(self, begun: str, name: str) -> Text:
        """The name of the germination of a seedbed, perhaps a lone Seed."""
        seed = 1 << self.cell_named(name)
        if any(seed & seedbed and seedbed.bit_count() > 1 for seedbed in self.partial_turn(begun).germinations):
            return Text("Grow the forest at {cell}", cell=name)
        return Text("Grow the Tree on {cell}", cell=name)

    def _moves(self, name: str) -> bool:
        """Whether a turn that begins on that cell moves the Dryad there."""
        cell = self.board.find(name)
        return cell is not None and self.owner(cell) is self.turn_of

    def question(self, draft: Draft) -> Text:
        if self.phase is not Phase.PLAY:
            return super().question(draft)
        if draft.text and not draft.has_effect:
            return Text("Where does the Dryad on **{cell}** go?", cell=elements_of(draft.text)[0])
        if draft.text:
            return Text("Add another action, or play.")
        if any(map(self._moves, draft.next)):
            return Text("Sow a Seed, or choose a Dryad to move.")
        return Text("Where do you sow a Seed?")

    @property
    def example(self) -> Text:
        centre = self.board.name(self.board.centre)
        if self.phase is not Phase.PLAY:
            return super().example
        return Text(
            "name a soil to sow on, such as {cell}, write a Dryad's move, such as {move}, or pass",
            cell=Notation(centre),
            move=Notation(f"{centre}{STOP}a1"),
        )

    def _no_dryad(self, cell: int) -> IllegalTurn:
        name = self.board.name(cell)
        if not self.field.occupied >> cell & 1:
            return IllegalTurn("there is no Dryad on {cell}", (cell,), cell=name, rule=MOVING)
        if self.dryads >> cell & 1:
            enemy = self.side_name(self.turn_of.other)
            return IllegalTurn(
                "the Dryad on {cell} is {side}'s, not yours", (cell,), cell=name, side=enemy, rule=MOVING
            )
        held = self.field.describe(cell)
        return IllegalTurn("{cell} holds {piece}, and only Dryads move", (cell,), cell=name, piece=held, rule=MOVING)

    def _sowing_refusal(self, cell: int) -> IllegalTurn:
        name = self.board.name(cell)
        if self.field.occupied >> cell & 1:
            return IllegalTurn(
                "{cell} is taken by {piece}", (cell,), cell=name, piece=self.field.describe(cell), rule=SOWING
            )
        by = self.field.nourishment(cell).by
        assert by is not None
        ends = [root.end for root in self.field.roots(cell) if root.end is not None]
        return IllegalTurn(
            "{cell} would be nourished by {side}, and only a hungry Seed can be sown",
            tuple(end for end in ends if self.owner(end) is by),
            cell=name,
            side=self.side_name(by),
            rule=SOWING,
        )
