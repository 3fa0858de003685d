"""Finds out what stands below a match's card: nothing, what people have written, or what the bot forgot to note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import discord
import structlog

from bot.discord.posting.marks import mark_of
from bot.discord.transport.replies import DISCORD_FAILURES, persist
from bot.discord.transport.servers import Servers
from bot.discord.ui.links import AboutMatch
from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.log import failure

_LOG = structlog.get_logger(__name__)
#: The last messages of a channel that are looked at: the card itself, its pings, and one that is something else; or
#: all of which one request tells, where the bot may have posted a card itself.
_LOOKED_AT, _SEARCHED = 8, 100
#: Discord refuses edits of messages that are older than an hour, if there are many.
_EDITABLE = timedelta(minutes=55)


@dataclass(frozen=True, slots=True)
class Below:
    """What stands below a card: the bot's own pings to it with what they say, and whether there is ``more``.

    ``cards`` are later cards of the same match, the newest first, each with the press that marks it.
    """

    more: bool
    pings: Mapping[int, str] = field(default_factory=dict)
    cards: Mapping[int, AboutMatch] = field(default_factory=dict)


_SOMETHING = Below(more=True)


@dataclass
class ChannelEnds:
    """Discord tells the last message of each channel where the bot is a member, which usually suffices."""

    client: discord.Client
    servers: Servers

    async def below(self, delivery: MatchDelivery, channel_id: int, *, look: bool, search: bool = False) -> Below:
        """What stands in a channel below a match's card; what cannot be known counts as something, and so does a
        channel where the card is not.

        With ``look``, Discord is asked for the messages themselves if there are later ones, since they may be pings
        that were sent and not stored. With ``search``, it is asked for many, among which may be such cards.
        """
        guild_id, card = delivery.home.guild_id, delivery.message
        if delivery.home.direct:
            # Discord tells nothing of such a conversation by itself.
            return await self._look_below(channel_id, delivery, _SEARCHED if search else _LOOKED_AT)
        if guild_id is None or self.servers.lacks(guild_id):
            return _SOMETHING
        if card is None or card.channel_id != channel_id:
            return await self._look_below(channel_id, delivery, _SEARCHED) if search else _SOMETHING
        last = getattr(self.client.get_channel(channel_id), "last_message_id", None)
        if last is not None and self.servers.is_ready(guild_id):
            if last <= max(card.message_id, delivery.ping_id or 0):
                return Below(more=False)
            if not look and not search:
                return _SOMETHING
        return await self._look_below(channel_id, delivery, _SEARCHED if search else _LOOKED_AT)

    async def _look_below(self, channel_id: int, delivery: MatchDelivery, most: int) -> Below:
        channel, card = self.client.get_partial_messageable(channel_id), delivery.message

        async def read() -> list[discord.Message]:
            return [message async for message in channel.history(limit=most)]

        try:
            found = await persist(read)
        except DISCORD_FAILURES as error:
            _LOG.info("channel_not_read", channel=channel_id, reason=failure(error))
            return _SOMETHING
        later = [message for message in found if card is None or message.id > card.message_id]
        own = [message for message in later if self.client.user == message.author]
        marks = {message.id: mark_of(message.components, delivery.match_id) for message in own}
        cards = {message_id: mark for message_id, mark in marks.items() if mark is not None}
        if card is None or card.message_id not in {message.id for message in found}:
            return Below(more=True, cards=cards)  # it is gone, or further up
        pings = {message.id: said for message in own if (said := _ping(message, card)) is not None}
        return Below(len(pings) < len(later), pings, cards)


def _ping(message: discord.Message, card: PostedMessage) -> str | None:
    """What a message says if it is nothing but a link to the card."""
    if len(message.components) != 1:
        return None
    (part,) = message.components
    said = part.content if isinstance(part, discord.TextDisplay) else ""
    return said if f"/{card.channel_id}/{card.message_id})" in said else None


def is_editable(card: PostedMessage, now: datetime) -> bool:
    """Whether Discord lets the card be edited as often as needed."""
    return now - discord.utils.snowflake_time(card.message_id) < _EDITABLE
