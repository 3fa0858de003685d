"""What keeps play fair and people in charge: blocking, conduct, and what is kept of somebody."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta

from bot.matches.model import Conduct, Player
from bot.storage import Storage

#: Larger whole numbers are not exact where numbers are floating ones, as in JavaScript.
_EXACT = 2**53
#: As many as Discord shows in one menu.
MOST_BLOCKED = 25


class FairPlay:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    async def blocked(self, player_id: int) -> list[int]:
        """Whom the player has blocked, by their Discord ids: neither can challenge the other, nor accept a challenge of
        the other."""
        return await self._storage.blocked(player_id)

    async def set_blocked(self, player: Player, others: Iterable[int]) -> list[int]:
        """Blocks these, and nobody else; matches that are running go on. People cannot block themselves."""
        wanted = [other for other in dict.fromkeys(others) if other != player.id]
        await self._storage.set_blocked(player, wanted[:MOST_BLOCKED])
        return await self.blocked(player.id)

    async def conduct(self, player_id: int) -> Conduct:
        """How reliable the player is; matches that a moderator ended count for nobody."""
        return await self._storage.conduct(player_id)

    async def export(self, player_id: int) -> bytes:
        """All that is kept of the player, as JSON: the rows of each table that refer to them."""
        data = await self._storage.data_of(player_id)
        plain = {
            table: [{name: _plain(value) for name, value in row.items()} for row in rows]
            for table, rows in data.items()
        }
        return json.dumps(plain, ensure_ascii=False, indent=1).encode()


def _plain(value: object) -> object:
    """A value as JSON has it; ids of Discord are texts, for they have more digits than many readers keep."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, int) and value > _EXACT else value
