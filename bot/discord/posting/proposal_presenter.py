"""Posts and edits the cards of proposals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import structlog

from bot import texts
from bot.discord.interaction.languages import Languages
from bot.discord.posting.cards.proposal import proposal_card
from bot.discord.posting.messenger import Messenger
from bot.discord.transport.delivery import Delivery, Locks, NotShownError
from bot.discord.ui import words
from bot.domain.deliveries import PostedMessage
from bot.domain.proposals import ProposalState
from bot.domain.timers import TimerKind
from bot.services.deliveries import Deliveries

_LOG = structlog.get_logger(__name__)


@dataclass
class ProposalPresenter:
    """Shows each proposal by one task at a time, under its lock of ``showing``."""

    deliveries: Deliveries
    delivery: Delivery
    messenger: Messenger
    languages: Languages
    showing: Locks[int]

    async def show(self, proposal_id: int) -> None:
        """Post or update the proposal's card."""
        async with self.showing.of(proposal_id):
            # A turn that lets it lapse while it is posted for the first time finds no card to change.
            while not await self._show(proposal_id):
                pass

    async def _show(self, proposal_id: int) -> bool:
        """Show the proposal as it is stored; False if it has changed meanwhile."""
        view = await self.deliveries.proposal_view(proposal_id)
        proposal, match, home = view.proposal, view.match, view.delivery.home
        if not view.state.outdated:
            return True
        if self.delivery.is_elsewhere(home) and await self.deliveries.hand_over(
            TimerKind.SHOW_PROPOSAL, proposal_id, home
        ):
            return True
        card, version, channel_id = view.state.message, view.state.version, view.delivery.target_id
        with texts.in_language(await self.languages.of_match(match, view.settings)):
            played = "" if view.rematch is None else words.whereabouts(*view.rematch, channel_id)
            post = proposal_card(proposal, match, played)
        if card is not None:
            await self.delivery.edit(card, post)
            card = replace(card, version=version)
        elif proposal.state is ProposalState.OPEN:
            if not self.delivery.reaches(home):
                raise NotShownError(channel_id)
            try:
                message_id = await self.messenger.show_everybody(channel_id, post, f"p{proposal.id}")
            except NotShownError as error:
                if proposal.place is None or not error.closed:
                    raise
                channel_id = proposal.place.channel_id  # where the proposer is and the opponent may come
                message_id = await self.messenger.show_everybody(channel_id, post, f"p{proposal.id}")
            card = PostedMessage(channel_id, message_id, version)
        else:
            return True
        return await self.deliveries.set_proposal(proposal.id, card)

    async def show_unshown(self, match_id: int) -> None:
        """Update the cards of a match's proposals."""
        await self.show_all(await self.deliveries.unshown_proposals(match_id))

    async def show_all(self, proposal_ids: Iterable[int]) -> None:
        for proposal_id in proposal_ids:
            try:
                await self.show(proposal_id)
            except NotShownError as error:
                _LOG.warning("proposal_not_shown", proposal=proposal_id, channel=error.channel_id, reason=str(error))
