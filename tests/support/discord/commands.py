"""The bot's commands, their options, and interactions as they come over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from discord import AppCommandOptionType, app_commands
from simcord.enums import InteractionType
from simcord.interactions import base_payload
from simcord.results import InteractionResult

from bot.app import Application
from bot.config import Config
from bot.discord.interaction.feature import Command, Feature
from bot.discord.interaction.options.match import MatchFeature
from tests.support.discord.club import Answer, Club


async def _registered() -> tuple[Command, ...]:
    return tuple(Application(Config.model_construct(database_url="sqlite+aiosqlite://")).client.tree.get_commands())


#: All commands registered with Discord.
COMMANDS = asyncio.run(_registered())


def feature_kinds() -> list[type[Feature]]:
    """The classes of the bot's features."""
    return [kind for base in (Feature, MatchFeature) for kind in base.__subclasses__() if kind is not MatchFeature]


#: The other options that a command requires.
FILLED: dict[str, Any] = {"game": "dalen", "turn": "e5", "turns": "e5"}


def commands() -> Iterator[tuple[str, app_commands.Command[Any, ..., Any]]]:
    for command in COMMANDS:
        if isinstance(command, app_commands.Command):
            yield command.name, command


OPTIONS = [
    (name, parameter)
    for name, command in commands()
    for parameter in command.parameters
    if parameter.autocomplete or parameter.type is AppCommandOptionType.string
]


async def send(club: Club, kind: InteractionType, data: dict[str, Any], message: Any = None) -> Answer:
    """Send an interaction as it comes over the wire, even if Discord would have refused it."""
    record, payload = base_payload(
        club.env.backend,
        type=kind,
        channel_id=club.channel.id,
        guild_id=club.guild.id,
        user_id=club.alice.id,
        data=data,
    )
    if message is not None:
        payload["message"] = message
        record.source_message_id = int(message["id"])
    club.env.backend.emit("INTERACTION_CREATE", payload)
    await club.env.settle()
    result = InteractionResult(club.env, record)
    assert result.acknowledged, data
    return Answer(club.env, result, press=message is not None)


async def use(
    club: Club, name: str, option: app_commands.Parameter, text: Any, kind: InteractionType, **others: Any
) -> Answer:
    """Use a command with this text in an option, sent or still being typed, and with its required options."""
    command, filled = dict(commands())[name], FILLED | others
    options = [
        {"name": parameter.name, "type": parameter.type.value, "value": filled[parameter.name]}
        for parameter in command.parameters
        if parameter.name != option.name and (parameter.required or parameter.name in others)
    ]
    focused = {"focused": True} if kind is InteractionType.APPLICATION_COMMAND_AUTOCOMPLETE else {}
    options.append({"name": option.name, "type": option.type.value, "value": text, **focused})
    return await send(club, kind, {"id": "1", "name": name, "type": 1, "options": options})
