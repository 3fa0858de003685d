"""The turns of a game as links to the positions after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.domain.matches import Game
from bot.wording import words
from rules import Side


@dataclass(frozen=True, slots=True)
class TurnLink:
    """A turn in the list: its number, the side that played it, and the address of the position after it."""

    number: int
    text: str
    side: str
    address: str
    now: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """The last ``count`` turns of a game; the board shows the position after ``at`` of them.

    ``link`` returns the address of the position after a number of turns (None: all).
    """

    game: Game
    count: int
    at: int
    link: Callable[[int | str | None], str]

    def position(self, at: int) -> str:
        """The address of the position after ``at`` turns, or of the nearest existing one."""
        return self.link(None if at >= self.count else max(at, 0))

    @property
    def pattern(self) -> str:
        """An address in which ``=N`` stands for a number of turns."""
        return self.link("N")

    @property
    def turns(self) -> Iterator[TurnLink]:
        game = self.game
        before, opening, last = game.ply - self.count, game.match.ruleset.plies_before_play, game.position.turn_of.other
        for at, turn in enumerate(game.turns[before:], 1):
            number = before + at
            side = last if (game.ply - number) % 2 == 0 else last.other
            colour = "" if number <= opening else "first" if side is Side.FIRST else "second"
            text = words.translate(game.position.turn_name(turn))
            yield TurnLink(number, text, colour, self.position(at), at == self.at)
