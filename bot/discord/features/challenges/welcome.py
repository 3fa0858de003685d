"""The greeting of servers that the bot has joined: the lobby."""

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
from bot.services.people.settings import Settings
from bot.storage import Storage
from bot.wording.looks import public_look

_LOG = structlog.get_logger(__name__)
#: How long the bot may have been on a server to greet it after a restart.
_RECENT = timedelta(hours=1)
_CLAIMED, _GREETED = "claimed", "greeted"


@dataclass
class Welcome:
    """Greets each server once, and stores that it has. ``clock`` returns the time in UTC."""

    servers: Servers
    settings: Settings
    languages: Languages
    messenger: Messenger
    storage: Storage
    clock: Callable[[], datetime]

    async def catch_up(self, shard: int) -> None:
        """Greet the servers of a shard that the bot has just joined and not greeted."""
        for guild in self.servers.of_shard(shard):
            joined_at = None if guild.me is None else guild.me.joined_at
            if joined_at is not None and joined_at > self.clock() - _RECENT:
                await self.greet(guild, unfinished=True)

    async def departed(self, shard: int) -> list[int]:
        """The servers of a shard that have running matches, and have removed the bot since it greeted them, unnoticed.

        On other servers without the bot, matches are played by people who have installed it for themselves.
        """
        async with self.storage.read() as tx:
            lacking = [each for each in await tx.deliveries.servers() if self.servers.lacks(each)]
            of_shard = [each for each in lacking if self.servers.shards.of(each) == shard]
            greeted = [each for each in of_shard if await tx.key_values.get(_memo(each)) is not None]
            return [each for each in greeted if await tx.key_values.get(_departure(each)) is None]

    async def note_departure(self, guild_id: int) -> None:
        """Note that a server has removed the bot, until it joins again."""
        async with self.storage.transaction() as tx:
            await tx.key_values.add(_departure(guild_id), self.clock().isoformat())

    async def note_return(self, guild_id: int) -> None:
        async with self.storage.transaction() as tx:
            await tx.key_values.remove(_departure(guild_id))

    async def greet(self, guild: discord.Guild, *, unfinished: bool = False) -> None:
        """Post the lobby on a server once, unless the bot may not post there.

        The greeting is claimed first, against other processes. With ``unfinished``, it is posted again if it was
        claimed but not noted as posted; Discord recognizes a second one by its nonce.
        """
        channel = await self._channel(guild)
        if channel is None:
            return
        memo = _memo(guild.id)
        async with self.storage.transaction() as tx:
            if not await tx.key_values.add(memo, _CLAIMED) and not (
                unfinished and await tx.key_values.get(memo) == _CLAIMED
            ):
                return
        try:
            await self.post(channel.id, guild.id)
        except NotShownError as error:
            _LOG.info("lobby_not_shown", channel=error.channel_id, reason=str(error))
            return
        async with self.storage.transaction() as tx:
            await tx.key_values.set(memo, _GREETED)

    async def post(self, channel_id: int, guild_id: int) -> None:
        """Post the lobby for everybody in a channel."""
        look = public_look(await self.settings.server_settings(guild_id))
        with texts.in_language(await self.languages.of_server(guild_id)):
            card = await asyncio.to_thread(lobby_card, look.theme)
        await self.messenger.show_everybody(channel_id, card, f"w{guild_id}")

    async def _channel(self, guild: discord.Guild) -> discord.TextChannel | None:
        """The first channel of ``/setup`` or, if it names none, the system channel; None if the bot may not post."""
        allowed = (await self.settings.server_settings(guild.id)).channel_ids
        channels = [each for each in guild.text_channels if each.id in allowed] if allowed else [guild.system_channel]
        return next((each for each in channels if each is not None and may_post(each)), None)


def _memo(guild_id: int) -> str:
    return f"welcome-{guild_id}"


def _departure(guild_id: int) -> str:
    return f"left-{guild_id}"


def may_post(channel: discord.abc.GuildChannel) -> bool:
    """Whether the bot may post pictures in a channel."""
    permissions = channel.permissions_for(channel.guild.me)
    return permissions.view_channel and permissions.send_messages and permissions.attach_files
