"""What deleted players have done lately, as far as a limit still counts it."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, func, insert, select

from bot.domain.limits import LimitedAction, PastAction
from bot.storage.memos import MemoRepository
from bot.storage.repository import Repository
from bot.storage.tables import kept_counts, memos

#: The memo with the key of the hashes. It exists as long as they do.
_KEY = "limits-key"


class LimitRepository(Repository):
    """Times under keyed hashes, which tell neither who it was nor what they did.

    A hash is of the player, of what is limited and, where that is limited for each of them, of whom it was done to.
    Every change here belongs to a transaction that has locked the timer ``FORGET``.
    """

    async def kept(self, limited: LimitedAction, player_id: int, other_id: int | None = None) -> list[datetime]:
        """When the player did something before they were deleted, to one player or at all, as far as it is kept."""
        key = await self._memos.get(_KEY)
        if key is None:
            return []
        this = kept_counts.c.hash == _hash(key, limited, player_id, other_id)
        return list(await self._connection.scalars(select(kept_counts.c.counted_at).where(this)))

    async def keep(self, player_id: int, counted: Collection[PastAction]) -> None:
        """Keep what counts against a player who is being deleted."""
        if not counted:
            return
        await self._memos.add(_KEY, secrets.token_hex())
        key = await self._memos.get(_KEY)
        assert key is not None
        rows = [
            {
                "hash": _hash(key, each.limited, player_id, each.other_id),
                "counted_at": each.at,
                "kept_until": each.until,
            }
            for each in counted
        ]
        await self._connection.execute(insert(kept_counts), rows)

    async def forget(self, now: datetime) -> datetime | None:
        """Delete what no limit counts any more, and with the last of it the key; when there is more to delete."""
        await self._connection.execute(delete(kept_counts).where(kept_counts.c.kept_until <= now))
        following: datetime | None = await self._connection.scalar(select(func.min(kept_counts.c.kept_until)))
        if following is None:
            await self._connection.execute(delete(memos).where(memos.c.name == _KEY))
        return following

    @property
    def _memos(self) -> MemoRepository:
        return self._other(MemoRepository)


def _hash(key: str, limited: LimitedAction, player_id: int, other_id: int | None) -> str:
    return hmac.new(bytes.fromhex(key), f"{limited} {player_id} {other_id}".encode(), "sha256").hexdigest()
