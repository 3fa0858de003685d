"""Lines: turns that somebody only tries, from a position of a match."""

from __future__ import annotations

from dataclasses import dataclass, replace

#: The most turns in a line.
MOST_TURNS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """The turns that somebody tries after the first ``ply`` turns of a match that had made ``step`` steps.

    As steps are only ever added, the line begins at the same position for ever, even after a take-back. ``begun`` is
    what has been put together of the next turn.
    """

    step: int
    ply: int
    turns: tuple[str, ...] = ()
    begun: str = ""

    @property
    def full(self) -> bool:
        """Whether the line is as long as it may be."""
        return len(self.turns) >= MOST_TURNS

    @property
    def text(self) -> str:
        """The line as one text, by which it differs from every other line of the match."""
        return " ".join([f"{self.step}.{self.ply}", *self.turns, f"+{self.begun}"])

    def begins_as(self, other: Line) -> bool:
        """Whether both lines begin at the same position of the match."""
        return (self.step, self.ply) == (other.step, other.ply)

    def begin(self, text: str) -> Line:
        """The line with this much of its next turn."""
        return replace(self, begun=text)

    def add(self, *turns: str) -> Line:
        """The line with these turns at its end."""
        return replace(self, turns=(*self.turns, *turns), begun="")

    def take_back(self) -> Line:
        """The line without its last turn."""
        return replace(self, turns=self.turns[:-1], begun="")
