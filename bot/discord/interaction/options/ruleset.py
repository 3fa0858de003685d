"""The options ``game``, ``size`` and ``variant``."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.discord.interaction.interactions import Choices, Interaction, TypedOption, choice, chosen, suggestions
from bot.discord.interaction.translator import with_facts
from bot.wording import words
from rules import GAMES, Position


class GameOption(app_commands.Transformer):
    """A game. With ``explain``, the choices describe the games."""

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

    async def transform(self, interaction: Interaction, typed: Any) -> int:
        size = chosen(str(typed), _sizes(interaction))
        return typed if size is None else size

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        sizes = _sizes(interaction)
        return [choice(label, size) for size, label in sizes.items() if label.startswith(str(current))]


class VariantOption(TypedOption):
    async def transform(self, interaction: Interaction, typed: str) -> str:
        return chosen(typed, _variants(interaction)) or typed

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        labels = _variants(interaction)
        return [choice(label, variant) for variant, label in labels.items() if current.casefold() in label.casefold()]


GameChoice = app_commands.Transform[type[Position], GameOption()]
ExplainedGame = app_commands.Transform[type[Position], GameOption(explain=True)]
Size = app_commands.Transform[int, SizeOption]
Variant = app_commands.Transform[str, VariantOption]


def game_choices(*, explain: bool) -> list[app_commands.Choice[Any]]:
    return [
        app_commands.Choice(name=with_facts(game) if explain else app_commands.locale_str(game.title), value=name)
        for name, game in GAMES.items()
    ]


def _sizes(interaction: Interaction) -> dict[int, str]:
    """The labels of the chosen game's sizes, by size."""
    game = _chosen_game(interaction)
    if game is None:
        return {}
    return {size: words.size(game, size) for size in game.sizes}


def _variants(interaction: Interaction) -> dict[str, str]:
    """The labels of the chosen game's variants, by variant."""
    game = _chosen_game(interaction)
    return {} if game is None else {variant: words.variant(game, variant) for variant in game.variants}


def _chosen_game(interaction: Interaction) -> type[Position] | None:
    return GAMES.get(interaction.namespace.game or "")
