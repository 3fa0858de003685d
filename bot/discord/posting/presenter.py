"""Shows matches after every change, and the consequences of changes.

A change is stored, shown, and noted as shown. After a crash in between, the
:class:`~bot.discord.gateway.backlog.Backlog` shows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot import metrics, texts
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.card_presenters import ChallengePresenter, ProposalPresenter
from bot.discord.posting.cards.ending import final_card, final_pictures
from bot.discord.posting.cards.match import board_picture, homeless_notice, is_latest, is_older, match_card, turn_ping
from bot.discord.posting.channels import Below, Channels, is_editable
from bot.discord.posting.messenger import Messenger, log_not_shown
from bot.discord.posting.replaced_cards import ReplacedCards
from bot.discord.transport.sender import LeaseLostError, Locks, NotShownError, Sender
from bot.discord.ui.messages import Message
from bot.domain.deliveries import MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Match
from bot.domain.pings import Pings
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import BoardCards
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.domain.timers import TimerKind
from bot.services.computer_games import Reply
from bot.services.deliveries import Deliveries
from bot.services.doors import Doors
from bot.services.match_views import MatchView
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.wording import words
from bot.wording.looks import public_look
from render.cache import for_everybody

_LOG = structlog.get_logger(__name__)
#: The number of turns in which both players have their first one.
_FIRST_TURNS = 2
#: The time that a clock may run before the first card is posted.
_MOMENT = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class _SentBoard:
    """The messages that show a match, and the ``surplus`` messages to delete; whether a ping is ``missing``."""

    card: PostedMessage
    ping_id: int | None
    surplus: frozenset[int]
    edited: bool = True
    missing: bool = False


@dataclass(frozen=True, slots=True)
class _PostedBoard:
    """A posted board: its match, the new delivery, and the messages that it replaces."""

    view: MatchView
    delivery: MatchDelivery
    replaced_messages: list[ReplacedMessage]


@dataclass
class Presenter:
    """Shows each match by one task at a time.

    ``ahead_of`` returns the number of boards that the computer thinks about before a person's match at a level;
    ``clock`` returns the time in UTC.
    """

    matches: Matches
    proposals: Proposals
    deliveries: Deliveries
    challenge_presenter: ChallengePresenter
    proposal_presenter: ProposalPresenter
    replaced_cards: ReplacedCards
    channels: Channels
    sender: Sender
    languages: Languages
    private_cards: PrivateCards
    messenger: Messenger
    doors: Doors
    ahead_of: Callable[[int, int, int], int]
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._showing: Locks[int] = Locks()
        #: Running matches whose last messages this process has sent and stored.
        self._sent_here: set[int] = set()
        #: Matches whose card may have been posted and not stored.
        self._to_search: set[int] = set()

    # Matches

    async def show_match(
        self,
        match_id: int,
        interaction: Interaction | None = None,
        *,
        view: MatchView | None = None,
        quiet: bool = False,
    ) -> MatchDelivery:
        """Show the board, unless it is up to date, and return where it is; ``quiet`` pings nobody.

        The message may be a follow-up of the ``interaction`` that has changed the match; ``view`` is a loaded view of
        it. A living card is edited while it is at the end of the channel. Otherwise a new card is posted, and the
        previous one loses its buttons.

        A match without a place, or in a place where it cannot be shown, gets another first. Without one, it waits,
        nothing is posted, and if its home is out of reach, its players are told once.
        """
        lock = self._showing.of(match_id)
        while_another_shows = lock.locked()
        async with lock:
            if view is None or while_another_shows:
                view = await self.matches.view(match_id)
            before = view.delivery
            if not before.outdated:
                return before
            kind = TimerKind.SHOW_AGAIN if quiet else TimerKind.SHOW_MATCH
            if await self.sender.hand_over(kind, match_id, before.home):
                return before
            # This loads an unknown server, and so decides whether a message reaches it.
            language = await self.languages.of_match(view.game.match, view.settings)
            if not self.sender.reaches(before.home):
                raise NotShownError(before.target_id)
            unshown = [each for each in view.unshown_proposals if not self.replaced_cards.is_lapsed(each)]
            try:
                posted = await self._post_board(view, language, interaction, quiet=quiet)
            except LeaseLostError:
                return before  # whoever takes the shard catches up
            except NotShownError as error:
                posted = await self._post_elsewhere(match_id, error, language, quiet=quiet)
            if posted is None:
                await self._tell_homeless(match_id)
                unshown += [each.proposal.id for each in view.lapsed_proposals]
            else:
                metrics.board_shown()
        await self._follow_up(view, posted, unshown, language)
        return before if posted is None else posted.delivery

    async def show_again(self, match_id: int, interaction: Interaction) -> MatchDelivery:
        """Post the match's card once more, without a ping."""
        await self.deliveries.request(match_id)
        return await self.show_match(match_id, interaction, quiet=True)

    async def show_accepted(self, match: Match, interaction: Interaction | None = None) -> None:
        """Show a match that has just begun, and its channel on the card of its challenge."""
        try:
            await self.show_match(match.id, interaction)
        finally:
            await self._show_origin(match)

    async def show_answered(self, challenge_id: int) -> None:
        """Show a challenge that was answered outside Discord, and its match if it was accepted."""
        started = (await self.deliveries.challenge_view(challenge_id)).match
        if started is None:
            await self.challenge_presenter.show(challenge_id)
        else:
            await self.show_accepted(started[0])

    async def refresh_match(self, match_id: int) -> None:
        """Edit the latest card of a match after a change of its clock or the voiding of its result."""
        async with self._showing.of(match_id):
            view = await self.matches.view(match_id)
            delivery, match = view.delivery, view.game.match
            if delivery.message is None or delivery.outdated:
                return
            if await self.sender.hand_over(TimerKind.CARD, match_id, delivery.home):
                return
            language = await self.languages.of_match(match, view.settings)
            if match.result is not None:
                post = await self._draw(view, language)
            else:
                page = await self._page(delivery)
                # A newcomer counts as informed once the card is posted, so only the card itself knows of one.
                newcomer = view.game.ply < _FIRST_TURNS and await self.channels.explains(delivery.message)

                def card() -> Message:
                    picture = board_picture(view.game, public_look(view.settings), draw=False)
                    return match_card(
                        view.game, picture, quiet=True, newcomer=newcomer, earlier=view.earlier, page=page
                    )

                with texts.in_language(language):
                    post = await asyncio.to_thread(card)
            await self.sender.edit(delivery.message, post, place=delivery.home)

    async def leave_lost_place(self, match_id: int) -> bool:
        """Take a running match out of a place where nobody can see it any more; False if they can.

        It goes on in another place, or waits. Its clock is no longer what it was: nobody pays for the time in between.
        """
        match, delivery = await self.deliveries.of_match(match_id)
        channel_id = delivery.channel_id
        if match.result is not None or channel_id is None:
            return False
        if not await self.channels.is_out_of_reach(delivery.home, channel_id):
            return False
        if await self.channels.leave(match, delivery, unnoticed=True):
            await self.show_match(match_id)
        else:
            await self._tell_homeless(match_id)
        return True

    async def leave_channel(self, channel_id: int) -> None:
        """Stop the clocks of all matches whose home is a channel that has just been deleted, and tell the players.

        A match in a thread beside a deleted one goes on there.
        """
        self.channels.note_deletion(channel_id)
        for match_id in await self.deliveries.running_in(channel_id):
            delivery = await self.deliveries.get(match_id)
            if delivery.channel_id is not None:
                if not await self.channels.is_out_of_reach(delivery.home, delivery.channel_id):
                    continue
                await self.deliveries.unplace(match_id, delivery.channel_id)
            await self._tell_homeless(match_id)

    async def leave_server(self, guild_id: int) -> None:
        """Stop the clocks of all matches on a server that has removed the bot."""
        await self.deliveries.leave_server(guild_id)

    async def edit_final_card(self, match_id: int) -> None:
        """Update the last card of a finished match."""
        view = await self.matches.view(match_id)
        if view.delivery.message is None:
            return
        language = await self.languages.of_match(view.game.match, view.settings)
        try:
            await self.sender.edit(view.delivery.message, await self._draw(view, language))
        except NotShownError as error:
            _LOG.info("final_card_not_edited", match=match_id, reason=str(error))

    def search_for_cards(self, match_ids: Iterable[int]) -> None:
        """Before posting cards of these matches, search for unstored cards."""
        self._to_search.update(match_ids)

    def forget(self) -> None:
        """Assume from now on that other processes post messages of matches, too."""
        self._sent_here.clear()

    async def retire(self, replaced: Iterable[ReplacedMessage]) -> None:
        """Retire messages that are not retired yet; then close the threads of finished matches."""
        shown = {}
        for each in replaced:
            if not self.replaced_cards.is_retired(each):
                shown[each.match_id] = await self.replaced_cards.retire(each)
        for match, delivery in shown.values():
            await self.channels.close_thread(match, delivery)
        await self.replaced_cards.note_retired()

    # Proposals

    async def show_proposal(self, proposal_id: int, interaction: Interaction | None = None) -> None:
        """Post or update the proposal's card, and show the effect of its acceptance."""
        proposal = await self.proposals.get(proposal_id)
        home = (await self.deliveries.get(proposal.match_id)).home
        if await self.sender.hand_over(TimerKind.SHOW_PROPOSAL, proposal_id, home):
            return
        try:
            if proposal.state is ProposalState.ACCEPTED:
                await self._show_agreed(proposal, interaction)
        finally:
            await self.proposal_presenter.show(proposal_id)

    async def show_reply(self, reply: Reply) -> None:
        """Show the computer's turn and answer; on failure, they stay stored."""
        try:
            if reply.proposal_id is not None:
                await self.show_proposal(reply.proposal_id)
            if reply.result is not None:
                await self.show_match(reply.result.game.match.id, view=reply.result.view)
        except NotShownError as error:
            _LOG.warning("reply_not_shown", channel=error.channel_id, reason=str(error))

    # Boards

    async def _post_board(
        self,
        view: MatchView,
        language: str,
        interaction: Interaction | None = None,
        *,
        quiet: bool,
        channel_id: int | None = None,
    ) -> _PostedBoard | None:
        """Post the match's board, by default where it is played; None while the match has no place."""
        if view.delivery.channel_id is None:
            if not await self.channels.find(view.game.match, view.delivery):
                return None
            view = await self.matches.view(view.game.match.id)
        match, delivery = view.game.match, view.delivery
        channel_id = channel_id or delivery.channel_id
        if channel_id is None:
            return None
        if _has_run_unseen(match, self.clock()):
            await self.deliveries.begin(match.id)
            view = await self.matches.view(match.id)
            match, delivery = view.game.match, view.delivery

        message = await self._draw(view, language, quiet=quiet)
        pings = Pings.to(message.pings, view.preferences, self.clock())
        message = replace(message, pings=pings.now)
        sent = await self._send_board(view, delivery, channel_id, message, language, interaction, quiet=quiet)
        if sent.missing:  # the board is not noted as shown, so the next attempt sends both
            return _PostedBoard(view, replace(delivery, message=sent.card), [])
        # With it are stored the informed newcomer, and the cards that have lost their buttons by now.
        newcomer = None if view.newcomer is None else (view.newcomer, match.ruleset.game.name)
        retired, lapsed = self.replaced_cards.pending() if newcomer is None else ((), ())
        replaced = await self.deliveries.set_board(
            match.id,
            sent.card,
            sent.ping_id,
            seen=None if delivery.message is None else delivery.message.version,
            surplus=sent.surplus,
            timers=pings.later,
            newcomer=newcomer,
            retired=retired,
            lapsed=lapsed,
        )
        self.replaced_cards.forget(retired, lapsed)
        if replaced is None:
            return await self._settle(match.id, sent, language, quiet=quiet, channel_id=channel_id)
        self._to_search.discard(match.id)
        if match.result is None:
            self._sent_here.add(match.id)
        return _PostedBoard(view, replace(delivery, message=sent.card, ping_id=sent.ping_id), replaced)

    async def _send_board(
        self,
        view: MatchView,
        delivery: MatchDelivery,
        channel_id: int,
        message: Message,
        language: str,
        interaction: Interaction | None,
        *,
        quiet: bool,
    ) -> _SentBoard:
        """Edit the match's card if it is living and at the end of the channel, or else post a new card.

        A ``quiet`` card, which somebody asked for, and the final card of a match are new messages. An unstored card is
        edited as well, because Discord knows its nonce only for some minutes. A person's turn against the computer is
        shown on the existing card, and the computer's answer like any turn.
        """
        match, before = view.game.match, delivery.message
        known, search = match.id in self._sent_here, match.id in self._to_search
        self._sent_here.discard(match.id)
        card = PostedMessage(channel_id, 0, delivery.version, view.game.step)
        below = Below(more=True)
        living = self.channels.board_cards_of(delivery, view.settings) is BoardCards.LIVING
        if living or search:
            below = await self.channels.below(delivery, channel_id, read=not known, search=search)
        surplus = frozenset(below.pings) | {each for each, found in below.cards.items() if is_older(found, match)}
        for posted_id in (each for each, found in below.cards.items() if is_latest(found, match)):
            posted = replace(card, message_id=posted_id)
            if await self.sender.edit(posted, message, place=delivery.home):
                return _SentBoard(posted, None, surplus, edited=False)
        if before is not None and before.channel_id == channel_id:
            stays = (view.exchange.goes_on or (living and not below.more)) and not quiet
            stays = stays and match.result is None and is_editable(before, self.clock())
            if stays and await self.sender.edit(before, message, place=delivery.home):
                card = replace(card, message_id=before.message_id)
                try:
                    sent = {each: said for each, said in below.pings.items() if each > (delivery.ping_id or 0)}
                    ping_id = await self._ping(match, delivery.home, card, message.pings, language, sent, interaction)
                except NotShownError as error:
                    if error.closed or isinstance(error, LeaseLostError):
                        raise
                    _LOG.warning("ping_not_sent", match=match.id, channel=channel_id, reason=str(error))
                    return _SentBoard(card, None, frozenset(), missing=True)
                return _SentBoard(card, ping_id, frozenset(below.pings) - {ping_id})
        nonce = f"m{match.id}.{delivery.version}"
        message_id = await self.sender.send(
            channel_id, message, nonce=nonce, place=delivery.home, interaction=interaction
        )
        if before is not None and living and not below.more:
            surplus |= {before.message_id}
        return _SentBoard(replace(card, message_id=message_id), None, surplus, edited=False)

    async def _ping(
        self,
        match: Match,
        place: Place,
        card: PostedMessage,
        pings: tuple[Player, ...],
        language: str,
        sent: Mapping[int, str],
        interaction: Interaction | None,
    ) -> int | None:
        """Ping a player below an edited card, unless one of the unstored messages ``sent`` does; return the id."""
        link = words.card_link(match.guild_id, card)
        if not pings or link is None:
            return None
        for message_id, said in sent.items():
            if words.mention(pings[0]) in said:
                return message_id
        with texts.in_language(language):
            ping = turn_ping(pings[0], link)
        nonce = f"n{match.id}.{card.version}"
        return await self.sender.send(card.channel_id, ping, nonce=nonce, place=place, interaction=interaction)

    async def _settle(
        self, match_id: int, sent: _SentBoard, language: str, *, quiet: bool, channel_id: int
    ) -> _PostedBoard | None:
        """Leave the newest board where another process has shown the match at the same time.

        If it has shown an older one, perhaps after ours on the same card, ours is shown once more. Otherwise, the sent
        messages go.
        """
        view, posted = await self.matches.view(match_id), None
        assert view.delivery.message is not None
        if view.delivery.message.version < sent.card.version:
            self._to_search.add(match_id)  # for the messages just sent
            posted = await self._post_board(view, language, quiet=quiet, channel_id=channel_id)
        if posted is None:
            posted = _PostedBoard(view, await self._restore(match_id, sent.card, language), [])
        replaced, shown = [], posted.delivery
        if shown.message is not None and sent.card.message_id != shown.message.message_id:
            replaced.append(ReplacedMessage(match_id, sent.card, surplus=not sent.edited))
        if sent.ping_id is not None and sent.ping_id != shown.ping_id:
            replaced.append(ReplacedMessage(match_id, replace(sent.card, message_id=sent.ping_id), surplus=True))
        await self.deliveries.add_replaced(replaced)
        return replace(posted, replaced_messages=[*posted.replaced_messages, *replaced])

    async def _restore(self, match_id: int, edited: PostedMessage, language: str) -> MatchDelivery:
        """Show the newer board again that another process has shown on the edited card meanwhile, with its picture.

        Return the stored delivery.
        """
        version = edited.version
        while True:
            delivery = await self.deliveries.get(match_id)
            shown = delivery.message
            if shown is None or shown.message_id != edited.message_id or shown.version <= version:
                return delivery
            view = await self.matches.view(match_id)
            await self.sender.edit(shown, await self._draw(view, language), place=delivery.home)
            version = view.delivery.version

    async def _post_elsewhere(
        self, match_id: int, failure: NotShownError, language: str, *, quiet: bool
    ) -> _PostedBoard | None:
        """Post the board in another place after a failure; raise the failure if there is no other place."""
        if not failure.closed:
            self._to_search.add(match_id)  # it may have been posted nevertheless
            raise failure
        view = await self.matches.view(match_id)
        match, delivery = view.game.match, view.delivery
        if failure.gone and self.channels.knows(delivery.home):
            self.channels.note_deletion(failure.channel_id)
        # A match outside a thread stays where it is: a channel closed to the bot should get no threads.
        if delivery.channel_id in (None, delivery.home.channel_id):
            await self._lose_home(match, delivery, failure)
            raise failure
        if match.result is not None:
            return await self._post_board(view, language, quiet=quiet, channel_id=delivery.home.channel_id)
        if not await self.channels.leave(match, delivery):
            await self._tell_homeless(match_id)
            raise failure
        view = await self.matches.view(match_id)
        try:
            return await self._post_board(view, language, quiet=quiet)
        except NotShownError as error:
            if view.delivery.channel_id == view.delivery.home.channel_id:
                await self._lose_home(match, view.delivery, error)
            raise

    async def _lose_home(self, match: Match, delivery: MatchDelivery, failure: NotShownError) -> None:
        """Let a running match wait after a failure in its home, if that is out of reach."""
        if failure.lost and match.result is None and self.channels.knows(delivery.home):
            if delivery.channel_id is not None:
                await self.deliveries.unplace(match.id, delivery.channel_id)
            await self._tell_homeless(match.id)

    async def _tell_homeless(self, match_id: int) -> None:
        """Tell the players of a running match once that its home is out of reach, if it is, and how to go on."""
        match, delivery = await self.deliveries.of_match(match_id)
        home = delivery.home
        if match.result is not None or not await self.channels.is_out_of_reach(home):
            return
        if not await self.deliveries.note_told(f"m{match_id}", home.channel_id):
            return
        for player in match.players:
            notice, nonce = partial(homeless_notice, match, player), f"g{match_id}.{home.channel_id % 10**9}"
            await self.messenger.tell_directly(player, notice, nonce)

    async def _draw(self, view: MatchView, language: str, *, quiet: bool = True) -> Message:
        """Draw the card of a match in a language, ahead of private pictures."""
        match, ahead = view.game.match, 0
        if match.computer is not None and match.computer.level is not None:
            ahead = self.ahead_of(match.opponent_of(match.computer.id).id, match.computer.level, match.id)
        with texts.in_language(language), for_everybody():
            page = await self._page(view.delivery)
            return await asyncio.to_thread(_card, view, quiet=quiet, ahead=ahead, page=page)

    async def _page(self, delivery: MatchDelivery) -> str | None:
        """The address for watching a match, if everybody can view its channel."""
        if self.doors.url is None or not self.channels.is_public(delivery):
            return None
        return await self.doors.board(delivery.match_id)

    # What follows

    async def _follow_up(self, view: MatchView, posted: _PostedBoard | None, unshown: list[int], language: str) -> None:
        """Show the changes besides the board: proposals, replaced cards, the challenge's card and the next match of the
        channel.
        """
        before, now = view.delivery, None if posted is None else posted.delivery
        match = (view if posted is None else posted.view).game.match
        if match.result is not None:
            await self.private_cards.close(match)
        if unshown:
            await self.proposal_presenter.show_all(unshown)
        if posted is not None:
            cards = self.channels.board_cards_of(before, view.settings)
            self.replaced_cards.retire_later(
                match, posted.delivery, posted.replaced_messages, view.lapsed_proposals, cards, language
            )
        left = None if before.message is None else before.message.channel_id
        here = None if now is None else now.channel_id
        moved = left is not None and left != here
        if now is None and match.result is not None:  # the match ended before it found a place
            await self.edit_final_card(match.id)
            await self._show_origin(match)
        if now is not None and (moved or before.channel_id != here):
            await self._show_origin(match)
        if now is not None and match.result is not None:
            await self._start_waiting(here)
        if moved:
            await self._start_waiting(left)

    async def _show_agreed(self, proposal: Proposal, interaction: Interaction | None) -> None:
        if proposal.kind is not ProposalKind.REMATCH:
            await self.show_match(proposal.match_id, interaction)
            return
        match = await self.matches.match(proposal.match_id)
        assert match.rematch_id is not None
        await self.edit_final_card(match.id)
        await self.show_match(match.rematch_id, interaction)

    async def _show_origin(self, match: Match) -> None:
        """Show the match's channel on the card of its challenge or rematch proposal."""
        if match.challenge_id is not None:
            with log_not_shown("challenge_not_shown", challenge=match.challenge_id):
                await self.challenge_presenter.show(match.challenge_id)
        if match.rematch_of is not None:
            await self.proposal_presenter.show_all(await self.deliveries.unshown_proposals(match.rematch_of))

    async def _start_waiting(self, channel_id: int | None) -> None:
        """Give a free channel to the match that has waited for it longest."""
        match_id = None if channel_id is None else await self.deliveries.place_waiting(channel_id)
        if match_id is None:
            return
        try:
            await self.show_accepted(await self.matches.match(match_id))
        except NotShownError as error:  # a matter of its players, not of this interaction's user
            _LOG.warning("match_not_shown", match=match_id, channel=error.channel_id, reason=str(error))


def _has_run_unseen(match: Match, now: datetime) -> bool:
    """Whether the clock of a match without a card has run for more than the moment that showing one takes."""
    if match.clock is None or match.shown or match.result is not None:
        return False
    return match.clock.since is None or now - match.clock.since > _MOMENT


def _card(view: MatchView, *, quiet: bool, ahead: int, page: str | None) -> Message:
    """The card of a match. This draws."""
    game, look = view.game, public_look(view.settings)
    if game.match.result is None:
        newcomer = view.newcomer is not None
        board = board_picture(game, look)
        return match_card(game, board, quiet=quiet, newcomer=newcomer, earlier=view.earlier, ahead=ahead, page=page)
    return final_card(view, final_pictures(game, look), quiet=quiet, page=page)
