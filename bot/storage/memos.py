"""What the application remembers about itself."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from bot.storage.repository import Repository
from bot.storage.tables import memos

# Built once, because every start and every server that is joined asks for some.
_VALUE = select(memos.c.value).where(memos.c.name == bindparam("name"))


class MemoRepository(Repository):
    """Values by name."""

    async def get(self, name: str) -> str | None:
        value: str | None = await self._connection.scalar(_VALUE, {"name": name})
        return value

    async def add(self, name: str, value: str) -> bool:
        """Store a value unless there is one; False if there is."""
        added = self._insert(memos).values(name=name, value=value).on_conflict_do_nothing().returning(memos.c.name)
        return (await self._connection.execute(added)).one_or_none() is not None

    async def remove(self, name: str) -> None:
        await self._connection.execute(delete(memos).where(memos.c.name == name))

    async def set(self, name: str, value: str) -> None:
        await self._put(memos, {"name": name, "value": value})
