"""The events that occur only in Hedu."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rules.events import CellEvent
from rules.side import Side
from rules.text import Text, gettext_noop

SIDES = (gettext_noop("black"), gettext_noop("white"))


def _name(side: Side) -> Text:
    return Text(SIDES[side]).capitalized()


@dataclass(frozen=True, slots=True)
class Reduced(CellEvent):
    """The stack of ``side`` on ``cell`` became lower, which gave its enemy prisoners; at height 0 it left the board."""

    before: int
    after: int

    @property
    def loser(self) -> Side:
        return self.side

    @property
    def takes_pieces(self) -> bool:
        return self.after == 0

    @property
    def amount(self) -> int:
        """The number of levels that the stack lost."""
        return self.before - self.after

    @classmethod
    def effect(cls, amount: int) -> Text:
        return Text.counted("takes {count} prisoner", "takes {count} prisoners", amount)

    @classmethod
    def loss(cls, amount: int, loser: Side, reader: Side | None = None) -> Text:
        if reader is loser.other:
            return Text.counted("gives you {count} prisoner", "gives you {count} prisoners", amount)
        side = _name(loser.other)
        return Text.counted("gives {side} {count} prisoner", "gives {side} {count} prisoners", amount, side=side)


@dataclass(frozen=True, slots=True)
class Raised(CellEvent):
    """The stack of ``side`` on ``cell`` became higher."""

    before: int
    after: int

    @property
    def amount(self) -> int:
        """The number of levels that the stack gained."""
        return self.after - self.before

    @classmethod
    def growth(cls, amounts: Mapping[Side, int]) -> Text:
        (side, count), *others = amounts.items()
        name = _name(side)
        if not others:
            return Text.counted(
                "{side}'s stacks grow by {count} level", "{side}'s stacks grow by {count} levels", count, side=name
            )
        ((other, more),) = others
        return Text.counted(
            "{side}'s stacks grow by {count} level, {other}'s by {more}",
            "{side}'s stacks grow by {count} levels, {other}'s by {more}",
            count,
            side=name,
            other=_name(other),
            more=more,
        )
