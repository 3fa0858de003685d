"""Lines: turns that a player tries from a position of a match."""

from __future__ import annotations

from dataclasses import dataclass, replace

#: The most turns in a line.
MOST_TURNS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """Turns tried after the first ``ply`` turns of a match with ``step`` steps.

    Steps are only ever added, so a line keeps its first position, even after a take-back. ``begun`` is the unfinished
    next turn.
    """

    step: int
    ply: int
    turns: tuple[str, ...] = ()
    begun: str = ""

    @property
    def full(self) -> bool:
        """Whether the line has reached its greatest length."""
        return len(self.turns) >= MOST_TURNS

    @property
    def text(self) -> str:
        """The line as a text, different for every line of the match."""
        return " ".join([f"{self.step}.{self.ply}", *self.turns, f"+{self.begun}"])

    def begins_as(self, other: Line) -> bool:
        """Whether both lines begin at the same position of the match."""
        return (self.step, self.ply) == (other.step, other.ply)

    def begin(self, text: str) -> Line:
        """The line with ``begun`` as its unfinished next turn."""
        return replace(self, begun=text)

    def add(self, *turns: str) -> Line:
        """The line with these turns at its end."""
        return replace(self, turns=(*self.turns, *turns), begun="")

    def take_back(self) -> Line:
        """The line without its last turn."""
        return replace(self, turns=self.turns[:-1], begun="")
