"""The bot's commands, for tests that read names, options and limits."""

from __future__ import annotations

import asyncio

from bot.app import Application
from bot.config import Config
from bot.discord.interaction.feature import Command, Feature
from bot.discord.interaction.options.match import MatchFeature


async def _registered() -> tuple[Command, ...]:
    return tuple(Application(Config.model_construct(database_url="sqlite+aiosqlite://")).client.tree.get_commands())


#: All commands registered with Discord.
COMMANDS = asyncio.run(_registered())


def feature_kinds() -> list[type[Feature]]:
    """The classes of the bot's features."""
    return [kind for base in (Feature, MatchFeature) for kind in base.__subclasses__() if kind is not MatchFeature]
