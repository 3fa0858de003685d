"""The Discord client, which passes Discord's events on."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import discord

from bot.discord.gateway.dispatcher import CommandTree, Dispatcher
from bot.discord.gateway.lifecycle import Lifecycle
from bot.discord.transport.requests import Connector
from bot.domain.shards import Shards
from bot.runtime.leases import Processes
from bot.runtime.token_bucket import TokenBucket


class Client(discord.AutoShardedClient):
    """A client without privileged intents, which learns of messages but not of their content.

    It connects all shards that Discord recommends or, if shards are leased, the shards that this process acquires.
    ``build_parts`` builds what acts on events, which itself needs the client.
    """

    def __init__(
        self,
        shards: Shards,
        processes: Processes,
        budget: TokenBucket | None,
        build_parts: Callable[[Client], tuple[Dispatcher, Lifecycle]],
    ) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # the bot uses no voice channels
        super().__init__(
            connector=Connector(budget),
            shard_count=shards.count,
            intents=discord.Intents(guilds=True, guild_messages=True),
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
        )
        self._dispatcher, self._lifecycle = build_parts(self)
        self._connections = self._lifecycle.connections
        self.tree = CommandTree(self, self._dispatcher)
        self._shards = shards
        self._processes = processes
        self._max_concurrency = 1
        self._buckets: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._connecting: dict[int, asyncio.Task[None]] = {}
        self._keeping: asyncio.Task[None] | None = None

    async def login(self, token: str) -> None:
        await self._lifecycle.prepare()
        await super().login(token)

    async def setup_hook(self) -> None:
        await self._lifecycle.start(self.tree)

    async def launch_shards(self) -> None:
        count, _, limit = await self.http.get_bot_gateway()
        if not self._shards.leased:
            self._shards.divide(count)
            self.shard_count = count
        self._max_concurrency = limit["max_concurrency"]
        await super().launch_shards()
        self._keeping = asyncio.create_task(self._processes.keep(self))

    async def launch_shard(self, gateway: Any, shard_id: int, *, initial: bool = False) -> None:
        # discord.py counts the shards of other processes, too, so none is ready before the others.
        if self._is_held(shard_id):
            await super().launch_shard(gateway, shard_id, initial=initial)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        if self._shards.leased and shard_id is not None:
            await self._processes.wait_to_identify(self._bucket_of(shard_id))
        else:
            await super().before_identify_hook(shard_id, initial=initial)

    async def acquire(self, shard: int) -> None:
        """Connect a shard that this process has acquired."""
        await self._connections.acquire(shard)
        self._connecting[shard] = asyncio.create_task(self._launch(shard))

    async def _launch(self, shard: int) -> None:
        async with self._buckets[self._bucket_of(shard)]:  # one after another: none waits with an open connection
            await self.launch_shard(discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY, shard)

    async def release(self, shard: int) -> None:
        """Disconnect a shard that this process has released."""
        if (connecting := self._connecting.pop(shard, None)) is not None:
            connecting.cancel()
        await self._disconnect(shard)
        await self._connections.release(shard)

    async def renewed(self, processes: int) -> None:
        await self._connections.renewed(processes)

    def timer_stored(self) -> None:
        self._connections.timer_stored()

    async def _disconnect(self, shard: int) -> None:
        if (connected := self.get_shard(shard)) is not None:
            await connected.disconnect()

    def _bucket_of(self, shard: int) -> int:
        return shard % self._max_concurrency

    async def close(self) -> None:
        # People's last actions are shown before the connection closes; the database closes last.
        await self._lifecycle.wind_up()
        if self._keeping is not None:
            self._keeping.cancel()
        for connecting in self._connecting.values():
            connecting.cancel()
        await super().close()
        await self._lifecycle.end()

    async def on_shard_connect(self, shard: int) -> None:
        await self._connect(shard)

    async def on_shard_resumed(self, shard: int) -> None:
        await self._connect(shard)

    async def _connect(self, shard: int) -> None:
        if self._is_held(shard):
            await self._connections.connect(shard)
        else:
            await self._disconnect(shard)  # discord.py has reconnected a released shard

    def _is_held(self, shard: int) -> bool:
        return not self._shards.leased or shard in self._connecting

    async def on_shard_disconnect(self, shard: int) -> None:
        self._connections.disconnect(shard)

    async def on_shard_ready(self, shard: int) -> None:
        if self._is_held(shard):
            await self._connections.be_ready(shard)

    async def on_ready(self) -> None:
        # If a shard reconnects while others get ready, discord.py only reports that all shards are ready.
        for shard in range(self._shards.count):
            await self.on_shard_ready(shard)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self._connections.join(guild)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self._connections.leave(guild.id)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self._connections.lose(channel.id)

    async def on_raw_thread_delete(self, deleted: discord.RawThreadDeleteEvent) -> None:
        await self._connections.lose(deleted.thread_id)

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        # For a channel that the bot may not view, Discord sends a placeholder, and once it may, the real channel.
        if _views(after) and not _views(before):
            self._connections.gain_view()

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.type in (discord.InteractionType.component, discord.InteractionType.modal_submit):
            await self._dispatcher.press(interaction)

    async def on_app_command_completion(self, interaction: discord.Interaction[Any], *_: object) -> None:
        await self._dispatcher.complete(interaction)


def _views(channel: discord.abc.GuildChannel) -> bool:
    return channel.permissions_for(channel.guild.me).view_channel
