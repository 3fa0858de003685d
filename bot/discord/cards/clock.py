"""Clocks in words: time controls, the line on a match's card, the private panel, and notices."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import dropwhile

import discord
from babel import units

from bot.discord.cards import words
from bot.discord.messages import ActionButton, Message, Press, compose
from bot.domain.clocks import Clock, TimeControl
from bot.domain.matches import Game, Match
from bot.domain.players import Player
from bot.services.clocks import bank_seconds
from bot.texts import current_language, ngettext
from bot.texts import gettext as _

_COLOUR = 0xC9A227
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


def time_button(match: Match) -> tuple[ActionButton, ...]:
    """The button that opens the panel, in matches with a clock."""
    return () if match.clock is None else (ActionButton(Press("time", match.id, match.step), _("Time"), emoji="⏳"),)


def clock_panel(match: Match, viewer_id: int, days_off: tuple[int, int], now: datetime) -> Message:
    """Both players' time and what the viewer can do about it; ``days_off`` is what the two have left of these."""
    clock = match.clock
    assert clock is not None
    rows = []
    for seat, player in enumerate(match.players):
        left = clock.left_at(seat, now)
        time = span(left) if left else _("time is up")
        if seat == clock.seat and clock.flag_at is not None and left:
            style: discord.utils.TimestampStyle = "f" if clock.control.slow else "T"
            time = _("{time}, until {when}").format(time=time, when=discord.utils.format_dt(clock.flag_at, style))
        row = f"**{words.name(player)}** · {time}"
        if clock.control.slow:
            count = days_off[seat]
            row += " · " + ngettext("{count} day off left", "{count} days off left", count).format(count=count)
        rows.append(row)
    note = ""
    claim = clock.fallen(now) and not (clock.control.slow and days_off[clock.seat])
    if clock.control.slow:
        note = _("A day off is used automatically when the time is up, and applies to all of a player's matches.")
    return compose(
        _("### ⏳ Match #{match} · {control}").format(match=match.id, control=time_control(clock.control)),
        "\n".join(rows),
        footer=" ".join(filter(None, [_details(clock.control), note])),
        buttons=_opponents_buttons(match, clock, viewer_id, claim=claim),
    )


def _opponents_buttons(match: Match, clock: Clock, viewer_id: int, *, claim: bool) -> tuple[ActionButton, ...]:
    if not match.has_player(viewer_id) or match.result is not None:
        return ()
    other = 1 - match.seat_of(viewer_id)
    buttons = [_claim_button(match)] if claim and clock.seat == other else []
    return (*buttons, _gift_button(match, clock, other))


def _claim_button(match: Match) -> ActionButton:
    return ActionButton(Press("claim", match.id, match.step), _("Claim the win"), discord.ButtonStyle.primary)


def _gift_button(match: Match, clock: Clock, seat: int) -> ActionButton:
    label = _("Give {time} more").format(time=span(clock.control.gift))
    return ActionButton(Press("give-time", match.id, match.step, str(bank_seconds(clock, seat))), label)


def reminder(match: Match, player: Player) -> Message:
    """Reminds a player, once, that their time runs out."""
    assert match.clock is not None
    assert match.clock.flag_at is not None
    return compose(
        _("⏰ {player}, your time in match #{match} against {opponent} runs out {when}.").format(
            player=words.mention(player),
            match=match.id,
            opponent=words.name(match.opponent_of(player.id)),
            when=_when(match.clock.flag_at),
        ),
        colour=_COLOUR,
        pings=(player,),
    )


def flag_notice(match: Match) -> Message:
    """Tells a player that the opponent's time is up, with what they can do."""
    clock = match.clock
    assert clock is not None
    loser, winner = match.players[clock.seat], match.players[1 - clock.seat]
    return compose(
        _(
            "⏰ {loser}'s time in match #{match} is up. {winner}, you may claim the win, give more time, or just wait: "
            "{loser} can still play until you do."
        ).format(loser=words.name(loser), winner=words.mention(winner), match=match.id),
        buttons=(_claim_button(match), _gift_button(match, clock, clock.seat)),
        colour=_COLOUR,
        pings=(winner,),
    )


def gift_notice(match: Match, giver: Player) -> str:
    """What was given, for the one who gave it."""
    clock = match.clock
    assert clock is not None
    seat = 1 - match.seat_of(giver.id)
    return _("{player} now has {time} more.").format(
        player=words.name(match.players[seat]), time=span(clock.control.gift)
    )


def clock_of(game: Game) -> str:
    """The time control of a match, for its footer; empty without a clock."""
    return "" if game.match.clock is None else time_control(game.match.clock.control)


def _when(at: datetime) -> str:
    return discord.utils.format_dt(at, "R")
