"""Proposals, and what is done when they are accepted.

Every change here locks the match first, as every change of the match does, so that they come one after the other.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, insert, or_, select, true, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.limits import IN_VAIN_LIMIT, PROPOSAL_LIMIT, Wait
from bot.domain.matches import Match, Step
from bot.domain.places import Place, PostedMessage
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.storage.matches import PROPOSALS, MatchStore, played_by, to_proposal
from bot.storage.tables import matches, proposals


class ProposalStore(MatchStore):
    """Keeps the proposals. A method that acts on one does nothing, and says so, when it is not open any more."""

    async def proposal(self, proposal_id: int) -> Proposal | None:
        async with self._database.read() as connection:
            return await self._proposal(connection, proposals.c.id == proposal_id)

    async def add_proposal(
        self,
        match: Match,
        kind: ProposalKind,
        proposer_id: int,
        created_at: datetime,
        *,
        keeps: int | None = None,
        place: Place | None = None,
    ) -> Proposal | Wait | None:
        """Stores an open proposal, or says how long the proposer has to wait.

        None when the match has made another step or has ended since (or, for a rematch, is running or has one), or
        when a proposal of that kind is open.
        """
        async with self._database.write() as connection:
            await self._lock(connection, match.id)
            current = await self._match(connection, matches.c.id == match.id)
            if (
                current is None
                or current.step != match.step
                or (current.result is None) is (kind is ProposalKind.REMATCH)
                or current.rematch_id is not None
                or current.proposal(kind) is not None
            ):
                return None
            wait = await self._wait_to_propose(connection, proposer_id, match.opponent_of(proposer_id).id, created_at)
            if wait is not None:
                return wait
            added = await connection.execute(
                insert(proposals)
                .values(
                    match_id=match.id,
                    kind=kind,
                    proposer_id=proposer_id,
                    step=match.step,
                    state=ProposalState.OPEN,
                    keeps=keeps,
                    guild_id=place and place.guild_id,
                    channel_id=place and place.channel_id,
                    version=1,
                    created_at=created_at,
                )
                .returning(proposals.c.id)
            )
            return await self._proposal(connection, proposals.c.id == added.scalar_one())

    async def close_proposal(self, proposal: Proposal, state: ProposalState) -> bool:
        """Ends a proposal without doing what it proposes."""
        async with self._database.write() as connection:
            return await self._settle(connection, proposal, state)

    async def take_back(self, proposal: Proposal, at: datetime) -> bool:
        """Takes turns back, which is a further step."""
        async with self._database.write() as connection:
            if not await self._settle(connection, proposal, ProposalState.ACCEPTED):
                return False
            number = proposal.step + 1
            ply = await self._change(
                connection, proposal.match_id, proposal.step, at, None, step=number, ply=proposal.keeps
            )
            assert ply is not None, "proposals lapse with the next step"
            await self._turn_clock_back(connection, proposal.match_id, ply, at)
            await self._add_step(connection, proposal.match_id, number, Step(ply, None, proposal.proposer.id, at))
            return True

    async def move_as_proposed(self, proposal: Proposal, *, to_thread: bool, at: datetime) -> bool:
        """Moves a running match to the proposed place, where it may have to wait for a channel."""
        assert proposal.place is not None
        async with self._database.write() as connection:
            if not await self._settle(connection, proposal, ProposalState.ACCEPTED):
                return False
            await self._move(connection, proposal.match_id, proposal.place, to_thread=to_thread, at=at)
            return True

    async def add_rematch(self, proposal: Proposal, started_at: datetime) -> bool:
        """Starts the rematch, with the seats exchanged, where the match was played, or waiting when that is taken."""
        async with self._database.write() as connection:
            if not await self._settle(connection, proposal, ProposalState.ACCEPTED):
                return False
            match = await self._match(connection, matches.c.id == proposal.match_id)
            assert match is not None
            await self._add_match(
                connection,
                match.ruleset,
                match.home,
                match.channel_id,
                (match.second, match.first),
                started_at,
                rated=match.rated,
                control=None if match.clock is None else match.clock.control,
                rematch_of=match.id,
            )
            return True

    async def proposal_of_ending(self, match_id: int) -> Proposal | None:
        """The proposal by which the players ended the match."""
        async with self._database.read() as connection:
            return await self._proposal(
                connection,
                and_(
                    proposals.c.match_id == match_id,
                    proposals.c.kind.in_((ProposalKind.DRAW, ProposalKind.ABANDON)),
                    proposals.c.state == ProposalState.ACCEPTED,
                ),
            )

    async def unshown_proposals(self, match_id: int | None = None) -> list[int]:
        """The ids of the proposals, of a match or of all, whose last change was not shown.

        One that was settled before it was ever shown needs no card any more.
        """
        unshown = or_(
            proposals.c.shown_version < proposals.c.version,
            and_(proposals.c.shown_version.is_(None), proposals.c.state == ProposalState.OPEN),
        )
        of_match = true() if match_id is None else proposals.c.match_id == match_id
        async with self._database.read() as connection:
            return list(
                await connection.scalars(select(proposals.c.id).where(unshown, of_match).order_by(proposals.c.id))
            )

    async def proposal_shown(self, proposal_id: int, card: PostedMessage) -> None:
        await self._shown(proposals, proposal_id, card.version, card)

    async def _wait_to_propose(
        self, connection: AsyncConnection, proposer_id: int, opponent_id: int, now: datetime
    ) -> Wait | None:
        made_at = proposals.c.created_at
        in_vain = and_(proposals.c.proposer_id == proposer_id, proposals.c.state != ProposalState.ACCEPTED)
        until = await self._free_at(connection, PROPOSAL_LIMIT, made_at, now, in_vain)
        if until is not None:
            return Wait(until)
        to_one = proposals.c.match_id.in_(select(matches.c.id).where(played_by(opponent_id)))
        until = await self._free_at(connection, IN_VAIN_LIMIT, made_at, now, in_vain, to_one)
        return None if until is None else Wait(until, to_one=True)

    async def _settle(self, connection: AsyncConnection, proposal: Proposal, state: ProposalState) -> bool:
        await self._lock(connection, proposal.match_id)
        settled = await connection.execute(
            update(proposals)
            .where(proposals.c.id == proposal.id, proposals.c.state == ProposalState.OPEN)
            .values(state=state, version=proposals.c.version + 1)
        )
        return settled.rowcount == 1

    async def _proposal(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> Proposal | None:
        row = (await connection.execute(PROPOSALS.where(condition))).one_or_none()
        return None if row is None else to_proposal(row)
