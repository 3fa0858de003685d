"""Quiet hours: the form in which they are set, and what a player is told when they are over."""

from __future__ import annotations

from typing import Any

import discord

from bot.discord.cards import words
from bot.discord.messages import ActionButton, Form, Message, Press, compose
from bot.domain.day_times import LONGEST
from bot.domain.preferences import Preferences
from bot.services.reminders import Waiting
from bot.texts import gettext as _
from bot.texts import ngettext


def hours_button() -> ActionButton:
    """The button of the settings that opens the form."""
    return ActionButton(Press("my-hours", 0), _("Quiet hours"), emoji="🌙")


def hours_form(preferences: Preferences) -> Form:
    """The form in which a player sets their time zone and quiet hours."""
    return Form(
        Press("hours", 0),
        _("Quiet hours"),
        _field(
            "offset",
            _("Your clock, in hours from UTC"),
            _("Such as +2, -5 or +5:30. Change it when your clocks change."),
            offset(preferences.utc_offset),
        ),
        _field("quiet", _("Quiet from-to"), _("Such as 22-8. Empty: pings at any time."), _span(preferences)),
    )


def hours_line(preferences: Preferences) -> str:
    """What is set of this, as a line of the settings; empty if nothing is."""
    if preferences.quiet_from is None:
        return ""
    return _("🌙 No pings during {span} (UTC{offset}): one follows when the quiet hours end.").format(
        span=_span(preferences), offset=offset(preferences.utc_offset)
    )


def quiet_over_notice(waiting: Waiting) -> Message:
    """Tells a player once what came during their quiet hours."""
    text = _("☀️ {player}, your quiet hours are over. Waiting for you: {what}. {games} shows them.").format(
        player=words.mention(waiting.player), what=_counts(waiting), games=words.command("games")
    )
    return compose(text, pings=(waiting.player,))


def _counts(waiting: Waiting) -> str:
    matches, challenges = len(waiting.matches), len(waiting.challenges)
    parts = []
    if matches:
        parts.append(ngettext("{count} match", "{count} matches", matches).format(count=matches))
    if challenges:
        parts.append(ngettext("{count} challenge", "{count} challenges", challenges).format(count=challenges))
    return " · ".join(parts)


def offset(minutes: int) -> str:
    """A time zone, such as ``+5:30``."""
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


def time_of_day(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def _span(preferences: Preferences) -> str:
    if preferences.quiet_from is None or preferences.quiet_to is None:
        return ""
    return f"{time_of_day(preferences.quiet_from)}-{time_of_day(preferences.quiet_to)}"


def _field(name: str, label: str, description: str, filled: str) -> discord.ui.Label[Any]:
    typed: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=name, required=False, max_length=LONGEST, default=filled
    )
    return discord.ui.Label(text=label, description=description, component=typed)
