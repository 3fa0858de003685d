"""The public threads that people play in."""

from __future__ import annotations

from sqlalchemy import select

from bot.storage.repository import Repository
from bot.storage.tables import threads


class ThreadRepository(Repository):
    """The channels that public threads belong to."""

    async def parent(self, thread_id: int) -> int | None:
        """The channel of a public thread; None when it is not known."""
        parent_id: int | None = await self._connection.scalar(
            select(threads.c.parent_id).where(threads.c.id == thread_id)
        )
        return parent_id

    async def remember(self, thread_id: int, parent_id: int) -> None:
        known = self._insert(threads).values(id=thread_id, parent_id=parent_id)
        await self._connection.execute(known.on_conflict_do_nothing())
