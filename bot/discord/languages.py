"""In which language somebody is answered, and in which one the cards are that everybody sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord

from bot import texts

if TYPE_CHECKING:
    from bot.app import Hexgrove


def locale_language(interaction: discord.Interaction[Any]) -> str:
    """The language of the user's Discord, which is known at once."""
    return texts.language_of(interaction.locale.value)


async def language_for(interaction: discord.Interaction[Hexgrove]) -> str:
    """The language of private answers: the one that the user chose, or else that of their Discord."""
    chosen = (await interaction.client.preferences.preferences(interaction.user.id)).language
    return chosen or locale_language(interaction)


async def server_language(client: Hexgrove, guild_id: int | None) -> str:
    """The language of what everybody in a server sees: the one that was chosen for it, or else its own.

    Where the bot is not a member it only answers what somebody does, and speaks the language of that person.
    """
    if guild_id is None:
        return texts.spoken()
    chosen = (await client.preferences.server_settings(guild_id)).language
    if chosen is not None:
        return chosen
    guild = client.get_guild(guild_id)
    if guild is None and not client.is_ready():
        await client.wait_until_ready()  # the bot has just started and does not know its servers yet
        guild = client.get_guild(guild_id)
    return texts.spoken() if guild is None else texts.language_of(guild.preferred_locale.value)
