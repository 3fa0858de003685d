"""What the repositories share: the connection of the transaction that they work in."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import Row, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

#: A row of any query.
AnyRow: TypeAlias = Row[*tuple[Any, ...]]


class Repository:
    """The queries and guarded changes of a feature, within one transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def _insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """An insertion that can say what to do when the row is there already."""
        if self._connection.dialect.name == "postgresql":
            return postgresql.insert(table)
        return sqlite.insert(table)
