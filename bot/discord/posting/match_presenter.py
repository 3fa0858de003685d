"""Posts and edits the boards of matches: a living card, or a new card every turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bot import metrics, texts
from bot.discord.posting.cards.board_cards import turn_ping
from bot.discord.posting.cards.match import board_picture, match_card
from bot.discord.posting.channel_ends import Below, ChannelEnds, is_editable
from bot.discord.posting.channels import Channels
from bot.discord.posting.handover import Handover
from bot.discord.posting.marks import is_latest, is_older
from bot.discord.posting.match_loader import LoadedMatch, MatchLoader
from bot.discord.posting.replaced_cards import ReplacedCards
from bot.discord.transport.delivery import Delivery, NotShownError
from bot.discord.transport.locks import Locks
from bot.discord.ui import words
from bot.discord.ui.messages import Message
from bot.domain.deliveries import MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Game, Match
from bot.domain.pings import Pings
from bot.domain.players import Player
from bot.domain.preferences import BoardCards
from bot.domain.timers import TimerKind
from bot.services.fair_threads import work_for_all
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Shown:
    """A match of which there was something to show: its delivery ``before`` and ``now``, which is None if nothing was
    posted, because the match waits for a place or ended while it did; and proposals whose cards show too little."""

    match: Match
    before: MatchDelivery
    now: MatchDelivery | None
    proposals: list[int]


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was sent to show a match, and which messages before it are to be deleted; whether a ping is ``missing``."""

    card: PostedMessage
    ping_id: int | None
    surplus: frozenset[int]
    edited: bool = True
    missing: bool = False


@dataclass(frozen=True, slots=True)
class _Posted:
    """A match as its board was shown, where it is since then, and the messages that were there before."""

    match: Match
    delivery: MatchDelivery
    replaced: list[ReplacedMessage]


@dataclass
class MatchPresenter:
    """Each match is shown by one task at a time. ``clock`` returns the time in UTC."""

    loader: MatchLoader
    channels: Channels
    ends: ChannelEnds
    delivery: Delivery
    replaced_cards: ReplacedCards
    handover: Handover
    storage: Storage
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._showing: Locks[int] = Locks()
        #: Running matches of which this process has stored all messages that it has sent.
        self._noted: set[int] = set()
        #: Matches of which there may be a card that was posted and not stored.
        self._doubtful: set[int] = set()

    async def show(self, match_id: int, game: Game | None = None, *, quiet: bool = False) -> Shown | None:
        """Show the board; None if there is nothing to show, or another process does so. ``game`` is the match's, if it
        was just loaded.
        """
        async with self._showing.of(match_id):
            kind = TimerKind.SHOW_AGAIN if quiet else TimerKind.SHOW_MATCH
            if await self.handover.leave_match(kind, match_id, game=game):
                return None
            loaded = await self.loader.load(match_id, game, but=self.replaced_cards.lapsed)
            delivery = loaded.delivery
            if delivery is None or not delivery.outdated:
                return None
            if not self.delivery.reaches(delivery.home):
                raise NotShownError(delivery.target_id)
            try:
                posted = await self._post_board(loaded, quiet=quiet)
            except NotShownError as error:
                posted = await self._post_elsewhere(match_id, error, quiet=quiet)
            if posted is None:
                lapsed = [each.proposal.id for each in loaded.game.lapsed]
                return Shown(loaded.game.match, delivery, None, [*loaded.proposals, *lapsed])
            metrics.board_shown()
            await self.replaced_cards.retire_all(
                posted.match, posted.delivery, posted.replaced, loaded.board_cards, loaded.language
            )
            await self.replaced_cards.retire_lapsed(loaded.game.lapsed, posted.match, loaded.language)
            return Shown(posted.match, delivery, posted.delivery, loaded.proposals)

    def doubt(self, match_ids: Iterable[int]) -> None:
        """Look for the cards of matches in their channels before they are posted, perhaps once more."""
        self._doubtful.update(match_ids)

    def forget(self) -> None:
        """Do not rely on having sent all messages of a match: other processes may do so from now on."""
        self._noted.clear()

    async def retire(self, replaced: Iterable[ReplacedMessage]) -> None:
        """Retire replaced cards, as far as that was left undone."""
        for each in replaced:
            async with self._showing.of(each.match_id):
                if not self.replaced_cards.is_retired(each):
                    await self.replaced_cards.retire(each)
        await self.replaced_cards.note_retired()

    async def refresh(self, match_id: int) -> None:
        """Edit the match's card after its clock has changed, or its result was voided. A card that is not the latest
        any more stays as it is.
        """
        async with self._showing.of(match_id):
            if await self.handover.leave_match(TimerKind.CARD, match_id):
                return
            loaded = await self.loader.load(match_id)
            delivery, game = loaded.delivery, loaded.game
            if delivery is None or delivery.message is None or delivery.outdated:
                return
            match = game.match
            with texts.in_language(loaded.language):
                if match.result is None:
                    post = match_card(game, board_picture(game, loaded.look, draw=False), quiet=True)
                else:
                    post = await _drawn(loaded.draw_final_card)
            async with self.channels.reopened(match, delivery):
                await self.delivery.edit(delivery.message, post)

    async def edit_final_card(self, match_id: int) -> None:
        """Bring the last card of a finished match up to date."""
        loaded = await self.loader.load(match_id)
        delivery = loaded.delivery
        if delivery is None or delivery.message is None:
            return
        with texts.in_language(loaded.language):
            post = await _drawn(loaded.draw_final_card)
        try:
            await self.delivery.edit(delivery.message, post)
        except NotShownError as error:
            _LOG.info("final_card_not_edited", match=match_id, reason=str(error))

    async def _post_board(self, loaded: LoadedMatch, *, quiet: bool, channel_id: int | None = None) -> _Posted | None:
        """Post the match's board as it is now, in the channel where it is played unless another one is named.

        It finds a place for the match first; None when it has to wait for one.
        """
        if loaded.delivery is not None and loaded.delivery.channel_id is None:
            if not await self.channels.find(loaded.game.match, loaded.delivery):
                return None
            loaded = await self.loader.load(loaded.game.match.id)
        match, delivery = loaded.game.match, loaded.delivery
        channel_id = channel_id or (None if delivery is None else delivery.channel_id)
        if delivery is None or channel_id is None:
            return None

        with texts.in_language(loaded.language):
            message = await _drawn(loaded.draw_card, quiet=quiet)
        pings = Pings.to(message.pings, loaded.preferences, self.clock())
        sent = await self._send_board(loaded, delivery, channel_id, replace(message, pings=pings.now), quiet=quiet)
        if sent.missing:  # as long as it is not stored that the board is shown, both are tried again
            return _Posted(match, replace(delivery, message=sent.card), [])
        # That a newcomer was told is stored once; the next card then takes along which ones have lost their buttons.
        told = loaded.newcomer is not None
        async with self.storage.transaction() if told else self.replaced_cards.noting() as tx:
            await tx.timers.set(*pings.later)
            replaced = await tx.deliveries.set_message(match.id, sent.card, sent.ping_id, surplus=sent.surplus)
            if loaded.newcomer is not None:
                await tx.settings.mark_known(loaded.newcomer.id, match.ruleset.game.name)
        if replaced is None:
            return await self._give_way(match, sent)
        self._doubtful.discard(match.id)
        if match.result is None:
            self._noted.add(match.id)
        return _Posted(match, replace(delivery, message=sent.card, ping_id=sent.ping_id), replaced)

    async def _send_board(
        self, loaded: LoadedMatch, delivery: MatchDelivery, channel_id: int, message: Message, *, quiet: bool
    ) -> _Sent:
        """Edit the match's card if it is a living one at the end of the channel, or else post a new one.

        A ``quiet`` card was asked for, and the last one of a match is to be seen, so these are new messages. One that
        was posted already and not stored is edited as well: Discord knows its nonce for some minutes only. A person's
        turn against the computer is shown on the card that is there, and the computer's answer comes as any turn.
        """
        match, before = loaded.game.match, delivery.message
        known, doubtful = match.id in self._noted, match.id in self._doubtful
        self._noted.discard(match.id)
        card = PostedMessage(channel_id, 0, delivery.version, loaded.game.step)
        below, living = Below(more=True), loaded.board_cards is BoardCards.LIVING
        if living or doubtful:
            below = await self.ends.below(delivery, channel_id, look=not known, search=doubtful)
        surplus = below.pings | {each for each, found in below.cards.items() if is_older(found, match)}
        for posted_id in (each for each, found in below.cards.items() if is_latest(found, match)):
            posted = replace(card, message_id=posted_id)
            if await self.delivery.edit(posted, message):
                return _Sent(posted, None, surplus, edited=False)
        if before is not None and before.channel_id == channel_id:
            stays = (loaded.exchange.goes_on or (living and not below.more)) and not quiet
            stays = stays and match.result is None and is_editable(before, self.clock())
            if stays and await self.delivery.edit(before, message):
                card = replace(card, message_id=before.message_id)
                try:
                    ping_id = await self._ping(match, card, message.pings, loaded.language)
                except NotShownError as error:
                    if error.closed:
                        raise
                    _LOG.warning("ping_not_sent", match=match.id, channel=channel_id, reason=str(error))
                    return _Sent(card, None, frozenset(), missing=True)
                return _Sent(card, ping_id, below.pings)
        message_id = await self.delivery.send(channel_id, message, nonce=f"m{match.id}.{delivery.version}")
        if before is not None and living and not below.more:
            surplus |= {before.message_id}
        return _Sent(replace(card, message_id=message_id), None, surplus, edited=False)

    async def _ping(self, match: Match, card: PostedMessage, pings: tuple[Player, ...], language: str) -> int | None:
        """Call whoever is to be pinged to an edited card; return the message's id."""
        link = words.card_link(match.guild_id, card)
        if not pings or link is None:
            return None
        with texts.in_language(language):
            ping = turn_ping(pings[0], link)
        return await self.delivery.send(card.channel_id, ping, nonce=f"n{match.id}.{card.version}")

    async def _give_way(self, match: Match, sent: _Sent) -> _Posted:
        """Undo what was sent in vain, because another process has shown the same or more."""
        card = sent.card
        async with self.storage.transaction() as tx:
            delivery = await tx.deliveries.get(match.id)
            assert delivery is not None
            assert delivery.message is not None
            replaced = []
            if card.message_id != delivery.message.message_id:
                replaced.append(ReplacedMessage(match.id, card, surplus=not sent.edited))
            if sent.ping_id is not None and sent.ping_id != delivery.ping_id:
                replaced.append(ReplacedMessage(match.id, replace(card, message_id=sent.ping_id), surplus=True))
            await tx.deliveries.add_replaced(replaced)
        if card.message_id == delivery.message.message_id and delivery.message.version > card.version:
            await self._draw_again(match.id)
        return _Posted(match, delivery, replaced)

    async def _draw_again(self, match_id: int) -> None:
        """Edit a match's card to what was shown last, picture and all."""
        loaded = await self.loader.load(match_id)
        assert loaded.delivery is not None
        assert loaded.delivery.message is not None
        with texts.in_language(loaded.language):
            post = await _drawn(loaded.draw_card)
        await self.delivery.edit(loaded.delivery.message, post)

    async def _post_elsewhere(self, match_id: int, failure: NotShownError, *, quiet: bool) -> _Posted | None:
        """Post the board in another place than the one that failed; raise the failure when there is none."""
        if not failure.closed:
            raise failure
        loaded = await self.loader.load(match_id)
        match, delivery = loaded.game.match, loaded.delivery
        # A match that is not in a thread stays where it is: whoever closed a channel to the bot wants no threads there.
        if delivery is None or delivery.channel_id in (None, delivery.home.channel_id):
            raise failure
        if match.result is not None:
            return await self._post_board(loaded, quiet=quiet, channel_id=delivery.home.channel_id)
        if await self.channels.leave_thread(match, delivery):
            return await self._post_board(await self.loader.load(match_id), quiet=quiet)
        raise failure


async def _drawn(draw: Callable[..., Message], **options: bool) -> Message:
    """What is drawn for everybody, before what people have drawn for themselves."""
    with work_for_all():
        return await asyncio.to_thread(draw, **options)
