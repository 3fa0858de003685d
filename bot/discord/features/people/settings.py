"""``/settings`` and ``/setup``: the preferences of players and the settings of servers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from discord import app_commands

from bot import texts
from bot.discord.features.challenges.welcome import Welcome, may_post
from bot.discord.features.people.digests import SetHours, hours_form
from bot.discord.features.people.settings_panels import (
    AllowAllChannels,
    AllowAllMembers,
    SetBoardCards,
    SetChannels,
    SetCoordinates,
    SetLanguage,
    SetOrientation,
    SetOtherCards,
    SetOutside,
    SetPings,
    SetPlayIn,
    SetPuzzleChannel,
    SetRole,
    SetServerLanguage,
    SetServerTheme,
    SetStrangers,
    SetTheme,
    preferences_panel,
    sample_picture,
    server_panel,
)
from bot.discord.interaction.errors import RefusalError
from bot.discord.interaction.feature import Feature, handles, opens_form
from bot.discord.interaction.interactions import Interaction, player_of
from bot.discord.interaction.languages import Languages
from bot.discord.transport.answers import Answer
from bot.discord.ui import markdown
from bot.discord.ui.actions import OpenHours, SetConfirmation
from bot.discord.ui.messages import Form, Message
from bot.discord.ui.presses import Press
from bot.domain.day_times import read_span, read_time, read_zone
from bot.domain.preferences import Preferences, ServerSettings
from bot.pictures import private_look, public_look
from bot.services.people.doors import Doors
from bot.services.people.reminders import Reminders
from bot.services.people.settings import Settings
from bot.services.study.puzzles import Puzzles
from bot.texts import gettext as _, gettext_noop, in_language


@dataclass
class SettingsCommands(Feature):
    settings: Settings
    reminders: Reminders
    puzzles: Puzzles
    languages: Languages
    welcome: Welcome
    doors: Doors

    @app_commands.command(
        name="settings", description=gettext_noop("Your preferences: theme, board, language and more")
    )
    async def show_settings(self, interaction: Interaction) -> None:
        chosen = await self.settings.preferences(interaction.user.id)
        await Answer.of(interaction).respond(await self._panel(chosen))

    @app_commands.command(description=gettext_noop("How matches are played on this server; for members who manage it"))
    @app_commands.default_permissions(manage_guild=True)
    @app_commands.allowed_installs(guilds=True, users=False)
    @app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
    async def setup(self, interaction: Interaction) -> None:
        guild_id = _managed_server(interaction)
        chosen = await self.settings.server_settings(guild_id)
        await Answer.of(interaction).respond(await self._server_panel(guild_id, chosen))

    @handles(SetTheme, SetOrientation, SetConfirmation, SetLanguage, SetOutside, SetCoordinates, SetPings)
    async def change_preferences(self, interaction: Interaction, press: Press) -> None:
        chosen = await self.settings.change_preferences(player_of(interaction.user), **vars(press))
        self.languages.speak(interaction, chosen)
        await Answer.of(interaction).respond(await self._panel(chosen))

    @opens_form(OpenHours)
    async def open_hours(self, interaction: Interaction, _press: OpenHours) -> Form:
        return hours_form(await self.settings.preferences(interaction.user.id))

    @handles(SetHours)
    async def change_hours(self, interaction: Interaction, press: SetHours) -> None:
        chosen = await self.reminders.change_times(
            player_of(interaction.user),
            time_zone=await asyncio.to_thread(read_zone, press.zone),
            quiet=read_span(press.quiet),
            digest_at=read_time(press.digest),
            language=texts.current_language(),
        )
        await Answer.of(interaction).respond(await self._panel(chosen))

    async def _panel(self, chosen: Preferences) -> Message:
        sample = await asyncio.to_thread(sample_picture, private_look(chosen))
        return preferences_panel(chosen, sample, has_programs=self.doors.url is not None)

    @handles(SetPlayIn, SetServerTheme, SetServerLanguage, SetStrangers)
    async def change_server_settings(self, interaction: Interaction, press: Press) -> None:
        await self._change_server(interaction, **vars(press))

    @handles(AllowAllChannels)
    async def allow_all_channels(self, interaction: Interaction, _press: AllowAllChannels) -> None:
        await self._change_server(interaction, channel_ids=frozenset())

    @handles(SetChannels)
    async def change_channels(self, interaction: Interaction, press: SetChannels) -> None:
        await self._change_server(interaction, channel_ids=frozenset(press.channels))
        if press.channels and interaction.guild is not None:
            await self.welcome.greet(interaction.guild)  # there may have been no suitable channel before

    @handles(SetBoardCards)
    async def change_board_cards(self, interaction: Interaction, press: SetBoardCards) -> None:
        """Change the kind of cards in all channels."""
        await self._change_server(interaction, board_cards=press.cards, other_cards_in=frozenset())

    @handles(SetOtherCards)
    async def change_channels_with_other_cards(self, interaction: Interaction, press: SetOtherCards) -> None:
        await self._change_server(interaction, other_cards_in=frozenset(press.channels))

    @handles(AllowAllMembers)
    async def allow_all_members(self, interaction: Interaction, _press: AllowAllMembers) -> None:
        await self._change_server(interaction, challenger_role_id=None)

    @handles(SetRole)
    async def change_role(self, interaction: Interaction, press: SetRole) -> None:
        await self._change_server(interaction, challenger_role_id=next(iter(press.roles), None))

    @handles(SetPuzzleChannel)
    async def change_puzzle_channel(self, interaction: Interaction, press: SetPuzzleChannel) -> None:
        """Post the puzzle of the day in another channel, or nowhere."""
        guild_id = _managed_server(interaction)
        channel_id = next(iter(press.channels), None)
        channel = None if interaction.guild is None or channel_id is None else interaction.guild.get_channel(channel_id)
        if channel is not None and not may_post(channel):
            text = _("I may not post in {channel}. I need *View Channel*, *Send Messages* and *Attach Files* there.")
            raise RefusalError(text.format(channel=markdown.channel(channel.id)))
        chosen = await self.puzzles.subscribe(guild_id, channel_id)
        await Answer.of(interaction).respond(await self._server_panel(guild_id, chosen))

    async def _change_server(self, interaction: Interaction, **changes: Any) -> None:
        guild_id = _managed_server(interaction)
        chosen = await self.settings.change_server_settings(guild_id, **changes)
        await Answer.of(interaction).respond(await self._server_panel(guild_id, chosen))

    async def _server_panel(self, guild_id: int, chosen: ServerSettings) -> Message:
        with in_language(await self.languages.of_server(guild_id)):
            look = public_look(chosen)
        return server_panel(chosen, await asyncio.to_thread(sample_picture, look))


def _managed_server(interaction: Interaction) -> int:
    """The id of the server that the user manages. Raises a refusal."""
    if interaction.guild_id is None:
        raise RefusalError(_("There is nothing to set up here: these settings are for servers."))
    if not interaction.permissions.manage_guild:
        raise RefusalError(_("Only members with the permission *Manage Server* may set me up here."))
    return interaction.guild_id
