"""Refusals about the clock of a match. They need the match, which needs ``clocks``, so they have a module of their
own."""

from __future__ import annotations

from bot.domain.matches import AboutMatchError, Match
from bot.domain.refusals import DomainError
from rules.text import gettext_noop


class NoClockError(AboutMatchError):
    template = gettext_noop("Match #{match} is played without a clock.")


class TimeUpError(AboutMatchError):
    """The player to act has run out of time under a strict clock."""

    template = gettext_noop("Your time in match #{match} is up.")


class TimeLeftError(AboutMatchError):
    """Nothing to claim: the player to act has time until ``match.clock.flag_at``, or a day off that was just
    ``spared``."""

    template = gettext_noop("There is time left in match #{match}, so there is nothing to claim.")
    _day_off = gettext_noop(
        "Your opponent in match #{match} still has days off. One of them is used now, so you do not win yet."
    )

    def __init__(self, match: Match, *, spared: bool = False) -> None:
        super().__init__(match, self._day_off if spared else None)


class OwnTimeError(AboutMatchError):
    """Only the opponent can give a player more time, or claim that it is up."""

    template = gettext_noop(
        "In match #{match}, your own time is running. Only your opponent can give you more, or claim the win when it "
        "is up."
    )


class ClockChangedError(DomainError):
    """The clock is no longer as the player saw it."""

    template = gettext_noop("The clock has changed since then. Look at it again before you decide.")
