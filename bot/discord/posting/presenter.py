"""Shows what is stored, and what follows from it: whoever changes a match, a challenge or a proposal comes here.

Whatever is shown has been stored before, and that it was shown is stored afterwards. So after a crash between the two,
the :class:`~bot.discord.backlog.Backlog` knows what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.challenge_presenter import ChallengePresenter
from bot.discord.posting.channels import Channels
from bot.discord.posting.handover import Handover
from bot.discord.posting.match_presenter import MatchPresenter, Shown
from bot.discord.posting.proposal_presenter import ProposalPresenter
from bot.discord.posting.replaced_cards import ReplacedCards
from bot.discord.transport.delivery import NotShownError
from bot.domain.deliveries import MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Game, Match
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.domain.timers import TimerKind
from bot.services.computer_games import Reply
from bot.services.deliveries import Deliveries
from bot.services.matches import Matches
from bot.services.proposals import Proposals

_LOG = structlog.get_logger(__name__)


@dataclass
class Presenter:
    matches: Matches
    proposals: Proposals
    deliveries: Deliveries
    match_presenter: MatchPresenter
    challenge_presenter: ChallengePresenter
    proposal_presenter: ProposalPresenter
    replaced_cards: ReplacedCards
    handover: Handover
    channels: Channels
    private_cards: PrivateCards

    # Matches

    async def show_match(self, match_id: int, *, quiet: bool = False) -> MatchDelivery | None:
        """Show the board, unless the last change was shown already; ``quiet`` is without a ping.

        A living card is edited as long as it is at the end of the channel. Otherwise a new card is posted, and the one
        before loses its buttons.

        A match without a place gets one first, and so does one that cannot be shown where it is. When there is none,
        the match stays waiting and nothing is posted. Return where it is then; None for a match that is played outside
        Discord, of which nothing is shown.
        """
        return await self._show(match_id, quiet=quiet)

    async def show_game(self, game: Game) -> MatchDelivery | None:
        """Show the board of a game that was just loaded, as :meth:`show_match`."""
        return await self._show(game.match.id, game)

    async def show_again(self, match_id: int) -> MatchDelivery | None:
        """Post the match's card once more, without a ping."""
        await self.deliveries.request(match_id)
        return await self.show_match(match_id, quiet=True)

    async def show_accepted(self, match: Match) -> None:
        """Show a match that was just accepted, and on its challenge's card where it is played."""
        try:
            await self.show_match(match.id)
        finally:
            await self._show_origin(match)

    async def refresh_match(self, match_id: int) -> None:
        """Edit the match's card after its clock has changed, or its result was voided. A card that is not the latest
        any more stays as it is.
        """
        await self.match_presenter.refresh(match_id)

    async def edit_final_card(self, match_id: int) -> None:
        """Bring the last card of a finished match up to date."""
        await self.match_presenter.edit_final_card(match_id)

    async def retire_card(self, match_id: int, card: PostedMessage) -> None:
        """Remove the buttons of a card that is not the latest one any more."""
        await self.replaced_cards.retire(ReplacedMessage(match_id, card, surplus=False))

    # Challenges and proposals

    async def show_challenge(self, challenge_id: int, *, on: PostedMessage | None = None) -> None:
        """Post the challenge's card, or bring it up to date; ``on`` is a message that shows it as it was before."""
        await self.challenge_presenter.show(challenge_id, on=on)

    async def show_proposal(self, proposal_id: int) -> None:
        """Post the proposal's card, or bring it up to date; and show what came of the proposal."""
        proposal = await self.proposals.get(proposal_id)
        if await self.handover.leave_match(TimerKind.SHOW_PROPOSAL, proposal.match_id, subject_id=proposal_id):
            return
        try:
            if proposal.state is ProposalState.ACCEPTED:
                await self._show_agreed(proposal)
        finally:
            await self.proposal_presenter.show(proposal_id)

    async def show_reply(self, reply: Reply) -> None:
        """Show what the computer did. What cannot be shown stays stored."""
        try:
            if reply.proposal_id is not None:
                await self.show_proposal(reply.proposal_id)
            if reply.game is not None:
                await self.show_game(reply.game)
        except NotShownError as error:
            _LOG.warning("reply_not_shown", channel=error.channel_id, reason=str(error))

    # What follows

    async def _show(self, match_id: int, game: Game | None = None, *, quiet: bool = False) -> MatchDelivery | None:
        shown = await self.match_presenter.show(match_id, game, quiet=quiet)
        if shown is None:
            return await self.deliveries.get(match_id)
        await self._follow_up(shown)
        return shown.now or shown.before

    async def _follow_up(self, shown: Shown) -> None:
        """Show what has changed with a match: its proposals, the card that it came from, and the next match."""
        match = shown.match
        if match.result is not None:
            await self.private_cards.close(match)
        await self.proposal_presenter.show_all(shown.proposals)
        left = None if shown.before.message is None else shown.before.message.channel_id
        now = None if shown.now is None else shown.now.channel_id
        moved = left is not None and left != now
        if shown.now is None and match.result is not None:  # it ended before it found a place
            await self.edit_final_card(match.id)
            await self._show_origin(match)
        if shown.now is not None and (moved or shown.before.channel_id != now):
            await self._show_origin(match)
        if shown.now is not None and match.result is not None:
            await self.channels.close_thread(shown.now)
            await self._start_waiting(now)
        if moved:
            await self._start_waiting(left)

    async def _show_agreed(self, proposal: Proposal) -> None:
        if proposal.kind is not ProposalKind.REMATCH:
            await self.show_match(proposal.match_id)
            return
        match = await self.matches.match(proposal.match_id)
        assert match.rematch_id is not None
        await self.edit_final_card(match.id)
        await self.show_match(match.rematch_id)

    async def _show_origin(self, match: Match) -> None:
        """Show where the match is now on the card that it came from: that of a challenge or of a proposed rematch."""
        if match.challenge_id is not None:
            await self.challenge_presenter.show(match.challenge_id)
        if match.rematch_of is not None:
            await self.proposal_presenter.show_unshown(match.rematch_of)

    async def _start_waiting(self, channel_id: int | None) -> None:
        """Give a channel, if it is free, to the match that has waited for it longest."""
        match_id = None if channel_id is None else await self.deliveries.place_waiting(channel_id)
        if match_id is None:
            return
        try:
            await self.show_accepted(await self.matches.match(match_id))
        except NotShownError as error:  # that is a matter of its players, not of who left the channel
            _LOG.warning("match_not_shown", match=match_id, channel=error.channel_id, reason=str(error))
