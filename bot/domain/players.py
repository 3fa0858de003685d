"""Players."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rules.search import LEVELS

#: The computer at any level. Each level is a player, too, with its number added to this; accounts have larger ids.
COMPUTER_ID = 4_000_000
COMPUTER_IDS = range(COMPUTER_ID + LEVELS[0], COMPUTER_ID + LEVELS[-1] + 1)
#: The players of imported records, the one who opens first. Their names are in the records.
IMPORTED_IDS = (COMPUTER_ID - 2, COMPUTER_ID - 1)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a Discord account, and its nickname on a server."""

    account: str
    username: str
    guild_id: int | None = None
    nickname: str | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """A Discord user with the name to show, or a level of the computer.

    The name is empty for an anonymous or deleted player. ``names`` are the known names behind it.
    """

    id: int
    name: str
    names: Names | None = field(default=None, compare=False, repr=False)

    @property
    def deleted(self) -> bool:
        """Whether the player has deleted their data."""
        return self.id < 0

    @property
    def level(self) -> int | None:
        """The level of the computer; None for people."""
        return self.id - COMPUTER_ID if self.id in COMPUTER_IDS else None

    @property
    def reachable(self) -> bool:
        """Whether the player has an account on Discord, with preferences and pings."""
        return not self.deleted and self.id != COMPUTER_ID and self.level is None and self.id not in IMPORTED_IDS

    def seen_as(self, names: Names | None) -> Player:
        """The player with the names just met; a nickname counts only on its own server."""
        if names is None:
            return self
        if self.names is not None and self.names.guild_id != names.guild_id:
            names = replace(self.names, account=names.account, username=names.username)
        return Player(self.id, names.nickname or names.account, names)


def computer(level: int) -> Player:
    """The computer at a level, as a player."""
    return Player(COMPUTER_ID + level, f"Hexgrove (level {level})")


@dataclass(frozen=True, slots=True)
class Deletion:
    """What the deletion of a player ended or changed, by ids, for the cards."""

    matches: tuple[int, ...] = ()
    challenges: tuple[int, ...] = ()
    proposals: tuple[int, ...] = ()
    tournaments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Conduct:
    """How many of a player's matches are over, and how many of them they did not finish.

    ``timed_out`` were lost on time. ``abandoned`` were abandoned by consent, resigned before both players had made two
    turns, or ended by removal from a tournament; other matches ended by a moderator do not count.
    """

    matches: int
    timed_out: int
    abandoned: int

    @property
    def aborted(self) -> int:
        return self.timed_out + self.abandoned

    @property
    def aborted_rate(self) -> float:
        """The share of unfinished matches, from 0 to 1."""
        return self.aborted / self.matches if self.matches else 0.0
