"""Blocks, posts that count towards a limit, how matches ended for a player, and everything stored about a player."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from bot.domain.matches import Ending
from bot.domain.players import Conduct
from bot.domain.proposals import ProposalState
from bot.domain.ratings import LEAST_PLY
from bot.domain.timers import PERSONAL
from bot.storage.matches import WITH_COMPUTER
from bot.storage.repository import Repository, played_by
from bot.storage.tables import (
    CAME_TO_NOTHING,
    OPEN_CHALLENGES,
    OPEN_PROPOSALS,
    blocks,
    challenges,
    entrants,
    matches,
    metadata,
    pairings,
    players,
    posts,
    proposals,
    timers,
)

# Built once, because every challenge asks for it.
_BLOCKER = (
    select(blocks.c.player_id)
    .where(
        or_(
            and_(blocks.c.player_id == bindparam("one"), blocks.c.blocked_id == bindparam("other")),
            and_(blocks.c.player_id == bindparam("other"), blocks.c.blocked_id == bindparam("one")),
        )
    )
    .order_by(blocks.c.player_id != bindparam("one"))
)
# Built once, because every start purges.
_OLD_CHALLENGES = (
    select(challenges.c.id, challenges.c.challenger_id, challenges.c.opponent_id)
    .where(CAME_TO_NOTHING, challenges.c.expires_at < bindparam("before"))
    .order_by(challenges.c.expires_at)
    .limit(bindparam("most", type_=Integer))
)
_DELETING_CHALLENGES = delete(challenges).where(challenges.c.id.in_(bindparam("ids", expanding=True)))


class PrivacyRepository(Repository):
    async def blocker(self, player_id: int, other_id: int) -> int | None:
        """Return which of the two has blocked the other, first of all the player; None if neither has."""
        found: int | None = await self._connection.scalar(_BLOCKER, {"one": player_id, "other": other_id})
        return found

    async def blocked(self, player_id: int) -> list[int]:
        """Return the Discord ids of those whom a player has blocked."""
        found = await self._connection.scalars(
            select(blocks.c.blocked_id).where(blocks.c.player_id == player_id).order_by(blocks.c.blocked_id)
        )
        return list(found)

    async def set_blocked(self, player_id: int, others: Collection[int]) -> None:
        """Block these, and nobody else, for a player who is stored already."""
        await self._connection.execute(delete(blocks).where(blocks.c.player_id == player_id))
        if others:
            await self._connection.execute(
                insert(blocks), [{"player_id": player_id, "blocked_id": other} for other in others]
            )

    async def posts(self, player_id: int) -> list[datetime]:
        """Return when a player has posted boards, as far as that is still stored."""
        return list(await self._connection.scalars(select(posts.c.created_at).where(posts.c.player_id == player_id)))

    async def set_posts(self, player_id: int, times: Collection[datetime]) -> None:
        """Store when a player, who is stored already, has posted boards, in place of what was stored of that."""
        await self._connection.execute(delete(posts).where(posts.c.player_id == player_id))
        await self._connection.execute(insert(posts), [{"player_id": player_id, "created_at": each} for each in times])

    async def conduct(self, player_id: int, game: str | None) -> Conduct:
        lost = and_(matches.c.winner_id.is_not(None), matches.c.winner_id != player_id)
        lost_on_time = and_(matches.c.ending == Ending.TIME, lost)
        abandoned = or_(
            matches.c.ending == Ending.ABANDONED,
            and_(matches.c.ending == Ending.RESIGNATION, lost, matches.c.ply < LEAST_PLY),
        )
        row = (
            await self._connection.execute(
                select(
                    func.count(),
                    func.coalesce(func.sum(case((lost_on_time, 1), else_=0)), 0),
                    func.coalesce(func.sum(case((abandoned, 1), else_=0)), 0),
                ).where(
                    played_by(player_id),
                    ~WITH_COMPUTER,
                    true() if game is None else matches.c.game == game,
                    matches.c.ended_at.is_not(None),
                    or_(matches.c.moderator_id.is_(None), _removed_from_tournament(player_id)),
                )
            )
        ).one()
        return Conduct(*row)

    async def rows_of(self, player_id: int, most: int) -> AsyncGenerator[tuple[str, list[dict[str, Any]]], None]:
        """Yield all rows that refer to a player, at most so many at a time, each time with the name of their table."""
        for table in metadata.sorted_tables:
            columns = [column for column in table.c if column.references(players.c.id)]
            if table is players:
                columns = [players.c.id]
            mine = [column == player_id for column in columns]
            if table is timers:
                mine = [and_(timers.c.kind.in_(PERSONAL), timers.c.subject_id == player_id)]
            if mine:
                found = await self._connection.stream(
                    select(table).where(or_(*mine)).order_by(*table.primary_key.columns)
                )
                async for rows in found.mappings().partitions(most):
                    yield table.name, [dict(row) for row in rows]

    async def open_challenges(self, player_id: int) -> list[tuple[int, int]]:
        """Return the ids of the open challenges by and to a player, each with the challenger's."""
        theirs = or_(challenges.c.challenger_id == player_id, challenges.c.opponent_id == player_id)
        found = await self._connection.execute(
            select(challenges.c.id, challenges.c.challenger_id).where(theirs, OPEN_CHALLENGES).order_by(challenges.c.id)
        )
        return [(row.id, row.challenger_id) for row in found]

    async def lapse_proposals(self, player_id: int) -> list[int]:
        """Close the open proposals in a player's matches; return their ids."""
        theirs = select(matches.c.id).where(played_by(player_id))
        lapsed = await self._connection.scalars(
            update(proposals)
            .where(proposals.c.match_id.in_(theirs), OPEN_PROPOSALS)
            .values(state=ProposalState.LAPSED, version=proposals.c.version + 1)
            .returning(proposals.c.id)
        )
        return list(lapsed)

    async def delete_challenges(self, before: datetime, most: int) -> list[set[int]]:
        """Delete challenges that came to nothing and would have expired before that time, at most so many.

        Return whom each of them named.
        """
        old = (await self._connection.execute(_OLD_CHALLENGES, {"before": before, "most": most})).all()
        await self._connection.execute(_DELETING_CHALLENGES, {"ids": [row.id for row in old]})
        return [{each for each in (row.challenger_id, row.opponent_id) if each is not None} for row in old]


def _removed_from_tournament(player_id: int) -> ColumnElement[bool]:
    """Whether a match ended because the player, who was absent, was removed from its tournament."""
    return (
        exists()
        .where(
            pairings.c.match_id == matches.c.id,
            entrants.c.tournament_id == pairings.c.tournament_id,
            entrants.c.player_id == player_id,
            entrants.c.withdrawn_at == matches.c.ended_at,
        )
        .correlate(matches)
    )
