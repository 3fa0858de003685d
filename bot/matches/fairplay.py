"""What keeps play fair and people in charge: blocking, conduct, and what is kept of somebody."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.matches.model import Conduct, Player
from bot.storage import Storage

#: As many as Discord shows in one menu.
MOST_BLOCKED = 25


class FairPlay:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    async def blocked(self, player_id: int) -> list[Player]:
        """Whom the player has blocked: neither can challenge the other, nor accept a challenge of the other."""
        return await self._storage.blocked(player_id)

    async def set_blocked(self, player: Player, others: Sequence[Player]) -> list[Player]:
        """Blocks these, and nobody else; matches that are running go on. People cannot block themselves."""
        wanted = {other.id: other for other in others if other.id != player.id}
        await self._storage.set_blocked(player, list(wanted.values())[:MOST_BLOCKED])
        return await self.blocked(player.id)

    async def conduct(self, player_id: int) -> Conduct:
        """How reliable the player is; matches that a moderator ended count for nobody."""
        return await self._storage.conduct(player_id)

    async def export(self, player_id: int) -> bytes:
        """All that is kept of the player, as JSON: the rows of each table that refer to them."""
        data = await self._storage.data_of(player_id)
        return json.dumps(data, ensure_ascii=False, indent=1, default=_plain).encode()


def _plain(value: object) -> str | float:
    if isinstance(value, datetime):
        return value.isoformat()
    assert isinstance(value, timedelta), value
    return value.total_seconds()
