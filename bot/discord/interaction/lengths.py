"""Limits on texts from outside, applied before anything else reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from discord import AppCommandOptionType, app_commands

from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.interactions import LONGEST_CHOICE, Interaction
from bot.discord.ui.messages import LONGEST_FIELD
from bot.discord.ui.presses import values_of
from bot.texts import gettext as _


def cut_options(interaction: Interaction) -> None:
    """Cut what is being typed: while a command is not sent yet, Discord passes on up to 6,000 characters an option,
    whatever length was declared.
    """
    for option, most in _texts(interaction):
        option["value"] = option["value"][:most]


def check_options(interaction: Interaction) -> None:
    """Refuse a command with a longer text: its beginning alone might mean something else."""
    for option, most in _texts(interaction):
        _check(option["value"], most)


def check_fields(interaction: Interaction) -> None:
    """Refuse a form with a longer text in one of its fields."""
    for value in values_of(interaction) or ():
        _check(value, LONGEST_FIELD)


def _check(text: str, most: int) -> None:
    if len(text) > most:
        raise RefusalError(_("That is too long: please use at most {count} characters there.").format(count=most))


def _texts(interaction: Interaction) -> Iterator[tuple[dict[str, Any], int]]:
    """The options with texts as Discord sent them, each with the length that was declared for it.

    Without one, an option takes what is in a list, or an id; both are short.
    """
    command, data = interaction.command, interaction.data
    parameters = command.parameters if isinstance(command, app_commands.Command) else []
    most = {
        each.display_name: int(each.max_value)
        for each in parameters
        if each.type is AppCommandOptionType.string and each.max_value is not None
    }
    sent: Any = data
    for option in _options(sent.get("options", ())):
        if isinstance(option.get("value"), str):
            yield option, most.get(option["name"], LONGEST_CHOICE)


def _options(options: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All options, of subcommands too."""
    for option in options:
        yield option
        yield from _options(option.get("options", ()))
