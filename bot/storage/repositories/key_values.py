"""Values that the application stores by name."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from bot.storage.repository import Repository
from bot.storage.tables import key_values

# Built once, for every start and every joined server.
_VALUE = select(key_values.c.value).where(key_values.c.name == bindparam("name"))


class KeyValueRepository(Repository):
    """Values by name."""

    async def get(self, name: str) -> str | None:
        return await self._scalar(_VALUE, {"name": name})

    async def add(self, name: str, value: str) -> bool:
        """Store a value unless the name has one; False if it has."""
        return (
            await self._execute(self._insert(key_values).values(name=name, value=value).on_conflict_do_nothing()) == 1
        )

    async def remove(self, name: str) -> None:
        await self._execute(delete(key_values).where(key_values.c.name == name))

    async def set(self, name: str, value: str) -> None:
        await self._put(key_values, {"name": name, "value": value})
