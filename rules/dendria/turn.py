"""A turn of Dendria under construction: its acts, its possible next elements, and refusals of others."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.board import bits, cell_names
from rules.dendria.field import DIRECTIONS, STOP, Field
from rules.dendria.history import StateHistory
from rules.errors import IllegalTurn, NotATurn, TurnError
from rules.events import CellEvent, Event, GroupEvent
from rules.lazy import lazy
from rules.notation import Notation
from rules.position import Position
from rules.side import Side
from rules.text import Text, gettext_noop

SPROUT, GERMINATE = "+", "*"

#: The sections of the rule page that the refusals come from.
TURN, SOWING, MOVING = "dendria/rules.md#your-turn", "dendria/rules.md#sow", "dendria/rules.md#move-a-dryad"
_NUTRIENTS, _SPROUTING = "dendria/rules.md#roots-and-nutrients", "dendria/rules.md#fertile-soil"
_GERMINATING, _TWO_ACTS = "dendria/rules.md#germinating", "dendria/rules.md#two-acts-in-one-move"
_REPETITION = "dendria/rules.md#no-repetition"
#: By the mark of an act, the refusals for an empty cell and for a piece other than a Seed, and their section.
_ONLY_SEEDS = {
    SPROUT: (
        gettext_noop("there is no Seed on {cell} to sprout"),
        gettext_noop("{cell} holds {piece}, and only Seeds sprout"),
        _SPROUTING,
    ),
    GERMINATE: (
        gettext_noop("there is no Seed on {cell} to germinate"),
        gettext_noop("{cell} holds {piece}, and only Seeds germinate"),
        _GERMINATING,
    ),
}


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A Dryad of ``side`` moved from ``start``; ``stops`` are the soils where it acted or came to rest."""

    start: int
    stops: tuple[int, ...]

    @property
    def changed_cells(self) -> tuple[int, ...]:
        return (self.start, *self.stops)


@dataclass(frozen=True, slots=True)
class Sprouted(CellEvent):
    """The Seed on ``cell`` became a Dryad of ``side``."""

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("sprouts {count} Seed", "sprouts {count} Seeds", amount)


@dataclass(frozen=True, slots=True)
class Germinated(GroupEvent):
    """The seedbed on ``cells`` became a forest of ``side``."""

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("grows {count} Tree", "grows {count} Trees", amount)


def recreating(earlier: StateHistory, field: Field, side: Side, dryad: int, soils: int) -> int:
    """The mask of those ``soils`` to which a plain move of the side's Dryad would recreate an earlier state."""
    if len(earlier) < 2:  # in the only state, this side was to play
        return 0
    own, enemy, opponent = field.pieces(side) & ~(1 << dryad), field.pieces(side.other), side.other
    found = 0
    while soils:
        soil = soils & -soils
        soils ^= soil
        if ((enemy, own | soil, opponent) if side else (own | soil, enemy, opponent)) in earlier:
            found |= soil
    return found


@dataclass(unsafe_hash=True)  # never changed, but constructing a frozen class takes twice as long
class PartialTurn:
    """A turn so far: a Seed sown or a Dryad chosen, and the elements since.

    ``position`` is the position before the turn, ``earlier`` are the states not to recreate, and ``field`` is the
    current board. ``start`` is the cell that the moved Dryad left, and ``stands`` its present cell; both are None in a
    sowing. ``direction`` is that of its move, None until the first stop. ``mark`` is ``+`` or ``*`` once the Dryad has
    acted on its present cell, or once Seeds have germinated after a sowing.
    """

    position: Position
    earlier: StateHistory
    field: Field
    acts: tuple[Event, ...] = ()
    start: int | None = None
    stands: int | None = None
    direction: int | None = None
    stops: tuple[int, ...] = ()
    mark: str = ""

    @property
    def side(self) -> Side:
        return self.position.turn_of

    @property
    def complete(self) -> bool:
        """Whether the turn may end here: without acts, it may not recreate an earlier state of the game."""
        if self.acts or not self.stops:
            return bool(self.stops) or self.start is None
        return (self.field.first, self.field.second, self.side.other) not in self.earlier

    @property
    def may_act(self) -> bool:
        """Whether the turn may act yet: a Dryad cannot act on the soil that it leaves."""
        return self.start is None or bool(self.stops)

    @lazy
    def sprouts(self) -> int:
        """The mask of the Seeds that can sprout next; on one soil, a Dryad either sprouts or germinates."""
        return self.field.sprouting(self.side, self.stands) if self.may_act and self.mark != GERMINATE else 0

    @lazy
    def germinations(self) -> list[int]:
        """The seedbeds that can germinate next; a sowing germinates at most one."""
        if not self.may_act or self.mark == SPROUT or (self.mark == GERMINATE and self.start is None):
            return []
        return self.field.germinating(self.side, self.stands)

    @lazy
    def stops_ahead(self) -> int:
        """The mask of the soils at which the Dryad can stop next."""
        if self.stands is None:
            return 0
        if self.direction is not None:
            # Soils without an act are not written, so the move cannot continue from one.
            return self.field.way(self.side, self.stands, self.direction) if self.mark else 0
        soils = self.field.ways(self.side, self.stands)
        # Where a plain move would recreate an earlier state, the Dryad must be able to act.
        for soil in bits(recreating(self.earlier, self.field, self.side, self.stands, soils)):
            there = self.stopped(soil)
            if not there.sprouts and not there.germinations:
                soils &= ~(1 << soil)
        return soils

    def next(self) -> tuple[str, ...]:
        name = self.position.board.name
        named = (GERMINATE + name(next(bits(seedbed))) for seedbed in self.germinations)
        return (
            *(SPROUT + name(cell) for cell in bits(self.sprouts)),
            *named,
            *(STOP + name(cell) for cell in bits(self.stops_ahead)),
        )

    def events(self) -> tuple[Event, ...]:
        """The events so far: the sowing or the move, then the acts in order."""
        if self.start is None or not self.stops:
            return self.acts
        return Moved(self.side, self.start, self.stops), *self.acts

    def after(self, element: str) -> PartialTurn:
        """Return the turn after one more element. Raises :class:`TurnError` if it is not legal."""
        mark, name = element[0], element[1:]
        if mark == ",":
            raise NotATurn("a comma has no meaning here; {example}", example=self.position.example)
        if not name:
            raise NotATurn("a cell is missing after “{mark}”", mark=Notation(mark))
        cell = self.position.cell_named(name)
        if mark == SPROUT:
            if not self.sprouts >> cell & 1:
                raise self._sprout_refusal(cell)
            sprouted = self.field.sprouted(self.side, cell)
            return replace(self, field=sprouted, acts=(*self.acts, Sprouted(self.side, cell)), mark=mark)
        if mark == GERMINATE:
            seedbed = next((cells for cells in self.germinations if cells >> cell & 1), None)
            if seedbed is None:
                raise self._germination_refusal(cell)
            grown = self.field.germinated(self.side, seedbed)
            return replace(self, field=grown, acts=(*self.acts, Germinated(self.side, tuple(bits(seedbed)))), mark=mark)
        if not self.stops_ahead >> cell & 1:
            raise self._stop_refusal(cell)
        return self.stopped(cell)

    def stopped(self, soil: int) -> PartialTurn:
        """Return the turn after the Dryad moves on to a soil on its way."""
        assert self.stands is not None
        direction = self.direction
        if direction is None:
            rays = self.position.board.ray_masks[self.stands]
            direction = next(way for way in DIRECTIONS if rays[way] >> soil & 1)
        moved = self.field.moved(self.side, self.stands, soil)
        return replace(self, field=moved, stands=soil, direction=direction, stops=(*self.stops, soil), mark="")

    # Refusals.

    def _name(self, cell: int) -> str:
        return self.position.board.name(cell)

    def unfinished(self) -> TurnError:
        """Why the turn may not end here."""
        assert self.stands is not None
        if self.stops:
            return self._repetition(self.stands)
        name = self._name(self.stands)
        if not self.field.ways(self.side, self.stands):
            return IllegalTurn("the Dryad on {cell} has no soil to move to", (self.stands,), cell=name, rule=MOVING)
        if not self.stops_ahead:
            return IllegalTurn(
                "every move of the Dryad on {cell} would bring back an earlier position",
                (self.stands,),
                cell=name,
                rule=_REPETITION,
            )
        soil = self._name(next(bits(self.stops_ahead)))
        return NotATurn(
            "the Dryad on {cell} has to move; write its move, such as {move}",
            cell=name,
            move=Notation(f"{name}{STOP}{soil}"),
        )

    def _repetition(self, soil: int) -> IllegalTurn:
        assert self.start is not None
        return IllegalTurn(
            "moving the Dryad from {start} to {soil} would bring back an earlier position",
            (soil,),
            start=self._name(self.start),
            soil=self._name(soil),
            rule=_REPETITION,
        )

    def _check_act(self, cell: int, mark: str) -> None:
        """Raise :class:`IllegalTurn` if an act of that kind is impossible now, or with the cell's content."""
        name = self._name(cell)
        if not self.may_act:
            assert self.start is not None
            left = self._name(self.start)
            raise IllegalTurn(
                "a Dryad cannot act on the soil it leaves, {soil}", (self.start,), soil=left, rule=_TWO_ACTS
            )
        if self.mark and self.mark != mark:
            if self.stands is None:
                raise IllegalTurn("a sowing either sprouts or germinates, not both", (cell,), rule=SOWING)
            soil = self._name(self.stands)
            raise IllegalTurn(
                "on one soil, {soil}, a Dryad either sprouts or germinates, not both",
                (cell,),
                soil=soil,
                rule=_TWO_ACTS,
            )
        nothing, others, rule = _ONLY_SEEDS[mark]
        if not self.field.occupied >> cell & 1:
            raise IllegalTurn(nothing, (cell,), cell=name, rule=rule)
        if not self.field.seeds >> cell & 1:
            raise IllegalTurn(others, (cell,), cell=name, piece=self.field.describe(cell), rule=rule)

    def _sprout_refusal(self, cell: int) -> IllegalTurn:
        self._check_act(cell, SPROUT)
        name, got = self._name(cell), self.field.nourishment(cell)
        if got.open_roots:
            hungry = Text.counted(
                "the Seed on {cell} is hungry, since one of its roots has no piece at the end",
                "the Seed on {cell} is hungry, since {count} of its roots have no piece at the end",
                got.open_roots,
                cell=name,
            )
            return IllegalTurn(hungry, (cell,), rule=_NUTRIENTS)
        if got.by is None:
            return IllegalTurn(
                "the Seed on {cell} is hungry, since its nutrients are equal, {nutrients} from each side",
                (cell,),
                cell=name,
                nutrients=got.nutrients[0],
                rule=_NUTRIENTS,
            )
        if got.by is not self.side:
            return IllegalTurn(
                "the Seed on {cell} is nourished by {side}, not by {yours}",
                (cell,),
                cell=name,
                side=self.position.side_name(got.by),
                yours=self.position.side_name(self.side),
                rule=_NUTRIENTS,
            )
        assert self.stands is not None
        return IllegalTurn(
            "no root of the Seed on {cell} ends at the moved Dryad on {soil}",
            (cell, self.stands),
            cell=name,
            soil=self._name(self.stands),
            rule=MOVING,
        )

    def _germination_refusal(self, cell: int) -> IllegalTurn:
        if self.mark == GERMINATE and self.start is None:
            return IllegalTurn("a sowing germinates at most one seedbed", (cell,), rule=SOWING)
        self._check_act(cell, GERMINATE)
        board, side = self.position.board, self.side
        seeds = self.field.seeds & self.field.pieces(Side(self.field.second >> cell & 1))
        around = self.field.around(board.flood(1 << cell, seeds))
        barren = around & ~self.field.fertile(side)
        if barren:
            return IllegalTurn(
                "every cell next to the seedbed of {cell} has to be fertile for {side}; these are not: {cells}",
                tuple(bits(barren)),
                cell=self._name(cell),
                side=self.position.side_name(side),
                cells=cell_names(board, barren),
                rule=_GERMINATING,
            )
        assert self.stands is not None
        return IllegalTurn(
            "the moved Dryad on {soil} makes no soil next to the seedbed of {cell} fertile",
            (cell, self.stands),
            soil=self._name(self.stands),
            cell=self._name(cell),
            rule=_GERMINATING,
        )

    def _stop_refusal(self, cell: int) -> IllegalTurn:
        name = self._name(cell)
        if self.stands is None:
            return IllegalTurn("a turn that sows moves no Dryad", (cell,), rule=TURN)
        rays = self.position.board.ray_masks[self.stands]
        if self.direction is None:
            direction = next((way for way in DIRECTIONS if rays[way] >> cell & 1), None)
            if direction is None:
                soil = self._name(self.stands)
                return IllegalTurn(
                    "{cell} is not in a straight line from {soil}", (cell,), cell=name, soil=soil, rule=MOVING
                )
        else:
            soil = self._name(self.stands)
            if not self.mark:
                return IllegalTurn(
                    "the Dryad does nothing on {soil}, so leave that soil out",
                    (self.stands,),
                    soil=soil,
                    rule=_TWO_ACTS,
                )
            direction = self.direction
            if not rays[direction] >> cell & 1:
                return IllegalTurn(
                    "a Dryad moves in one direction, and {cell} is not straight on from {start} over {soil}",
                    (cell,),
                    cell=name,
                    start=self._name(self.start or 0),
                    soil=soil,
                    rule=MOVING,
                )
        return self._way_refusal(cell, rays[direction] & ~self.position.board.ray_masks[cell][direction])

    def _way_refusal(self, cell: int, way: int) -> IllegalTurn:
        """The refusal to let the Dryad stop on a cell; ``way`` is the mask of the cells up to it, inclusive."""
        name = self._name(cell)
        blocking = way & self.field.blockers(self.side)
        if blocking & ~(1 << cell):
            blocker = next(bits(blocking & ~(1 << cell)))
            return IllegalTurn(
                "{piece} on {blocker} blocks the Dryad's way to {cell}",
                (blocker,),
                piece=self.field.describe(blocker),
                blocker=self._name(blocker),
                cell=name,
                rule=MOVING,
            )
        if self.field.occupied >> cell & 1:
            held = self.field.describe(cell)
            return IllegalTurn(
                "a Dryad stops on an empty cell, and {cell} holds {piece}", (cell,), cell=name, piece=held, rule=MOVING
            )
        return self._repetition(cell)
