"""Who has blocked whom, how often people post boards, how their matches end, and all that is kept of somebody."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, exists, func, insert, or_, select

from bot.domain.limits import POST_LIMIT, Wait
from bot.domain.matches import Ending
from bot.domain.players import Conduct, Player
from bot.domain.ratings import LEAST_PLY
from bot.storage.base import Store
from bot.storage.matches import played_by
from bot.storage.tables import blocks, entrants, matches, metadata, pairings, players, posts


class FairPlayStore(Store):
    """Answers what fair play has to know."""

    async def blocker(self, player_id: int, other_id: int) -> int | None:
        """Which of the two has blocked the other; None when neither has."""
        async with self._database.read() as connection:
            found: int | None = await connection.scalar(
                select(blocks.c.player_id)
                .where(
                    or_(
                        and_(blocks.c.player_id == player_id, blocks.c.blocked_id == other_id),
                        and_(blocks.c.player_id == other_id, blocks.c.blocked_id == player_id),
                    )
                )
                .order_by(blocks.c.player_id != player_id)
            )
            return found

    async def blocked(self, player_id: int) -> list[int]:
        """Whom a player has blocked, by their Discord ids."""
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(blocks.c.blocked_id).where(blocks.c.player_id == player_id).order_by(blocks.c.blocked_id)
            )
            return list(found)

    async def set_blocked(self, player: Player, others: Collection[int]) -> None:
        """These, and nobody else, are blocked by the player from now on."""
        async with self._database.write() as connection:
            await self._remember(connection, player)
            await connection.execute(delete(blocks).where(blocks.c.player_id == player.id))
            if others:
                await connection.execute(
                    insert(blocks), [{"player_id": player.id, "blocked_id": other} for other in others]
                )

    async def add_post(self, player: Player, at: datetime) -> Wait | None:
        """Notes that a player posts a board, or says how long they have to wait."""
        own = posts.c.player_id == player.id
        async with self._database.write() as connection:
            await self._remember(connection, player)
            until = await self._free_at(connection, POST_LIMIT, posts.c.created_at, at, own)
            if until is not None:
                return Wait(until)
            counts = and_(posts.c.created_at > at - POST_LIMIT.span, posts.c.created_at <= at)
            await connection.execute(delete(posts).where(own, ~counts))
            await connection.execute(insert(posts).values(player_id=player.id, created_at=at))
            return None

    async def conduct(self, player_id: int) -> Conduct:
        lost = and_(matches.c.winner_id.is_not(None), matches.c.winner_id != player_id)
        lost_on_time = and_(matches.c.ending == Ending.TIME, lost)
        abandoned = or_(
            matches.c.ending == Ending.ABANDONED,
            and_(matches.c.ending == Ending.RESIGNATION, lost, matches.c.ply < LEAST_PLY),
        )
        async with self._database.read() as connection:
            row = (
                await connection.execute(
                    select(
                        func.count(),
                        func.coalesce(func.sum(case((lost_on_time, 1), else_=0)), 0),
                        func.coalesce(func.sum(case((abandoned, 1), else_=0)), 0),
                    ).where(
                        played_by(player_id),
                        matches.c.ended_at.is_not(None),
                        or_(matches.c.moderator_id.is_(None), _taken_out_of(player_id)),
                    )
                )
            ).one()
            return Conduct(*row)

    async def data_of(self, player_id: int, most: int) -> AsyncGenerator[tuple[str, list[dict[str, Any]]], None]:
        """All rows that refer to a player, so many at a time, each time with the name of their table."""
        async with self._database.read() as connection:
            for table in metadata.sorted_tables:
                columns = [column for column in table.c if column.references(players.c.id)]
                if table is players:
                    columns = [players.c.id]
                if columns:
                    mine = or_(*(column == player_id for column in columns))
                    found = await connection.stream(select(table).where(mine).order_by(*table.primary_key.columns))
                    async for rows in found.mappings().partitions(most):
                        yield table.name, [dict(row) for row in rows]


def _taken_out_of(player_id: int) -> ColumnElement[bool]:
    """Whether a match ended because the player, who was absent, was taken out of its tournament."""
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
