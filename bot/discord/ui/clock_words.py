"""Sentences about the clock of a match."""

from __future__ import annotations

from datetime import datetime

import discord

from bot.discord.ui import words
from bot.domain.clocks import TimeControl
from bot.domain.matches import Game, Match
from bot.texts import gettext as _
from bot.texts.durations import span, time_control


def details(control: TimeControl) -> str:
    """The meaning of a time control, in sentences."""
    parts = []
    if control.cap is not None:
        parts.append(_("At most {time} can be saved up.").format(time=span(control.cap)))
    if control.hard:
        parts.append(_("A player who runs out of time loses at once."))
    else:
        parts.append(_("When a player's time is up, the opponent may claim the win."))
    return " ".join(parts)


def clock_line(match: Match) -> str:
    """The line about the clock on the card of a running match; empty without a clock.

    Discord itself counts down the time and, once it is up, shows how long ago that was.
    """
    clock = match.clock
    if clock is None or clock.flag_at is None:
        return ""
    acting, other = match.players[clock.seat], match.players[1 - clock.seat]
    line = _("⏳ {player}'s time runs out {when}").format(player=words.name(acting), when=when(clock.flag_at))
    if clock.control.per_turn:
        return line
    bank = _("{player} has {time}").format(player=words.name(other), time=span(clock.left[1 - clock.seat]))
    return f"{line} · {bank}"


def clock_of(game: Game) -> str:
    return "" if game.match.clock is None else time_control(game.match.clock.control)


def when(at: datetime) -> str:
    return discord.utils.format_dt(at, "R")
