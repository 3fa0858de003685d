"""When players have nudged their opponents."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from bot.storage.repository import Repository
from bot.storage.tables import nudges


class NudgeRepository(Repository):
    """The latest nudge of each player in each match, as far as a limit still asks for it."""

    async def of(self, player_id: int) -> dict[int, datetime]:
        """When the player has last nudged, by the number of the match."""
        found = await self._connection.execute(
            select(nudges.c.match_id, nudges.c.created_at).where(nudges.c.player_id == player_id)
        )
        return {row.match_id: row.created_at for row in found}

    async def set(self, match_id: int, player_id: int, at: datetime, *, kept_since: datetime) -> None:
        """Store a nudge, and forget those of the player from before ``kept_since``."""
        await self._connection.execute(
            delete(nudges).where(nudges.c.player_id == player_id, nudges.c.created_at <= kept_since)
        )
        await self._put(nudges, {"match_id": match_id, "player_id": player_id, "created_at": at})
