"""Matches: their turns, where they are played and which of their cards were shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, exists, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.matches.model import Card, Ending, Match, Place, Player, Result
from bot.storage.base import Store, to_card
from bot.storage.tables import challenges, matches, players, turns
from rules import ruleset_by_id

_first = players.alias("first_player")
_second = players.alias("second_player")
_MATCHES: Select[Any] = (
    select(matches, _first.c.name.label("first_name"), _second.c.name.label("second_name"))
    .join(_first, _first.c.id == matches.c.first_id)
    .join(_second, _second.c.id == matches.c.second_id)
)


class MatchStore(Store):
    """Keeps the matches."""

    async def match(self, match_id: int) -> Match | None:
        async with self._database.read() as connection:
            return await self._match(connection, matches.c.id == match_id)

    async def turns(self, match_id: int) -> tuple[str, ...]:
        """The match's turns, in order."""
        async with self._database.read() as connection:
            found = await connection.scalars(
                select(turns.c.turn).where(turns.c.match_id == match_id).order_by(turns.c.ply)
            )
            return tuple(found)

    async def running_matches(
        self, guild_id: int, *, player_id: int | None = None, channel_id: int | None = None
    ) -> list[Match]:
        """The server's running matches, oldest first; those of a player, or in a channel."""
        conditions: list[ColumnElement[bool]] = [matches.c.guild_id == guild_id, matches.c.ended_at.is_(None)]
        if player_id is not None:
            conditions.append(or_(matches.c.first_id == player_id, matches.c.second_id == player_id))
        if channel_id is not None:
            conditions.append(matches.c.channel_id == channel_id)
        async with self._database.read() as connection:
            return await self._matches(connection, and_(*conditions))

    async def latest_match(self, channel_id: int) -> Match | None:
        """The match that was played last in that channel, running or not."""
        async with self._database.read() as connection:
            newest = (
                select(matches.c.id)
                .where(matches.c.channel_id == channel_id)
                .order_by(matches.c.id.desc())
                .limit(1)
                .scalar_subquery()
            )
            return await self._match(connection, matches.c.id == newest)

    async def add_turn(
        self, match_id: int, ply: int, turn: str, player_id: int, played_at: datetime, result: Result | None
    ) -> bool:
        """Stores the match's turn number ``ply`` + 1, and the result when it ends the match.

        False, and nothing is stored, unless the match is running and has exactly ``ply`` turns.
        """
        async with self._database.write() as connection:
            stored = await self._change(connection, match_id, ply, played_at, result, ply=ply + 1)
            if stored:
                await connection.execute(
                    insert(turns).values(
                        match_id=match_id, ply=ply + 1, turn=turn, player_id=player_id, played_at=played_at
                    )
                )
            return stored

    async def end_match(self, match_id: int, ply: int, ended_at: datetime, result: Result) -> bool:
        """Ends the match without a turn; False unless it is running and has exactly ``ply`` turns."""
        async with self._database.write() as connection:
            return await self._change(connection, match_id, ply, ended_at, result)

    async def place_match(self, match_id: int, channel_id: int) -> bool:
        """Gives a waiting match its channel; False when it has one, or another match runs there."""
        async with self._database.write() as connection:
            running = matches.alias("running")
            busy = exists().where(running.c.channel_id == channel_id, running.c.ended_at.is_(None))
            placed = await connection.execute(
                update(matches)
                .where(matches.c.id == match_id, matches.c.channel_id.is_(None), matches.c.ended_at.is_(None), ~busy)
                .values(channel_id=channel_id)
                .returning(matches.c.challenge_id)
            )
            challenge_id = placed.scalar_one_or_none()
            if challenge_id is None:
                return False
            await connection.execute(
                update(challenges).where(challenges.c.id == challenge_id).values(version=challenges.c.version + 1)
            )
            return True

    async def unplace_match(self, match_id: int, channel_id: int) -> None:
        """Takes a running match out of a channel that is gone."""
        async with self._database.write() as connection:
            await connection.execute(
                update(matches)
                .where(matches.c.id == match_id, matches.c.channel_id == channel_id, matches.c.ended_at.is_(None))
                .values(channel_id=None)
            )

    async def waiting_matches(self, home_channel_id: int | None = None) -> list[Match]:
        """The running matches that have no channel, oldest first; those challenged in one channel, or all."""
        conditions: list[ColumnElement[bool]] = [matches.c.channel_id.is_(None), matches.c.ended_at.is_(None)]
        if home_channel_id is not None:
            conditions.append(matches.c.home_channel_id == home_channel_id)
        async with self._database.read() as connection:
            return await self._matches(connection, and_(*conditions))

    async def match_shown(self, match_id: int, card: Card) -> None:
        await self._shown(matches, match_id, card.version, card, shown_ply=card.ply)

    async def request_match_card(self, match_id: int) -> None:
        """Asks for the match's card to be shown once more."""
        async with self._database.write() as connection:
            await connection.execute(
                update(matches).where(matches.c.id == match_id).values(version=matches.c.version + 1)
            )

    async def _change(
        self,
        connection: AsyncConnection,
        match_id: int,
        expected_ply: int,
        at: datetime,
        result: Result | None,
        **values: object,
    ) -> bool:
        if result is not None:
            values |= {"ended_at": at, "ending": result.ending, "winner_id": result.winner_id}
        changed = await connection.execute(
            update(matches)
            .where(matches.c.id == match_id, matches.c.ply == expected_ply, matches.c.ended_at.is_(None))
            .values(version=matches.c.version + 1, **values)
        )
        return changed.rowcount == 1

    async def _match(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> Match | None:
        found = await self._matches(connection, condition)
        return found[0] if found else None

    async def _matches(self, connection: AsyncConnection, condition: ColumnElement[bool]) -> list[Match]:
        rows: Sequence[Row[Any]] = (await connection.execute(_MATCHES.where(condition).order_by(matches.c.id))).all()
        return [_to_match(row) for row in rows]


def _to_match(row: Row[Any]) -> Match:
    return Match(
        id=row.id,
        challenge_id=row.challenge_id,
        ruleset=ruleset_by_id(row.ruleset),
        home=Place(row.guild_id, row.home_channel_id),
        channel_id=row.channel_id,
        first=Player(row.first_id, row.first_name),
        second=Player(row.second_id, row.second_name),
        ply=row.ply,
        version=row.version,
        result=None if row.ending is None else Result(row.winner_id, Ending(row.ending)),
        card=to_card(row, ply=row.shown_ply),
    )
