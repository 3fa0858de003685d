"""Handing over what another process has to show, because it holds the shard."""

from __future__ import annotations

from datetime import datetime

from bot.domain.timers import Timer, TimerKind
from bot.storage import Transaction


async def hand_over(tx: Transaction, kind: TimerKind, subject_id: int, guild_id: int | None, now: datetime) -> bool:
    """Store an immediate timer for the process that holds a server's shard.

    False if this process holds it, or if there is no server: only an answer reaches such a place.
    """
    if guild_id is None or tx.shards.holds(guild_id):
        return False
    await tx.timers.hand_over(Timer(kind, subject_id, now))
    return True
