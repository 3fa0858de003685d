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
        """Suggest time controls that the typed text can mean, and presets that contain it."""
        typed, offered = current.strip(), list[TimeControl | None]()
        for text in _readings(typed):
            with suppress(TimeControlError):
                offered.append(read_time_control(text))
        offered += [preset for preset in PRESETS if typed.casefold() in time_control(preset).casefold()]
        if "none".startswith(typed.casefold()):
            offered.insert(0, None)
        if not offered:
            try:
                read_time_control(typed)
            except TimeControlError as error:
                return [refused_choice((sentence(error, CommandMentions()) or Sentence()).plain, typed)]
        return [
            choice(_("no clock"), "none") if control is None else choice(_label(control), _typed_form(control))
            for control in dict.fromkeys(offered)
        ]


Clock = app_commands.Transform[TimeControl | None, ClockOption]


def _readings(typed: str) -> list[str]:
    """The typed text; if it has only numbers, with the units of a slow and of a quick game."""
    if not typed:
        return []
    numbers = [part.strip() for part in typed.split("+")]
    if not all(number.isascii() and number.isdecimal() for number in numbers) or len(numbers) > 2:
        return [typed]
    slow, quick = ("d", "d"), ("min", "s")
    return ["+".join(f"{n}{unit}" for n, unit in zip(numbers, units, strict=False)) for units in (slow, quick)]


def _label(control: TimeControl) -> str:
    """A time control in words, if these describe all of it, or else in its typed form."""
    words = time_control(control)
    return words if len(words) <= LONGEST_CHOICE and read_time_control(words) == control else _typed_form(control)


def _typed_form(control: TimeControl) -> str:
    """A time control as a short text that reads back unchanged."""
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
