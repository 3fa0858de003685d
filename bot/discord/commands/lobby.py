"""``/play``: the lobby, from which everything can be reached by buttons."""

from __future__ import annotations

import asyncio

from discord import app_commands

from bot.discord import replies
from bot.discord.cards.lobby import lesson_choice, lobby_card, rules_choice
from bot.discord.feature import Feature, handles
from bot.discord.interactions import Interaction
from bot.discord.languages import theme_of
from bot.discord.messages import Press
from bot.texts import gettext_noop


class Lobby(Feature):
    """``/play``, and the ways from the lobby to what other features show."""

    @app_commands.command(
        description=gettext_noop("All games at a glance: start a match, learn a game, see your matches")
    )
    async def play(self, interaction: Interaction) -> None:
        await replies.tell(interaction, await asyncio.to_thread(lobby_card, theme_of(interaction)))

    @handles("lobby", "lobby-learn", "lobby-rules")
    async def turn_to(self, interaction: Interaction, press: Press) -> None:
        """Return to the lobby, or ask which game to learn or to read about."""
        card = {"lobby": lobby_card, "lobby-learn": lesson_choice, "lobby-rules": rules_choice}[press.action]
        await replies.show(interaction, await asyncio.to_thread(card, theme_of(interaction)))
