"""Shows what is stored: posts and edits the cards of challenges and matches.

Whatever is shown has been stored before, and that it was shown is stored afterwards. So after a crash between the two,
:meth:`Presenter.catch_up` knows what is missing.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from weakref import WeakValueDictionary

import discord
import structlog

import render
import rules
from bot import metrics, texts
from bot.discord.cards import words
from bot.discord.cards.board_cards import past_line, turn_ping
from bot.discord.cards.challenge import challenge_card
from bot.discord.cards.ending import final_card, final_pictures
from bot.discord.cards.match import board_picture, match_card, past_card
from bot.discord.cards.proposal import proposal_card
from bot.discord.cards.scenes import public_look, warm_up
from bot.discord.channel_ends import Below, ChannelEnds, is_editable
from bot.discord.channels import Channels
from bot.discord.delivery import Delivery, NotShownError
from bot.discord.languages import Languages
from bot.discord.messages import Message
from bot.domain.challenges import ChallengeState
from bot.domain.deliveries import MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.leaderboards import HeadToHead
from bot.domain.matches import Ending, Game, Match
from bot.domain.players import Player
from bot.domain.preferences import BoardCards, Preferences, ServerSettings
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.domain.timers import Timer, TimerKind
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.settings import Settings
from bot.storage import Storage

_LOG = structlog.get_logger(__name__)
#: Seconds before all that is missing is shown.
_SECOND_TRY = 60.0
#: Nonces of what was shared that are known again.
_REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class _Setting:
    """What a card of a match needs: whoever is in ``pinged`` wants to be called, unless they are ``quiet``
    until then; ``newcomer`` has yet to see the hint
    for newcomers, and ``proposals`` have cards that show less than there is to show."""

    game: Game
    delivery: MatchDelivery | None
    board_cards: BoardCards
    look: render.Look
    language: str
    newcomer: Player | None
    pinged: frozenset[int]
    quiet: Mapping[int, datetime]
    ended_by: Proposal | None
    record: HeadToHead | None
    proposals: list[int]

    def draw_card(self, *, quiet: bool = True) -> Message:
        """The card of the match, with its pictures; call it outside the event loop."""
        if self.game.match.result is not None:
            return self.draw_final_card(quiet=quiet)
        board = board_picture(self.game, self.look)
        return match_card(self.game, board, quiet=quiet, hint=self.newcomer is not None)

    def draw_final_card(self, *, quiet: bool = True) -> Message:
        """The card of a match that is over, with its pictures; call it outside the event loop."""
        pictures = final_pictures(self.game, self.look)
        return final_card(self.game, pictures, self.record, quiet=quiet, ended_by=self.ended_by)


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was sent to show a match, and which messages before it are to be deleted."""

    card: PostedMessage
    ping_id: int | None
    surplus: frozenset[int]
    edited: bool = True


@dataclass(frozen=True, slots=True)
class _Posted:
    """A match as its board was shown, where it is since then, and the messages that were there before."""

    match: Match
    delivery: MatchDelivery
    replaced: list[ReplacedMessage]


class Presenter:
    def __init__(
        self,
        client: discord.Client,
        matches: Matches,
        deliveries: Deliveries,
        settings: Settings,
        languages: Languages,
        storage: Storage,
        clock: Callable[[], datetime],
    ) -> None:
        self._clock = clock
        self._languages = languages
        self._settings = settings
        self._matches = matches
        self._deliveries = deliveries
        self._storage = storage
        self._clock = clock
        self._ends = ChannelEnds(client)
        self._places = Channels(client, deliveries)
        self._delivery = Delivery(client, self._try_later)
        self._catching_up: asyncio.Task[None] | None = None
        self._warming_up: asyncio.Task[None] | None = None
        self._behind = False
        self._second_try: asyncio.TimerHandle | None = None
        self._locks: WeakValueDictionary[tuple[str, int | str], asyncio.Lock] = WeakValueDictionary()
        self._shared: deque[str] = deque(maxlen=_REMEMBERED)
        #: Messages whose buttons are gone, or that are, until that is noted; the next card takes it along.
        self._retired: set[int] = set()
        #: Running matches of which this process has stored all messages that it has sent.
        self._noted: set[int] = set()
        #: Called when what was missing is shown.
        self.after_catching_up: Callable[[], Awaitable[None]] = _nothing

    async def show_challenge(self, challenge_id: int, *, on: PostedMessage | None = None) -> None:
        """Post the challenge's card, or bring it up to date; ``on`` is a message that shows it as it was before."""
        async with self._lock("challenge", challenge_id):
            async with self._storage.read() as tx:
                state = await tx.deliveries.challenge(challenge_id)
                challenge = await tx.challenges.get(challenge_id)
            assert challenge is not None
            if on is None and not state.outdated:
                return
            card = state.message
            with texts.in_language(await self._languages.of_server(challenge.place.guild_id)):
                post = challenge_card(
                    challenge, await self._whereabouts(challenge.match_id, challenge.place.channel_id)
                )
            channel_id = challenge.place.channel_id
            reached = self._delivery.reaches(challenge.place)
            if card is not None:
                if reached:
                    await self._delivery.edit(on or card, post)
                card = replace(card, version=state.version)
            elif challenge.state is ChallengeState.OPEN:
                if not reached:
                    raise NotShownError(channel_id)
                message_id = await self._send(channel_id, post, nonce=f"c{challenge.id}")
                card = PostedMessage(channel_id, message_id, state.version)
            async with self._storage.transaction() as tx:
                await tx.deliveries.set_challenge(challenge.id, state.version, card)

    async def _whereabouts(self, match_id: int | None, seen_from: int) -> str:
        """Where the match that came of a challenge or a proposal is played, in the current language."""
        if match_id is None:
            return ""
        async with self._storage.read() as tx:
            delivery, match = await tx.deliveries.get(match_id), await tx.matches.get(match_id)
        assert match is not None
        return "" if delivery is None else words.whereabouts(match, delivery, seen_from)

    async def show_match(self, match_id: int, *, quiet: bool = False) -> MatchDelivery | None:
        """Show the board, unless the last change was shown already.

        A living card is edited as long as it is at the end of the channel. Otherwise a new card is posted, and the one
        before loses its buttons.

        A match without a place gets one first, and so does one that cannot be shown where it is. When there is none,
        the match stays waiting and nothing is posted. Return where it is then; None for a match that is played outside
        Discord, of which nothing is shown.
        """
        return await self._show(match_id, None, quiet=quiet)

    async def show_game(self, game: Game) -> MatchDelivery | None:
        """Post the board of a game that was just loaded, as :meth:`show_match`."""
        return await self._show(game.match.id, game)

    async def _show(self, match_id: int, loaded: Game | None, *, quiet: bool = False) -> MatchDelivery | None:
        async with self._lock("match", match_id):
            setting = await self._prepare(match_id, loaded)
            match, delivery = setting.game.match, setting.delivery
            if delivery is None or not delivery.outdated:
                return delivery
            if not self._delivery.reaches(delivery.home):
                raise NotShownError(delivery.target_id)
            try:
                posted = await self._post_board(setting, quiet=quiet)
            except NotShownError as error:
                posted = await self._post_elsewhere(match_id, error, quiet=quiet)
            if posted is not None:
                metrics.board_shown()
                match = posted.match
                for each in posted.replaced:
                    await self._retire(match, posted.delivery, each, setting.board_cards, setting.language)
        await self._show_proposals(setting.proposals)
        before = None if delivery.message is None else delivery.message.channel_id
        now = None if posted is None else posted.delivery.channel_id
        moved = before is not None and before != now
        if posted is None and match.result is not None:  # it ended before it found a place
            await self.edit_final_card(match_id)
            await self._show_origin(match)
        if posted is not None and (moved or delivery.channel_id != now):
            await self._show_origin(match)
        if posted is not None and match.result is not None:
            await self._places.close_thread(posted.delivery)
            await self._start_waiting(now)
        if moved:
            await self._start_waiting(before)
        return delivery if posted is None else posted.delivery

    async def _prepare(self, match_id: int, loaded: Game | None = None) -> _Setting:
        """Load what a card of the match needs; ``loaded`` is its game, which is used unless it has changed since."""
        async with self._storage.read() as tx:
            # Read before the match: a board that shows more than its version is shown anew, and does no harm.
            if loaded is None:
                delivery, changed, behind = await tx.deliveries.get(match_id), True, True
            else:
                delivery, changed, behind = await tx.deliveries.of_loaded(loaded.match)
            game = await self._matches.load(tx, match_id) if changed or loaded is None else loaded
            match, awaited = game.match, game.to_act
            guild_id, name = match.guild_id, match.ruleset.game.name
            settings = ServerSettings() if guild_id is None else await tx.settings.server_settings(guild_id)
            called = [player.id for player in (match.players if awaited is None else (awaited,)) if not player.deleted]
            wishes = await tx.settings.preferences_and_hints(called, name)
            newcomers = [player_id for player_id, (_, hinted) in wishes.items() if not hinted]
            ended_by = record = None
            if match.result is not None and match.result.ending is not Ending.RULES:
                ended_by = await tx.proposals.of_ending(match_id)
            if match.result is not None and match.result.counts:
                record = HeadToHead.of(match.first.id, await tx.history.winners(match))
            unshown = await tx.deliveries.unshown_proposals(match_id) if behind else []
        return _Setting(
            game,
            delivery,
            self._board_cards(settings, delivery),
            public_look(settings),
            await self._languages.of_server(guild_id, settings),
            awaited if awaited is not None and awaited.id in newcomers else None,
            frozenset(player_id for player_id, (wished, _) in wishes.items() if wished.pings),
            _quiet({player_id: wished for player_id, (wished, _) in wishes.items()}, self._clock()),
            ended_by,
            record,
            unshown,
        )

    async def show_proposal(self, proposal_id: int) -> None:
        """Post the proposal's card, or bring it up to date; and show what came of the proposal."""
        async with self._storage.read() as tx:
            proposal = await tx.proposals.get(proposal_id)
        assert proposal is not None
        try:
            if proposal.state is ProposalState.ACCEPTED:
                await self._show_agreed(proposal)
        finally:
            await self._show_proposal_card(proposal_id)

    async def _show_agreed(self, proposal: Proposal) -> None:
        if proposal.kind is not ProposalKind.REMATCH:
            await self.show_match(proposal.match_id)
            return
        match = await self._matches.match(proposal.match_id)
        assert match.rematch_id is not None
        await self.edit_final_card(match.id)
        await self.show_match(match.rematch_id)

    async def _show_proposal_card(self, proposal_id: int) -> None:
        async with self._lock("proposal", proposal_id):
            async with self._storage.read() as tx:
                state = await tx.deliveries.proposal(proposal_id)
                proposal = await tx.proposals.get(proposal_id)
                assert proposal is not None
                delivery = await tx.deliveries.get(proposal.match_id)
            card = state.message
            if delivery is None or not state.outdated:
                return
            match = await self._matches.match(proposal.match_id)
            rematch_id = match.rematch_id if proposal.kind is ProposalKind.REMATCH else None
            channel_id = delivery.target_id
            with texts.in_language(await self._languages.of_server(match.guild_id)):
                post = proposal_card(proposal, match, await self._whereabouts(rematch_id, channel_id))
            if card is not None:
                await self._delivery.edit(card, post)
                card = replace(card, version=state.version)
            elif proposal.state is ProposalState.OPEN:
                if not self._delivery.reaches(delivery.home):
                    raise NotShownError(channel_id)
                try:
                    message_id = await self._send(channel_id, post, nonce=f"p{proposal.id}")
                except NotShownError as error:
                    if proposal.place is None or not error.closed:
                        raise
                    channel_id = proposal.place.channel_id  # where the proposer is and the opponent may come
                    message_id = await self._send(channel_id, post, nonce=f"p{proposal.id}")
                card = PostedMessage(channel_id, message_id, state.version)
            else:
                return
            async with self._storage.transaction() as tx:
                await tx.deliveries.set_proposal(proposal.id, card)

    async def _show_proposals(self, proposal_ids: Iterable[int]) -> None:
        """Bring the cards of proposals up to date."""
        for proposal_id in proposal_ids:
            try:
                await self._show_proposal_card(proposal_id)
            except NotShownError as error:
                _LOG.warning("proposal_not_shown", proposal=proposal_id, channel=error.channel_id, reason=str(error))

    async def _show_origin(self, match: Match) -> None:
        """Show where the match is now on the card that it came from: that of a challenge or of a proposed rematch."""
        if match.challenge_id is not None:
            await self.show_challenge(match.challenge_id)
        if match.rematch_of is not None:
            async with self._storage.read() as tx:
                unshown = await tx.deliveries.unshown_proposals(match.rematch_of)
            await self._show_proposals(unshown)

    async def edit_final_card(self, match_id: int) -> None:
        """Bring the last card of a finished match up to date."""
        setting = await self._prepare(match_id)
        delivery = setting.delivery
        if delivery is None or delivery.message is None:
            return
        with texts.in_language(setting.language):
            post = await asyncio.to_thread(setting.draw_final_card)
        try:
            await self._delivery.edit(delivery.message, post)
        except NotShownError as error:
            _LOG.info("final_card_not_edited", match=match_id, reason=str(error))

    async def retire_card(self, match_id: int, card: PostedMessage) -> None:
        """Remove the buttons of a card that is not the latest one any more."""
        await self._retire_replaced(ReplacedMessage(match_id, card, surplus=False))

    async def _retire_replaced(self, replaced: ReplacedMessage) -> None:
        async with self._storage.read() as tx:
            delivery, match = await tx.deliveries.get(replaced.match_id), await tx.matches.get(replaced.match_id)
            assert match is not None
            guild_id = match.guild_id
            settings = ServerSettings() if guild_id is None else await tx.settings.server_settings(guild_id)
        assert delivery is not None, "it has a card"
        language = await self._languages.of_server(guild_id, settings)
        await self._retire(match, delivery, replaced, self._board_cards(settings, delivery), language)

    async def _retire(
        self, match: Match, delivery: MatchDelivery, replaced: ReplacedMessage, kind: BoardCards, language: str
    ) -> None:
        """Remove the buttons of a replaced card, which keeps its picture only if every turn has one; or delete what is
        surplus."""
        message = replaced.message
        if delivery.message is not None and delivery.message.message_id == message.message_id:
            return
        try:
            if replaced.surplus:
                await self._delivery.delete(message)
            else:
                past = past_line if kind is BoardCards.LIVING else past_card
                game, now = await self._matches.past_game(match, message.step), await self._matches.game_of(match)
                taken_back = now.turns[: game.ply] != game.turns
                with texts.in_language(language):
                    post = await asyncio.to_thread(past, game, taken_back=taken_back)
                await self._delivery.edit(message, post)
        except NotShownError as error:
            _LOG.info("past_card_not_edited", match=match.id, reason=str(error))
        else:
            self._retired.add(message.message_id)

    async def board_cards(self, match_id: int) -> BoardCards | None:
        """How a match is shown; None for one that is played outside Discord."""
        async with self._storage.read() as tx:
            delivery = await tx.deliveries.get(match_id)
            if delivery is None:
                return None
            guild_id = delivery.home.guild_id
            settings = ServerSettings() if guild_id is None else await tx.settings.server_settings(guild_id)
        return self._board_cards(settings, delivery)

    def _board_cards(self, settings: ServerSettings, delivery: MatchDelivery | None) -> BoardCards:
        """How a match is shown: as its players have chosen, or else as is usual in its channel."""
        if delivery is None:
            return settings.board_cards
        if delivery.board_cards is not None:
            return delivery.board_cards
        return settings.board_cards_in(self._places.around(delivery))

    async def note_retired(self) -> None:
        """Store which cards have lost their buttons since the last card was shown."""
        if retired := frozenset(self._retired):
            async with self._storage.transaction() as tx:
                await tx.deliveries.remove_replaced(retired)
            self._retired -= retired

    async def _post_board(self, setting: _Setting, *, quiet: bool, channel_id: int | None = None) -> _Posted | None:
        """Post the match's board as it is now, in the channel where it is played unless another one is named.

        It finds a place for the match first; None when it has to wait for one.
        """
        if setting.delivery is not None and setting.delivery.channel_id is None:
            if not await self._places.find(setting.game.match, setting.delivery):
                return None
            setting = await self._prepare(setting.game.match.id)
        match, delivery = setting.game.match, setting.delivery
        channel_id = channel_id or (None if delivery is None else delivery.channel_id)
        if delivery is None or channel_id is None:
            return None

        with texts.in_language(setting.language):
            message = await asyncio.to_thread(setting.draw_card, quiet=quiet)
        wanted = [player for player in message.pings if player.id in setting.pinged]
        pings = tuple(player for player in wanted if player.id not in setting.quiet)
        sent = await self._send_board(setting, delivery, channel_id, replace(message, pings=pings), quiet=quiet)
        retired = frozenset(self._retired)
        async with self._storage.transaction() as tx:
            await tx.timers.set(*_later(wanted, setting.quiet))
            if retired:
                await tx.deliveries.remove_replaced(retired)
            replaced = await tx.deliveries.set_message(match.id, sent.card, sent.ping_id, surplus=sent.surplus)
            if setting.newcomer is not None:
                await tx.settings.mark_hint_seen(setting.newcomer.id, match.ruleset.game.name)
        self._retired -= retired
        if replaced is None:
            return await self._give_way(match, sent)
        if match.result is None:
            self._noted.add(match.id)
        return _Posted(match, replace(delivery, message=sent.card, ping_id=sent.ping_id), replaced)

    async def _send_board(
        self, setting: _Setting, delivery: MatchDelivery, channel_id: int, message: Message, *, quiet: bool
    ) -> _Sent:
        """Edit the match's card if it is a living one at the end of the channel, or else post a new one.

        A ``quiet`` card was asked for, and the last one of a match is to be seen, so these are new messages.
        """
        match, before = setting.game.match, delivery.message
        known = match.id in self._noted
        self._noted.discard(match.id)
        card = PostedMessage(channel_id, 0, delivery.version, setting.game.step)
        below = Below(more=True)
        if before is not None and before.channel_id == channel_id and setting.board_cards is BoardCards.LIVING:
            below = await self._ends.below(delivery, before, look=not known)
            stays = not below.more and not quiet and match.result is None and is_editable(before, self._clock())
            if stays and await self._delivery.edit(before, message):
                card = replace(card, message_id=before.message_id)
                return _Sent(card, await self._ping(match, card, message.pings, setting.language), below.pings)
        message_id = await self._delivery.send(channel_id, message, nonce=f"m{match.id}.{delivery.version}")
        surplus = below.pings if before is None or below.more else below.pings | {before.message_id}
        return _Sent(replace(card, message_id=message_id), None, surplus, edited=False)

    async def _ping(self, match: Match, card: PostedMessage, pings: tuple[Player, ...], language: str) -> int | None:
        """Call whoever is to be pinged to an edited card; return the message's id."""
        link = card_link(match.guild_id, card)
        if not pings or link is None:
            return None
        with texts.in_language(language):
            ping = turn_ping(pings[0], link)
        return await self._delivery.send(card.channel_id, ping, nonce=f"n{match.id}.{card.version}")

    async def _give_way(self, match: Match, sent: _Sent) -> _Posted:
        """Undo what was sent in vain, because another process has shown the same or more."""
        card = sent.card
        async with self._storage.transaction() as tx:
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
        setting = await self._prepare(match_id)
        assert setting.delivery is not None
        assert setting.delivery.message is not None
        with texts.in_language(setting.language):
            post = await asyncio.to_thread(setting.draw_card)
        await self._delivery.edit(setting.delivery.message, post)

    async def _post_elsewhere(self, match_id: int, failure: NotShownError, *, quiet: bool) -> _Posted | None:
        """Post the board in another place than the one that failed; raise the failure when there is none."""
        if not failure.closed:
            raise failure
        setting = await self._prepare(match_id)
        match, delivery = setting.game.match, setting.delivery
        # A match that is not in a thread stays where it is: whoever closed a channel to the bot wants no threads there.
        if delivery is None or delivery.channel_id in (None, delivery.home.channel_id):
            raise failure
        if match.result is not None:
            return await self._post_board(setting, quiet=quiet, channel_id=delivery.home.channel_id)
        if await self._places.leave_thread(match, delivery):
            return await self._post_board(await self._prepare(match_id), quiet=quiet)
        raise failure

    async def look(self, guild_id: int | None) -> render.Look:
        """The look of what everybody sees in a server, or outside servers (None)."""
        settings = ServerSettings() if guild_id is None else await self._settings.server_settings(guild_id)
        return public_look(settings)

    async def show_again(self, match_id: int) -> MatchDelivery | None:
        """Post the match's card once more, without a ping."""
        async with self._storage.transaction() as tx:
            await tx.deliveries.request(match_id)
        return await self.show_match(match_id, quiet=True)

    async def is_without_channel(self, delivery: MatchDelivery) -> bool:
        """Whether the channel where a match is played, or waits to be, is gone."""
        return delivery.home.guild_id is not None and await self._delivery.is_gone(delivery.target_id)

    async def refresh_match(self, match_id: int) -> None:
        """Edit the match's card after its clock has changed, or its result was voided. A card that is not the latest
        any more stays as it is.
        """
        async with self._lock("match", match_id):
            setting = await self._prepare(match_id)
            delivery, game = setting.delivery, setting.game
            if delivery is None or delivery.message is None or delivery.outdated:
                return
            match = game.match
            with texts.in_language(setting.language):
                if match.result is None:
                    post = match_card(game, board_picture(game, setting.look, draw=False), quiet=True)
                else:
                    post = await asyncio.to_thread(setting.draw_final_card)
            async with self._places.reopened(match, delivery):
                await self._delivery.edit(delivery.message, post)

    async def edit(self, card: PostedMessage, post: Message) -> None:
        """Edit a card, unless somebody has deleted it."""
        await self._delivery.edit(card, post)

    async def show_everybody(self, channel_id: int, post: Message, nonce: str | None = None) -> int:
        """Post a card that shows no challenge or match, such as a leaderboard, and return the message's id.

        Discord does not post a card twice within some minutes when the ``nonce`` is the same.
        """
        return await self._send(channel_id, post, nonce=nonce or secrets.token_hex(8))

    async def share(self, channel_id: int, post: Message, nonce: str) -> None:
        """Post what somebody shares, once: Discord knows the nonces of messages, but not those of answers."""
        async with self._lock("shared", nonce):
            if nonce not in self._shared:
                await self._send(channel_id, post, nonce=nonce)
                self._shared.append(nonce)

    async def show_accepted(self, match: Match) -> None:
        """Show a match that was just accepted, and on its challenge's card where it is played."""
        try:
            await self.show_match(match.id)
        finally:
            await self._show_origin(match)

    def start_catching_up(self) -> None:
        """Catch up in the background; once more if that is going on already."""
        self._behind = True
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.get_running_loop().create_task(self._catch_up_and_log())

    def start_warming_up(self) -> None:
        """Draw common pictures before anybody waits for them: the first one of a size takes longer."""
        self._warming_up = asyncio.get_running_loop().create_task(self._warm_up())

    def stop(self) -> set[asyncio.Task[None]]:
        """Start nothing more in the background; return what is going on, if anything."""
        if self._second_try is not None:
            self._second_try.cancel()
        if self._warming_up is not None:
            self._warming_up.cancel()  # nobody waits for its pictures
        return set() if self._catching_up is None else {self._catching_up}

    @staticmethod
    async def _warm_up() -> None:
        for game in rules.GAMES:  # a stop waits for the one that is being drawn, and no more
            await asyncio.to_thread(warm_up, game)

    async def _catch_up_and_log(self) -> None:
        try:
            while self._behind:
                self._behind = False
                await self.catch_up()
                await self.after_catching_up()  # the clocks of matches that found a place run
        except Exception:
            _LOG.exception("catching_up_failed")

    async def catch_up(self) -> None:
        """Show everything that was stored and not shown, find places for the matches that wait for one, and retire the
        cards that were replaced.
        """
        async with self._storage.read() as tx:
            _, matches = await tx.deliveries.unshown()
            waiting = await tx.deliveries.waiting()
        for match_id in sorted({*matches, *waiting}):
            try:
                await self.show_match(match_id)
            except NotShownError as error:
                _LOG.warning("match_not_shown", match=match_id, channel=error.channel_id, reason=str(error))
        # Finding a place changes a challenge's card too, so these come last.
        async with self._storage.read() as tx:
            challenges, _ = await tx.deliveries.unshown()
        for challenge_id in challenges:
            try:
                await self.show_challenge(challenge_id)
            except NotShownError as error:
                _LOG.warning("challenge_not_shown", challenge=challenge_id, channel=error.channel_id, reason=str(error))
        async with self._storage.read() as tx:
            unshown = await tx.deliveries.unshown_proposals()
            replaced = await tx.deliveries.replaced()
        await self._show_proposals(unshown)
        for each in replaced:
            async with self._lock("match", each.match_id):
                if each.message.message_id not in self._retired:
                    await self._retire_replaced(each)
        await self.note_retired()

    def _lock(self, kind: str, identity: int | str) -> asyncio.Lock:
        return self._locks.setdefault((kind, identity), asyncio.Lock())

    async def _start_waiting(self, channel_id: int | None) -> None:
        """Give a channel, if it is free, to the match that has waited for it longest."""
        if channel_id is None:
            return
        async with self._storage.read() as tx:
            waiting = await tx.deliveries.waiting(channel_id)
        if not waiting or not await self._deliveries.place(waiting[0], channel_id):
            return
        try:
            await self.show_accepted(await self._matches.match(waiting[0]))
        except NotShownError as error:  # that is a matter of its players, not of who left the channel
            _LOG.warning("match_not_shown", match=waiting[0], channel=error.channel_id, reason=str(error))

    async def _send(self, channel_id: int, post: Message, *, nonce: str) -> int:
        """Send a message, which pings those whom it addresses, unless they have turned pings off or have quiet hours.

        Of people who had themselves deleted there is nobody to ping.
        """
        people = [player for player in post.pings if not player.deleted]
        wishes = {player.id: await self._settings.preferences(player.id) for player in people}
        wanted = [player for player in people if wishes[player.id].pings]
        quiet = _quiet(wishes, self._clock())
        pings = tuple(player for player in wanted if player.id not in quiet)
        message_id = await self._delivery.send(channel_id, replace(post, pings=pings), nonce=nonce)
        if timers := _later(wanted, quiet):
            async with self._storage.transaction() as tx:
                await tx.timers.set(*timers)
        return message_id

    def _try_later(self) -> None:
        """Show what is missing a while later."""
        if self._second_try is None:
            self._second_try = asyncio.get_running_loop().call_later(_SECOND_TRY, self._try_again)

    def _try_again(self) -> None:
        self._second_try = None
        self.start_catching_up()


def _quiet(wishes: Mapping[int, Preferences], now: datetime) -> dict[int, datetime]:
    """Who has quiet hours, and until when."""
    ends = {player_id: wished.quiet_until(now) for player_id, wished in wishes.items()}
    return {player_id: until for player_id, until in ends.items() if until is not None}


def _later(wanted: Iterable[Player], quiet: Mapping[int, datetime]) -> tuple[Timer, ...]:
    """The timers of those who would have been pinged in their quiet hours."""
    return tuple(Timer(TimerKind.QUIET_END, each.id, quiet[each.id]) for each in wanted if each.id in quiet)


async def _nothing() -> None:
    pass


def card_link(guild_id: int | None, card: PostedMessage | None) -> str | None:
    """The address of a card's message."""
    if card is None:
        return None
    return f"https://discord.com/channels/{guild_id or '@me'}/{card.channel_id}/{card.message_id}"
