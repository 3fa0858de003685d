"""``/settings`` and ``/setup``: the preferences of players, and the settings of servers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from discord import app_commands

from bot import texts
from bot.discord.features.challenges.welcome import Welcome, may_post
from bot.discord.features.people.reminders import hours_form
from bot.discord.features.people.settings_cards import USUAL, preferences_panel, sample_picture, server_panel
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.transport import replies
from bot.discord.ui import words
from bot.discord.ui.messages import Form, Message, OutdatedPressError, Press, number, read
from bot.discord.ui.scenes import private_look, public_look
from bot.domain.day_times import read_span, read_time, read_zone
from bot.domain.preferences import Preferences, ServerSettings
from bot.services.puzzles import Puzzles
from bot.services.reminders import Reminders
from bot.services.settings import Settings
from bot.texts import gettext as _
from bot.texts import gettext_noop, in_language


@dataclass
class SettingsCommands(Feature):
    settings: Settings
    reminders: Reminders
    puzzles: Puzzles
    languages: Languages
    welcome: Welcome

    @app_commands.command(
        name="settings", description=gettext_noop("Your preferences: theme, board, language and more")
    )
    async def show_settings(self, interaction: Interaction) -> None:
        chosen = await self.settings.preferences(interaction.user.id)
        await replies.tell(interaction, await _preferences_panel(chosen))

    @app_commands.command(description=gettext_noop("How matches are played on this server; for those who manage it"))
    @app_commands.default_permissions(manage_guild=True)
    @app_commands.allowed_installs(guilds=True, users=False)
    @app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
    async def setup(self, interaction: Interaction) -> None:
        guild_id = _managed_server(interaction)
        chosen = await self.settings.server_settings(guild_id)
        await replies.tell(interaction, await self._server_panel(guild_id, chosen))

    @handles(
        "my-theme",
        "my-orientation",
        "my-confirmation",
        "my-language",
        "my-outside",
        "my-coordinates",
        "my-pings",
    )
    async def change_preferences(self, interaction: Interaction, press: Press) -> None:
        name = press.action.removeprefix("my-").replace("-", "_")
        chosen = await self.settings.change_preferences(player_of(interaction.user), **{name: _chosen(name, press)})
        texts.set_language(await self.languages.of_user(interaction))
        await replies.replace(interaction, await _preferences_panel(chosen))

    @opens_form("my-hours")
    async def open_hours(self, interaction: Interaction, _press: Press) -> Form:
        return hours_form(await self.settings.preferences(interaction.user.id))

    @handles("hours")
    async def change_hours(self, interaction: Interaction, press: Press) -> None:
        if len(press.values) != 3:
            raise OutdatedPressError
        zone, quiet, digest = press.values
        chosen = await self.reminders.change_times(
            player_of(interaction.user),
            time_zone=await asyncio.to_thread(read_zone, zone),
            quiet=read_span(quiet),
            digest_at=read_time(digest),
            language=texts.current_language(),
        )
        await replies.show(interaction, await _preferences_panel(chosen))

    @handles("server-play-in", "server-theme", "server-language")
    async def change_server_settings(self, interaction: Interaction, press: Press) -> None:
        name = press.action.removeprefix("server-").replace("-", "_")
        await self._change_server(interaction, **{name: _chosen(name, press)})

    @handles("server-channels", "all-channels")
    async def change_channels(self, interaction: Interaction, press: Press) -> None:
        await self._change_server(interaction, channel_ids=frozenset(press.numbers))
        if press.values and interaction.guild is not None:
            await self.welcome.greet(interaction.guild)  # until now there may have been no channel for that

    @handles("server-board-cards")
    async def change_board_cards(self, interaction: Interaction, press: Press) -> None:
        """Change how matches are shown; channels that had the other way have the same as all then."""
        await self._change_server(interaction, board_cards=press.chosen or press.argument, other_cards_in=frozenset())

    @handles("server-other-cards")
    async def change_channels_with_other_cards(self, interaction: Interaction, press: Press) -> None:
        await self._change_server(interaction, other_cards_in=frozenset(press.numbers))

    @handles("server-role", "all-members")
    async def change_role(self, interaction: Interaction, press: Press) -> None:
        await self._change_server(interaction, challenger_role_id=next(iter(press.numbers), None))

    @handles("server-puzzle-channel")
    async def change_puzzle_channel(self, interaction: Interaction, press: Press) -> None:
        """Have the puzzle of the day posted in another channel or, without one, nowhere."""
        guild_id = _managed_server(interaction)
        channel_id = next(iter(press.numbers), None)
        channel = None if interaction.guild is None or channel_id is None else interaction.guild.get_channel(channel_id)
        if channel is not None and not may_post(channel):
            text = _("I may not post in {channel}. I need *View Channel*, *Send Messages* and *Attach Files* there.")
            raise RefusalError(text.format(channel=words.channel(channel.id)))
        chosen = await self.puzzles.subscribe(guild_id, channel_id)
        await replies.replace(interaction, await self._server_panel(guild_id, chosen))

    async def _change_server(self, interaction: Interaction, **changes: Any) -> None:
        guild_id = _managed_server(interaction)
        chosen = await self.settings.change_server_settings(guild_id, **changes)
        await replies.replace(interaction, await self._server_panel(guild_id, chosen))

    async def _server_panel(self, guild_id: int, chosen: ServerSettings) -> Message:
        with in_language(await self.languages.of_server(guild_id)):
            look = public_look(chosen)
        return server_panel(chosen, await asyncio.to_thread(sample_picture, look))


async def _preferences_panel(chosen: Preferences) -> Message:
    return preferences_panel(chosen, await asyncio.to_thread(sample_picture, private_look(chosen)))


def _chosen(name: str, press: Press) -> object:
    """Return the value of a setting that a menu or button stands for."""
    value = press.argument if press.chosen is None else press.chosen
    if name in ("coordinates", "pings"):
        return value == "on"
    if name == "orientation" and value.isdecimal():
        return read(number, value)
    return None if value == USUAL else value


def _managed_server(interaction: Interaction) -> int:
    """Return the server, which the user must be allowed to manage."""
    if interaction.guild_id is None:
        raise RefusalError(_("There is nothing to set up here: these settings are for servers."))
    if not interaction.permissions.manage_guild:
        raise RefusalError(_("Only members with the permission *Manage Server* may set me up here."))
    return interaction.guild_id
