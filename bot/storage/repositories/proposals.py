"""Proposals. A transaction that changes a proposal has locked its match."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, and_, update

from bot.domain.matches import Proposal, ProposalKind, ProposalState
from bot.domain.places import Place
from bot.storage.repositories.matches import PROPOSALS, to_proposal
from bot.storage.repositories.players import PlayerRepository
from bot.storage.repository import Repository
from bot.storage.tables import OPEN_PROPOSALS, proposals


class ProposalRepository(Repository):
    """The proposals."""

    async def add(
        self,
        match_id: int,
        step: int,
        kind: ProposalKind,
        proposer_id: int,
        created_at: datetime,
        *,
        keeps: int | None = None,
        place: Place | None = None,
    ) -> Proposal:
        """Store an open proposal."""
        proposal_id = await self._add_numbered(
            proposals,
            match_id=match_id,
            kind=kind,
            proposer_id=proposer_id,
            step=step,
            state=ProposalState.OPEN,
            keeps=keeps,
            guild_id=place and place.guild_id,
            channel_id=place and place.channel_id,
            version=1,
            created_at=created_at,
        )
        self._changed_ids.add(match_id)
        proposal = await self.get(proposal_id)
        assert proposal is not None
        return proposal

    async def get(self, proposal_id: int) -> Proposal | None:
        return await self._one(proposals.c.id == proposal_id)

    async def of_ending(self, match_id: int) -> Proposal | None:
        """The proposal with which the players ended the match."""
        return await self._one(
            and_(
                proposals.c.match_id == match_id,
                proposals.c.kind.in_((ProposalKind.DRAW, ProposalKind.ABANDON)),
                proposals.c.state == ProposalState.ACCEPTED,
            )
        )

    async def settle(self, proposal_id: int, state: ProposalState) -> bool:
        """Close a proposal; False if it is no longer open."""
        waiting = update(proposals).where(proposals.c.id == proposal_id, OPEN_PROPOSALS)
        closing = waiting.values(state=state, version=proposals.c.version + 1).returning(proposals.c.match_id)
        match_ids: list[int] = await self._scalars(closing)
        self._changed_ids.update(match_ids)
        return len(match_ids) == 1

    async def _one(self, condition: ColumnElement[bool]) -> Proposal | None:
        row = await self._row(PROPOSALS.where(condition))
        if row is None:
            return None
        proposal = to_proposal(row)
        if not row.apart:
            return proposal
        named = await self._other(PlayerRepository).by_ids([proposal.proposer.id], None)
        return replace(proposal, proposer=named[proposal.proposer.id])
