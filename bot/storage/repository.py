"""The base of the repositories: statements in a transaction, and shared conditions."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Executable,
    Row,
    Select,
    Table,
    Update,
    case,
    func,
    insert,
    literal_column,
    or_,
    select,
    true,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.players import PROGRAM_IDS
from bot.domain.shards import UNSHARDED_BITS, Shards
from bot.storage.database import AnyResult, Upsert, insert_for, one_writer
from bot.storage.tables import matches

#: The channel on which PostgreSQL notifies processes of each other's changes.
NOTIFICATIONS = "hexgrove"
#: The prefix of a notification about a match or program; its id follows.
MATCH_CHANGED = "match"
#: Rows to read at once, in about a millisecond of the event loop.
_ROWS = 200
#: A row of any query.
AnyRow: TypeAlias = Row[*tuple[Any, ...]]
#: Values for the parameters of a statement.
_Values: TypeAlias = Mapping[str, Any]
_R = TypeVar("_R", bound="Repository")
_Q = TypeVar("_Q", Select[Any], Update)
_T = TypeVar("_T")


@dataclass
class Repository:
    """The queries and guarded changes of a feature, in one transaction of a process that holds some shards.

    ``_due_times`` collects the times of timers that the transaction sets. ``_changed_ids`` collects the matches that
    look different after it, and the programs that have news.
    """

    _connection: AsyncConnection
    _shards: Shards
    _due_times: list[datetime]
    _changed_ids: set[int]

    # Statements

    async def _result(self, statement: Executable, values: _Values | Sequence[_Values] | None = None) -> AnyResult:
        return await self._connection.execute(statement, values)

    async def _rows(self, query: Executable, values: _Values | None = None) -> Sequence[AnyRow]:
        return (await self._result(query, values)).all()

    async def _row(self, query: Executable, values: _Values | None = None) -> AnyRow | None:
        """The only row; None without a row."""
        return (await self._result(query, values)).one_or_none()

    async def _scalar(self, query: Executable, values: _Values | None = None) -> _T | None:
        """The first value of the first row, of a type that the caller knows; None without a row."""
        found: _T | None = (await self._result(query, values)).scalar()
        return found

    async def _scalars(self, query: Executable, values: _Values | None = None) -> list[_T]:
        """The first value of every row, of a type that the caller knows."""
        return list((await self._result(query, values)).scalars())

    async def _exists(self, query: Select[Any]) -> bool:
        """Whether the query finds a row."""
        return bool(await self._scalar(query.limit(1).exists().select()))

    async def _read(self, query: Select[Any]) -> list[AnyRow]:
        """The rows of a query that may find thousands, without blocking the event loop."""
        rows: list[AnyRow] = []
        for some in (await self._result(query)).partitions(_ROWS):
            rows += some
            await asyncio.sleep(0)
        return rows

    async def _execute(self, change: Executable, values: _Values | Sequence[_Values] | None = None) -> int:
        """Execute a change, and return the number of changed rows."""
        return (await self._result(change, values)).rowcount

    async def _add(self, table: Table, *rows: dict[str, Any]) -> None:
        if rows:
            await self._result(insert(table), rows)

    async def _add_numbered(self, table: Table, **values: Any) -> int:
        """Insert a row, and return its new number."""
        added = await self._result(insert(table).values(values).returning(table.c.id))
        number: int = added.scalar_one()
        return number

    async def _put(self, table: Table, *rows: dict[str, Any]) -> None:
        """Upsert whole rows."""
        if rows:
            await self._result(_replacing(self._connection.dialect.name, table), rows)

    def _insert(self, table: Table) -> Upsert:
        """An insert that can update an existing row."""
        return insert_for(self._connection.dialect.name, table)

    # The transaction

    def _other(self, kind: type[_R]) -> _R:
        """Another repository in the same transaction."""
        return kind(self._connection, self._shards, self._due_times, self._changed_ids)

    def wake(self, *player_ids: int | None) -> None:
        """Wake the programs among the players, because they have news."""
        self._changed_ids.update(number for number in player_ids if number is not None and number in PROGRAM_IDS)

    def _is_held(self, guild_id: ColumnElement[int | None]) -> ColumnElement[bool]:
        """Whether this process holds the shard of a server."""
        if not self._shards.leased:
            return true()
        return in_shards(self._shards.current, self._shards.count, guild_id)

    def _in_own_servers(self, query: _Q, guild_id: ColumnElement[int | None]) -> _Q:
        """Restrict a query or a change to the servers whose shards this process holds."""
        return query.where(self._is_held(guild_id)) if self._shards.leased else query

    async def _lock_match(self, match_id: int) -> None:
        """Lock the match until the end of the transaction."""
        if not one_writer(self._connection):
            await self._result(select(matches.c.id).where(matches.c.id == match_id).with_for_update())


# Built once for each table, because building takes longer than storing a row.
@cache
def _replacing(dialect: str, table: Table) -> Upsert:
    put = insert_for(dialect, table)
    key = [column.name for column in table.primary_key]
    rest = {column.name: put.excluded[column.name] for column in table.c if column.name not in key}
    return put.on_conflict_do_update(index_elements=key, set_=rest)


def played_by(player_id: int | BindParameter[int]) -> ColumnElement[bool]:
    return or_(matches.c.first_id == player_id, matches.c.second_id == player_id)


def opponent_of(player_id: int | BindParameter[int]) -> ColumnElement[int]:
    """The id of the player's opponent in a match."""
    return case((matches.c.first_id == player_id, matches.c.second_id), else_=matches.c.first_id)


def score_of(player_id: int, winner_id: int | None) -> float:
    """The player's score in a match with this winner (None: a draw)."""
    return 0.5 if winner_id is None else float(winner_id == player_id)


def in_shards(some: Collection[int], count: int, guild_id: ColumnElement[int | None]) -> ColumnElement[bool]:
    """Whether a server belongs to one of these shards; there are ``count`` in all."""
    # PostgreSQL shifts only by 32-bit integers, and a parameter would have 64.
    return (func.coalesce(guild_id, 0).bitwise_rshift(literal_column(str(UNSHARDED_BITS))) % count).in_(some)
