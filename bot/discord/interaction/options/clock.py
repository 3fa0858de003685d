"""The option ``clock``, with suggestions."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

from discord import app_commands

from bot.discord.interaction.errors import sentence
from bot.discord.interaction.interactions import (
    LONGEST_CHOICE,
    Choices,
    Interaction,
    TypedOption,
    choice,
    refused_choice,
    suggestions,
    without_notes,
)
from bot.discord.ui.markdown import CommandMentions
from bot.domain.clocks import PRESETS, TimeControl, TimeControlError
from bot.texts import gettext as _
from bot.texts.durations import read_time_control, time_control
from bot.wording.sentence import Sentence


class ClockOption(TypedOption):
    """A time control, or none."""

    async def transform(self, _interaction: Interaction, typed: str) -> TimeControl | None:
        return read_time_control(without_notes(typed))

    @suggestions
    async def autocomplete(self, _interaction: Interaction, current: Any) -> Choices:
        """Suggest the typed text as the bot reads it, and the presets that contain it."""
        typed, offered = current.strip(), list[TimeControl | None]()
        for text in _readings(typed):
            with suppress(TimeControlError):
                offered.append(read_time_control(text))
        offered += [each for each in PRESETS if typed.casefold() in time_control(each).casefold()]
        if "none".startswith(typed.casefold()):
            offered.insert(0, None)
        if not offered:
            try:
                read_time_control(typed)
            except TimeControlError as error:
                return [refused_choice((sentence(error, CommandMentions()) or Sentence()).plain, typed)]
        return [
            choice(_("no clock"), "none") if each is None else choice(_label(each), _typed_form(each))
            for each in dict.fromkeys(offered)
        ]


Clock = app_commands.Transform[TimeControl | None, ClockOption]


def _readings(typed: str) -> list[str]:
    """The text or, if it has only numbers, the text with the units of slow and of quick games."""
    if not typed:
        return []
    numbers = [each.strip() for each in typed.split("+")]
    if not all(number.isascii() and number.isdecimal() for number in numbers) or len(numbers) > 2:
        return [typed]
    slow, quick = ("d", "d"), ("min", "s")
    return ["+".join(f"{n}{unit}" for n, unit in zip(numbers, units, strict=False)) for units in (slow, quick)]


def _label(control: TimeControl) -> str:
    """A time control in words or, if these leave something out, in its typed form."""
    words = time_control(control)
    return words if len(words) <= LONGEST_CHOICE and read_time_control(words) == control else _typed_form(control)


def _typed_form(control: TimeControl) -> str:
    """A time control as a short text, which reads back unchanged."""
    bank = _typed_time(control.bank)
    strict = " strict" if control.hard else ""
    if control.per_turn:
        return f"{bank} a turn{strict}"
    usual = TimeControl.banks_of(control.bank, control.bonus).cap
    cap = "" if control.cap in (None, usual) else f" max {_typed_time(control.cap)}"
    return f"{bank} + {_typed_time(control.bonus)}{cap}{strict}"


def _typed_time(time: timedelta) -> str:
    parts, rest = [], round(time.total_seconds())
    for unit, seconds in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, seconds)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"
