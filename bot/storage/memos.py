"""Values that the application remembers, and the channels of threads."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from bot.storage.repository import Repository
from bot.storage.tables import memos, threads

# Built once, for every start and every joined server.
_VALUE = select(memos.c.value).where(memos.c.name == bindparam("name"))


class MemoRepository(Repository):
    """Values by name, and public threads with their channels."""

    async def get(self, name: str) -> str | None:
        return await self._scalar(_VALUE, {"name": name})

    async def add(self, name: str, value: str) -> bool:
        """Store a value unless there is one; False if there is."""
        return await self._execute(self._insert(memos).values(name=name, value=value).on_conflict_do_nothing()) == 1

    async def remove(self, name: str) -> None:
        await self._execute(delete(memos).where(memos.c.name == name))

    async def set(self, name: str, value: str) -> None:
        await self._put(memos, {"name": name, "value": value})

    async def thread_channel(self, thread_id: int) -> int | None:
        """The channel of a public thread; None for an unknown thread."""
        return await self._scalar(select(threads.c.parent_id).where(threads.c.id == thread_id))

    async def add_thread(self, thread_id: int, channel_id: int) -> None:
        await self._execute(self._insert(threads).values(id=thread_id, parent_id=channel_id).on_conflict_do_nothing())
