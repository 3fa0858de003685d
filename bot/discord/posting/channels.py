"""The channels and threads of matches, and their latest messages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import discord
import structlog

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.board_plan import Below
from bot.discord.posting.cards.match import homeless_notice, mark_of
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.requests import DISCORD_FAILURES, persist
from bot.discord.transport.sender import NotShownError, archive
from bot.discord.transport.servers import Servers
from bot.discord.ui.actions import OpenTask
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.presses import presses_of
from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.domain.matches import Match
from bot.domain.places import NoConversationError, Place
from bot.domain.preferences import BoardCards, ServerSettings
from bot.runtime.log import failure
from bot.runtime.recent import Recent
from bot.services.deliveries import Deliveries
from bot.wording import words

_LOG = structlog.get_logger(__name__)
#: Discord's code for a message that already has a thread.
_HAS_THREAD = 160004
_LONGEST_NAME = 100
#: How many of the latest messages to read: enough for a card, its pings and another message; in a search for unrecorded
#: cards, as many as one request returns.
_LATEST, _SEARCHED = 8, 100
#: Maximum number of deleted channels to remember.
_REMEMBERED = 1000
_SOMETHING = Below(more=True)


@dataclass
class Channels:
    client: discord.Client
    servers: Servers
    languages: Languages
    deliveries: Deliveries
    messenger: Messenger
    command_mentions: CommandMentions

    def __post_init__(self) -> None:
        #: Deleted channels and threads, whose ids never come back.
        self._deleted: Recent[int, None] = Recent(_REMEMBERED)

    async def find(self, match: Match, delivery: MatchDelivery) -> bool:
        """Give a waiting match its home if that is free, or else a thread; False if it has to wait.

        Servers may prefer threads. If the home is out of reach, the match follows its tournament to another channel, or
        waits, and its players get a single notice.
        """
        if match.result is not None:
            return False
        guild_id = delivery.home.guild_id
        if delivery.player_id is not None and (
            delivery.home.channel_id == 0
            or (guild_id is not None and self.servers.lacks(guild_id))
            or await self.is_out_of_reach(delivery.home)
        ):
            return await self._move_to_conversation(delivery)
        if await self.is_out_of_reach(delivery.home):
            moved = await self.deliveries.follow_tournament(match.id)
            if moved is None or await self.is_out_of_reach(moved.home):
                await self._tell_homeless(match, moved or delivery)
                return False
            delivery = moved
        home = delivery.home.channel_id
        to_thread = await self.deliveries.wants_thread(delivery.home) and not await self._is_thread(delivery.home)
        if not to_thread and await self.deliveries.assign_channel(delivery.key, home):
            return True
        own = await self.open_place(match, delivery)
        if own is not None and await self.deliveries.assign_channel(delivery.key, own):
            return True
        if to_thread and await self.deliveries.assign_channel(delivery.key, home):
            return True
        return await self._move_to_conversation(delivery)

    async def _move_to_conversation(self, delivery: MatchDelivery) -> bool:
        """Move a stranger's home to their conversation with the bot; False if it is there, or cannot be opened."""
        if delivery.player_id is None:
            return False
        try:
            place = await self.conversation(delivery.player_id)
        except NoConversationError:
            _LOG.warning("conversation_not_opened", match=delivery.match_id)
            return False
        if place == delivery.home:
            return await self.deliveries.assign_channel(delivery.key, place.channel_id)
        return await self.deliveries.move_home(delivery.key, place)

    def around(self, delivery: MatchDelivery) -> set[int | None]:
        """The ids of a match's home, its thread, and the channels above them."""
        found = {delivery.home.channel_id, delivery.target_id}
        channels = (self.servers.channel(delivery.home.guild_id, channel_id) for channel_id in found)
        return {*found, *(channel.parent_id for channel in channels if isinstance(channel, discord.Thread))}

    def board_cards_of(self, delivery: MatchDelivery, settings: ServerSettings) -> BoardCards:
        """The kind of cards that the players have chosen, or else the channel's."""
        return delivery.board_cards or settings.board_cards_in(self.around(delivery))

    async def is_out_of_reach(self, home: Place, thread_id: int | None = None) -> bool:
        """Whether a home, or a thread in it, is deleted or hidden from the bot. Asks Discord if necessary."""
        if not self.knows(home):
            return False
        channel_id = thread_id or home.channel_id
        if channel_id in self._deleted:
            return True
        try:
            channel = self.servers.channel(home.guild_id, channel_id)
            if channel is not None:
                return not channel.permissions_for(channel.guild.me).view_channel
            await persist(lambda: self.client.fetch_channel(channel_id))
        except DISCORD_FAILURES as error:
            refused = NotShownError(channel_id, error)
            if refused.gone:
                self.note_deletion(channel_id)
            return refused.lost
        except discord.DiscordException:  # a channel of an unknown kind, or a thread in such a channel
            return False
        return False

    def knows(self, home: Place) -> bool:
        """Whether Discord's answers show if a home is out of reach.

        Where the bot is not a member, it only answers interactions, and learns nothing of channels. In an outage,
        Discord refuses channels that exist.
        """
        if home.guild_id is None or self.servers.lacks(home.guild_id):
            return False
        guild = self.servers.get(home.guild_id)
        return guild is None or not guild.unavailable

    def note_deletion(self, channel_id: int) -> None:
        """Remember that a channel or thread is deleted."""
        self._deleted[channel_id] = None

    async def leave(self, match: Match, delivery: MatchDelivery, *, unnoticed: bool = False) -> bool:
        """Take a match out of a channel that cannot show it, and find another place; False if it has to wait.

        The channel may have been out of reach for a while, ``unnoticed``.
        """
        assert delivery.channel_id is not None
        await self.deliveries.release_channel(delivery.key, delivery.channel_id, unnoticed=unnoticed)
        return await self.find(match, delivery)

    async def lose_home(self, delivery: MatchDelivery) -> None:
        """Take a running match out of a home that may be out of reach. If it is, tell the players once."""
        if not self.knows(delivery.home) and delivery.player_id is None:
            return
        if delivery.channel_id is not None:
            await self.deliveries.release_channel(delivery.key, delivery.channel_id)
        match, delivery = await self.deliveries.of_card(delivery.key)
        if match.result is not None:
            return
        if delivery.player_id is None:
            if await self.is_out_of_reach(delivery.home):
                await self._tell_homeless(match, delivery)
        elif not delivery.home.direct:
            await self._move_to_conversation(delivery)

    async def _tell_homeless(self, match: Match, delivery: MatchDelivery) -> None:
        """Tell a match's players once that its home is out of reach, and how to go on."""
        home_id = delivery.home.channel_id
        if not await self.deliveries.note_told(f"m{match.id}", home_id):
            return
        for player in match.players:
            notice, nonce = (
                partial(homeless_notice, match, player, self.command_mentions),
                f"g{match.id}.{home_id % 10**9}",
            )
            await self.messenger.tell_directly(player, notice, nonce)

    async def close_thread(self, match: Match, delivery: MatchDelivery) -> None:
        """Archive the thread of a finished match, unless another match is now played there."""
        guild_id, channel_id, me = delivery.home.guild_id, delivery.channel_id, self.client.user
        if match.result is None or guild_id is None or channel_id is None or channel_id == delivery.home.channel_id:
            return
        thread: object = self.servers.channel(guild_id, channel_id)
        if thread is None and not self.servers.is_ready(guild_id):  # right after a start
            try:
                thread = await self.client.fetch_channel(channel_id)
            except (discord.DiscordException, *DISCORD_FAILURES) as error:
                _LOG.info("thread_not_closed", thread=channel_id, reason=failure(error))
        if not isinstance(thread, discord.Thread) or thread.archived or me is None or thread.owner_id != me.id:
            return
        if await self.deliveries.is_free(channel_id):
            await archive(thread)

    async def _is_thread(self, place: Place) -> bool:
        if place.guild_id is not None:
            await self.servers.wait(place.guild_id)
        return isinstance(self.servers.channel(place.guild_id, place.channel_id), discord.Thread)

    async def conversation(self, player_id: int) -> Place:
        """The player's conversation with the bot. Raises :class:`NoConversationError`."""
        try:
            channel = await persist(lambda: self.client.create_dm(discord.Object(player_id)))
        except DISCORD_FAILURES as error:
            raise NoConversationError from error
        return Place(None, channel.id, direct=True)

    def is_public(self, delivery: MatchDelivery) -> bool:
        """Whether everybody on the server is known to be able to view a match's channel."""
        channel = self.servers.channel(delivery.home.guild_id, delivery.channel_id)
        above = channel.parent if isinstance(channel, discord.Thread) else channel
        if not isinstance(above, discord.abc.GuildChannel):
            return False
        hidden = isinstance(channel, discord.Thread) and channel.is_private()
        return not hidden and above.permissions_for(above.guild.default_role).view_channel

    async def open_place(self, match: Match, delivery: MatchDelivery) -> int | None:
        """Open a thread for a match, preferably on its challenge's card, and return its id; None without a thread."""
        if delivery.home.guild_id is None:
            return None
        await self.servers.wait(delivery.home.guild_id)
        channel = self.servers.channel(delivery.home.guild_id, delivery.home.channel_id)
        parent = channel.parent if isinstance(channel, discord.Thread) else channel
        if isinstance(channel, discord.Thread) and channel.is_private():
            return None  # a thread beside it would be public
        if not isinstance(parent, discord.TextChannel | discord.ForumChannel) or not _may_use_threads(parent):
            return None
        with texts.in_language(await self.languages.of_match(match, delivery)):
            players = " 🆚 ".join(map(words.plain_name, match.players))
        name = f"{match.ruleset.game.title} · {players}"[:_LONGEST_NAME]
        origin = match.challenge_id
        card = None if origin is None else (await self.deliveries.challenge_view(origin)).state.message
        try:
            if isinstance(parent, discord.ForumChannel):
                return (await parent.create_thread(name=name, content=f"#{match.id}")).thread.id
            # A message can have only one thread. A match that was shown before has used it.
            if card is not None and card.channel_id == parent.id and delivery.message is None:
                return (await parent.get_partial_message(card.message_id).create_thread(name=name)).id
            kind = discord.ChannelType.news_thread if parent.is_news() else discord.ChannelType.public_thread
            return (await parent.create_thread(name=name, type=kind)).id
        except DISCORD_FAILURES as error:
            if isinstance(error, discord.HTTPException) and error.code == _HAS_THREAD and card is not None:
                return card.message_id  # a thread on a message has the message's id
            _LOG.info("thread_refused", match=match.id, reason=failure(error))
        return None

    # The latest messages of channels

    async def below(self, delivery: MatchDelivery, channel_id: int, *, search: bool) -> Below:
        """Find what is below a match's card; a ``search`` finds unrecorded cards and pings, too.

        If not all of it is known, there is ``more``.
        """
        guild_id, card = delivery.home.guild_id, delivery.message
        if delivery.home.direct:
            # Discord reports no messages in direct conversations.
            return await self._read_below(channel_id, delivery, _SEARCHED if search else _LATEST)
        if guild_id is None or self.servers.lacks(guild_id):
            return _SOMETHING
        if card is None or card.channel_id != channel_id:
            return await self._read_below(channel_id, delivery, _SEARCHED) if search else _SOMETHING
        last = getattr(self.servers.channel(guild_id, channel_id), "last_message_id", None)
        # In a search, the event of a recent message may not have arrived yet.
        if last is not None and self.servers.is_ready(guild_id) and not search:
            return Below(more=False) if last <= max(card.message_id, delivery.ping_id or 0) else _SOMETHING
        return await self._read_below(channel_id, delivery, _SEARCHED if search else _LATEST)

    async def explains(self, card: PostedMessage) -> bool:
        """Whether a card explains its game to a newcomer."""
        channel = self.client.get_partial_messageable(card.channel_id)
        try:
            message = await persist(lambda: channel.fetch_message(card.message_id))
        except DISCORD_FAILURES as error:
            _LOG.info("channel_not_read", channel=card.channel_id, reason=failure(error))
            return False
        return any(presses_of(message.components, OpenTask))

    async def _read_below(self, channel_id: int, delivery: MatchDelivery, most: int) -> Below:
        channel, card = self.client.get_partial_messageable(channel_id), delivery.message

        async def history() -> list[discord.Message]:
            return [message async for message in channel.history(limit=most)]

        try:
            found = await persist(history)
        except DISCORD_FAILURES as error:
            _LOG.info("channel_not_read", channel=channel_id, reason=failure(error))
            return _SOMETHING
        later = [message for message in found if card is None or message.id > card.message_id]
        own = [message for message in later if self.client.user == message.author]
        marks = {message.id: mark_of(message.components, delivery.match_id) for message in own}
        cards = {message_id: mark for message_id, mark in marks.items() if mark is not None}
        if card is None or card.message_id not in {message.id for message in found}:
            return Below(more=True, cards=cards)  # the card is gone or further up
        pings = {message.id: text for message in own if (text := _ping(message, card)) is not None}
        return Below(len(pings) < len(later), pings, cards)


def _may_use_threads(channel: discord.TextChannel | discord.ForumChannel) -> bool:
    """Whether the bot may open a thread in a channel and play there."""
    permissions = channel.permissions_for(channel.guild.me)
    if isinstance(channel, discord.ForumChannel):
        return permissions.send_messages and permissions.send_messages_in_threads
    return permissions.create_public_threads and permissions.send_messages_in_threads


def _ping(message: discord.Message, card: PostedMessage) -> str | None:
    """The text of a message that only links to the card; None for any other message."""
    if len(message.components) != 1:
        return None
    (component,) = message.components
    text = component.content if isinstance(component, discord.TextDisplay) else ""
    return text if f"/{card.channel_id}/{card.message_id})" in text else None
