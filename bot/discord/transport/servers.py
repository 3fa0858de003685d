"""The servers where the bot is a member, shard by shard."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import discord
from discord.abc import GuildChannel

from bot.domain.shards import Shards


@dataclass
class Servers:
    """The servers of the shards that this process holds. A shard is ready once Discord has listed its servers."""

    client: discord.Client
    shards: Shards

    def __post_init__(self) -> None:
        self._ready: dict[int, asyncio.Event] = {}
        #: Servers without the bot, discovered before their shards were ready.
        self._absent: set[int] = set()

    def get(self, guild_id: int) -> discord.Guild | None:
        """The server; None unless the bot is known to be there."""
        return self.client.get_guild(guild_id) if self.shards.holds(guild_id) else None

    def channel(self, guild_id: int | None, channel_id: int | None) -> GuildChannel | discord.Thread | None:
        """A known channel or thread of a server. The client's own method would search all servers."""
        guild = None if guild_id is None else self.client.get_guild(guild_id)
        return None if guild is None or channel_id is None else guild.get_channel_or_thread(channel_id)

    def of_shard(self, shard: int) -> list[discord.Guild]:
        return [guild for guild in self.client.guilds if self.shards.of(guild.id) == shard]

    def is_ready(self, guild_id: int) -> bool:
        """Whether the server's shard is ready."""
        return self.shards.holds(guild_id) and self._of(guild_id).is_set()

    def lacks(self, guild_id: int) -> bool:
        """Whether the bot is known to be absent from a server."""
        return self.get(guild_id) is None and (self.is_ready(guild_id) or guild_id in self._absent)

    def note_absence(self, guild_id: int) -> None:
        """Remember, until its shard is ready, that a server lacks the bot."""
        if self.shards.holds(guild_id):
            self._absent.add(guild_id)

    async def wait(self, guild_id: int) -> None:
        """Wait until the server's shard is ready, or no longer held by this process."""
        while self.shards.holds(guild_id) and not self.is_ready(guild_id):
            await self._of(guild_id).wait()

    def concerns(self, interaction: discord.Interaction[Any]) -> bool:
        """Whether it is for this process, rather than another holder of the shard, to answer an interaction."""
        guild_id = interaction.guild_id
        if guild_id is not None and self.client.get_guild(guild_id) is None:
            return True  # interactions outside the bot's servers belong to no shard
        return self.shards.holds(guild_id)

    def set_ready(self, shard: int) -> bool:
        """Record that Discord has listed the servers of a shard; False if that was known."""
        ready = self._ready.setdefault(shard, asyncio.Event())
        changes = not ready.is_set()
        ready.set()
        self._absent.clear()
        return changes

    def unset_ready(self, shard: int) -> None:
        """Undo :meth:`set_ready`, and wake up the tasks that wait for the shard."""
        if (ready := self._ready.pop(shard, None)) is not None:
            ready.set()

    def _of(self, guild_id: int) -> asyncio.Event:
        return self._ready.setdefault(self.shards.of(guild_id), asyncio.Event())
