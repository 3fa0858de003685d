"""Words for time controls, clocks and spans of time."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import dropwhile

import discord
from babel import units

from bot.discord.ui import words
from bot.domain.clocks import TimeControl
from bot.domain.matches import Game, Match
from bot.texts import current_language
from bot.texts import gettext as _

#: Babel's names of the units, with their lengths in seconds.
_UNITS = {"duration-day": 86400, "duration-hour": 3600, "duration-minute": 60, "duration-second": 1}


def span(time: timedelta) -> str:
    """A length of time in its two largest units, such as ``2 days 12 hours``; rounded down."""
    rest = int(time.total_seconds())
    counts = {}
    for unit, seconds in _UNITS.items():
        counts[unit], rest = divmod(rest, seconds)
    largest = list(dropwhile(lambda unit: not counts[unit], counts))[:2]
    shown = [unit for unit in largest if counts[unit]] or ["duration-second"]
    # Babel's own lists have a comma or “y” here, which is hard to read in “2 days 12 hours + 1 day a turn”.
    return " ".join(units.format_unit(counts[unit], unit, locale=current_language()) for unit in shown)


def time_control(control: TimeControl | None) -> str:
    """A time control, such as ``3 days + 1 day a turn``."""
    if control is None:
        return _("no clock")
    bank, bonus = span(control.bank), span(control.bonus)
    if control.per_turn:
        text = _("{time} a turn").format(time=bank)
    elif control.bonus:
        text = _("{time} + {bonus} a turn").format(time=bank, bonus=bonus)
    else:
        text = _("{time} for the whole match").format(time=bank)
    return _("{control}, strict").format(control=text) if control.hard else text


def _details(control: TimeControl) -> str:
    """What a time control means, in sentences."""
    parts = []
    if control.cap is not None:
        parts.append(_("At most {time} can be saved up.").format(time=span(control.cap)))
    if control.hard:
        parts.append(_("A player who runs out of time loses at once."))
    else:
        parts.append(_("When a player's time is up, the opponent may claim the win."))
    return " ".join(parts)


def clock_line(match: Match) -> str:
    """The line of a running match's card; empty without a clock.

    Discord itself counts down the time and, once it is up, shows how long ago that was.
    """
    clock = match.clock
    if clock is None or clock.flag_at is None:
        return ""
    acting, other = match.players[clock.seat], match.players[1 - clock.seat]
    line = _("⏳ {player}'s time runs out {when}").format(player=words.name(acting), when=_when(clock.flag_at))
    if clock.control.per_turn:
        return line
    bank = _("{player} has {time}").format(player=words.name(other), time=span(clock.left[1 - clock.seat]))
    return f"{line} · {bank}"


def clock_of(game: Game) -> str:
    """The time control of a match, for its footer; empty without a clock."""
    return "" if game.match.clock is None else time_control(game.match.clock.control)


def _when(at: datetime) -> str:
    return discord.utils.format_dt(at, "R")
