"""In which language somebody is answered, and in which one a server's cards are written."""

from __future__ import annotations

from typing import Any

import discord

from bot import texts


def language_for(interaction: discord.Interaction[Any]) -> str:
    """The language of private answers: that of the user's Discord."""
    return texts.language_of(interaction.locale.value)


async def server_language(client: discord.Client, guild_id: int | None) -> str:
    """The language of what everybody in a server sees: the server's own; English outside servers."""
    if guild_id is None:
        return texts.SOURCE
    guild = client.get_guild(guild_id)
    if guild is None and not client.is_ready():
        await client.wait_until_ready()  # the bot has just started and does not know its servers yet
        guild = client.get_guild(guild_id)
    return texts.SOURCE if guild is None else texts.language_of(guild.preferred_locale.value)
