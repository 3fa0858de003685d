"""Slash commands and buttons: each translates an interaction into one call of the domain, and shows its result."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.commands.challenge import challenge
from bot.commands.courtesies import draw, undo
from bot.commands.leaderboard import leaderboard
from bot.commands.lists import games, history
from bot.commands.look import board, try_turns
from bot.commands.offer import challenge_user
from bot.commands.play import move, pass_turn, resign
from bot.commands.profile import profile
from bot.commands.replay import export, replay
from bot.commands.rulebook import rules
from bot.commands.settings import settings, setup
from bot.commands.tournament import tournament

#: Every command that is registered with Discord.
COMMANDS: tuple[app_commands.Command[Any, ..., None] | app_commands.ContextMenu | app_commands.Group, ...] = (
    challenge,
    move,
    pass_turn,
    board,
    try_turns,
    resign,
    draw,
    undo,
    games,
    history,
    replay,
    export,
    rules,
    leaderboard,
    profile,
    settings,
    setup,
    tournament,
    challenge_user,
)
