"""What the repositories share: the connection of their transaction."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import Row, Select, Table, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.places import PostedMessage

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

    async def _note_shown(
        self, table: Table, identity: int, version: int, card: PostedMessage | None, **values: object
    ) -> None:
        """Note which version of a row its card shows."""
        values |= {
            "shown_version": version,
            "card_channel_id": card and card.channel_id,
            "card_message_id": card and card.message_id,
        }
        await self._connection.execute(update(table).where(table.c.id == identity).values(values))


def to_card(row: Row[Any], step: int) -> PostedMessage | None:
    """The card of a challenge or match."""
    if row.card_message_id is None:
        return None
    return PostedMessage(row.card_channel_id, row.card_message_id, row.shown_version, step)
