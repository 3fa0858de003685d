"""Sends and edits the messages that everybody sees.

Where the bot is a member, it sends messages itself, or as follow-ups of the interaction that has changed the match:
follow-ups do not count against Discord's limit of requests. In a conversation without the bot, on a server where only
users have installed it, and with a user who takes no direct messages, it can only answer interactions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import discord
import structlog

from bot.discord.transport.answers import Answer, edit_arguments
from bot.discord.transport.requests import DISCORD_FAILURES, persist
from bot.discord.transport.servers import Servers
from bot.discord.ui.messages import Message
from bot.domain.deliveries import PostedMessage
from bot.domain.places import Place
from bot.domain.refusals import Channel, Remedy
from bot.domain.timers import TimerKind
from bot.runtime.log import failure
from bot.runtime.recent import Recent
from bot.runtime.token_bucket import TokenBucket
from bot.services.deliveries import Deliveries
from rules.text import Text, gettext_noop

_LOG = structlog.get_logger(__name__)
_Key = TypeVar("_Key", bound=Hashable)
#: Maximum number of interactions to remember for sending and editing messages through them.
_REMEMBERED = 500
#: Maximum number of these from one person, who must not displace everybody else's.
_OF_ONE_PERSON = 50
#: Discord's codes for a thread that is locked, and for an archived thread. A message opens the latter unless it is
#: locked, too.
_THREAD_LOCKED, _THREAD_ARCHIVED = 160005, 50083
#: Discord's codes for a channel that the bot may not view, and for another missing permission.
_HIDDEN, _NOT_PERMITTED = 50001, 50013
#: Discord's codes for a direct message to a user who takes none, or who shares no server with the bot.
_UNWANTED = {50007, 50278}


class NotShownError(Exception):
    """A message could not be shown: Discord refused it, or the bot is not a member where it belongs."""

    def __init__(self, channel_id: int, cause: Exception | None = None) -> None:
        super().__init__("the bot is not there" if cause is None else failure(cause))
        self.channel_id = channel_id
        self.absent = cause is None
        self.forbidden = isinstance(cause, discord.Forbidden)
        self.gone = isinstance(cause, discord.NotFound)
        code = cause.code if isinstance(cause, discord.HTTPException) else 0
        #: Whether the connection broke before Discord's answer, so the message may have arrived.
        self.unanswered = cause is not None and not isinstance(cause, discord.DiscordException)
        self.locked = code in (_THREAD_LOCKED, _THREAD_ARCHIVED)
        #: Whether the bot cannot even view the channel, because it is gone or hidden.
        self.lost = self.gone or code == _HIDDEN
        #: Whether the user takes no direct messages from the bot.
        self.unwanted = code in _UNWANTED

    @property
    def reason(self) -> Text:
        """The reason and the remedy, to end a sentence with."""
        if self.absent:
            text = gettext_noop("I am in {channel} only while someone there uses me; {board} shows it")
        elif self.gone:
            text = gettext_noop("{channel} is gone; use {board} in the channel where you want to go on")
        elif self.locked:
            text = gettext_noop("the thread {channel} is locked; {board} shows it once a moderator has unlocked it")
        elif self.unwanted:
            text = gettext_noop(
                "you take no direct messages from me; allow them, or use {board} in the channel where you want to go on"
            )
        elif self.forbidden:
            text = gettext_noop(
                "I may not post in {channel}. I need *View Channel*, *Send Messages* (in threads too) and *Attach "
                "Files* there; then {board} shows it"
            )
        else:
            text = gettext_noop("Discord did not accept the message. I will try again in a minute")
        return Text(text, channel=Channel(self.channel_id), board=Remedy.BOARD)

    @property
    def closed(self) -> bool:
        """Whether a later attempt would fail as well, until people change something."""
        return self.forbidden or self.gone or self.locked or self.unwanted


class LeaseLostError(NotShownError):
    """Another process now holds the shard of the place, and shows everything there."""

    def __init__(self, channel_id: int) -> None:
        super().__init__(channel_id, TimeoutError())
        self.unanswered = False  # nothing was sent


class Locks(Generic[_Key]):
    """A lock for each key, which exists while a task holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[_Key, asyncio.Lock] = WeakValueDictionary()

    def of(self, key: _Key) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())


def is_absent(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot is not a member where the user is, so it can only answer the interaction."""
    if interaction.guild_id is None:
        return not interaction.context.dm_channel
    return interaction.client.get_guild(interaction.guild_id) is None


@dataclass
class Sender:
    """Sends messages. ``budget`` limits requests; ``on_failure`` is called after a temporary failure."""

    client: discord.Client
    servers: Servers
    deliveries: Deliveries
    budget: TokenBucket | None
    on_failure: Callable[[], None]

    def __post_init__(self) -> None:
        #: By message id, the interaction through which the message was sent, and the last press on it.
        self._sent_through = _recent_interactions()
        self._presses = _recent_interactions()
        #: By id, the interactions outside the bot's servers.
        self._outside = _recent_interactions()
        self._opening: Locks[int] = Locks()

    def remember(self, interaction: discord.Interaction[Any]) -> None:
        """Remember an interaction, to edit its message through it or, where there is no other way, to send messages."""
        if interaction.message is not None:
            self._presses[interaction.message.id] = interaction
        if interaction.guild_id is None or is_absent(interaction):
            own = [key for key, other in self._outside.items() if other.user.id == interaction.user.id]
            if len(own) >= _OF_ONE_PERSON:
                del self._outside[own[0]]
            self._outside[interaction.id] = interaction

    async def hand_over(self, kind: TimerKind, subject_id: int, place: Place) -> bool:
        """Leave a card to the process that holds its place's shard; False if this process can show it."""
        if self._works_for(place):
            return False
        return await self.deliveries.hand_over(kind, subject_id, place)

    def _works_for(self, place: Place) -> bool:
        return self.servers.shards.holds(place.guild_id) or self.answers_in(place.channel_id)

    def _check_lease(self, place: Place | None) -> None:
        """Raise if this process has lost the place's shard since :meth:`hand_over`, as after it froze."""
        if place is not None and place.guild_id is not None and not self._works_for(place):
            raise LeaseLostError(place.channel_id)

    def answers_in(self, channel_id: int) -> bool:
        """Whether the bot can send messages to the channel as answers to an interaction, and in no other way."""
        return self._last_outside(channel_id, absent=True) is not None

    def reaches(self, place: Place) -> bool:
        """Whether the bot can send a message there now."""
        if place.direct or self.answers_in(place.channel_id):
            return True
        return place.guild_id is not None and not self.servers.lacks(place.guild_id)

    async def send(
        self,
        channel_id: int,
        post: Message,
        *,
        nonce: str,
        place: Place | None = None,
        interaction: discord.Interaction[Any] | None = None,
    ) -> int:
        """Send a message, and return its id. If the nonce is not new, Discord returns the earlier message.

        Raises :class:`LeaseLostError` if this process no longer works for the ``place``; so does :meth:`edit`.

        The message may be a follow-up of the ``interaction``. Follow-ups have no nonce, so after a failure or a crash
        the caller must search for the message before it repeats this.
        """
        through = self._last_outside(channel_id, absent=True)
        if through is not None:
            return await self._answer(through, channel_id, post)
        if interaction is not None and _may_follow(interaction, channel_id):
            try:
                return await self._respond(interaction, post, place)
            except DISCORD_FAILURES as error:
                _LOG.info("follow_up_failed", channel=channel_id, reason=failure(error))
                if not isinstance(error, discord.HTTPException):  # the message may have arrived
                    raise self._not_shown(channel_id, error) from error
        channel = self.client.get_partial_messageable(channel_id)

        async def send() -> discord.Message:
            self._check_lease(place)
            return await channel.send(
                view=post.view,
                files=post.files,
                allowed_mentions=post.allowed_mentions,
                silent=post.silent,
                nonce=nonce,
            )

        try:
            return (await persist(send)).id
        except DISCORD_FAILURES as error:
            refused = self._not_shown(channel_id, error)
            direct = self._last_outside(channel_id, absent=False)
            if refused.unwanted and direct is not None:
                return await self._answer(direct, channel_id, post)
            raise refused from error

    async def send_directly(self, user_id: int, post: Message, *, nonce: str) -> None:
        """Send a user a direct message."""
        try:
            channel = await persist(lambda: self.client.create_dm(discord.Object(user_id)))
        except DISCORD_FAILURES as error:
            raise self._not_shown(user_id, error) from error
        await self.send(channel.id, post, nonce=nonce)

    async def edit(
        self, card: PostedMessage, post: Message, *, place: Place | None = None, patient: bool = False
    ) -> bool:
        """Edit a card; False if it or its channel is gone, or if it can never be edited again.

        A ``patient`` request, for which nobody waits, yields to all others. While a permission is missing, this raises
        :class:`NotShownError`, because the edit can succeed later.
        """
        return await self._change(card, lambda: self._edit(card, post, place, patient))

    async def delete(self, card: PostedMessage, *, patient: bool = False) -> None:
        """Delete a card, if it is still there and can be deleted."""
        message = self.client.get_partial_messageable(card.channel_id).get_partial_message(card.message_id)
        sender = _open(self._sent_through, card.message_id)

        async def delete() -> None:
            if sender is None or not await _succeeds(sender.followup.delete_message(card.message_id)):
                await self._yield(patient)
                await message.delete()

        await self._change(card, delete)

    async def _change(self, card: PostedMessage, request: Callable[[], Awaitable[None]]) -> bool:
        try:
            try:
                await persist(request)
            except discord.HTTPException as error:
                if error.code != _THREAD_ARCHIVED:
                    raise
                async with self._open_thread(card.channel_id):
                    await persist(request)
        except DISCORD_FAILURES as error:
            permitted_later = getattr(error, "code", 0) in (_HIDDEN, _NOT_PERMITTED)
            if NotShownError(card.channel_id, error).closed and not permitted_later:
                _LOG.info("card_left_as_it_is", channel=card.channel_id, reason=failure(error))
                return False
            raise self._not_shown(card.channel_id, error) from error
        return True

    @asynccontextmanager
    async def _open_thread(self, channel_id: int) -> AsyncIterator[None]:
        """Open an archived thread, in which Discord changes no messages, for the block. Fails if it is locked."""
        async with self._opening.of(channel_id):
            thread = await persist(lambda: self.client.fetch_channel(channel_id))
            if not isinstance(thread, discord.Thread) or not thread.archived:
                yield
                return
            await persist(lambda: thread.edit(archived=False))
            try:
                yield
            finally:
                await archive(thread)

    async def _yield(self, patient: bool) -> None:
        if patient and self.budget is not None:
            await self.budget.reserve()

    async def _edit(self, card: PostedMessage, post: Message, place: Place | None, patient: bool) -> None:
        self._check_lease(place)
        pressed, sender = (_open(known, card.message_id) for known in (self._presses, self._sent_through))
        permissions = self._permissions(pressed or sender)
        if permissions is not None and not permissions.view_channel:  # the ping below the card would fail
            pressed = sender = None
        if pressed is not None and is_absent(pressed):
            await pressed.edit_original_response(**edit_arguments(post))
            return
        edited = pressed is not None and await _succeeds(pressed.edit_original_response(**edit_arguments(post)))
        if not edited and sender is not None:
            edited = await _succeeds(sender.followup.edit_message(card.message_id, **edit_arguments(post)))
        if not edited:
            message = self.client.get_partial_messageable(card.channel_id).get_partial_message(card.message_id)
            await self._yield(patient)
            self._check_lease(place)
            await message.edit(**edit_arguments(post))

    async def _answer(self, interaction: discord.Interaction[Any], channel_id: int, post: Message) -> int:
        try:
            # A repetition may post a second card, which is better than none.
            return await persist(lambda: self._respond(interaction, post))
        except DISCORD_FAILURES as error:
            raise self._not_shown(channel_id, error) from error

    async def _respond(self, interaction: discord.Interaction[Any], post: Message, place: Place | None = None) -> int:
        """Send a public message through an interaction."""
        await Answer.of(interaction).open()
        self._check_lease(place)
        message = await interaction.followup.send(
            view=post.view, files=post.files, allowed_mentions=post.allowed_mentions, silent=post.silent, wait=True
        )
        self._sent_through[message.id] = interaction
        return message.id

    def _permissions(self, interaction: discord.Interaction[Any] | None) -> discord.Permissions | None:
        """The bot's permissions in an interaction's channel, if known. Discord does not check them for answers."""
        if interaction is None:
            return None
        channel = self.servers.channel(interaction.guild_id, interaction.channel_id)
        return None if channel is None else channel.permissions_for(channel.guild.me)

    def _last_outside(self, channel_id: int, *, absent: bool) -> discord.Interaction[Any] | None:
        """The latest open interaction in a channel outside the bot's servers; ``absent`` if the bot is not a member."""
        here = (interaction for interaction in reversed(self._outside.values()) if interaction.channel_id == channel_id)
        return next((found for found in here if is_absent(found) is absent and _is_open(found)), None)

    def _not_shown(self, channel_id: int, cause: Exception) -> NotShownError:
        error = NotShownError(channel_id, cause)
        if not error.closed:
            self.on_failure()
        return error


async def archive(thread: discord.Thread) -> None:
    """Archive a thread, or log why Discord does not allow it."""
    try:
        await persist(lambda: thread.edit(archived=True))
    except DISCORD_FAILURES as error:
        _LOG.info("thread_not_closed", thread=thread.id, reason=failure(error))


def _may_follow(interaction: discord.Interaction[Any], channel_id: int) -> bool:
    """Whether a board in the channel can be a follow-up of an interaction.

    The bot must be allowed to post there, which Discord does not check, and to find the message again.
    """
    if interaction.channel_id != channel_id or is_absent(interaction) or not _is_open(interaction):
        return False
    may = interaction.app_permissions
    sends = may.send_messages_in_threads if isinstance(interaction.channel, discord.Thread) else may.send_messages
    granted = may.view_channel and sends and may.attach_files and may.read_message_history
    return interaction.guild_id is None or granted


def _is_open(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot can send and change messages through an interaction."""
    return interaction.response.is_done() and not interaction.is_expired()


def _open(known: Recent[int, discord.Interaction[Any]], key: int) -> discord.Interaction[Any] | None:
    """The interaction with a key, if it is remembered and still open."""
    interaction = known.get(key)
    return interaction if interaction is not None and _is_open(interaction) else None


async def _succeeds(request: Awaitable[object]) -> bool:
    """Whether Discord accepts a request through an interaction."""
    try:
        await request
    except discord.HTTPException as error:
        _LOG.info("follow_up_failed", reason=failure(error))
        return False
    return True


def _recent_interactions() -> Recent[int, discord.Interaction[Any]]:
    return Recent(_REMEMBERED, discord.Interaction.is_expired)  # each holds some 20 kB
