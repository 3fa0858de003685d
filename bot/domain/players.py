"""Players: people, levels of the computer, and programs that people write."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.refusals import DomainError
from rules.search import LEVELS
from rules.text import gettext_noop

#: The computer at any level. Each level is also a player, with its number added to this; accounts have larger ids.
COMPUTER_ID = 4_000_000
COMPUTER_IDS = range(COMPUTER_ID + LEVELS[0], COMPUTER_ID + LEVELS[-1] + 1)
#: The two players of all imported records, the opening player first. Their names are in the records.
IMPORTED_IDS = (COMPUTER_ID - 2, COMPUTER_ID - 1)
#: The ids of programs. Matches have smaller ids, and accounts larger ones. A deleted program remains as a deleted
#: player with the negative id.
PROGRAM_IDS = range(10**10, 10**12)
#: The separator between the names of a program and its owner.
_OF = " of "


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a Discord account, and its nickname on a server."""

    account: str
    username: str
    guild_id: int | None = None
    nickname: str | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """A Discord user with the name to show, a level of the computer, or a program.

    An anonymous or deleted player has an empty name. ``names`` are all known names of the account. A player who is
    ``away`` has another home than the people who see them, and so gets no pings there.
    """

    id: int
    name: str
    names: Names | None = field(default=None, compare=False, repr=False)
    away: bool = field(default=False, compare=False, repr=False)

    @property
    def deleted(self) -> bool:
        """Whether the player has deleted their data."""
        return self.id < 0

    @property
    def level(self) -> int | None:
        """The level of the computer; None for people."""
        return self.id - COMPUTER_ID if self.id in COMPUTER_IDS else None

    @property
    def is_program(self) -> bool:
        return self.id in PROGRAM_IDS

    @property
    def is_person(self) -> bool:
        """Whether this is a person, perhaps with deleted data."""
        others = self.id in (COMPUTER_ID, *IMPORTED_IDS) or self.level is not None
        return not others and abs(self.id) not in PROGRAM_IDS

    @property
    def reachable(self) -> bool:
        """Whether the player has a Discord account, and so has preferences and gets pings."""
        return self.is_person and not (self.deleted or self.away)

    def seen_as(self, names: Names | None) -> Player:
        """The player with new names; a nickname from elsewhere does not replace the server's."""
        if names is None:
            return self
        if self.names is not None and self.names.guild_id != names.guild_id:
            names = replace(self.names, account=names.account, username=names.username)
        return Player(self.id, names.nickname or names.account, names)


def computer(level: int) -> Player:
    """The computer at a level, as a player."""
    return Player(COMPUTER_ID + level, f"Hexgrove (level {level})")


def titled(name: str, owner: str) -> str:
    """The stored name of a program, with its owner's name unless that is hidden."""
    return f"⚙ {name}{_OF}{owner}" if owner else f"⚙ {name}"


def untitled(player: Player) -> tuple[str, str]:
    """The names of a program and its owner; the owner's name is empty if it is hidden or ambiguous."""
    name, _, owner = player.name.partition(_OF)
    return (player.name, "") if _OF in owner else (name, owner)


@dataclass(frozen=True, slots=True)
class Conduct:
    """The numbers of a player's ended matches, and of matches that the player failed to finish.

    ``timed_out`` matches were lost on time. ``abandoned`` matches were abandoned by agreement, resigned before both
    players had made two turns, or ended by removal from a tournament. Other matches that a moderator ended do not
    count, nor do matches of strangers that were called off.
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


#: Maximum programs of a person, and maximum running matches of a program.
MOST_PROGRAMS, MOST_RUNNING = 3, 20
LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Program:
    """A program as its owner knows it. Its player has the same ``id``.

    ``hash`` is the SHA-256 of its token. ``stream`` is the number of its latest stream, which ends earlier ones.
    """

    id: int
    owner_id: int
    name: str
    hash: str = field(repr=False)
    stream: int
    made_at: datetime
    used_at: datetime | None


def read_name(typed: str) -> str:
    """The name of a program, without needless spaces. Raises :class:`ProgramNameError`."""
    name = " ".join(typed[: 10 * LONGEST_NAME].split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise ProgramNameError(most=LONGEST_NAME)
    return name


class ProgramNameError(DomainError):
    template = gettext_noop("The name of a program has 1 to {most} letters. Choose another one.")


class TooManyProgramsError(DomainError):
    template = gettext_noop("You already have {most} programs, the maximum. End one of them first.")


class UnknownProgramError(DomainError):
    template = gettext_noop("There is no such program here. Choose one from the list.")


class BusyProgramError(DomainError):
    """The program has the maximum number of running matches."""

    template = gettext_noop("{player} is already playing {most} matches. Try again when one of them is over.")


class TokenError(DomainError):
    """The token is missing, wrong or replaced, or its program was deleted."""

    template = gettext_noop("This token is not valid. {settings} → Programs makes a new one.")
