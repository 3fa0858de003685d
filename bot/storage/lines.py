"""Lines that somebody tries."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Integer, bindparam, delete, select, tuple_

from bot.domain.lines import Line
from bot.storage.repository import Repository
from bot.storage.tables import lines

# Built once, because every start asks for them.
_KEY = (lines.c.match_id, lines.c.player_id)
_IS_OLD = lines.c.changed_at < bindparam("before")
_OLD = select(*_KEY).where(_IS_OLD).order_by(lines.c.changed_at).limit(bindparam("most", type_=Integer))
_DELETING_OLD = delete(lines).where(tuple_(*_KEY).in_(bindparam("keys", expanding=True)), _IS_OLD)


class LineRepository(Repository):
    """One line of each match for everybody who tries turns in it."""

    async def get(self, match_id: int, player_id: int) -> Line | None:
        query = select(lines).where(lines.c.match_id == match_id, lines.c.player_id == player_id)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else Line(row.step, row.ply, tuple(row.turns.split()), row.begun)

    async def lock(self, match_id: int, player_id: int) -> Line | None:
        """The line, which nobody else changes until the end of the transaction."""
        await self._lock_match(match_id)
        return await self.get(match_id, player_id)

    async def set(self, match_id: int, player_id: int, line: Line, now: datetime) -> None:
        """Keep a line in place of the one before, for somebody who is stored already."""
        row = {
            "match_id": match_id,
            "player_id": player_id,
            "step": line.step,
            "ply": line.ply,
            "turns": " ".join(line.turns),
            "begun": line.begun,
            "changed_at": now,
        }
        await self._put(lines, row)

    async def delete_old(self, before: datetime, most: int) -> list[int]:
        """Delete lines that have not changed since then, at most so many; return whose they were."""
        found = await self._connection.execute(_OLD, {"before": before, "most": most})
        old = [(row.match_id, row.player_id) for row in found]
        await self._connection.execute(_DELETING_OLD, {"keys": old, "before": before})
        return [player_id for _match_id, player_id in old]
