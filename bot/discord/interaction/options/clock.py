"""The option ``clock``, with suggestions."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.discord.interaction.errors import sentence
from bot.discord.interaction.interactions import (
    LONGEST_CHOICE,
    MOST_CHOICES,
    Choices,
    Interaction,
    TypedOption,
    choice,
    suggestions,
)
from bot.discord.ui.words import plain
from bot.domain.clocks import PRESETS, TimeControl, TimeControlError
from bot.texts import gettext as _
from bot.texts.durations import read_time_control, time_control


class ClockOption(TypedOption):
    """A time control, or none."""

    async def transform(self, _interaction: Interaction, typed: str) -> TimeControl | None:
        return read_time_control(typed)

    @suggestions
    async def autocomplete(self, _interaction: Interaction, current: Any) -> Choices:
        return _suggested(current)


Clock = app_commands.Transform[TimeControl | None, ClockOption]


def _suggested(current: str) -> Choices:
    """Presets, and the typed time control as the bot reads it; a number without a unit with several units."""
    if current.strip():
        read = [reading for text in _readings(current) if (reading := _read(text)) is not None]
        offered = [each for each in dict.fromkeys(read) if each is not None]
        presets = [each for each in PRESETS if current.casefold() in time_control(each).casefold()]
        offered += [each for each in presets if each not in offered]
        if not offered and _read(current) is None:
            return _explained(current)
    else:
        offered = list(PRESETS)
    choices = [choice(time_control(each), typed_form(each)) for each in offered]
    if not current.strip() or not offered or "none".startswith(current.strip().casefold()):
        choices.insert(0, choice(_("no clock"), "none"))
    return choices[:MOST_CHOICES]


def _readings(typed: str) -> list[str]:
    """What a text may mean: what it says or, if it has only numbers, that with the units of slow and of quick games."""
    numbers = [part.strip() for part in typed.split("+")]
    if not all(number.isascii() and number.isdecimal() for number in numbers) or len(numbers) > 2:
        return [typed]
    slow, quick = ("d", "d"), ("min", "s")
    return ["+".join(f"{n}{unit}" for n, unit in zip(numbers, units, strict=False)) for units in (slow, quick)]


def _read(typed: str) -> TimeControl | None:
    try:
        return read_time_control(typed)
    except TimeControlError:
        return None


def _explained(typed: str) -> Choices:
    """A choice that says why a text is not a clock, or “no clock” if that is what it means."""
    try:
        read_time_control(typed)
    except TimeControlError as error:
        return [choice(f"✗ {plain(sentence(error) or '')}", typed[:LONGEST_CHOICE])]
    return [choice(_("no clock"), "none")]


def typed_form(control: TimeControl) -> str:
    """A time control as typed text, in seconds, that reads back as the same."""
    bank = f"{round(control.bank.total_seconds())}s"
    strict = " strict" if control.hard else ""
    if control.per_turn:
        return f"{bank} a turn{strict}"
    cap = "" if control.cap is None else f" max {round(control.cap.total_seconds())}s"
    return f"{bank} + {round(control.bonus.total_seconds())}s{cap}{strict}"
