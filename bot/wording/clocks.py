"""Sentences about clocks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bot.domain.clocks import ClockView, TimeControl
from bot.domain.matches import Match
from bot.texts.durations import span
from bot.wording import words
from bot.wording.sentence import Sentence, gettext as _, joined, ngettext


def time_left(view: ClockView, seat: int) -> str:
    left = view.time_left(seat)
    return span(left) if left else _("time is up")


def days_off_left(view: ClockView, seat: int) -> str:
    """A player's remaining days off; empty in matches that are too fast for days off."""
    if not view.clock.control.slow:
        return ""
    count = view.days_off[seat]
    return ngettext("{count} day off left", "{count} days off left", count).format(count=count)


def terms(control: TimeControl) -> Sentence:
    """An explanation of a time control."""
    cap = "" if control.cap is None else _("At most {time} can be saved up.").format(time=span(control.cap))
    flag = _("When a player's time is up, the opponent may claim the win.")
    if control.hard:
        flag = _("A player who runs out of time loses at once.")
    note = _("A day off is used automatically when the time is up, and applies to all of a player's matches.")
    return joined(cap, flag, note if control.slow else "")


def first_turn(match: Match, when: Callable[[datetime], object]) -> Sentence:
    """When the first turn is due between strangers, empty after both; ``when`` shows a time."""
    if match.clock is None or match.turn_due_at is None or not match.awaits_first_turn:
        return Sentence()
    text = _("⏳ {player}'s first turn is due {when}; otherwise the match is called off")
    return text.format(player=words.name(match.players[match.clock.seat]), when=when(match.turn_due_at))


def gift(control: TimeControl) -> str:
    return _("Give {time} more").format(time=span(control.gift))


def claim() -> str:
    return _("Claim the win")


def time_is_up(match: Match, winner: str) -> Sentence:
    """The news that the opponent's time is up, for the player who is mentioned as ``winner``."""
    assert match.clock is not None
    text = _(
        "⏰ {loser}'s time in match #{match} is up. {winner}, you may claim the win, give more time, or just wait: "
        "{loser} can still play until you do."
    )
    return text.format(loser=words.name(match.players[match.clock.seat]), winner=winner, match=match.id)
