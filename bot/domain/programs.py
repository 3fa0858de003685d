"""Programs: players that people write and connect to the bot, for casual matches."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.refusals import DomainError
from rules.text import gettext_noop

#: Maximum programs of a person, and maximum running matches of a program.
MOST_PROGRAMS, MOST_RUNNING = 3, 20
LONGEST_NAME = 32


@dataclass(frozen=True, slots=True)
class Program:
    """A program as its owner knows it. Its player has the same ``id``.

    ``hash`` is the SHA-256 of its token. ``stream`` is the number of its latest stream; each ends the one before.
    """

    id: int
    owner_id: int
    name: str
    hash: str = field(repr=False)
    stream: int
    made_at: datetime
    used_at: datetime | None


def read_name(typed: str) -> str:
    """Read the name of a program, as it will be shown. Raises :class:`ProgramNameError`."""
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
