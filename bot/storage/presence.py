"""For each shard, when the bot was last there for its players, and which process holds it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import bindparam, delete, insert, select, update

from bot.storage.repository import Repository
from bot.storage.tables import presence

# Built once, because the bot notes it all the time.
_NOTING = update(presence).where(
    presence.c.shard.in_(bindparam("these", expanding=True)), presence.c.holder == bindparam("own")
)


class PresenceRepository(Repository):
    """The shards, by number. Only the process that has taken a shard last changes its row."""

    async def take(self, shard: int) -> datetime | None:
        """Hold a shard from now on, in place of whoever did; when the bot was last there, if it ever was."""
        holder = self._shards.holder
        taken = self._insert(presence).values(shard=shard, shards=self._shards.count, holder=holder)
        seen_at: datetime | None = await self._connection.scalar(
            taken.on_conflict_do_update(index_elements=["shard"], set_={"holder": holder}).returning(presence.c.seen_at)
        )
        return seen_at

    async def note(self, shards: Collection[int], now: datetime) -> bool:
        """Note that the bot is there, for the shards that this process still holds; False if it holds none of them."""
        noted = await self._connection.execute(
            _NOTING, {"these": list(shards), "own": self._shards.holder, "seen_at": now}
        )
        return noted.rowcount > 0

    async def seen_at(self, shard: int) -> datetime | None:
        """When the bot was last there for a shard, if it ever was."""
        seen_at: datetime | None = await self._connection.scalar(
            select(presence.c.seen_at).where(presence.c.shard == shard)
        )
        return seen_at

    async def outdated(self) -> list[tuple[int, int, datetime | None]]:
        """The shards of a run with another number of shards: each with that number, and when the bot was last there.

        The rows are locked.
        """
        rows = await self._connection.execute(
            select(presence.c.shard, presence.c.shards, presence.c.seen_at)
            .where(presence.c.shards != self._shards.count)
            .order_by(presence.c.shard)
            .with_for_update()
        )
        return [(row.shard, row.shards, row.seen_at) for row in rows]

    async def renumber(self, now: datetime) -> None:
        """Begin anew with the shards that there are now; the bot was there for them until now."""
        count = self._shards.count
        await self._connection.execute(delete(presence))
        await self._connection.execute(
            insert(presence),
            [{"shard": shard, "shards": count, "seen_at": now, "holder": ""} for shard in range(count)],
        )
