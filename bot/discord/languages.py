"""Which language somebody is answered in, and which one the cards that everybody sees are in."""

from __future__ import annotations

from typing import Any

import discord

from bot import texts
from bot.domain.preferences import ServerSettings
from bot.services.settings import Settings

#: Under this name an interaction keeps the preferences of its user, once they are loaded.
PREFERENCES = "preferences"


def locale_language(interaction: discord.Interaction[Any]) -> str:
    """The language of the user's Discord, which is known at once."""
    return texts.language_of(interaction.locale.value)


class Languages:
    def __init__(self, client: discord.Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    async def of_user(self, interaction: discord.Interaction[Any]) -> str:
        """The language of private answers: the one that the user chose, or else that of their Discord."""
        loaded = await self._settings.preferences(interaction.user.id)
        interaction.extras[PREFERENCES] = loaded
        return loaded.language or locale_language(interaction)

    async def of_server(self, guild_id: int | None, settings: ServerSettings | None = None) -> str:
        """The language of what everybody in a server sees: the one that was chosen for it, or else its own.

        Where the bot is not a member it only answers what somebody does, in the language of that person. ``settings``
        are those of the server, when they were just loaded.
        """
        if guild_id is None:
            return texts.current_language()
        chosen = (settings or await self._settings.server_settings(guild_id)).language
        if chosen is not None:
            return chosen
        guild = self._client.get_guild(guild_id)
        if guild is None and not self._client.is_ready():
            await self._client.wait_until_ready()  # the bot has just started and does not know its servers yet
            guild = self._client.get_guild(guild_id)
        return texts.current_language() if guild is None else texts.language_of(guild.preferred_locale.value)
