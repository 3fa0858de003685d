"""The messages on Discord that show matches, challenges, ladders, proposals and tournaments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from bot.domain.places import Place, Viewer
from bot.domain.preferences import BoardCards


@dataclass(frozen=True, slots=True)
class PostedMessage:
    """A message, and the version and step that it shows."""

    channel_id: int
    message_id: int
    version: int
    step: int = 0

    def address(self, guild_id: int | None) -> str:
        """The address at which Discord shows the message."""
        return f"https://discord.com/channels/{guild_id or '@me'}/{self.channel_id}/{self.message_id}"


@dataclass(frozen=True, slots=True)
class ReplacedMessage:
    """A message of a match, replaced by a later one in a home; a ``surplus`` message is to be deleted."""

    key: CardKey
    message: PostedMessage
    surplus: bool


class CardKey(NamedTuple):
    """The key of a match's card: the match, and the seat of the player in whose home it is, or 0 for a common home."""

    match_id: int
    seat: int = 0

    @property
    def subject(self) -> int:
        """The subject of the card's timers."""
        return -self.match_id if self.seat else self.match_id

    @classmethod
    def of(cls, subject: int) -> CardKey:
        """The card whose timers have a subject."""
        return cls(abs(subject), int(subject < 0))


@dataclass(frozen=True, slots=True)
class CardState:
    """The state of a card: ``version`` counts the changes to show; ``message`` is None until the card is posted."""

    version: int
    message: PostedMessage | None

    @property
    def outdated(self) -> bool:
        return self.message is None or self.message.version < self.version


@dataclass(frozen=True, slots=True)
class MatchDelivery(CardState):
    """A home of a match, and the messages that show it there.

    ``home`` is the channel of the challenge, or the channel to which the match was moved. ``channel_id`` is the home or
    a thread; None while the match waits for a place. ``ping_id`` is the message below the card that pings the player,
    because an edit notifies nobody. ``board_cards`` is the players' choice; None without one. In a match of strangers,
    it is the home of one player, ``player_id``, in which it has not been seen since ``lost_at``.
    """

    match_id: int
    home: Place
    channel_id: int | None
    ping_id: int | None = None
    board_cards: BoardCards | None = None
    seat: int = 0
    player_id: int | None = None
    lost_at: datetime | None = None

    @property
    def target_id(self) -> int:
        """The channel for messages about the match, even while it waits for a place."""
        return self.home.channel_id if self.channel_id is None else self.channel_id

    def unseen_since(self, started_at: datetime) -> datetime | None:
        """Since when a match that began at that time has not been seen in this home; None if it is."""
        if self.message is not None and self.message.channel_id == self.channel_id and self.lost_at is None:
            return None
        return self.lost_at or started_at

    @property
    def key(self) -> CardKey:
        return CardKey(self.match_id, self.seat)


def home_for(deliveries: Collection[MatchDelivery], viewer: Viewer) -> MatchDelivery:
    """The home in which a viewer sees a match: a player's own, or else the home in the viewer's place."""
    own = (delivery for delivery in deliveries if delivery.player_id == viewer.player_id)
    here = (delivery for delivery in deliveries if delivery.home.shares(viewer.place))
    return next(chain(own, here, deliveries))
