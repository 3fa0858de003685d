"""The presenters of challenges, ladders, proposals and tournaments, which post and edit their cards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import structlog

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.challenge import challenge_card
from bot.discord.posting.cards.ladder import ladder_card, lost_notice
from bot.discord.posting.cards.proposal import proposal_card
from bot.discord.posting.cards.tournament import (
    cross_table_picture,
    homeless_tournament_notice,
    past_tournament_card,
    tournament_card,
)
from bot.discord.posting.messenger import Messenger, log_not_shown
from bot.discord.transport.sender import Locks, NotShownError, Sender
from bot.discord.ui import markdown
from bot.discord.ui.markdown import CommandMentions
from bot.discord.ui.messages import Message
from bot.domain.challenges import ChallengeState
from bot.domain.competitions.ladders import LostRung
from bot.domain.competitions.tournaments import Tournament, TournamentState
from bot.domain.deliveries import PostedMessage
from bot.domain.matches import Match, ProposalState
from bot.domain.proposals import LapsedProposal
from bot.domain.timers import TimerKind
from bot.pictures import public_look
from bot.services.deliveries import Deliveries
from bot.services.ladders import Ladders
from bot.services.people.settings import Settings

_LOG = structlog.get_logger(__name__)


@dataclass
class _CardPresenter:
    """A presenter of cards. One task at a time shows a card, under its lock in ``showing``."""

    deliveries: Deliveries
    sender: Sender
    messenger: Messenger
    languages: Languages

    def __post_init__(self) -> None:
        self.showing: Locks[int] = Locks()


@dataclass
class ChallengePresenter(_CardPresenter):
    settings: Settings

    async def show(self, challenge_id: int, *, on: PostedMessage | None = None) -> None:
        """Post or update the challenge's card; ``on`` is a message that still shows an earlier state."""
        async with self.showing.of(challenge_id):
            view = await self.deliveries.challenge_view(challenge_id)
            challenge, state, place = view.challenge, view.state, view.challenge.place
            if on is None and not state.outdated:
                return
            if await self.sender.hand_over(TimerKind.SHOW_CHALLENGE, challenge_id, place):
                return
            card, channel_id = state.message, place.channel_id
            with texts.in_language(await self.languages.of_server(place.guild_id)):
                played = "" if view.match is None else markdown.whereabouts(*view.match, channel_id)
                if challenge.ruleset.continues:  # its card has a picture
                    look = public_look(await self.settings.server_settings(place.guild_id))
                    post = await asyncio.to_thread(challenge_card, challenge, played, look)
                else:
                    post = challenge_card(challenge, played)
            reached = self.sender.reaches(place)
            if card is not None:
                if reached:
                    await self.sender.edit(on or card, post, place=place)
                card = replace(card, version=state.version)
            elif challenge.state is ChallengeState.OPEN:
                if not reached:
                    raise NotShownError(channel_id)
                message_id = await self.messenger.show_everybody(channel_id, post, f"c{challenge.id}", place=place)
                card = PostedMessage(channel_id, message_id, state.version)
            await self.deliveries.set_challenge(challenge.id, state.version, card)


@dataclass
class LadderPresenter(_CardPresenter):
    ladders: Ladders

    async def show(self, ladder_id: int) -> None:
        """Post or update the ladder's card, and notify players who have lost their places."""
        async with self.showing.of(ladder_id):
            view = await self.deliveries.ladder_view(ladder_id)
            ladder, state, lost = view.ladder, view.state, view.lost
            if not (state.outdated or lost):
                return
            channel_id, card = ladder.place.channel_id, state.message
            if await self.sender.hand_over(TimerKind.LADDER, ladder_id, ladder.place):
                return
            with texts.in_language(await self.languages.of_server(ladder.place.guild_id)):
                post, notices = ladder_card(ladder), [(rung, lost_notice(ladder, rung)) for rung in lost]
            if state.outdated:
                if (
                    card is not None
                    and card.channel_id == channel_id
                    and await self.sender.edit(card, post, place=ladder.place)
                ):
                    shown = replace(card, version=state.version)
                else:  # a deleted card, too, is posted again
                    nonce = f"l{ladder_id}.{state.version}"
                    message_id = await self.messenger.show_everybody(channel_id, post, nonce, place=ladder.place)
                    shown = PostedMessage(channel_id, message_id, state.version)
                await self.deliveries.set_ladder(ladder_id, shown)
            for rung, notice in notices:
                await self.messenger.show_everybody(channel_id, notice, _nonce(rung), place=ladder.place)
                await self.ladders.note_told(rung.id)


def _nonce(lost: LostRung) -> str:
    """A nonce of at most 25 characters for the notice of a lost place. SQLite may reuse the id of a deleted row."""
    return f"x{lost.player.id:x}.{lost.number % 100}.{lost.id % 10**4}"


class ProposalPresenter(_CardPresenter):
    async def show(self, proposal_id: int) -> None:
        """Post or update the proposal's card."""
        async with self.showing.of(proposal_id):
            # A proposal may lapse while its card is being posted, when there is no card to change yet.
            while not await self._show(proposal_id):
                pass

    async def _show(self, proposal_id: int) -> bool:
        """Show the proposal as stored; False if it has changed meanwhile."""
        view = await self.deliveries.proposal_view(proposal_id)
        proposal, match, home = view.proposal, view.match, view.delivery.home
        if not view.state.outdated or await self.sender.hand_over(TimerKind.SHOW_PROPOSAL, proposal_id, home):
            return True
        card, version, channel_id = view.state.message, view.state.version, view.delivery.target_id
        with texts.in_language(await self.languages.of_match(match, view.delivery, view.settings)):
            played = "" if view.rematch is None else markdown.whereabouts(*view.rematch, channel_id)
            post = proposal_card(proposal, match, played)
        if card is not None:
            await self.sender.edit(card, post, place=home)
            card = replace(card, version=version)
        elif proposal.state is ProposalState.OPEN:
            if not self.sender.reaches(home):
                raise NotShownError(channel_id)
            try:
                message_id = await self.messenger.show_everybody(channel_id, post, f"p{proposal.id}", place=home)
            except NotShownError as error:
                if proposal.place is None or not error.closed:
                    raise
                channel_id = proposal.place.channel_id  # the channel that the proposer invites the opponent to
                message_id = await self.messenger.show_everybody(channel_id, post, f"p{proposal.id}", place=home)
            card = PostedMessage(channel_id, message_id, version)
        else:
            return True
        return await self.deliveries.set_proposal(proposal.id, card)

    async def show_all(self, proposal_ids: Iterable[int]) -> None:
        for proposal_id in proposal_ids:
            with log_not_shown("proposal_not_shown", proposal=proposal_id):
                await self.show(proposal_id)

    async def show_lapse(self, lapsed: LapsedProposal, match: Match, language: str) -> bool:
        """Show on the card of a proposal that it has lapsed; nobody waits for that. Return whether it succeeded."""
        with texts.in_language(language):
            post = proposal_card(lapsed.proposal, match)
        try:
            async with self.showing.of(lapsed.proposal.id):
                await self.sender.edit(lapsed.card, post, patient=True)
        except NotShownError as error:
            _LOG.info("lapsed_card_not_edited", proposal=lapsed.proposal.id, reason=str(error))
            return False
        return True


@dataclass
class TournamentPresenter(_CardPresenter):
    settings: Settings
    command_mentions: CommandMentions

    async def show(self, tournament_id: int) -> None:
        """Post or update the tournament's card. At its end, and when a result is voided later, post the cross table."""
        async with self.showing.of(tournament_id):
            view = await self.deliveries.tournament_view(tournament_id)
            state, tables = view.state, view.tables
            if not state.outdated:
                return
            tournament, place, card = tables.tournament, tables.tournament.place, state.message
            if await self.sender.hand_over(TimerKind.TOURNAMENT, tournament_id, place):
                return
            over, picture = tournament.state is TournamentState.OVER, None
            with texts.in_language(await self.languages.of_server(place.guild_id)):
                if over:
                    look = public_look(await self.settings.server_settings(place.guild_id))
                    picture = await asyncio.to_thread(cross_table_picture, tables.last, look)
                post, past = tournament_card(tables, picture), past_tournament_card(tournament)
            edits = card is not None and not over and card.channel_id == place.channel_id
            if card is not None and edits and await self.sender.edit(card, post, place=place):
                shown = replace(card, version=state.version)
            else:  # a deleted card, too, is posted again
                nonce = f"t{tournament.id}.{0 if card is None and not over else state.version}"
                message_id = await self._post(tournament, post, nonce)
                shown = PostedMessage(place.channel_id, message_id, state.version)
            await self.deliveries.set_tournament(tournament.id, shown)
            if over and card is not None:
                await self.sender.edit(card, past)

    async def _post(self, tournament: Tournament, post: Message, nonce: str) -> int:
        """Post a card; if its channel is out of reach, tell the organiser once how to go on."""
        place = tournament.place
        if not self.sender.reaches(place):
            raise NotShownError(place.channel_id)
        try:
            return await self.messenger.show_everybody(place.channel_id, post, nonce, place=place)
        except NotShownError as error:
            if error.lost and await self.deliveries.note_told(f"t{tournament.id}", place.channel_id):
                notice = partial(homeless_tournament_notice, tournament, self.command_mentions)
                number = place.channel_id % 10**9
                await self.messenger.tell_directly(tournament.organiser, notice, f"o{tournament.id}.{number}")
            raise
