"""Dendria: turns act by act, and an evaluation."""

from __future__ import annotations

from random import Random

from rules import PASS, Side, bits
from rules.dendria import Dendria, PartialTurn
from rules.search.knowledge import Evaluation, Knowledge, Reason, Words, tempo
from rules.search.moment import Moment, some_cell
from rules.search.tree import Tuning
from rules.text import ngettext_noop

#: The probability that a random turn moves a Dryad where it could also sow.
_WANDERING = 0.5


class WithinTurn(Moment):
    """A turn of Dendria that may go on with an act or with the Dryad's next stop.

    The empty option ends the turn, where it may end.
    """

    __slots__ = ("_before", "_partial")

    begun = True

    def __init__(self, before: Dendria, partial: PartialTurn) -> None:
        super().__init__(before.after(partial))
        self._before, self._partial = before, partial

    @property
    def mover(self) -> Side:
        return self._partial.side

    def options(self) -> tuple[str, ...]:
        options = self._partial.next()
        return ("", *options) if self._partial.complete else options

    def after(self, option: str) -> Moment:
        return next_moment(self._before, self._partial.after(option)) if option else Beginning(self.position)


class Beginning(Moment):
    """A position of Dendria, whose turns begin with a sowing, or with a Dryad's first stop."""

    __slots__ = ()
    position: Dendria

    def options(self) -> tuple[str, ...]:
        position, name = self.position, self.position.board.name
        options = position.board.names(position.field.sowable)
        for dryad in bits(position.field.own_dryads(position.turn_of)):
            start = name(dryad)
            options += [f"{start}-{name(soil)}" for soil in bits(position.dryad_turn(dryad).stops_ahead)]
        return (*options, PASS)

    def after(self, option: str) -> Moment:
        position = self.position
        return (
            Beginning(position.take_turn(PASS)[0])
            if option == PASS
            else next_moment(position, position.partial_turn(option))
        )

    def at_random(self, chance: Random) -> tuple[str, Moment]:
        position, name = self.position, self.position.board.name
        sowable, dryads = position.field.sowable, list(bits(position.field.own_dryads(position.turn_of)))
        if not sowable:
            # Dryads could wander for ever, and a game that does not end says nothing.
            return PASS, self.after(PASS)
        while dryads and chance.random() < _WANDERING:
            dryad = dryads.pop(int(chance.random() * len(dryads)))
            taken = position.dryad_turn(dryad)
            if taken.stops_ahead:
                soils = list(bits(taken.stops_ahead))
                soil = soils[int(chance.random() * len(soils))]
                return f"{name(dryad)}-{name(soil)}", next_moment(position, taken.stopped(soil))
        cell = some_cell(sowable, position.board.cells, chance)
        return name(cell), next_moment(position, position.sowing(cell))


def next_moment(before: Dendria, partial: PartialTurn) -> Moment:
    """The moment within a turn or, if nothing more can be done in it, the moment after it."""
    if partial.complete and not (partial.sprouts or partial.germinations or partial.stops_ahead):
        return Beginning(before.after(partial))
    return WithinTurn(before, partial)


def terms(position: Dendria) -> tuple[float, ...]:
    field = position.field
    first, second = position.first, position.second
    size = position.ruleset.size
    return (
        tempo(position),
        (field.leafiness(Side.FIRST) - field.leafiness(Side.SECOND)) / size,
        ((field.trees & first).bit_count() - (field.trees & second).bit_count()) / 4,
        ((field.dryads & first).bit_count() - (field.dryads & second).bit_count()) / 4,
        ((field.seeds & first).bit_count() - (field.seeds & second).bit_count()) / 4,
        (_nourished_seeds(position, Side.FIRST) - _nourished_seeds(position, Side.SECOND)) / 4,
        (field.fertile(Side.FIRST).bit_count() - field.fertile(Side.SECOND).bit_count()) / size,
        (_germinable_seeds(position, Side.FIRST) - _germinable_seeds(position, Side.SECOND)) / 4,
    )


def _nourished_seeds(position: Dendria, side: Side) -> int:
    return (position.field.seeds & position.field.nourished(side)).bit_count()


def _germinable_seeds(position: Dendria, side: Side) -> int:
    return sum(seedbed.bit_count() for seedbed in position.field.germinable(side))


#: Each term's fitted weights, on an empty and on a full board.
_STANDARD = {
    "tempo": (0.265, 0.146),
    "leafiness": (-0.208, 2.147),
    "Trees": (-0.24, 0.893),
    "Dryads": (2.156, -0.662),
    "Seeds": (1.394, -0.574),
    "nourished Seeds": (0.979, 0.39),
    "fertile soils": (0.281, 0.612),
    "germinable Seeds": (0.51, 0.476),
}

_REASONS = (
    Reason[Dendria](
        ("leafiness",),
        lambda position, side: position.field.leafiness(side),
        Words(
            ngettext_noop("Your leafiness grows by {count}.", "Your leafiness grows by {count}."),
            ngettext_noop("{side}'s leafiness grows by {count}.", "{side}'s leafiness grows by {count}."),
        ),
        Words(ngettext_noop("{other}'s leafiness shrinks by {count}.", "{other}'s leafiness shrinks by {count}.")),
    ),
    Reason(
        ("nourished Seeds",),
        _nourished_seeds,
        Words(
            ngettext_noop("You nourish {count} more Seed.", "You nourish {count} more Seeds."),
            ngettext_noop("{side} nourishes {count} more Seed.", "{side} nourishes {count} more Seeds."),
        ),
        Words(ngettext_noop("{other} nourishes {count} Seed fewer.", "{other} nourishes {count} Seeds fewer.")),
    ),
    Reason(
        ("germinable Seeds",),
        _germinable_seeds,
        Words(
            ngettext_noop("{count} more Seed can germinate for you.", "{count} more Seeds can germinate for you."),
            ngettext_noop(
                "{count} more Seed can germinate for {side}.", "{count} more Seeds can germinate for {side}."
            ),
        ),
        Words(
            ngettext_noop(
                "{count} Seed fewer can germinate for {other}.", "{count} Seeds fewer can germinate for {other}."
            )
        ),
    ),
    Reason[Dendria](
        ("fertile soils",),
        lambda position, side: position.field.fertile(side).bit_count(),
        Words(
            ngettext_noop("{count} more cell is fertile for you.", "{count} more cells are fertile for you."),
            ngettext_noop("{count} more cell is fertile for {side}.", "{count} more cells are fertile for {side}."),
        ),
        Words(
            ngettext_noop("{count} cell fewer is fertile for {other}.", "{count} cells fewer are fertile for {other}.")
        ),
    ),
)

KNOWLEDGE = Knowledge(
    Evaluation(terms, {"standard": _STANDARD}),
    # Nobody grows Trees on purpose in a random game, so the evaluation says more, and sooner. It hardly distinguishes a
    # hundred turns, so only a few of them are explored, each with its best reply.
    Tuning(explore=0.03, playouts=0.0, patience=0),
    moment=Beginning,
    # The states since a piece was placed or transformed, including this one.
    idle=lambda position: len(position.earlier),
    simulations={7: 500, 9: 250, 11: 130},
    hope=1.1,
    ratios=(5, 5, 5),
    least={9: 2},
    slack=0.11,
    lapses=(0.4, 0.2),
    reasons=_REASONS,
)
