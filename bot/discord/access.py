"""What the person behind an interaction may see and decide in the channels of the server.

Discord says with an interaction what they may do where they ask. For any other channel it follows from their roles and
the channel's overwrites. Of a private thread nobody says at once who is in it: only those who manage threads are known
to see it, and whoever asks in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import discord

from bot.discord.interactions import Interaction, place_of
from bot.discord.replies import DISCORD_FAILURES
from bot.domain.errors import MatchError, NotAPlayerError, OwnTournamentError
from bot.domain.matches import Match
from bot.domain.places import Place, Viewer

_Channel = discord.abc.GuildChannel | discord.Thread


def viewer_of(interaction: Interaction) -> Viewer:
    """The user, who looks for one match; for lists, see :func:`viewer_of_lists`."""
    return Viewer(interaction.user.id, place_of(interaction), partial(_views, interaction))


async def viewer_of_lists(interaction: Interaction) -> Viewer:
    """The user, with the channels that they can view."""
    return replace(viewer_of(interaction), channels=await asyncio.to_thread(_channels, interaction, _may_view))


async def moderator_of_lists(interaction: Interaction) -> Viewer:
    """The user, with the channels in which they keep order, and as if they could view no others."""
    return replace(viewer_of(interaction), channels=await asyncio.to_thread(_channels, interaction, _keeps_order))


async def may_moderate(interaction: Interaction, place: Place) -> bool:
    """Whether the user keeps order at that place. Outside servers nobody does."""
    if place.guild_id is None or place.guild_id != interaction.guild_id:
        return False
    return await _moderates(interaction, place.channel_id)


async def may_overrule(interaction: Interaction, match: Match) -> bool:
    """Whether the user may decide about the match: a moderator of where it is, who plays neither in it nor in its
    tournament."""
    try:
        await check_overrule(interaction, match, NotAPlayerError(match))
    except MatchError:
        return False
    return True


async def check_overrule(interaction: Interaction, match: Match, refusal: Exception) -> None:
    """Raises the ``refusal`` for those who may not decide about the match, unless it is that they play in its
    tournament."""
    user_id, cup = interaction.user.id, match.tournament
    if match.has_player(user_id) or not await may_moderate(interaction, match.home):
        raise refusal
    if cup is not None and (await interaction.client.tournaments.get(cup.id)).has_player(user_id):
        raise OwnTournamentError


async def thread_parent(interaction: Interaction) -> int | None:
    """The channel of the thread in which somebody begins something; None elsewhere. That of a public thread is noted,
    for Discord tells nothing more of the thread once it is archived."""
    channel = interaction.channel
    if not isinstance(channel, discord.Thread):
        return None
    if not channel.is_private():
        await interaction.client.storage.remember_thread(channel.id, channel.parent_id)
    return channel.parent_id


async def _views(interaction: Interaction, channel_id: int) -> bool:
    return _may_view(await _permissions_in(interaction, channel_id))


async def _moderates(interaction: Interaction, channel_id: int) -> bool:
    return _keeps_order(await _permissions_in(interaction, channel_id))


def _may_view(permissions: discord.Permissions) -> bool:
    return permissions.view_channel


def _keeps_order(permissions: discord.Permissions) -> bool:
    return permissions.manage_messages or permissions.manage_guild


def _channels(interaction: Interaction, allowed: Callable[[discord.Permissions], bool]) -> frozenset[int]:
    """The known channels and threads of the server in which the user is ``allowed`` something. In a server of hundreds
    of channels this takes a while, so call it outside the event loop's thread."""
    guild, member = interaction.guild, interaction.user
    found = {interaction.channel_id} if allowed(interaction.permissions) else set()
    if guild is not None and isinstance(member, discord.Member):
        known: tuple[_Channel, ...] = (*guild.channels, *guild.threads)
        found |= {
            each.id for each in known if each.id != interaction.channel_id and allowed(_permissions(each, member))
        }
    return frozenset(each for each in found if each is not None)


async def _permissions_in(interaction: Interaction, channel_id: int) -> discord.Permissions:
    """What the user may do in a channel or thread of the server; nothing in one that is gone."""
    if channel_id == interaction.channel_id:
        return interaction.permissions
    channel = await _channel(interaction, channel_id)
    if channel is None or not isinstance(interaction.user, discord.Member):
        return discord.Permissions.none()
    return _permissions(channel, interaction.user)


def _permissions(channel: _Channel, member: discord.Member) -> discord.Permissions:
    """What a member may do in a channel, which is nothing where they cannot view it."""
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    if parent is None:
        return discord.Permissions.none()
    permissions = parent.permissions_for(member)
    hidden = isinstance(channel, discord.Thread) and channel.is_private() and not permissions.manage_threads
    return discord.Permissions.none() if hidden or not permissions.view_channel else permissions


async def _channel(interaction: Interaction, channel_id: int) -> _Channel | None:
    """A channel of the server, or a thread; the channel above it will do for a public one that is archived."""
    client = interaction.client
    guild = None if interaction.guild_id is None else client.get_guild(interaction.guild_id)
    if guild is None:
        return None
    known = guild.get_channel_or_thread(channel_id)
    if known is not None:
        return known
    parent_id = await client.storage.thread_parent(channel_id)
    if parent_id is not None:
        return guild.get_channel(parent_id)
    if interaction.type is discord.InteractionType.autocomplete:
        return None  # there is no time to ask, at every key
    try:
        found = await guild.fetch_channel(channel_id)
    except (discord.InvalidData, *DISCORD_FAILURES):
        return None
    if isinstance(found, discord.Thread) and not found.is_private():
        await client.storage.remember_thread(found.id, found.parent_id)
    return found
