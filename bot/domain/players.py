"""Players."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Names:
    """What somebody is called: by their account, and on the server where they are met, if they are met on one."""

    account: str
    username: str
    guild_id: int | None = None
    nickname: str | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """A person, by their Discord user id, with the name that is shown where they are named.

    The name is empty for somebody who is hidden there, or forgotten. ``names`` is what the name was taken from, when
    that is known; without them it is the account's own.
    """

    id: int
    name: str
    names: Names | None = field(default=None, compare=False, repr=False)

    @property
    def forgotten(self) -> bool:
        """Whether this is somebody who asked to be forgotten, and whom nobody can reach."""
        return self.id < 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What somebody leaves who was forgotten, by ids: matches that this ended, and challenges and proposals that it
    closed, whose cards are to show that."""

    matches: tuple[int, ...] = ()
    challenges: tuple[int, ...] = ()
    proposals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a player's matches ended, apart from those that a moderator ended: which they did not bring to an end.

    They ``timed_out`` when their flag fell; they ``abandoned`` those given up by consent, those that they resigned
    before both had made two turns, and those that ended because they were taken out of a tournament.
    """

    matches: int
    timed_out: int
    abandoned: int

    @property
    def aborted(self) -> int:
        return self.timed_out + self.abandoned

    @property
    def aborted_rate(self) -> float:
        """The share of the matches that are over which the player did not bring to an end, from 0 to 1."""
        return self.aborted / self.matches if self.matches else 0.0
