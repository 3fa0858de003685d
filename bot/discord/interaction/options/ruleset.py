"""The options ``size`` and ``variant``, with what is suggested for the chosen game."""

from __future__ import annotations

import rules
from bot.discord.interaction.interactions import Choices, Interaction, choice, suggestions
from bot.discord.ui import words
from bot.texts import gettext as _


@suggestions
async def sizes(interaction: Interaction, current: str) -> Choices:
    game = rules.GAMES.get(interaction.namespace.game or "")
    if game is None:
        return []
    return [
        choice(_("{size} (usual)").format(size=size) if size == game.default_size else str(size), size)
        for size in game.sizes
        if str(size).startswith(str(current))
    ]


@suggestions
async def variants(interaction: Interaction, current: str) -> Choices:
    game = rules.GAMES.get(interaction.namespace.game or "")
    if game is None:
        return []
    described = {variant: words.variant(game, variant) for variant in game.variants}
    return [choice(label, variant) for variant, label in described.items() if current.casefold() in label.casefold()]
