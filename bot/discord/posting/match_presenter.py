"""Shows matches after every change, with what follows from the change.

A change is stored, then shown, then recorded as shown. After a crash in between, the
:class:`~bot.discord.gateway.backlog.Backlog` shows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot import texts
from bot.discord.interaction.interactions import Interaction
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.board_plan import (
    Below,
    Edit,
    FindPlace,
    GiveUp,
    Known,
    Post,
    Rest,
    Step,
    channel_of,
    follow_up,
    plan,
)
from bot.discord.posting.card_presenters import ChallengePresenter, ProposalPresenter
from bot.discord.posting.cards.ending import final_card, final_pictures
from bot.discord.posting.cards.match import board_picture, match_card, past_card, past_living_card, turn_ping
from bot.discord.posting.channels import Channels
from bot.discord.posting.messenger import log_not_shown
from bot.discord.transport.answers import Answer
from bot.discord.transport.sender import LeaseLostError, Locks, NotShownError, Sender
from bot.discord.ui import markdown
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Message
from bot.domain.deliveries import CardKey, MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Match, Proposal, ProposalKind, ProposalState
from bot.domain.players import Player
from bot.domain.preferences import BoardCards, Pings
from bot.domain.timers import TimerKind
from bot.pictures import public_look
from bot.runtime import metrics
from bot.runtime.timers import on_timer
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches, MatchView, PlayResult
from bot.services.people.doors import Doors
from bot.services.people.settings import Settings
from bot.services.proposals import Proposals
from render.cache import for_everybody

_LOG = structlog.get_logger(__name__)
#: The number of turns after which both players have played their first turn.
_FIRST_TURNS = 2
#: How long a clock may run before the first card is posted.
_MOMENT = timedelta(minutes=1)


@dataclass
class _Showing:
    """A match being shown: its ``first`` and latest view, its card as ``drawn``, and what it has ``replaced``."""

    first: MatchView
    view: MatchView
    delivery: MatchDelivery
    language: str
    known: Known
    interaction: Interaction | None
    drawn: Message = field(init=False)
    pings: Pings = field(init=False)
    below: Below = field(default_factory=lambda: Below(more=True))
    replaced: list[ReplacedMessage] = field(default_factory=list)


@dataclass
class MatchPresenter:
    """Shows matches. One task at a time shows a match.

    ``ahead_of`` counts the searches before the one in a person's match at a level. ``now`` returns
    the time in UTC.
    """

    matches: Matches
    proposals: Proposals
    deliveries: Deliveries
    challenge_presenter: ChallengePresenter
    proposal_presenter: ProposalPresenter
    settings: Settings
    channels: Channels
    sender: Sender
    languages: Languages
    private_cards: PrivateCards
    command_mentions: CommandMentions
    doors: Doors
    ahead_of: Callable[[int, int, int], int]
    now: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._showing: Locks[CardKey] = Locks()
        #: Cards with messages that may have been sent but not recorded.
        self._unsure: set[CardKey] = set()
        #: The ids of retired messages, and of lapsed proposals whose cards show it, until the next board records them.
        self._retired_ids: set[int] = set()
        self._lapsed_ids: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def tasks(self) -> frozenset[asyncio.Task[None]]:
        """The tasks that retire messages in the background. The next start finishes what they have not."""
        return frozenset(self._tasks)

    # Matches

    async def show_match(
        self,
        match_id: int,
        interaction: Interaction | None = None,
        *,
        view: MatchView | None = None,
        quiet: bool = False,
        key: CardKey | None = None,
    ) -> MatchDelivery:
        """Show the board in a home unless it is up to date, and return where it is; ``quiet`` pings nobody.

        Without a ``key``, the home is the user's own, or the common one. ``view`` is the match, if loaded already. The
        message may be a follow-up of the ``interaction`` that has changed the match. A living card is edited while it
        is at the end of its channel; otherwise a new card is posted, and the previous one loses its buttons.

        A match without a place, or in a place that cannot show it, gets another place first. If there is none, the
        match waits, and nothing is posted.
        """
        if key is None:
            person_id = None if interaction is None else interaction.user.id
            key = (await self.deliveries.get(match_id, person_id) if view is None else view.delivery).key
        lock = self._showing.of(key)
        while_another_shows = lock.locked()
        async with lock:
            if view is None or while_another_shows:
                view = await self.matches.view(key)
            before = view.delivery
            kind = TimerKind.SHOW_AGAIN if quiet else TimerKind.SHOW_MATCH
            if not before.outdated or await self.sender.hand_over(kind, key.subject, before.home):
                return before
            # This looks an unknown server up, and so decides whether a message reaches it.
            language = await self.languages.of_match(view.game.match, view.delivery, view.settings)
            if before.player_id is None and not self.sender.reaches(before.home):
                raise NotShownError(before.target_id)
            unshown = [number for number in view.unshown_proposals if number not in self._lapsed_ids]
            known = Known(self.now(), quiet, unsure=before.key in self._unsure)
            showing = _Showing(view, view, before, language, known, interaction)
            await self._show(showing)
        if showing.known.placeless or showing.delivery != before:
            await self._follow_up(showing, unshown)
        return showing.delivery

    async def show_again(self, match_id: int, interaction: Interaction) -> MatchDelivery:
        """Post the match's card again, without a ping."""
        key = (await self.deliveries.get(match_id, interaction.user.id)).key
        await self.deliveries.request(key)
        return await self.show_match(match_id, interaction, quiet=True, key=key)

    async def show_accepted(self, match: Match, interaction: Interaction | None = None) -> None:
        """Show a match that has just begun, and name its channel on the card of its challenge."""
        try:
            await self.show_match(match.id, interaction)
        finally:
            await self._show_origin(match)

    async def refresh_match(self, key: CardKey) -> None:
        """Edit the latest card of a match in a home after its clock was changed or its result voided."""
        async with self._showing.of(key):
            view = await self.matches.view(key)
            delivery, match = view.delivery, view.game.match
            if delivery.message is None or delivery.outdated:
                return
            if await self.sender.hand_over(TimerKind.CARD, key.subject, delivery.home):
                return
            language = await self.languages.of_match(match, view.delivery, view.settings)
            # A newcomer counts as informed once the card is posted, so only the card still explains the game.
            informs = view.game.ply < _FIRST_TURNS and await self.channels.explains(delivery.message)
            view = replace(view, newcomer=view.game.to_act if informs else None)
            post = await self._draw(view, language, redraw=match.result is not None)
            await self.sender.edit(delivery.message, post, place=delivery.home)

    async def leave_lost_place(self, key: CardKey) -> bool:
        """Take a running match out of a place where people can no longer see it; False if they can.

        The match goes on in another place, or waits. Load it again: its clock has changed, so that nobody pays for the
        time in between.
        """
        match, delivery = await self.deliveries.of_card(key)
        channel_id = delivery.channel_id
        if match.result is not None or channel_id is None:
            return False
        if not await self.channels.is_out_of_reach(delivery.home, channel_id):
            return False
        if await self.channels.leave(match, delivery, unnoticed=True):
            await self.show_match(match.id, key=key)
        return True

    async def leave_channel(self, channel_id: int) -> None:
        """Take all matches out of a channel or thread that has just been deleted, and tell their players.

        A match in a thread beside the deleted one goes on there.
        """
        self.channels.note_deletion(channel_id)
        for key in await self.deliveries.running_in(channel_id):
            (_match, delivery), lost = await self.deliveries.of_card(key), True
            if delivery.channel_id is not None:
                lost = await self.channels.is_out_of_reach(delivery.home, delivery.channel_id)
            if lost:
                await self.channels.lose_home(delivery)

    async def edit_final_cards(self, match_id: int) -> None:
        """Edit the last cards of a finished match in the homes that belong to this process."""
        for delivery in await self.deliveries.homes(match_id):
            if self.sender.servers.shards.holds(delivery.home.guild_id):
                await self._edit_final_card(delivery.key)

    async def _edit_final_card(self, key: CardKey) -> None:
        view = await self.matches.view(key)
        if view.delivery.message is None:
            return
        language = await self.languages.of_match(view.game.match, view.delivery, view.settings)
        with log_not_shown("final_card_not_edited", match=key.match_id):
            await self.sender.edit(view.delivery.message, await self._draw(view, language))

    def search(self, cards: Iterable[CardKey]) -> None:
        """Search for unrecorded messages before these cards are shown."""
        self._unsure.update(cards)

    # Proposals

    async def show_proposal(self, proposal_id: int, interaction: Interaction | None = None) -> None:
        """Show the match that an accepted proposal changes, and post or update the proposal's card."""
        proposal = await self.proposals.get(proposal_id)
        delivery = (await self.deliveries.proposal_view(proposal_id)).delivery
        if await self.sender.hand_over(TimerKind.SHOW_PROPOSAL, proposal_id, delivery.home):
            return
        try:
            if proposal.state is ProposalState.ACCEPTED:
                await self._show_agreed(proposal, interaction)
        finally:
            if delivery.player_id is None:
                await self.proposal_presenter.show(proposal_id)
            else:  # a stranger learns nothing of a refusal in the other home
                await self.proposal_presenter.show_all([proposal_id])
        if proposal.kind is ProposalKind.REMATCH and proposal.state is not ProposalState.ACCEPTED:
            await self.edit_final_cards(proposal.match_id)

    async def show_reply(self, reply: PlayResult) -> None:
        """Show the computer's turn. If that fails, it stays stored."""
        with log_not_shown("reply_not_shown"):
            await self.show_match(reply.game.match.id, view=reply.view)

    # Timers

    @on_timer(TimerKind.SHOW_MATCH)
    async def show_due_match(self, subject: int) -> None:
        """Show a match that was changed elsewhere, such as on its page; after a failure, the backlog shows it."""
        await self.show_card(CardKey.of(subject))

    @on_timer(TimerKind.SHOW_AGAIN)
    async def show_due_card(self, subject: int) -> None:
        await self.show_card(CardKey.of(subject), quiet=True)

    async def show_card(self, key: CardKey, *, quiet: bool = False) -> None:
        """Show a match in a home, or log why it cannot be shown."""
        with log_not_shown("match_not_shown", match=key.match_id):
            await self.show_match(key.match_id, quiet=quiet, key=key)

    # Boards

    async def _show(self, showing: _Showing) -> None:
        """Take the steps of the plan, one by one."""
        await self._prepare(showing, showing.view)
        while not isinstance(step := plan(showing.delivery, showing.view, showing.below, showing.known), Rest):
            try:
                await self._do(step, showing)
            except NotShownError as error:
                if isinstance(step, GiveUp):
                    raise
                await self._note_refusal(error, showing)
        if step.replaced:
            await self.deliveries.add_replaced(step.replaced)
            showing.replaced += step.replaced

    async def _prepare(self, showing: _Showing, view: MatchView | None = None) -> None:
        """Draw the card of the match, loaded again without a ``view``, and look below the present card."""
        key = showing.delivery.key
        view = view or await self.matches.view(key)
        if view.delivery.channel_id is not None and _has_run_unseen(view.game.match, self.now()):
            await self.deliveries.begin(key.match_id)
            view = await self.matches.view(key)
        showing.view, showing.delivery = view, view.delivery
        channel_id = channel_of(view.delivery, showing.known)
        if channel_id is None:
            return
        drawn = await self._draw(view, showing.language, quiet=showing.known.quiet)
        showing.pings = Pings.to(drawn.pings, view.preferences, self.now())
        showing.drawn = replace(drawn, pings=showing.pings.now)
        pinged = next(iter(showing.pings.now), None)
        living = self.channels.board_cards_of(view.delivery, view.settings) is BoardCards.LIVING
        showing.known = known = replace(showing.known, living=living, pinged=pinged)
        showing.below = Below(more=True)
        if known.living or known.unsure:
            showing.below = await self.channels.below(view.delivery, channel_id, search=known.unsure)

    async def _do(self, step: Step, showing: _Showing) -> None:
        delivery, known, match = showing.delivery, showing.known, showing.view.game.match
        match step:
            case FindPlace(leaving):
                found = await (self.channels.leave if leaving else self.channels.find)(match, delivery)
                showing.known = replace(known, placeless=not found)
                if found:
                    await self._prepare(showing)
            case Edit(card, recorded=False):
                await self.sender.edit(card, showing.drawn, place=delivery.home)
                showing.known = replace(known, card=card)
                await self._prepare(showing)
            case Edit(card, player, ping_id, replaced):
                self._unsure.add(delivery.key)
                if not await self.sender.edit(card, showing.drawn, place=delivery.home):
                    showing.known = replace(known, gone=known.gone | {card.message_id})
                    return
                if player is not None:
                    ping_id = await self._ping(player, card, showing)
                await self._record(card, ping_id, replaced, showing)
            case Post(card, replaced):
                self._unsure.add(delivery.key)
                nonce, place = f"m{delivery.key.subject}.{card.version}", delivery.home
                message_id = await self.sender.send(
                    card.channel_id, showing.drawn, nonce=nonce, place=place, interaction=showing.interaction
                )
                await self._record(replace(card, message_id=message_id), None, replaced, showing)
            case GiveUp(loses_home):
                if loses_home:
                    await self.channels.lose_home(delivery)
                raise known.refusals[-1]

    async def _ping(self, player: Player, card: PostedMessage, showing: _Showing) -> int:
        """Ping a player below an edited card, and return the id of the ping."""
        link = markdown.card_link(showing.delivery.home.guild_id, card) or ""
        with texts.in_language(showing.language):
            ping = turn_ping(showing.view.game.match, player, link)
        nonce, place = f"n{showing.delivery.key.subject}.{card.version}", showing.delivery.home
        try:
            return await self.sender.send(
                card.channel_id, ping, nonce=nonce, place=place, interaction=showing.interaction
            )
        except NotShownError:
            showing.known = replace(showing.known, unpinged=True)
            raise

    async def _record(
        self, card: PostedMessage, ping_id: int | None, replaced: tuple[ReplacedMessage, ...], showing: _Showing
    ) -> None:
        """Record the messages that show the match, unless another process has shown it meanwhile."""
        match, delivery, newcomer = showing.view.game.match, showing.delivery, showing.view.newcomer
        before = delivery.message
        # The same transaction records the informed newcomer or, without one, what was retired in the meantime.
        retired, lapsed = self._pending() if newcomer is None else (frozenset[int](), frozenset[int]())
        recorded = await self.deliveries.set_board(
            delivery.key,
            card,
            ping_id,
            seen=None if before is None else before.version,
            replaced=replaced,
            timers=showing.pings.later,
            newcomer=None if newcomer is None else (newcomer, match.ruleset.game.name),
            retired=retired,
            lapsed=lapsed,
        )
        self._discard_pending(retired, lapsed)
        sent = [ReplacedMessage(delivery.key, card, surplus=before is None or before.message_id != card.message_id)]
        if ping_id is not None:
            sent.append(ReplacedMessage(delivery.key, replace(card, message_id=ping_id), surplus=True))
        showing.known = replace(showing.known, card=card, sent=(*showing.known.sent, *sent), unsure=True)
        if recorded:
            self._unsure.discard(delivery.key)
            showing.replaced += replaced
            showing.delivery = replace(delivery, message=card, ping_id=ping_id)
        else:
            await self._prepare(showing)

    async def _note_refusal(self, error: NotShownError, showing: _Showing) -> None:
        if showing.interaction is not None and error.unanswered:
            # The follow-up may have arrived. Search for it, and send what is missing without the interaction.
            showing.interaction, showing.known = None, replace(showing.known, unsure=True, unpinged=False)
            await self._prepare(showing)
            return
        showing.known = replace(showing.known, refusals=(*showing.known.refusals, error))
        if isinstance(error, LeaseLostError):
            return
        if error.gone and self.channels.knows(showing.delivery.home):
            self.channels.note_deletion(error.channel_id)
        if error.closed and error.channel_id != showing.delivery.home.channel_id:
            await self._prepare(showing)
        elif showing.known.unpinged:
            _LOG.warning("ping_not_sent", match=showing.delivery.match_id, reason=str(error))

    async def _draw(self, view: MatchView, language: str, *, quiet: bool = True, redraw: bool = True) -> Message:
        """Compose the card of a match in a language. Without ``redraw``, the message keeps its picture."""
        match, ahead = view.game.match, 0
        if match.computer is not None and match.computer.level is not None:
            ahead = self.ahead_of(match.opponent_of(match.computer.id).id, match.computer.level, match.id)
        with texts.in_language(language), for_everybody():
            has_page, watch = self.doors.url is not None, await self._watch_url(view.delivery)
            card = partial(_card, view, self.command_mentions, quiet=quiet, redraw=redraw, ahead=ahead)
            return await asyncio.to_thread(card, has_page=has_page, watch=watch)

    async def _watch_url(self, delivery: MatchDelivery) -> str | None:
        """The address for watching a match; None unless everybody can view its channel."""
        if self.doors.url is None or not self.channels.is_public(delivery):
            return None
        return await self.doors.watch_url(delivery.match_id)

    # What follows

    async def _follow_up(self, showing: _Showing, unshown: list[int]) -> None:
        """Show what changes besides the board: proposals, replaced cards, the challenge, and a match that waited."""
        first, match = showing.first, showing.view.game.match
        now, over = None if showing.known.placeless else showing.delivery, match.result is not None
        if over:
            await self.private_cards.close(match)
        await self.proposal_presenter.show_all(unshown)
        if now is not None:
            if showing.interaction is not None:
                metrics.BOARD.observe(Answer.of(showing.interaction).seconds)
            self._retire_later(showing)
        else:
            await self.proposal_presenter.show_all(lapsed.proposal.id for lapsed in first.lapsed_proposals)
            if over:  # the match ended before it found a place
                await self._edit_final_card(showing.delivery.key)
        origin, free = follow_up(first.delivery, now, over=over)
        if origin:
            await self._show_origin(match)
        for channel_id in free:
            await self._start_waiting(channel_id)

    async def _show_agreed(self, proposal: Proposal, interaction: Interaction | None) -> None:
        if proposal.kind is not ProposalKind.REMATCH:
            await self.show_match(proposal.match_id, interaction)
            return
        match = await self.matches.match(proposal.match_id)
        assert match.rematch_id is not None
        await self.edit_final_cards(match.id)
        await self.show_match(match.rematch_id, interaction)

    async def _show_origin(self, match: Match) -> None:
        """Name the match's channel on the card of its challenge or rematch proposal."""
        if match.challenge_id is not None:
            with log_not_shown("challenge_not_shown", challenge=match.challenge_id):
                await self.challenge_presenter.show(match.challenge_id)
        if match.rematch_of is not None:
            await self.proposal_presenter.show_all(await self.deliveries.unshown_proposals(match.rematch_of))

    async def _start_waiting(self, channel_id: int) -> None:
        """Give a free channel to the match that has waited for it longest."""
        key = await self.deliveries.assign_to_waiting(channel_id)
        if key is not None:
            await self.show_card(key)  # this user may not play in it
            await self._show_origin(await self.matches.match(key.match_id))

    # Replaced messages

    async def strip(self, match_id: int, card: PostedMessage) -> None:
        """Remove the buttons of a card unless it is the latest card of its match."""
        for home in await self.deliveries.homes(match_id):
            if card.channel_id in (home.channel_id, home.home.channel_id):
                await self._retire_stored(ReplacedMessage(home.key, card, surplus=False))
                return

    async def retire(self, replaced: Iterable[ReplacedMessage]) -> None:
        """Retire stored messages, and close the threads of finished matches."""
        left = [message for message in replaced if message.message.message_id not in self._retired_ids]
        matches = {message.key: await self._retire_stored(message) for message in left}
        for match, delivery in matches.values():
            await self.channels.close_thread(match, delivery)
        await self.note_retired()

    async def note_retired(self) -> None:
        """Record which messages are retired."""
        retired, lapsed = self._pending()
        if retired or lapsed:
            await self.deliveries.note_retired(retired, lapsed)
            self._discard_pending(retired, lapsed)

    async def _retire_stored(self, replaced: ReplacedMessage) -> tuple[Match, MatchDelivery]:
        match, delivery = await self.deliveries.of_card(replaced.key)
        settings = await self.settings.server_settings(delivery.home.guild_id)
        language = await self.languages.of_match(match, delivery, settings)
        kind = self.channels.board_cards_of(delivery, settings)
        await self._retire_all(match, delivery, [replaced], kind, language)
        return match, delivery

    def _retire_later(self, showing: _Showing) -> None:
        """In the background, retire messages, show lapsed proposals, and close the thread of a finished match."""
        first, match, delivery, language = showing.first, showing.view.game.match, showing.delivery, showing.language
        kind = self.channels.board_cards_of(first.delivery, first.settings)

        async def retire() -> None:
            try:
                await self._retire_all(match, delivery, showing.replaced, kind, language)
                for lapsed in first.lapsed_proposals:
                    if await self.proposal_presenter.show_lapse(lapsed, match, language):
                        self._lapsed_ids.add(lapsed.proposal.id)
                await self.channels.close_thread(match, delivery)
            except Exception:
                _LOG.exception("past_cards_not_retired", match=match.id)

        if showing.replaced or first.lapsed_proposals or match.result is not None:
            task = asyncio.create_task(retire())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _retire_all(
        self, match: Match, delivery: MatchDelivery, replaced: list[ReplacedMessage], kind: BoardCards, language: str
    ) -> None:
        """Delete the surplus messages of a match, and take the buttons off the others."""
        for message, surplus in ((old.message, old.surplus) for old in replaced):
            if delivery.message is not None and delivery.message.message_id == message.message_id:
                continue
            try:
                if surplus:
                    await self.sender.delete(message, patient=True)
                else:
                    post = await self._past_card(match, message.step, kind, language)
                    await self.sender.edit(message, post, patient=True)
            except NotShownError as error:
                _LOG.info("past_card_not_edited", match=match.id, reason=str(error))
            else:
                self._retired_ids.add(message.message_id)

    async def _past_card(self, match: Match, step: int, kind: BoardCards, language: str) -> Message:
        past = past_living_card if kind is BoardCards.LIVING else past_card
        game, now = await self.matches.past_game(match, step), await self.matches.game_of(match)
        earlier = await self.matches.earlier_games(match, step)
        with texts.in_language(language):
            return await asyncio.to_thread(past, game, earlier, taken_back=now.turns[: game.ply] != game.turns)

    def _pending(self) -> tuple[frozenset[int], frozenset[int]]:
        """The ids of the retired messages and lapsed proposals to record."""
        return frozenset(self._retired_ids), frozenset(self._lapsed_ids)

    def _discard_pending(self, retired: frozenset[int], lapsed: frozenset[int]) -> None:
        self._retired_ids -= retired
        self._lapsed_ids -= lapsed


def _has_run_unseen(match: Match, now: datetime) -> bool:
    """Whether the clock of a match without a card has run for longer than posting a card takes."""
    if match.clock is None or match.shown or match.result is not None:
        return False
    return match.clock.since is None or now - match.clock.since > _MOMENT


def _card(
    view: MatchView,
    command_mentions: CommandMentions,
    *,
    quiet: bool,
    redraw: bool,
    ahead: int,
    has_page: bool,
    watch: str | None,
) -> Message:
    """The card of a match. Renders pictures: call it in a thread."""
    game, look = view.game, public_look(view.settings)
    if game.match.result is None:
        newcomer = view.newcomer is not None
        board = board_picture(game, look, draw=redraw)
        return match_card(
            game,
            board,
            command_mentions,
            quiet=quiet,
            newcomer=newcomer,
            earlier=view.earlier,
            ahead=ahead,
            has_page=has_page,
            watch=watch,
        )
    return final_card(view, final_pictures(game, look), quiet=quiet, page=watch)
