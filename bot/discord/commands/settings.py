"""``/settings`` and ``/setup``: how a player wants it, and how a server does."""

from __future__ import annotations

import asyncio
from typing import Any

from discord import app_commands

from bot import texts
from bot.discord import replies
from bot.discord.cards.scenes import private_look, public_look
from bot.discord.cards.settings import USUAL, preferences_panel, sample_picture, server_panel
from bot.discord.errors import RefusalError
from bot.discord.interactions import Interaction, player_of
from bot.discord.messages import Message, Press
from bot.domain.preferences import Preferences, ServerSettings
from bot.texts import gettext as _
from bot.texts import gettext_noop, in_language


@app_commands.command(description=gettext_noop("How you want to see and play: theme, board, language and more"))
async def settings(interaction: Interaction) -> None:
    chosen = await interaction.client.preferences.preferences(interaction.user.id)
    await replies.tell(interaction, await _preferences_panel(chosen))


@app_commands.command(description=gettext_noop("How this server is played in; for those who manage the server"))
@app_commands.default_permissions(manage_guild=True)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
async def setup(interaction: Interaction) -> None:
    guild_id = _managed_server(interaction)
    chosen = await interaction.client.preferences.server_settings(guild_id)
    await replies.tell(interaction, await _server_panel(interaction, chosen))


async def change_preferences(interaction: Interaction, press: Press) -> None:
    """A menu or button of a player's panel."""
    name = press.action.removeprefix("my-")
    service, user = interaction.client.preferences, player_of(interaction.user)
    chosen = await service.change_preferences(user, **{name: _chosen(name, press)})
    texts.set_language(await interaction.client.languages.of_user(interaction))
    await replies.replace(interaction, await _preferences_panel(chosen))


async def change_server_settings(interaction: Interaction, press: Press) -> None:
    """A menu or button of a server's panel."""
    guild_id = _managed_server(interaction)
    match press.action:
        case "server-channels" | "all-channels":
            changes: dict[str, Any] = {"channel_ids": frozenset(map(int, press.values))}
        case "server-role" | "all-members":
            changes = {"challenger_role_id": next(map(int, press.values), None)}
        case _:
            name = press.action.removeprefix("server-").replace("-", "_")
            changes = {name: _chosen(name, press)}
    chosen = await interaction.client.preferences.change_server_settings(guild_id, **changes)
    await replies.replace(interaction, await _server_panel(interaction, chosen))


def _chosen(name: str, press: Press) -> object:
    """What a menu or a button stands for, as a value of the setting."""
    value = press.values[0] if press.values else press.argument
    if name in ("coordinates", "pings"):
        return value == "on"
    if name == "orientation" and value.isdecimal():
        return int(value)
    return None if value == USUAL else value


async def _preferences_panel(chosen: Preferences) -> Message:
    return preferences_panel(chosen, await asyncio.to_thread(sample_picture, private_look(chosen)))


async def _server_panel(interaction: Interaction, chosen: ServerSettings) -> Message:
    with in_language(await interaction.client.languages.of_server(interaction.guild_id)):
        look = public_look(chosen)
    return server_panel(chosen, await asyncio.to_thread(sample_picture, look))


def _managed_server(interaction: Interaction) -> int:
    """The server that the user may set up."""
    if interaction.guild_id is None:
        raise RefusalError(_("There is nothing to set up here: these are the settings of a server."))
    if not interaction.permissions.manage_guild:
        raise RefusalError(_("Only members with the permission *Manage Server* may set me up here."))
    return interaction.guild_id
