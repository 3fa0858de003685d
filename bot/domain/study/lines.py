"""Lines: turns that a player tries from a position of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.domain.matches import Game, Match
from bot.domain.turn_entry import digest
from rules import TurnError

#: Maximum turns in a line.
MOST_TURNS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """Turns tried after the first ``ply`` turns of a match with ``step`` steps; ``begun`` is the unfinished next turn.

    Since steps are only ever added, a line keeps its first position even after a take-back.
    """

    step: int
    ply: int
    turns: tuple[str, ...] = ()
    begun: str = ""

    @classmethod
    def of(cls, match: Match, ply: int | None = None) -> Line:
        """A line without turns, from a past position of the match or from the current one."""
        return cls(match.step, match.ply if ply is None else min(ply, match.ply))

    @property
    def full(self) -> bool:
        return len(self.turns) >= MOST_TURNS

    @property
    def text(self) -> str:
        """The line as a text, unique in the match."""
        return " ".join([f"{self.step}.{self.ply}", *self.turns, f"+{self.begun}"])

    @property
    def name(self) -> str:
        """A hash that identifies the line."""
        return digest(self.text, 16)

    def begins_as(self, other: Line) -> bool:
        """Whether both lines begin at the same position of the match."""
        return (self.step, self.ply) == (other.step, other.ply)

    def begin(self, text: str) -> Line:
        return replace(self, begun=text)

    def add(self, *turns: str) -> Line:
        return replace(self, turns=(*self.turns, *turns), begun="")

    def up_to(self, count: int) -> Line:
        """The line with at most ``count`` of its turns."""
        return self if count >= len(self.turns) else replace(self, turns=self.turns[:count], begun="")

    def take_back(self) -> Line:
        return replace(self, turns=self.turns[:-1], begun="")


def games_along(start: Game, turns: Sequence[str]) -> tuple[list[Game], TurnError | None]:
    """The games after 0, 1, 2, … turns, up to the first illegal turn, and the refusal of that turn.

    Replays the turns: call it in a thread.
    """
    tried = [start]
    for turn in turns:
        game = tried[-1]
        try:
            played = game.position.parse(turn)
            position, events = game.position.play(played)
        except TurnError as error:
            return tried, error
        tried.append(replace(game, turns=(*game.turns, played), position=position, events=events, planned=0))
    return tried, None
