"""Forgetting somebody who asks for it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.challenges import ChallengeState
from bot.domain.players import Forgotten
from bot.domain.proposals import ProposalState
from bot.storage.challenges import ChallengeStore
from bot.storage.matches import played_by
from bot.storage.ratings import RatingRepository
from bot.storage.tables import (
    CAME_TO_NOTHING,
    blocks,
    challenges,
    drafts,
    hints,
    matches,
    metadata,
    nicknames,
    players,
    posts,
    preferences,
    proposals,
    standings,
    vacations,
)

#: What only the player ever sees, and leaderboards.
_OWN = (preferences, nicknames, hints, drafts, standings, blocks, vacations, posts)

#: Where people are named by their ids.
_REFERENCES = [column for table in metadata.sorted_tables for column in table.c if column.references(players.c.id)]


class PeopleStore(ChallengeStore):
    """Forgets people."""

    async def forget_player(self, player_id: int) -> Forgotten | list[int]:
        """Forgets who a player is: their matches stay, for the opponents' sake, as those of somebody without a name.

        That somebody has a negative number for an id, and stands on no leaderboard. As long as the player has running
        matches nothing is done, and these are returned.
        """
        async with self._database.write() as connection:
            await RatingRepository(connection).lock()
            if await connection.scalar(select(players.c.id).where(players.c.id == player_id)) is None:
                return Forgotten()
            running = await connection.scalars(
                select(matches.c.id).where(played_by(player_id), matches.c.ended_at.is_(None)).order_by(matches.c.id)
            )
            if found := list(running):
                return found
            closed = await self._close_challenges(connection, player_id)
            lapsed = await self._lapse_proposals(connection, player_id)
            nobody = min(0, await connection.scalar(select(func.min(players.c.id))) or 0) - 1
            await connection.execute(insert(players).values(id=nobody, name=""))
            for table in _OWN:
                await connection.execute(delete(table).where(table.c.player_id == player_id))
            for column in (*_REFERENCES, challenges.c.low_id, challenges.c.high_id):
                await connection.execute(update(column.table).where(column == player_id).values({column.name: nobody}))
            await connection.execute(delete(players).where(players.c.id == player_id))
            return Forgotten(challenges=closed, proposals=lapsed)

    async def purge_challenges(self, before: datetime, most: int) -> bool:
        """Removes challenges that came to nothing and would have expired before that time, with people of whom nothing
        else is kept than names; so many challenges at most. Whether there may be more."""
        async with self._database.write() as connection:
            old = (
                await connection.execute(
                    select(challenges.c.id, challenges.c.challenger_id, challenges.c.opponent_id)
                    .where(CAME_TO_NOTHING, challenges.c.expires_at < before)
                    .order_by(challenges.c.expires_at)
                    .limit(most)
                )
            ).all()
            await connection.execute(delete(challenges).where(challenges.c.id.in_([row.id for row in old])))
            people = {each for row in old for each in (row.challenger_id, row.opponent_id) if each is not None}
            for column in (column for column in _REFERENCES if column.table is not nicknames):
                people -= set(await connection.scalars(select(column).where(column.in_(people))))
            await connection.execute(delete(nicknames).where(nicknames.c.player_id.in_(people)))
            await connection.execute(delete(players).where(players.c.id.in_(people)))
            return len(old) == most

    async def _close_challenges(self, connection: AsyncConnection, player_id: int) -> tuple[int, ...]:
        """Closes the open challenges by and to a player; their ids."""
        theirs = or_(challenges.c.challenger_id == player_id, challenges.c.opponent_id == player_id)
        found = await connection.execute(
            select(challenges.c.id, challenges.c.challenger_id).where(theirs, challenges.c.state == ChallengeState.OPEN)
        )
        closed = []
        for identity, challenger_id in found.all():
            own = challenger_id == player_id
            await self._close(connection, identity, ChallengeState.WITHDRAWN if own else ChallengeState.DECLINED)
            closed.append(identity)
        return tuple(closed)

    async def _lapse_proposals(self, connection: AsyncConnection, player_id: int) -> tuple[int, ...]:
        """Closes the open proposals in a player's matches; their ids."""
        theirs = select(matches.c.id).where(played_by(player_id))
        lapsed = await connection.scalars(
            update(proposals)
            .where(proposals.c.match_id.in_(theirs), proposals.c.state == ProposalState.OPEN)
            .values(state=ProposalState.LAPSED, version=proposals.c.version + 1)
            .returning(proposals.c.id)
        )
        return tuple(lapsed)
