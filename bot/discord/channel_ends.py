"""Finds out whether a card is still at the end of its channel, or whether something was written below it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import discord
import structlog

from bot.discord.replies import DISCORD_FAILURES, persist
from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.log import failure

_LOG = structlog.get_logger(__name__)
#: The messages below a card that are looked at: the card itself, its pings, and one that is something else.
_LOOKED_AT = 8
#: Discord refuses edits of messages that are older than an hour, if there are many.
_EDITABLE = timedelta(minutes=55)


@dataclass(frozen=True, slots=True)
class Below:
    """What stands below a card: the bot's own pings to it, and whether there is ``more``."""

    more: bool
    pings: frozenset[int] = frozenset()


_SOMETHING = Below(more=True)


class ChannelEnds:
    """Discord tells the last message of each channel where the bot is a member, which usually suffices."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def below(self, delivery: MatchDelivery, card: PostedMessage, *, look: bool) -> Below:
        """What stands below a match's card; what cannot be known counts as something.

        With ``look``, Discord is asked for the messages themselves if there are later ones, since they may be pings
        that were sent and not stored.
        """
        guild_id = delivery.home.guild_id
        if guild_id is None or (self._client.is_ready() and self._client.get_guild(guild_id) is None):
            return _SOMETHING
        last = getattr(self._client.get_channel(card.channel_id), "last_message_id", None)
        if last is not None:
            if last <= max(card.message_id, delivery.ping_id or 0):
                return Below(more=False)
            if not look:
                return _SOMETHING
        return await self._look_below(card)

    async def _look_below(self, card: PostedMessage) -> Below:
        channel = self._client.get_partial_messageable(card.channel_id)
        since = discord.Object(card.message_id - 1)

        async def read() -> list[discord.Message]:
            return [message async for message in channel.history(after=since, limit=_LOOKED_AT, oldest_first=True)]

        try:
            found = await persist(read)
        except DISCORD_FAILURES as error:
            _LOG.info("channel_not_read", channel=card.channel_id, reason=failure(error))
            return _SOMETHING
        if not found or found[0].id != card.message_id:
            return _SOMETHING  # the card is gone, or the bot may not read the channel's history
        pings = frozenset(message.id for message in found[1:] if self._is_ping(message, card))
        return Below(len(pings) < len(found) - 1 or len(found) == _LOOKED_AT, pings)

    def _is_ping(self, message: discord.Message, card: PostedMessage) -> bool:
        """Whether it is a message of the bot itself that is nothing but a link to the card."""
        if self._client.user is None or message.author.id != self._client.user.id or len(message.components) != 1:
            return False
        (part,) = message.components
        return isinstance(part, discord.TextDisplay) and f"/{card.channel_id}/{card.message_id})" in part.content


def is_editable(card: PostedMessage, now: datetime) -> bool:
    """Whether Discord lets the card be edited as often as needed."""
    return now - discord.utils.snowflake_time(card.message_id) < _EDITABLE
