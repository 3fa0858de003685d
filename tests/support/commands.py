"""The bot's commands, for tests that read names, options and limits."""

from __future__ import annotations

from bot.app import Application
from bot.config import Config
from bot.discord.interaction.feature import Command

#: All commands registered with Discord.
COMMANDS: tuple[Command, ...] = tuple(
    Application(Config.model_construct(database_url="sqlite+aiosqlite://")).client.tree.get_commands()
)
