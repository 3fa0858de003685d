"""Timers: work that is due at a time."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime, timedelta


class TimerKind(enum.StrEnum):
    """The kinds of work. The subject is a challenge, match, proposal, tournament, ladder, player or server, or none."""

    EXPIRY = "challenge-expiry"
    FLAG = "flag"
    REMINDER = "reminder"
    CARD = "card"
    """Update the card of a match after a change of its clock, or a void result."""
    TOURNAMENT = "tournament"
    """Start or end games of a tournament, or show a change in it."""
    CUP_START = "cup-start"
    """Start a cup, or call it off."""
    HARD_END = "hard-end"
    """End a match in a cup."""
    LADDER = "ladder"
    """Show a change in a ladder."""
    LADDER_OUT = "ladder-out"
    """Remove the players who are out from a ladder."""
    HEARTBEAT = "heartbeat"
    """Store that the bot is running, while any clock runs."""
    PURGE = "purge"
    """Delete old challenges and lines, once a day."""
    LIFT_LIMITS = "forget"
    """Lift the full limits of accounts that have deleted their data."""
    SHOW_MATCH = "show-match"
    """Show the board of a match that another process has stored."""
    SHOW_AGAIN = "show-again"
    """Show the board of a match again, on request."""
    SHOW_CHALLENGE = "show-challenge"
    SHOW_PROPOSAL = "show-proposal"
    QUIET_END = "quiet-end"
    """Ping a player whose quiet hours are over."""
    DIGEST = "digest"
    """Send a player their digest."""
    COMPUTER = "computer"
    """Play the computer's turn in a match, or answer an offer of a draw."""
    PAIR = "pair"
    """Begin matches of strangers."""
    FIRST_TURN = "first-turn"
    """Call off a match of strangers if a player has not made the first turn."""
    LOST_HOME = "lost-home"
    """Call off a match of strangers that still waits for a place."""
    DAILY_PUZZLE = "daily-puzzle"
    """Post the puzzle of the day on a server."""
    PUZZLE_COUNT = "puzzle-count"
    """Update the count on the cards of a server's daily puzzles."""


#: The timers whose subjects are challenges, matches, proposals, tournaments, ladders, players or servers.
OF_CHALLENGES = (TimerKind.EXPIRY, TimerKind.SHOW_CHALLENGE)
OF_MATCHES = (
    TimerKind.FLAG,
    TimerKind.REMINDER,
    TimerKind.CARD,
    TimerKind.SHOW_MATCH,
    TimerKind.SHOW_AGAIN,
    TimerKind.COMPUTER,
    TimerKind.HARD_END,
    TimerKind.FIRST_TURN,
    TimerKind.LOST_HOME,
)
OF_PROPOSALS = (TimerKind.SHOW_PROPOSAL,)
OF_TOURNAMENTS = (TimerKind.TOURNAMENT, TimerKind.CUP_START)
OF_LADDERS = (TimerKind.LADDER, TimerKind.LADDER_OUT)
PERSONAL = (TimerKind.QUIET_END, TimerKind.DIGEST)
OF_SERVERS = (TimerKind.DAILY_PUZZLE, TimerKind.PUZZLE_COUNT)
#: The timers that are due as soon as they are set. If one is due later, it is leased, or its handler failed.
IMMEDIATE = (
    TimerKind.TOURNAMENT,
    TimerKind.LADDER,
    TimerKind.SHOW_MATCH,
    TimerKind.SHOW_AGAIN,
    TimerKind.SHOW_CHALLENGE,
    TimerKind.SHOW_PROPOSAL,
    TimerKind.COMPUTER,
    TimerKind.PAIR,
)
#: How long a timer is leased to the process that calls its handler.
LEASE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Timer:
    kind: TimerKind
    subject_id: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class TimerChanges:
    """Timers to set, kinds to cancel for the same subject, and a timer to ``keep``, or to set if there is none."""

    set: tuple[Timer, ...] = ()
    cancel: tuple[TimerKind, ...] = ()
    keep: Timer | None = None
