"""The Discord client: passes what happens on Discord to the parts that act on it."""

from __future__ import annotations

from typing import Any

import aiohttp
import discord

from bot.discord.dispatcher import CommandTree, Dispatcher
from bot.discord.lifecycle import Lifecycle
from bot.domain.shards import Shards


class Client(discord.AutoShardedClient):
    """A client that needs no privileged intent: of messages it learns where they are and not what they say.

    It connects all shards that Discord recommends. The dispatcher and the lifecycle need the client themselves, so
    :meth:`serve` is called with them before it starts.
    """

    def __init__(self, shards: Shards, trace: aiohttp.TraceConfig) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # the bot uses no voice channels
        super().__init__(
            shard_count=shards.count,
            intents=discord.Intents(guilds=True, guild_messages=True),
            max_messages=None,
            http_trace=trace,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
        )
        self.tree = CommandTree(self)
        self._shards = shards

    def serve(self, dispatcher: Dispatcher, lifecycle: Lifecycle) -> None:
        self.tree.dispatcher = self._dispatcher = dispatcher
        self._lifecycle = lifecycle

    async def login(self, token: str) -> None:
        await self._lifecycle.prepare()
        await super().login(token)

    async def setup_hook(self) -> None:
        await self._lifecycle.start()

    async def launch_shards(self) -> None:
        self._shards.count, *_ = await self.http.get_bot_gateway()
        self.shard_count = self._shards.count
        await super().launch_shards()

    async def close(self) -> None:
        # What people have just done is shown before the connection closes; the database closes last.
        await self._lifecycle.wind_up()
        await super().close()
        await self._lifecycle.end()

    async def on_shard_connect(self, shard: int) -> None:
        await self._lifecycle.connect(shard)

    async def on_shard_resumed(self, shard: int) -> None:
        await self._lifecycle.connect(shard)

    async def on_shard_disconnect(self, shard: int) -> None:
        self._lifecycle.disconnect(shard)

    async def on_shard_ready(self, shard: int) -> None:
        await self._lifecycle.be_ready(shard)

    async def on_ready(self) -> None:
        # If a shard connects anew while others get ready, the library tells that all are, but not that these are.
        for shard in self._shards.held:
            await self._lifecycle.be_ready(shard)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self._lifecycle.join(guild)

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        # Discord hides what the bot may not view behind placeholders, and sends the channel itself once it may.
        if _views(after) and not _views(before):
            self._lifecycle.gain_view()

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.type in (discord.InteractionType.component, discord.InteractionType.modal_submit):
            await self._dispatcher.press(interaction)

    async def on_app_command_completion(self, interaction: discord.Interaction[Any], *_: object) -> None:
        await self._dispatcher.complete(interaction)


def _views(channel: discord.abc.GuildChannel) -> bool:
    return channel.permissions_for(channel.guild.me).view_channel
