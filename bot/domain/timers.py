"""Timers: what has to happen at a time."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime, timedelta


class TimerKind(enum.StrEnum):
    """What has to happen at a time; the subject is a challenge, match, tournament, player, server or nothing
    in particular.
    """

    EXPIRY = "challenge-expiry"
    FLAG = "flag"
    REMINDER = "reminder"
    CARD = "card"
    """The card of a match has to show that its clock has changed, or that its result was made void."""
    TOURNAMENT = "tournament"
    """A tournament has something to begin, to end or to show."""
    HEARTBEAT = "heartbeat"
    """While a clock is running: a note that the bot was there."""
    PURGE = "purge"
    """Once a day, old challenges that came to nothing are deleted."""
    FORGET = "forget"
    """What a deleted player has done counts towards no limit any more."""
    SHOW_MATCH = "show-match"
    """Another process has stored something that is to be shown: of a match, its board."""
    SHOW_AGAIN = "show-again"
    """The board of a match, for somebody who asked for it."""
    SHOW_CHALLENGE = "show-challenge"
    SHOW_PROPOSAL = "show-proposal"
    QUIET_END = "quiet-end"
    """The quiet hours of a player end in which they would have been pinged."""
    DIGEST = "digest"
    """A player is told by direct message what waits for them."""
    COMPUTER = "computer"
    """The computer has to play in a match, or to answer an offer of a draw."""
    DAILY_PUZZLE = "daily-puzzle"
    """A server gets the puzzle of the day."""
    PUZZLE_COUNT = "puzzle-count"
    """The puzzle of a day was solved or not, and its card on a server has to show that."""


#: The timers whose subjects are challenges, matches, proposals, tournaments, players or servers.
OF_CHALLENGES = (TimerKind.EXPIRY, TimerKind.SHOW_CHALLENGE)
OF_MATCHES = (
    TimerKind.FLAG,
    TimerKind.REMINDER,
    TimerKind.CARD,
    TimerKind.SHOW_MATCH,
    TimerKind.SHOW_AGAIN,
    TimerKind.COMPUTER,
)
OF_PROPOSALS = (TimerKind.SHOW_PROPOSAL,)
OF_TOURNAMENTS = (TimerKind.TOURNAMENT,)
PERSONAL = (TimerKind.QUIET_END, TimerKind.DIGEST)
OF_SERVERS = (TimerKind.DAILY_PUZZLE, TimerKind.PUZZLE_COUNT)
#: The timers that are due as soon as they are set, and whose handlers check what there is to do. One that is due later
#: is leased, or its handler failed.
IMMEDIATE = (
    TimerKind.TOURNAMENT,
    TimerKind.SHOW_MATCH,
    TimerKind.SHOW_AGAIN,
    TimerKind.SHOW_CHALLENGE,
    TimerKind.SHOW_PROPOSAL,
    TimerKind.COMPUTER,
)
#: The time for which a timer is leased to the process that calls its handler.
LEASE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Timer:
    kind: TimerKind
    subject_id: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class TimerChanges:
    """Timers to set, the kinds to cancel for the same subject, and a timer to set unless there is one of its kind."""

    set: tuple[Timer, ...] = ()
    cancelled: tuple[TimerKind, ...] = ()
    kept: Timer | None = None
