"""Proposals. Every change here belongs to a transaction that has locked the match."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, insert, select, update

from bot.domain.places import Place
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.storage.matches import PROPOSALS, to_proposal
from bot.storage.repository import Repository, opponent_of, played_by
from bot.storage.tables import OPEN_PROPOSALS, matches, proposals


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
        added = await self._connection.execute(
            insert(proposals)
            .values(
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
            .returning(proposals.c.id)
        )
        self._changed.add(match_id)
        proposal = await self.get(added.scalar_one())
        assert proposal is not None
        return proposal

    async def get(self, proposal_id: int) -> Proposal | None:
        return await self._one(proposals.c.id == proposal_id)

    async def of_ending(self, match_id: int) -> Proposal | None:
        """The proposal by which the players ended the match."""
        return await self._one(
            and_(
                proposals.c.match_id == match_id,
                proposals.c.kind.in_((ProposalKind.DRAW, ProposalKind.ABANDON)),
                proposals.c.state == ProposalState.ACCEPTED,
            )
        )

    async def made_in_vain_at(self, proposer_id: int, since: datetime, *, to: int | None = None) -> list[datetime]:
        """When the player made proposals after that time that were not accepted, to one player or to all."""
        conditions = [proposals.c.proposer_id == proposer_id, proposals.c.state != ProposalState.ACCEPTED]
        if to is not None:
            conditions.append(proposals.c.match_id.in_(select(matches.c.id).where(played_by(to))))
        query = select(proposals.c.created_at).where(*conditions, proposals.c.created_at > since)
        return list(await self._connection.scalars(query))

    async def in_vain(self, proposer_id: int, since: datetime) -> list[tuple[int, datetime]]:
        """To whom the player made proposals after that time that were not accepted, and when."""
        found = await self._connection.execute(
            select(opponent_of(proposer_id).label("opponent_id"), proposals.c.created_at)
            .join(matches, matches.c.id == proposals.c.match_id)
            .where(
                proposals.c.proposer_id == proposer_id,
                proposals.c.state != ProposalState.ACCEPTED,
                proposals.c.created_at > since,
            )
        )
        return [(row.opponent_id, row.created_at) for row in found]

    async def settle(self, proposal_id: int, state: ProposalState) -> bool:
        """Close a proposal; False when it is not open any more."""
        settled = await self._connection.execute(
            update(proposals)
            .where(proposals.c.id == proposal_id, OPEN_PROPOSALS)
            .values(state=state, version=proposals.c.version + 1)
            .returning(proposals.c.match_id)
        )
        match_ids = settled.scalars().all()
        self._changed.update(match_ids)
        return len(match_ids) == 1

    async def _one(self, condition: ColumnElement[bool]) -> Proposal | None:
        row = (await self._connection.execute(PROPOSALS.where(condition))).one_or_none()
        return None if row is None else to_proposal(row)
