"""The choice of a match when a command fits several. Its buttons store the command."""

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
#: The most matches with buttons.
_MOST_BUTTONS = 5

AnyCommand = app_commands.Command[Any, ..., Any]


class WithMatch(Press, action="with-match"):
    """Continue a command for the chosen match. The other options are texts, empty if they were omitted."""

    command: Annotated[str, 32]
    options: tuple[str, ...]
    match_id: Id = user_input()


def match_choice(
    matches: Sequence[Match], player_id: int, command: AnyCommand, options: Mapping[str, Any]
) -> Message | None:
    """The question for which of a player's matches a command is, with a button or a choice for each.

    None if the options of the command do not fit into a button.
    """
    offered: dict[int, str] = {}
    for match in matches[:MOST_OPTIONS]:
        against = _("against {player}").format(player=words.plain_name(match.opponent_of(player_id)))
        offered[match.id] = f"#{match.id} {match.ruleset.game.title} {against}"
    menu = WithMatch(command.name, pack(command, options))
    if not all(replace(menu, match_id=each).fits for each in offered):
        return None
    question = _("**Several of your matches fit.** Which one do you mean?")
    if len(matches) > len(offered):
        question = "\n".join([question, _("`match` finds the others.")])
    if len(offered) > _MOST_BUTTONS:
        labels = {str(number): label for number, label in offered.items()}
        return compose(question, menus=(option_menu(menu, labels, _("Choose a match")),))
    return compose(
        question, keypad=tuple((ActionButton(replace(menu, match_id=each), offered[each]),) for each in offered)
    )


def pack(command: AnyCommand, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the options of a command as texts. Raises ``ValueError`` if it has no option ``match``."""
    values = [options.get(each.name) for each in _other_parameters(command)]
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
    others = [each for each in command.parameters if each.name != _MATCH]
    if len(others) == len(command.parameters):
        raise ValueError(command.name)
    return others
