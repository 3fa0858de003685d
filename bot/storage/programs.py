"""Programs, by the hashes of their tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, select, update

from bot.domain.programs import Program
from bot.storage.repository import AnyRow, Repository
from bot.storage.tables import nicknames, programs

# Built once, for every request of a program.
_BY_HASH = select(programs).where(programs.c.hash == bindparam("hash"))


class ProgramRepository(Repository):
    async def add(self, program: Program) -> None:
        """Store a program, whose player and owner are stored."""
        values = {"player_id": program.id, "owner_id": program.owner_id, "name": program.name}
        await self._add(programs, {**values, "hash": program.hash, "made_at": program.made_at})

    async def of_hash(self, hashed: str) -> Program | None:
        return self._to_optional_program(await self._row(_BY_HASH, {"hash": hashed}))

    async def get(self, program_id: int) -> Program | None:
        return self._to_optional_program(await self._row(select(programs).where(programs.c.player_id == program_id)))

    async def of_owner(self, owner_id: int) -> list[Program]:
        """The programs of a person, the oldest first."""
        return await self._programs(select(programs).where(programs.c.owner_id == owner_id))

    async def met_on(self, guild_id: int) -> list[Program]:
        """The programs whose owners have used the bot on a server."""
        met = (nicknames.c.player_id == programs.c.owner_id, nicknames.c.guild_id == guild_id)
        return await self._programs(select(programs).join(nicknames, met[0]).where(met[1]))

    async def owner_of(self, program_id: int) -> int:
        """The owner of a program, or itself while it is being deleted."""
        found: int | None = await self._scalar(select(programs.c.owner_id).where(programs.c.player_id == program_id))
        return found or program_id

    async def set_hash(self, program_id: int, hashed: str) -> None:
        """Replace the token of a program."""
        self.wake(program_id)
        await self._execute(update(programs).where(programs.c.player_id == program_id).values(hash=hashed))

    async def note_use(self, program_id: int, now: datetime) -> None:
        await self._execute(update(programs).where(programs.c.player_id == program_id).values(used_at=now))

    async def begin_stream(self, program_id: int, now: datetime) -> Program | None:
        """Give the next number to a stream of the program, which ends the stream before."""
        counted = update(programs).where(programs.c.player_id == program_id)
        counted = counted.values(stream=programs.c.stream + 1, used_at=now)
        self.wake(program_id)
        return self._to_optional_program(await self._row(counted.returning(programs)))

    async def _programs(self, query: Select[Any]) -> list[Program]:
        return [_to_program(row) for row in await self._rows(query.order_by(programs.c.made_at, programs.c.player_id))]

    @staticmethod
    def _to_optional_program(row: AnyRow | None) -> Program | None:
        return None if row is None else _to_program(row)


def _to_program(row: AnyRow) -> Program:
    return Program(row.player_id, row.owner_id, row.name, row.hash, row.stream, row.made_at, row.used_at)
