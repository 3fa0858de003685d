"""The option ``game``, whose choices are the games."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.translator import with_summary
from rules import GAMES, Position


class GameOption(app_commands.Transformer):
    """A game; with ``explain``, each choice says what the game is about."""

    def __init__(self, *, explain: bool = False) -> None:
        self._explain = explain

    @property
    def choices(self) -> list[app_commands.Choice[Any]]:
        return game_choices(explain=self._explain)

    async def transform(self, _interaction: Interaction, name: str) -> type[Position]:
        return GAMES[name]


GameChoice = app_commands.Transform[type[Position], GameOption()]
ExplainedGame = app_commands.Transform[type[Position], GameOption(explain=True)]


def game_choices(*, explain: bool) -> list[app_commands.Choice[Any]]:
    return [
        app_commands.Choice(name=with_summary(game) if explain else app_commands.locale_str(game.title), value=name)
        for name, game in GAMES.items()
    ]
