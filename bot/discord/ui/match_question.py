"""The question which match a command is for, if it fits several. Its buttons store the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import discord
from discord import app_commands

from bot.discord.ui.messages import MOST_OPTIONS, ActionButton, Message, compose, option_menu
from bot.discord.ui.presses import Id, OutdatedPressError, Press, codec_of, user_input
from bot.domain.matches import Match
from bot.texts import gettext as _
from bot.wording import words

#: The name of the option filled in by the buttons.
_MATCH = "match"
#: Maximum number of buttons, in place of a menu.
_MOST_BUTTONS = 5

AnyCommand = app_commands.Command[Any, ..., Any]


class WithMatch(Press, action="with-match"):
    """Carry out a command for the chosen match. Its other options are texts, empty if omitted."""

    command: Annotated[str, 32]
    options: tuple[str, ...]
    match_id: Id = user_input()


def match_question(
    matches: Sequence[Match], player_id: int, command: AnyCommand, options: Mapping[str, Any]
) -> Message | None:
    """Ask which of a player's matches a command is for; None if the command's options do not fit into a button."""
    offered: dict[int, str] = {}
    for match in matches[:MOST_OPTIONS]:
        against = _("against {player}").format(player=words.plain_name(match.opponent_of(player_id)))
        offered[match.id] = f"#{match.id} {match.ruleset.game.title} {against}"
    menu = WithMatch(command.name, pack(command, options))
    if not all(replace(menu, match_id=match_id).fits for match_id in offered):
        return None
    question = _("**Several of your matches fit.** Which one do you mean?")
    if len(matches) > len(offered):
        question = "\n".join([question, _("`match` finds the others.")])
    if len(offered) > _MOST_BUTTONS:
        labels = {str(number): label for number, label in offered.items()}
        return compose(question, menus=(option_menu(menu, labels, _("Choose a match")),))
    return compose(
        question,
        keypad=tuple((ActionButton(replace(menu, match_id=match_id), label),) for match_id, label in offered.items()),
    )


def pack(command: AnyCommand, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the options of a command as texts. Raises ``ValueError`` if it has no option ``match``."""
    values = [options.get(parameter.name) for parameter in _other_parameters(command)]
    return tuple("" if value is None else str(value) for value in values)


def unpack(command: AnyCommand, options: Sequence[str]) -> dict[str, Any]:
    """Read the options of a command. Raises :class:`OutdatedPressError` if they belong to another command."""
    found: dict[str, Any] = {}
    try:
        parameters = _other_parameters(command)
        if len(options) > len(parameters):
            raise OutdatedPressError
        for parameter, text in zip(parameters, options, strict=False):
            if text:
                integer = parameter.type is discord.AppCommandOptionType.integer
                found[parameter.name] = codec_of(Id).read(text) if integer else text
    except ValueError:
        raise OutdatedPressError from None
    return found


def _other_parameters(command: AnyCommand) -> list[app_commands.Parameter]:
    """The options other than ``match``. Raises ``ValueError`` if the command has no such option."""
    others = [parameter for parameter in command.parameters if parameter.name != _MATCH]
    if len(others) == len(command.parameters):
        raise ValueError(command.name)
    return others
