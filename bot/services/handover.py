"""What one process stores and another one shows, because it holds the shard."""

from __future__ import annotations

from datetime import datetime

from bot.domain.timers import Timer, TimerKind
from bot.storage import Transaction


async def hand_over(tx: Transaction, kind: TimerKind, subject_id: int, guild_id: int | None, now: datetime) -> bool:
    """Let the process that holds a server's shard ring for the subject at once; False if that is this process, which
    goes on by itself, or if there is no server: nothing but an answer reaches such a place.
    """
    if guild_id is None or tx.shards.holds(guild_id):
        return False
    await tx.timers.hand_over(Timer(kind, subject_id, now))
    return True
