"""Shows the lobby to servers that the bot has joined."""

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
from bot.discord.transport.delivery import NotShownError
from bot.discord.transport.servers import Servers
from bot.discord.ui.scenes import public_look
from bot.services.settings import Settings
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
#: For so long a server may be greeted after the bot has joined it, if the bot was stopped meanwhile.
_RECENT = timedelta(hours=1)
_CLAIMED, _GREETED = "claimed", "greeted"


@dataclass
class Welcome:
    """Greets each server once: which ones were greeted is stored. ``clock`` returns the time in UTC."""

    servers: Servers
    settings: Settings
    languages: Languages
    messenger: Messenger
    storage: Storage
    clock: Callable[[], datetime]

    async def catch_up(self, shard: int) -> None:
        """Greet the servers of a shard that the bot has just joined, as far as that was left undone."""
        for guild in self.servers.of_shard(shard):
            joined_at = None if guild.me is None else guild.me.joined_at
            if joined_at is not None and joined_at > self.clock() - _RECENT:
                await self.greet(guild, unfinished=True)

    async def greet(self, guild: discord.Guild, *, unfinished: bool = False) -> None:
        """Post the lobby on a server, unless that was done or the bot may not post there.

        It is claimed first, so that no other process does the same; ``unfinished`` is whether to post it although it
        was claimed, if it was not posted. Should it have been posted after all, Discord knows it by its nonce.
        """
        channel = await self._channel(guild)
        if channel is None:
            return
        memo = f"welcome-{guild.id}"
        async with self.storage.transaction() as tx:
            if not await tx.memos.add(memo, _CLAIMED) and not (unfinished and await tx.memos.get(memo) == _CLAIMED):
                return
        try:
            await self.post(channel.id, guild.id)
        except NotShownError as error:
            _LOG.info("lobby_not_shown", channel=error.channel_id, reason=str(error))
            return
        async with self.storage.transaction() as tx:
            await tx.memos.set(memo, _GREETED)

    async def post(self, channel_id: int, guild_id: int) -> None:
        """Post the lobby for everybody in a channel."""
        look = public_look(await self.settings.server_settings(guild_id))
        with texts.in_language(await self.languages.of_server(guild_id)):
            card = await asyncio.to_thread(lobby_card, look.theme)
        await self.messenger.show_everybody(channel_id, card, f"w{guild_id}")

    async def _channel(self, guild: discord.Guild) -> discord.TextChannel | None:
        """The first channel in which the server plays, or else its system channel; None if the bot may not post there.

        Servers that named channels in ``/setup`` play in no others.
        """
        allowed = (await self.settings.server_settings(guild.id)).channel_ids
        channels = [each for each in guild.text_channels if each.id in allowed] if allowed else [guild.system_channel]
        return next((each for each in channels if each is not None and may_post(each)), None)


def may_post(channel: discord.abc.GuildChannel) -> bool:
    """Whether the bot may post pictures in a channel."""
    permissions = channel.permissions_for(channel.guild.me)
    return permissions.view_channel and permissions.send_messages and permissions.attach_files
