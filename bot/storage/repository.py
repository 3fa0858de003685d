"""What the repositories share: the connection of their transaction."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import Row, Select, Table, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.tables import matches

#: Rows that are read at once, which takes the event loop about a millisecond.
_ROWS = 200
#: A row of any query.
AnyRow: TypeAlias = Row[*tuple[Any, ...]]


class Repository:
    """The queries and guarded changes of a feature, within one transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def _insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """An insert that can say what to do if the row already exists."""
        if self._connection.dialect.name == "postgresql":
            return postgresql.insert(table)
        return sqlite.insert(table)

    async def _read(self, query: Select[Any]) -> list[AnyRow]:
        """The rows of a query that may find thousands; meanwhile others get their turn."""
        rows: list[AnyRow] = []
        async with self._connection.stream(query) as found:
            async for some in found.partitions(_ROWS):
                rows += some
        return rows

    async def _lock_match(self, match_id: int) -> None:
        """Keep others from changing the match until the end of this change; SQLite has one writer anyway."""
        if self._connection.dialect.name == "postgresql":
            await self._connection.execute(select(matches.c.id).where(matches.c.id == match_id).with_for_update())
