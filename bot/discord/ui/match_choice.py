"""The question which of several matches a command is about, and how its buttons keep the command."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.discord.ui import words
from bot.discord.ui.keypad import shortened
from bot.discord.ui.messages import ActionButton, Message, Press, compose, number, option_menu
from bot.domain.matches import Match
from bot.texts import gettext as _

#: The option that the buttons fill in.
_MATCH = "match"
#: The most matches that have a button each, and the most choices of a menu.
_MOST_BUTTONS, _MOST_CHOICES = 5, 25
#: A value that can stand in a custom id as it is, and the marks of one that does and of one that does not.
_PLAIN = re.compile("[a-z0-9,+*-]*")
_AS_IT_IS, _ENCODED = "-", "*"

AnyCommand = app_commands.Command[Any, ..., Any]


def match_choice(
    matches: Sequence[Match], player_id: int, command: AnyCommand, options: Mapping[str, Any]
) -> Message | None:
    """Asks which match of a player a command is about, with a button or a choice for each that goes on with it.

    None if the options of the command do not fit into a button.
    """
    offered = {match.id: _label(match, player_id) for match in matches[:_MOST_CHOICES]}
    kept = pack(command, options)
    menu = Press("with-match", 0, argument=kept)
    if not menu.fits:
        return None
    question = _("**Several of your matches fit.** Which one do you mean?")
    if len(matches) > len(offered):
        question = "\n".join([question, _("`match` finds the others.")])
    if len(offered) > _MOST_BUTTONS:
        choices = [discord.SelectOption(label=label, value=str(number)) for number, label in offered.items()]
        return compose(question, menus=(option_menu(menu, choices, _("Choose a match")),))
    return compose(
        question,
        keypad=tuple((ActionButton(Press(menu.action, each, argument=kept), offered[each]),) for each in offered),
    )


def _label(match: Match, player_id: int) -> str:
    against = _("against {player}").format(player=words.plain_name(match.opponent_of(player_id)))
    return shortened(f"#{match.id} {match.ruleset.game.title} {against}")


def pack(command: AnyCommand, options: Mapping[str, Any]) -> str:
    """A command with its options as the argument of a press."""
    values = [options.get(each.name) for each in _kept_parameters(command)]
    return ".".join([command.name, *("" if value is None else _packed(str(value)) for value in values)])


def unpack(command: AnyCommand, argument: str) -> dict[str, Any]:
    """The options of a command in the argument of a press. Raises ``ValueError`` if that is of another version."""
    found: dict[str, Any] = {}
    for parameter, value in zip(_kept_parameters(command), argument.split(".")[1:], strict=True):
        if value:
            text = _unpacked(value)
            found[parameter.name] = number(text) if parameter.type is discord.AppCommandOptionType.integer else text
    return found


def _kept_parameters(command: AnyCommand) -> list[app_commands.Parameter]:
    """The options beside ``match``. Raises ``ValueError`` if the command has no such option."""
    kept = [each for each in command.parameters if each.name != _MATCH]
    if len(kept) == len(command.parameters):
        raise ValueError(command.name)
    return kept


def _packed(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return _AS_IT_IS + text
    return _ENCODED + base64.b32encode(text.encode()).decode().rstrip("=").lower()


def _unpacked(packed: str) -> str:
    mark, text = packed[0], packed[1:]
    if mark == _AS_IT_IS:
        return text
    return base64.b32decode(text.upper() + "=" * (-len(text) % 8)).decode()
