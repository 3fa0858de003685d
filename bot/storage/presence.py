"""The time at which the bot was last there for each shard, and the process that holds it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, select, update

from bot.storage.repository import Repository
from bot.storage.tables import presence


class PresenceRepository(Repository):
    """The shards, by number. Only the process that has taken a shard last changes its row."""

    async def take(self, shard: int) -> datetime | None:
        """Take a shard from its holder, if any; return the time at which the bot was last there, if it ever was."""
        holder = self._shards.holder
        taken = self._insert(presence).values(shard=shard, shards=self._shards.count, holder=holder)
        return await self._scalar(
            taken.on_conflict_do_update(index_elements=["shard"], set_={"holder": holder}).returning(presence.c.seen_at)
        )

    async def note(self, shards: Collection[int], now: datetime) -> bool:
        """Note that the bot is there for the shards that this process still holds; False if it holds none."""
        own = update(presence).where(presence.c.shard.in_(shards), presence.c.holder == self._shards.holder)
        return await self._execute(own.values(seen_at=now)) > 0

    async def seen_at(self, shard: int) -> datetime | None:
        """The time at which the bot was last there for a shard, if it ever was."""
        return await self._scalar(select(presence.c.seen_at).where(presence.c.shard == shard))

    async def outdated_shards(self) -> list[tuple[int, int, datetime | None]]:
        """Lock the shards of a run with another number of shards; return each with that number and the time of the
        bot's last presence.
        """
        rows = await self._rows(
            select(presence.c.shard, presence.c.shards, presence.c.seen_at)
            .where(presence.c.shards != self._shards.count)
            .order_by(presence.c.shard)
            .with_for_update()
        )
        return [(row.shard, row.shards, row.seen_at) for row in rows]

    async def renumber(self, now: datetime) -> None:
        """Replace all shards with the current ones, where the bot was until now."""
        count = self._shards.count
        await self._execute(delete(presence))
        rows = ({"shard": shard, "shards": count, "seen_at": now, "holder": ""} for shard in range(count))
        await self._add(presence, *rows)
