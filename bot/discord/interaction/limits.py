"""Limits on options and fields, checked before anything else reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discord import AppCommandOptionType, app_commands

from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.interactions import LONGEST_CHOICE, Interaction
from bot.discord.ui.presses import Press, values_of
from bot.texts import gettext as _, pgettext


def cut_options(interaction: Interaction) -> None:
    """Cut the typed options of an unsent command, for which Discord sends up to 6,000 characters."""
    for option, parameter in _options_of(interaction):
        if isinstance(option["value"], str):
            option["value"] = option["value"][: _most_characters(parameter)]


def check_options(interaction: Interaction) -> None:
    """Refuse a command with an option outside its declared limits or choices.

    Discord checks only what was registered. Texts are not cut, because that might change their meaning.
    """
    for option, parameter in _options_of(interaction):
        value = option["value"]
        if isinstance(value, str):
            _check_length(value, _most_characters(parameter))
        if parameter is None:
            continue
        name = pgettext("name", parameter.display_name)
        if parameter.choices and value not in [choice.value for choice in parameter.choices]:
            raise RefusalError(_("Choose `{option}` from its list.").format(option=name))
        low, high = parameter.min_value, parameter.max_value
        if isinstance(value, int) and low is not None and high is not None and not low <= value <= high:
            text = _("`{option}` is a number from {least} to {most}.")
            raise RefusalError(text.format(option=name, least=low, most=high))


def check_fields(press: Press, interaction: Interaction) -> None:
    """Refuse a form with a field longer than its press allows."""
    for value in values_of(interaction) or ():
        _check_length(value, press.longest_field)


def _check_length(text: str, most: int) -> None:
    if len(text) > most:
        raise RefusalError(_("That is too long: please use at most {count} characters there.").format(count=most))


def _most_characters(parameter: app_commands.Parameter | None) -> int:
    """Maximum number of characters in an option. Options without a declared length take choices or ids."""
    if parameter is None or parameter.type is not AppCommandOptionType.string or parameter.max_value is None:
        return LONGEST_CHOICE
    return int(parameter.max_value)


def _options_of(interaction: Interaction) -> Iterator[tuple[dict[str, Any], app_commands.Parameter | None]]:
    """Yield the options that have values, as Discord sent them, each with its declaration."""
    command = interaction.command
    parameters = command.parameters if isinstance(command, app_commands.Command) else []
    declared = {parameter.display_name: parameter for parameter in parameters}
    sent: Any = interaction.data
    for option in sent.get("options", ()):
        if "value" in option:
            yield option, declared.get(option["name"])
