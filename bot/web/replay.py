"""The turns of a game as links to the positions after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.domain.matches import Game
from bot.wording import words
from rules import Side


@dataclass(frozen=True, slots=True)
class TurnLink:
    """A turn in the list of turns: its number, the side that played it, and the address of the position after it."""

    number: int
    text: str
    side: str
    address: str
    now: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """The last ``count`` turns of a game; the board shows the position after ``at`` of them.

    ``link`` is the address of the position after so many of them; None stands for all of them.
    """

    game: Game
    count: int
    at: int
    link: Callable[[int | str | None], str]

    def position(self, at: int) -> str:
        """The address of the position after so many of the turns, at least none and at most all."""
        return self.link(None if at >= self.count else max(at, 0))

    @property
    def pattern(self) -> str:
        """An address in which ``=N`` stands for a number of turns."""
        return self.link("N")

    @property
    def turns(self) -> Iterator[TurnLink]:
        before = self.game.ply - self.count
        for at, turn in enumerate(self.game.turns[before:], 1):
            text = words.translate(self.game.position.turn_name(turn))
            yield TurnLink(before + at, text, self._side(before + at), self.position(at), at == self.at)

    def _side(self, number: int) -> str:
        """The side that played a turn, for its colour; empty before the sides take turns."""
        if number <= self.game.match.ruleset.plies_before_play:
            return ""
        last = self.game.position.turn_of.other
        side = last if (self.game.ply - number) % 2 == 0 else last.other
        return "first" if side is Side.FIRST else "second"
