"""The permissions of an interaction's user in the channels of the server.

An interaction brings the user's permissions in its own channel. In other channels, they follow from the user's roles
and the channel's overwrites. The members of a private thread are unknown, so only users inside it, and people who
manage threads, count as seeing it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import discord

from bot.discord.interaction.interactions import Interaction, place_of
from bot.discord.transport.requests import DISCORD_FAILURES
from bot.domain.competitions.ladders import OwnLadderError
from bot.domain.competitions.tournaments import OwnTournamentError
from bot.domain.matches import Match, NotAPlayerError
from bot.domain.places import Place, Viewer
from bot.domain.refusals import DomainError
from bot.services.deliveries import Deliveries
from bot.services.ladders import Ladders
from bot.services.tournaments import Tournaments
from bot.storage import Storage

_Channel = discord.abc.GuildChannel | discord.Thread


@dataclass
class Access:
    """Knows who may see and decide what. Stores the channels of public threads."""

    storage: Storage
    deliveries: Deliveries
    tournaments: Tournaments
    ladders: Ladders

    def viewer_of(self, interaction: Interaction) -> Viewer:
        """The user as a viewer of a single match; for lists, see :meth:`viewer_of_lists`."""
        return Viewer(interaction.user.id, place_of(interaction), partial(self._views, interaction))

    async def viewer_of_lists(self, interaction: Interaction) -> Viewer:
        """The user as a viewer of lists, with the channels that they can view."""
        channels = await asyncio.to_thread(_channels, interaction, _may_view)
        return replace(self.viewer_of(interaction), channels=channels)

    async def moderator_of_lists(self, interaction: Interaction) -> Viewer:
        """The user as a viewer of lists, with only the channels that they moderate."""
        channels = await asyncio.to_thread(_channels, interaction, _keeps_order)
        return replace(self.viewer_of(interaction), channels=channels)

    async def may_moderate(self, interaction: Interaction, place: Place) -> bool:
        """Whether the user is a moderator of a place; outside servers, nobody is."""
        if place.guild_id is None or place.guild_id != interaction.guild_id:
            return False
        return _keeps_order(await self._permissions_in(interaction, place.channel_id))

    async def may_overrule(self, interaction: Interaction, match: Match) -> bool:
        """Whether the user may decide about the match: a moderator who plays neither in it nor in its competition."""
        try:
            await self.check_overrule(interaction, match, NotAPlayerError(match))
        except DomainError:
            return False
        return True

    async def check_overrule(self, interaction: Interaction, match: Match, refusal: Exception) -> None:
        """Raise the ``refusal`` if the user may not decide about the match.

        Moderators who play in its tournament or on its ladder get refusals of their own.
        """
        user_id, title = interaction.user.id, match.tournament
        if match.has_player(user_id):
            raise refusal
        if match.apart is not None:  # a moderator of one home decides about nobody in another
            raise refusal
        if not await self.may_moderate(interaction, (await self.deliveries.get(match.id)).home):
            raise refusal
        if title is not None and (await self.tournaments.get(title.id)).has_player(user_id):
            raise OwnTournamentError
        if match.ladder is not None and (await self.ladders.get(match.ladder.id)).rung(user_id) is not None:
            raise OwnLadderError

    async def views_from_elsewhere(self, interaction: Interaction, place: Place) -> bool:
        """Whether the user can view a channel of any server; outside servers, nobody needs a permission."""
        guild = None if place.guild_id is None else interaction.client.get_guild(place.guild_id)
        if guild is None:
            return place.guild_id is None
        channel = await self._channel(interaction, guild, place.channel_id)
        try:
            member = guild.get_member(interaction.user.id) or await guild.fetch_member(interaction.user.id)
        except DISCORD_FAILURES:
            return False
        return channel is not None and _may_view(_permissions(channel, member))

    async def place_of(self, interaction: Interaction) -> Place:
        """The place of an interaction, to play a match there.

        Stores the channel of a public thread, which Discord no longer reports once the thread is archived.
        """
        channel, place = interaction.channel, place_of(interaction)
        if not isinstance(channel, discord.Thread):
            return place
        if not channel.is_private():
            await self._remember(channel)
        return replace(place, parent_id=channel.parent_id)

    async def _views(self, interaction: Interaction, channel_id: int) -> bool:
        return _may_view(await self._permissions_in(interaction, channel_id))

    async def _permissions_in(self, interaction: Interaction, channel_id: int) -> discord.Permissions:
        """The user's permissions in a channel or thread of the server; none if it is gone."""
        if channel_id == interaction.channel_id:
            return interaction.permissions
        guild = None if interaction.guild_id is None else interaction.client.get_guild(interaction.guild_id)
        if guild is None or not isinstance(interaction.user, discord.Member):
            return discord.Permissions.none()
        channel = await self._channel(interaction, guild, channel_id)
        return discord.Permissions.none() if channel is None else _permissions(channel, interaction.user)

    async def _channel(self, interaction: Interaction, guild: discord.Guild, channel_id: int) -> _Channel | None:
        """A channel or thread of the server; for an archived public thread, the channel above it."""
        known: _Channel | None = guild.get_channel_or_thread(channel_id)
        if known is not None:
            return known
        async with self.storage.read() as tx:
            parent_id = await tx.deliveries.thread_channel(channel_id)
        if parent_id is not None:
            above: _Channel | None = guild.get_channel(parent_id)
            return above
        if interaction.type is discord.InteractionType.autocomplete:
            return None  # Discord cannot be asked at every keystroke
        try:
            found: _Channel = await guild.fetch_channel(channel_id)
        except (discord.InvalidData, *DISCORD_FAILURES):
            return None
        if isinstance(found, discord.Thread) and not found.is_private():
            await self._remember(found)
        return found

    async def _remember(self, thread: discord.Thread) -> None:
        async with self.storage.transaction() as tx:
            await tx.deliveries.add_thread(thread.id, thread.parent_id)


def _may_view(permissions: discord.Permissions) -> bool:
    return permissions.view_channel


def _keeps_order(permissions: discord.Permissions) -> bool:
    return permissions.manage_messages or permissions.manage_guild


def _channels(interaction: Interaction, allowed: Callable[[discord.Permissions], bool]) -> frozenset[int]:
    """The known channels and threads of the server in which the user's permissions are ``allowed``.

    Servers can have hundreds of channels: call it in a thread.
    """
    guild, member = interaction.guild, interaction.user
    found = {interaction.channel_id} if allowed(interaction.permissions) else set()
    if guild is not None and isinstance(member, discord.Member):
        known: tuple[_Channel, ...] = (*guild.channels, *guild.threads)
        others = (channel for channel in known if channel.id != interaction.channel_id)
        found |= {channel.id for channel in others if allowed(_permissions(channel, member))}
    return frozenset(channel_id for channel_id in found if channel_id is not None)


def _permissions(channel: _Channel, member: discord.Member) -> discord.Permissions:
    """A member's permissions in a channel; none if they cannot view it."""
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    if parent is None:
        return discord.Permissions.none()
    permissions = parent.permissions_for(member)
    hidden = isinstance(channel, discord.Thread) and channel.is_private() and not permissions.manage_threads
    return discord.Permissions.none() if hidden or not permissions.view_channel else permissions
