"""Slash commands and buttons: each translates an interaction into one call of the domain, and shows its result."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.discord.commands.challenge import challenge
from bot.discord.commands.challenge_form import challenge_user
from bot.discord.commands.proposals import draw, undo

#: Every command that is registered with Discord.
COMMANDS: tuple[app_commands.Command[Any, ..., None] | app_commands.ContextMenu | app_commands.Group, ...] = (
    challenge,
    draw,
    undo,
    challenge_user,
)
