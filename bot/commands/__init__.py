"""Slash commands and buttons: each translates an interaction into one call of the domain, and shows its result."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.commands.challenge import challenge
from bot.commands.courtesies import draw, undo
from bot.commands.leaderboard import leaderboard
from bot.commands.offer import challenge_user
from bot.commands.play import board, move, pass_turn, resign
from bot.commands.profile import profile
from bot.commands.settings import settings, setup

#: Every command that is registered with Discord.
COMMANDS: tuple[app_commands.Command[Any, ..., None] | app_commands.ContextMenu, ...] = (
    challenge,
    move,
    pass_turn,
    board,
    resign,
    draw,
    undo,
    leaderboard,
    profile,
    settings,
    setup,
    challenge_user,
)
