"""What the parts of the storage share: the database, and the people that they remember."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Row, Table, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.places import PostedMessage
from bot.domain.players import Player
from bot.storage.database import Database
from bot.storage.players import PlayerRepository
from bot.storage.tables import memos


class Store:
    """A part of the storage. Each public method of a part is one transaction, if it says nothing else."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _insert(self, connection: AsyncConnection, table: Table) -> postgresql.Insert | sqlite.Insert:
        """An insertion that can say what to do when the row is there already."""
        return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)

    async def _remember(self, connection: AsyncConnection, *people: Player | None) -> None:
        await PlayerRepository(connection).save(*people)

    async def _known(
        self, connection: AsyncConnection, people: Collection[int], guild_id: int | None
    ) -> dict[int, Player]:
        return await PlayerRepository(connection).named(people, guild_id)

    async def _set_memo(self, connection: AsyncConnection, name: str, value: str) -> None:
        kept = self._insert(connection, memos).values(name=name, value=value)
        await connection.execute(kept.on_conflict_do_update(index_elements=["name"], set_={"value": value}))

    @staticmethod
    async def _note_shown(
        connection: AsyncConnection,
        table: Table,
        identity: int,
        version: int,
        card: PostedMessage | None,
        **values: object,
    ) -> None:
        values |= {
            "shown_version": version,
            "card_channel_id": card and card.channel_id,
            "card_message_id": card and card.message_id,
        }
        await connection.execute(update(table).where(table.c.id == identity).values(values))


def to_card(row: Row[Any], step: int) -> PostedMessage | None:
    """The card of a challenge or match."""
    if row.card_message_id is None:
        return None
    return PostedMessage(row.card_channel_id, row.card_message_id, row.shown_version, step)
