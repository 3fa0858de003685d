"""The lobby as a greeting to servers that the bot has joined."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import discord
import structlog

from bot import texts
from bot.discord.features.challenges.play import lobby_card
from bot.discord.interaction.languages import Languages
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.sender import NotShownError
from bot.discord.transport.servers import Servers
from bot.pictures import public_look
from bot.services.people.settings import Settings
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
#: After a start, the bot greets servers that it has joined within this time.
_RECENT = timedelta(hours=1)
_CLAIMED, _GREETED = "claimed", "greeted"


@dataclass
class Welcome:
    """Greets each server once, and records that. ``now`` returns the time in UTC."""

    servers: Servers
    settings: Settings
    languages: Languages
    messenger: Messenger
    storage: Storage
    now: Callable[[], datetime]

    async def catch_up(self, shard: int) -> None:
        """Greet the servers of a shard that the bot has recently joined and not greeted."""
        for guild in self.servers.of_shard(shard):
            joined_at = None if guild.me is None else guild.me.joined_at
            if joined_at is not None and joined_at > self.now() - _RECENT:
                await self.greet(guild, unfinished=True)

    async def departed(self, shard: int) -> list[int]:
        """The servers of a shard that have running matches, and have removed the bot while it was down.

        Servers that the bot has never greeted are not among them: people there have installed it for themselves.
        """
        async with self.storage.read() as tx:
            lacking = [guild_id for guild_id in await tx.deliveries.servers() if self.servers.lacks(guild_id)]
            of_shard = [guild_id for guild_id in lacking if self.servers.shards.of(guild_id) == shard]
            greeted = [guild_id for guild_id in of_shard if await tx.key_values.get(_greeting(guild_id)) is not None]
            return [guild_id for guild_id in greeted if await tx.key_values.get(_departure(guild_id)) is None]

    async def note_departure(self, guild_id: int) -> None:
        """Record that a server has removed the bot, until it joins again."""
        async with self.storage.transaction() as tx:
            await tx.key_values.add(_departure(guild_id), self.now().isoformat())

    async def note_return(self, guild_id: int) -> None:
        async with self.storage.transaction() as tx:
            await tx.key_values.remove(_departure(guild_id))

    async def greet(self, guild: discord.Guild, *, unfinished: bool = False) -> None:
        """Post the lobby on a server once, if the bot may post there.

        This process claims the greeting first, so no other process posts it. With ``unfinished``, a greeting is posted
        again if it was claimed but not recorded as posted. Discord recognises a repetition by its nonce.
        """
        channel = await self._channel(guild)
        if channel is None:
            return
        key = _greeting(guild.id)
        async with self.storage.transaction() as tx:
            if not await tx.key_values.add(key, _CLAIMED) and not (
                unfinished and await tx.key_values.get(key) == _CLAIMED
            ):
                return
        try:
            await self.post(channel.id, guild.id)
        except NotShownError as error:
            _LOG.info("lobby_not_shown", channel=error.channel_id, reason=str(error))
            return
        async with self.storage.transaction() as tx:
            await tx.key_values.set(key, _GREETED)

    async def post(self, channel_id: int, guild_id: int) -> None:
        """Post the lobby for everybody in a channel."""
        look = public_look(await self.settings.server_settings(guild_id))
        with texts.in_language(await self.languages.of_server(guild_id)):
            card = await asyncio.to_thread(lobby_card, look.theme)
        await self.messenger.show_everybody(channel_id, card, f"w{guild_id}")

    async def _channel(self, guild: discord.Guild) -> discord.TextChannel | None:
        """The first channel of ``/setup``, by default the system channel, if the bot may post there."""
        allowed = (await self.settings.server_settings(guild.id)).channel_ids
        channels = [channel for channel in guild.text_channels if channel.id in allowed]
        suitable = channels if allowed else [guild.system_channel]
        return next((channel for channel in suitable if channel is not None and may_post(channel)), None)


def _greeting(guild_id: int) -> str:
    return f"welcome-{guild_id}"


def _departure(guild_id: int) -> str:
    return f"left-{guild_id}"


def may_post(channel: discord.abc.GuildChannel) -> bool:
    """Whether the bot may post pictures in a channel."""
    permissions = channel.permissions_for(channel.guild.me)
    return permissions.view_channel and permissions.send_messages and permissions.attach_files
