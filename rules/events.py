"""The events of a turn in order, and their tally. Events of a single game are defined beside the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from rules.side import Side
from rules.text import Text


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a turn, such as :class:`Placed`. The first event of a turn is the mover's own.

    Games derive their own kinds, which other code knows only by the properties here, :meth:`effect` and :meth:`loss`.
    """

    side: Side

    @property
    def changed_cells(self) -> tuple[int, ...]:
        """The cells on which the event changes pieces."""
        return ()

    @property
    def loser(self) -> Side | None:
        """The side that loses something; None if neither does."""
        return None

    @property
    def takes_pieces(self) -> bool:
        """Whether pieces of the loser leave the board or change sides."""
        return self.loser is not None

    @property
    def amount(self) -> int:
        """The event's share of the :meth:`effect` of the turn, or of the loser's losses."""
        return len(self.changed_cells)

    @classmethod
    def effect(cls, amount: int) -> Text | None:
        """The joint effect of a turn's events of this kind, such as ``flips 7 stones``; None if not worth mentioning.

        The mover's own losses are in :meth:`loss`.
        """
        return None

    @classmethod
    def growth(cls, amounts: Mapping[Side, int]) -> Text | None:
        """The gains of each side by events of this kind, the mover's first, as a sentence without a full stop.

        An example is ``White's stacks grow by 2 levels``. None if :meth:`effect` covers them, or if they are not worth
        mentioning."""
        return None

    @classmethod
    def loss(cls, amount: int, loser: Side, reader: Side | None = None) -> Text:
        """The mover's loss by its own turn in events of this kind, in words for the reading side or for anybody."""
        if reader is loser:
            return Text.counted("loses {count} of yours", "loses {count} of yours", amount)
        return Text.counted("loses {count} of its own", "loses {count} of its own", amount)


@dataclass(frozen=True, slots=True)
class CellEvent(Event):
    """An event that changes the piece on one cell."""

    cell: int

    @property
    def changed_cells(self) -> tuple[int, ...]:
        return (self.cell,)


@dataclass(frozen=True, slots=True)
class GroupEvent(Event):
    """An event that changes the pieces on several cells."""

    cells: tuple[int, ...]

    @property
    def changed_cells(self) -> tuple[int, ...]:
        return self.cells


@dataclass(frozen=True, slots=True)
class Placed(CellEvent):
    """A piece of ``side`` was placed on ``cell``; a stack has a ``height``."""

    height: int = 1


@cache
def placement(side: Side, cell: int, height: int = 1) -> Placed:
    """Return the event of a placement, always the same object, because it is the most frequent event."""
    return Placed(side, cell, height)


@dataclass(frozen=True, slots=True)
class Flipped(GroupEvent):
    """The stones on ``cells``, one group, now belong to ``side``; the stones on ``by`` flipped them."""

    by: tuple[int, ...]

    @property
    def loser(self) -> Side:
        return self.side.other

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("flips {count} stone", "flips {count} stones", amount)


@dataclass(frozen=True, slots=True)
class Captured(GroupEvent):
    """The pieces on ``cells``, one group, left the board and became prisoners of ``side``."""

    @property
    def loser(self) -> Side:
        return self.side.other

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("captures {count} stone", "captures {count} stones", amount)


@dataclass(frozen=True, slots=True)
class Territory(Event):
    """The ``cells`` count for ``side`` at the end of the game."""

    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SideChosen(Event):
    """The second player took ``side``, so the first player has the other one."""


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """The side to play passed."""


class Tally:
    """The effects of a turn."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._events = tuple(events)
        #: The side that took the turn; None when nothing happened.
        self.mover = self._events[0].side if self._events else None

    def changed(self, kind: type[Event]) -> list[int]:
        """The masks of the cells that the first and the second side's events of a kind changed."""
        masks = [0, 0]
        for event in self._events:
            if isinstance(event, kind):
                for cell in event.changed_cells:
                    masks[event.side] |= 1 << cell
        return masks

    @property
    def flipped(self) -> list[int]:
        """The masks of the stones that each side gained by flipping."""
        return self.changed(Flipped)

    @property
    def captured(self) -> list[int]:
        """The masks of the captured pieces of each side."""
        return self.changed(Captured)[::-1]

    @property
    def costs_pieces(self) -> bool:
        """Whether pieces of the mover left the board or changed sides."""
        return any(event.takes_pieces for event in self._events if event.loser is self.mover)

    def gains(self) -> Tally:
        """The tally of the mover's gains: of the enemy's losses, and of the mover's own events without a loser."""
        assert self.mover is not None
        good = (
            event
            for event in self._events
            if (event.side.other if event.loser is None else event.loser) is self.mover.other
        )
        return Tally(good)

    def growth(self) -> tuple[Text, ...]:
        """The gains of each side, as sentences without full stops."""
        amounts: dict[type[Event], dict[Side, int]] = {}
        for event in sorted(self._events, key=lambda event: event.side is not self.mover):
            of_kind = amounts.setdefault(type(event), {})
            of_kind[event.side] = of_kind.get(event.side, 0) + event.amount
        grown = [kind.growth(of_kind) for kind, of_kind in amounts.items()]
        return tuple(growth for growth in grown if growth is not None)

    def effects(self, reader: Side | None = None) -> tuple[Text, ...]:
        """The other effects, such as ``flips 7 stones``, without placements, in words for the reading side or for
        anybody.
        """
        amounts: dict[type[Event], int] = {}
        lost, loss = 0, Event.loss
        for event in self._events:
            if event.loser is self.mover:
                lost, loss = lost + event.amount, event.loss
            else:
                amounts[type(event)] = amounts.get(type(event), 0) + event.amount
        effects = [kind.effect(amount) for kind, amount in amounts.items()]
        if lost:
            assert self.mover is not None
            effects.append(loss(lost, self.mover, reader))
        return tuple(effect for effect in effects if effect is not None)
