"""What the application remembers about itself."""

from __future__ import annotations

from sqlalchemy import select

from bot.storage.repository import Repository
from bot.storage.tables import memos


class MemoRepository(Repository):
    """Values by name."""

    async def get(self, name: str) -> str | None:
        value: str | None = await self._connection.scalar(select(memos.c.value).where(memos.c.name == name))
        return value

    async def add(self, name: str, value: str) -> bool:
        """Store a value unless there is one; False if there is."""
        added = self._insert(memos).values(name=name, value=value).on_conflict_do_nothing().returning(memos.c.name)
        return (await self._connection.execute(added)).one_or_none() is not None

    async def set(self, name: str, value: str) -> None:
        kept = self._insert(memos).values(name=name, value=value)
        await self._connection.execute(kept.on_conflict_do_update(index_elements=["name"], set_={"value": value}))
