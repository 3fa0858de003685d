"""The options ``size`` and ``variant``, with suggestions for the chosen game."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

import rules
from bot.discord.interaction.interactions import Choices, Interaction, TypedOption, choice, suggestions
from bot.discord.ui import words
from bot.texts import gettext as _


class SizeOption(app_commands.Transformer):
    @property
    def type(self) -> discord.AppCommandOptionType:
        return discord.AppCommandOptionType.integer

    async def transform(self, _interaction: Interaction, size: int) -> int:
        return size

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        game = rules.GAMES.get(interaction.namespace.game or "")
        if game is None:
            return []
        return [
            choice(_("{size} (usual)").format(size=size) if size == game.default_size else str(size), size)
            for size in game.sizes
            if str(size).startswith(str(current))
        ]


class VariantOption(TypedOption):
    async def transform(self, _interaction: Interaction, variant: str) -> str:
        return variant

    @suggestions
    async def autocomplete(self, interaction: Interaction, current: Any) -> Choices:
        game = rules.GAMES.get(interaction.namespace.game or "")
        if game is None:
            return []
        described = {variant: words.variant(game, variant) for variant in game.variants}
        wanted = current.casefold()
        return [choice(label, variant) for variant, label in described.items() if wanted in label.casefold()]


Size = app_commands.Transform[int, SizeOption]
Variant = app_commands.Transform[str, VariantOption]
