"""Slash commands and buttons: each translates an interaction into one call of the domain, and shows its result."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.commands.challenge import challenge
from bot.commands.leaderboard import leaderboard
from bot.commands.lists import games, history
from bot.commands.look import board, try_turns
from bot.commands.play import move, pass_turn, resign
from bot.commands.replay import export, replay
from bot.commands.rulebook import rules

#: Every command that is registered with Discord.
COMMANDS: tuple[app_commands.Command[Any, ..., None], ...] = (
    challenge,
    move,
    pass_turn,
    board,
    resign,
    games,
    history,
    replay,
    export,
    try_turns,
    rules,
    leaderboard,
)
