"""Messages to everybody and to single players, with pings to people who want them."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bot import texts
from bot.discord.transport.sender import Locks, NotShownError, Sender
from bot.discord.ui.messages import Message
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import Pings
from bot.runtime.timers import RetryLaterError
from bot.services.deliveries import Deliveries
from bot.services.people.settings import Settings

_LOG = structlog.get_logger(__name__)
#: Maximum number of nonces of shared messages to remember.
_REMEMBERED = 100


@contextmanager
def log_not_shown(event: str, *, retry: bool = False, **subject: int) -> Iterator[None]:
    """Log a failure to show a stored change; with ``retry``, let the timer retry it unless people have to act first."""
    try:
        yield
    except NotShownError as error:
        if retry and not (error.closed or error.absent):
            raise RetryLaterError from error
        _LOG.warning(event, channel=error.channel_id, reason=str(error), **subject)


@dataclass
class Messenger:
    """Sends messages with the pings that people want. ``now`` returns the time in UTC."""

    sender: Sender
    settings: Settings
    deliveries: Deliveries
    now: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._sharing: Locks[str] = Locks()
        self._nonces: deque[str] = deque(maxlen=_REMEMBERED)

    async def show_everybody(
        self, channel_id: int, post: Message, nonce: str | None = None, *, place: Place | None = None
    ) -> int:
        """Post a message, and return its id. It pings its people unless they have quiet hours or want no pings.

        Within some minutes, Discord ignores a second message with the same ``nonce``. A message for a ``place`` is only
        sent while this process works for that place.
        """
        people = [player for player in post.pings if player.reachable]
        preferences = {player.id: await self.settings.preferences(player.id) for player in people}
        pings = Pings.to(people, preferences, self.now())
        nonce = nonce or secrets.token_hex(8)
        message_id = await self.sender.send(channel_id, replace(post, pings=pings.now), nonce=nonce, place=place)
        if pings.later:
            await self.deliveries.ping_later(pings.later)
        return message_id

    async def tell_directly(self, player: Player, compose: Callable[[], Message], nonce: str) -> None:
        """Send a direct message in the player's language, silently during quiet hours, unless they want no pings.

        A failure is only logged: there is no other place for the message.
        """
        if not player.reachable:
            return
        chosen = await self.settings.preferences(player.id)
        if not chosen.pings:
            return
        with texts.in_language(chosen.language or chosen.direct_language or texts.SOURCE):
            post = replace(compose(), silent=chosen.quiet_until(self.now()) is not None)
        try:
            await self.sender.send_directly(player.id, post, nonce=nonce)
        except NotShownError as error:
            _LOG.warning("notice_not_shown", channel=error.channel_id, reason=str(error))

    def has_shared(self, nonce: str) -> bool:
        """Whether a message with this nonce has been shared already."""
        return nonce in self._nonces

    async def share(self, channel_id: int, post: Message, nonce: str) -> bool:
        """Share a message once, and return whether it is new. Discord ignores the nonces of answers."""
        async with self._sharing.of(nonce):
            is_new = nonce not in self._nonces
            if is_new:
                await self.show_everybody(channel_id, post, nonce)
                self._nonces.append(nonce)
        return is_new
