"""The options ``game``, ``size`` and ``variant``."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.discord.interaction.interactions import Choices, Interaction, TypedOption, choice, suggestions
from bot.discord.interaction.translator import with_summary
from bot.texts import gettext as _
from bot.wording import words
from rules import GAMES, Position


class GameOption(app_commands.Transformer):
    """A game; with ``explain``, each choice describes its game."""

    def __init__(self, *, explain: bool = False) -> None:
        self._explain = explain

    @property
    def choices(self) -> list[app_commands.Choice[Any]]:
        return game_choices(explain=self._explain)

    async def transform(self, _interaction: Interaction, name: str) -> type[Position]:
        return GAMES[name]


class SizeOption(app_commands.Transformer):
    @property
    def type(self) -> discord.AppCommandOptionType:
        return discord.AppCommandOptionType.integer

    async def transform(self, _interaction: Interaction, size: int) -> int:
        return size

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        game = _chosen_game(interaction)
        if game is None:
            return []
        usual = _("{size} (usual)").format(size=game.default_size)
        sizes = {size: usual if size == game.default_size else str(size) for size in game.sizes}
        return [choice(label, size) for size, label in sizes.items() if label.startswith(str(current))]


class VariantOption(TypedOption):
    async def transform(self, _interaction: Interaction, variant: str) -> str:
        return variant

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        game = _chosen_game(interaction)
        labels = {} if game is None else {variant: words.variant(game, variant) for variant in game.variants}
        return [choice(label, each) for each, label in labels.items() if current.casefold() in label.casefold()]


GameChoice = app_commands.Transform[type[Position], GameOption()]
ExplainedGame = app_commands.Transform[type[Position], GameOption(explain=True)]
Size = app_commands.Transform[int, SizeOption]
Variant = app_commands.Transform[str, VariantOption]


def game_choices(*, explain: bool) -> list[app_commands.Choice[Any]]:
    return [
        app_commands.Choice(name=with_summary(game) if explain else app_commands.locale_str(game.title), value=name)
        for name, game in GAMES.items()
    ]


def _chosen_game(interaction: Interaction) -> type[Position] | None:
    return GAMES.get(interaction.namespace.game or "")
