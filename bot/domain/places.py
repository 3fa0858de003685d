"""The places where people play, and who may see the matches there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field

from bot.domain.refusals import DomainError
from rules.text import gettext_noop


@dataclass(frozen=True, slots=True)
class Place:
    """A channel or thread of a server, or a conversation, by Discord ids.

    ``guild_id`` is None for a conversation; a ``direct`` conversation is with the bot alone. ``parent_id`` is the
    channel of a thread, set only where it matters.
    """

    guild_id: int | None
    channel_id: int
    direct: bool = field(default=False, compare=False)
    parent_id: int | None = field(default=None, compare=False)

    def shares(self, other: Place) -> bool:
        """Whether people in one place may know of matches in the other: same server or same conversation."""
        return self.guild_id == other.guild_id and (self.guild_id is not None or self.channel_id == other.channel_id)


async def _views_nothing(_channel_id: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person who looks for matches and tournaments, and their place.

    ``views`` returns whether they can view a channel of the server. ``channels`` are all channels that they can view,
    which lists need.
    """

    player_id: int
    place: Place
    views: Callable[[int], Awaitable[bool]] = _views_nothing
    channels: Collection[int] = ()

    async def sees(self, place: Place) -> bool:
        """Whether they may see matches in a place: they are there, or can view the channel."""
        if not place.shares(self.place):
            return False
        return place.channel_id == self.place.channel_id or await self.views(place.channel_id)


class NoConversationError(DomainError):
    """Discord does not let the bot begin a conversation with the player."""

    template = gettext_noop("Discord does not let me write to you. Start the match there with {play}.")
