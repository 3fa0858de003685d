"""What players propose to each other: a draw, taking turns back, giving a match up, another channel, a rematch."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bot.domain.errors import (
    AlreadyThereError,
    BlockedProposalError,
    MovedOnError,
    NotAPlayerError,
    NothingToTakeBackError,
    NotOverError,
    NotYourProposalError,
    OpponentDeletedError,
    OwnProposalError,
    ProposalClosedError,
    ProposalStandsError,
    RematchExistsError,
    TooManyProposalsError,
    UnknownProposalError,
    WaitingForPlaceError,
)
from bot.domain.limits import Wait
from bot.domain.matches import Ending, Match, Result, mainline
from bot.domain.places import Place
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.services.matches import Matches
from bot.storage import Storage

#: These can be answered where the match is not shown.
_WITHOUT_BOARD = (ProposalKind.ABANDON, ProposalKind.MOVE, ProposalKind.REMATCH)


class Proposals:
    """Proposals and their answers. Every method does what it says, whole and stored, or raises a ``DomainError``.

    A proposal needs the opponent's consent. It lapses with the next turn, take-back or end of the match; at most one
    of a kind is open. Nobody is asked by somebody whom they have blocked.
    """

    def __init__(self, storage: Storage, matches: Matches, *, clock: Callable[[], datetime]) -> None:
        self._storage = storage
        self._matches = matches
        self._clock = clock

    async def propose(
        self,
        match_id: int,
        player_id: int,
        kind: ProposalKind,
        *,
        seen_step: int | None = None,
        place: Place | None = None,
        parent_id: int | None = None,
    ) -> Proposal:
        """Makes a proposal, which is open then; or accepts that of the opponent, when it is the very same.

        ``place`` is where to move the match, and ``parent_id`` the channel that it belongs to when it is a thread.
        """
        match = await self._proposable(match_id, player_id, kind, seen_step)
        assert (place is not None) is (kind is ProposalKind.MOVE)
        if place is not None:
            await self._check_place(match, place, parent_id)
        standing = match.proposal(kind)
        if standing is not None:
            # Two take-backs are never the same: each takes back the last turn of its proposer.
            same = standing.place == place and kind is not ProposalKind.TAKE_BACK
            if same and standing.proposer.id != player_id:
                return await self.accept(standing.id, player_id)
            raise ProposalStandsError(match, standing)
        opponent = match.opponent_of(player_id)
        async with self._storage.read() as tx:
            blocked = await tx.privacy.blocked(opponent.id)
        if player_id in blocked:
            raise BlockedProposalError(match, opponent)
        keeps = await self._kept_turns(match, player_id) if kind is ProposalKind.TAKE_BACK else None
        added = await self._storage.add_proposal(match, kind, player_id, self._clock(), keeps=keeps, place=place)
        if isinstance(added, Wait):
            raise TooManyProposalsError(added.until, opponent if added.to_one else None)
        if added is None:  # something happened in this very moment
            return await self.propose(match_id, player_id, kind, seen_step=match.step, place=place, parent_id=parent_id)
        return added

    async def accept(self, proposal_id: int, player_id: int) -> Proposal:
        """Does what is proposed. A rematch is the match's ``rematch_id`` then."""
        proposal = await self._open(proposal_id, player_id)
        if proposal.proposer.id == player_id:
            raise OwnProposalError(proposal)
        if not await self._carry_out(proposal):
            raise ProposalClosedError(await self.get(proposal_id))
        return await self.get(proposal_id)

    async def decline(self, proposal_id: int, player_id: int) -> Proposal:
        proposal = await self._open(proposal_id, player_id)
        if proposal.proposer.id == player_id:
            raise OwnProposalError(proposal)
        return await self._close(proposal, ProposalState.DECLINED)

    async def withdraw(self, proposal_id: int, player_id: int) -> Proposal:
        proposal = await self._open(proposal_id, player_id)
        if proposal.proposer.id != player_id:
            raise NotYourProposalError(proposal)
        return await self._close(proposal, ProposalState.WITHDRAWN)

    async def get(self, proposal_id: int) -> Proposal:
        proposal = await self._storage.proposal(proposal_id)
        if proposal is None:
            raise UnknownProposalError
        return proposal

    async def move_from_gone_channel(
        self, match_id: int, player_id: int, place: Place, *, parent_id: int | None = None
    ) -> Match:
        """Moves a match without asking the opponent. Whoever calls this knows that nobody can play where it is."""
        match = (await self._matches.running_game(match_id, player_id)).match
        await self._check_place(match, place, parent_id)
        to_thread = await self._matches.wants_thread(place)
        if not await self._storage.leave_channel(match, place, to_thread=to_thread, at=self._clock()):
            raise MovedOnError
        return await self._matches.match(match_id)

    async def _proposable(self, match_id: int, player_id: int, kind: ProposalKind, seen_step: int | None) -> Match:
        """The match, of which such a thing may be proposed."""
        if kind is not ProposalKind.REMATCH:
            match = (await self._matches.running_game(match_id, player_id, seen_step=seen_step)).match
            if match.channel_id is None and kind not in _WITHOUT_BOARD:
                raise WaitingForPlaceError(match)
            return match
        match = await self._matches.match(match_id)
        if not match.has_player(player_id):
            raise NotAPlayerError(match)
        if match.result is None:
            raise NotOverError(match)
        if match.rematch_id is not None:
            raise RematchExistsError(match)
        opponent = match.opponent_of(player_id)
        if opponent.deleted:
            raise OpponentDeletedError(match)
        await self._matches.check_blocks(match.player(player_id), opponent)
        return match

    async def _check_place(self, match: Match, place: Place, parent_id: int | None) -> None:
        if match.channel_id == place.channel_id:
            raise AlreadyThereError(match)
        await self._matches.check_place(place, parent_id)

    async def _kept_turns(self, match: Match, player_id: int) -> int:
        """How many turns stay when the player's last turn, and all that came after it, is taken back."""
        line = mainline((await self._storage.steps(match.id))[: match.step])
        own = [step.ply for step in line if step.player_id == player_id]
        if not own:
            raise NothingToTakeBackError(match)
        return own[-1] - 1

    async def _carry_out(self, proposal: Proposal) -> bool:
        match proposal.kind:
            case ProposalKind.DRAW:
                return await self._end(proposal, Result(None, Ending.AGREEMENT))
            case ProposalKind.ABANDON:
                return await self._end(proposal, Result(None, Ending.ABANDONED))
            case ProposalKind.TAKE_BACK:
                return await self._storage.take_back(proposal, self._clock())
            case ProposalKind.MOVE:
                assert proposal.place is not None
                to_thread = await self._matches.wants_thread(proposal.place)
                return await self._storage.move_as_proposed(proposal, to_thread=to_thread, at=self._clock())
            case ProposalKind.REMATCH:
                return await self._storage.add_rematch(proposal, self._clock())

    async def _end(self, proposal: Proposal, result: Result) -> bool:
        async with self._storage.transaction() as tx:
            if not await tx.proposals.close_proposal(proposal, ProposalState.ACCEPTED):
                return False
            match = await tx.matches.match(proposal.match_id)
            assert match is not None
            ended = await self._matches.end(tx, match, result, self._clock())
            assert ended, "proposals lapse with the next step"
            return True

    async def _open(self, proposal_id: int, player_id: int) -> Proposal:
        """The open proposal, of a match of the player."""
        proposal = await self.get(proposal_id)
        match = await self._matches.match(proposal.match_id)
        if not match.has_player(player_id):
            raise NotAPlayerError(match)
        if proposal.state is not ProposalState.OPEN:
            raise ProposalClosedError(proposal)
        return proposal

    async def _close(self, proposal: Proposal, state: ProposalState) -> Proposal:
        closed = await self._storage.close_proposal(proposal, state)
        proposal = await self.get(proposal.id)
        if not closed:
            raise ProposalClosedError(proposal)
        return proposal
