"""The public threads that people play in."""

from __future__ import annotations

from sqlalchemy import select

from bot.storage.base import Store
from bot.storage.tables import threads


class ThreadStore(Store):
    """Remembers where threads belong."""

    async def thread_parent(self, thread_id: int) -> int | None:
        """The channel of a public thread; None when it is not known."""
        async with self._database.read() as connection:
            parent_id: int | None = await connection.scalar(
                select(threads.c.parent_id).where(threads.c.id == thread_id)
            )
            return parent_id

    async def remember_thread(self, thread_id: int, parent_id: int) -> None:
        async with self._database.write() as connection:
            known = self._insert(connection, threads).values(id=thread_id, parent_id=parent_id)
            await connection.execute(known.on_conflict_do_nothing())
