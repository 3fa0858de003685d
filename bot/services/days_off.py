"""Days off, which are spent by themselves when time is up."""

from __future__ import annotations

from datetime import datetime

from bot.domain.clocks import Clock, day_off_end, year_of
from bot.domain.matches import Match
from bot.domain.timers import Timer, TimerKind
from bot.storage import Transaction


async def spend_day_off(tx: Transaction, match: Match, now: datetime) -> Clock | None:
    """Lengthen the time of a player whose flag has fallen to the end of a day off, in a match that lasts for days; the
    clock then, or None when they have no day off. The match is locked.

    A day off holds in all matches of the player, and only those in which the time is up need it.
    """
    clock = match.clock
    assert clock is not None
    if not clock.control.slow:
        return None
    player_id = match.players[clock.seat].id
    running_until = await tx.clocks.day_off_ends_at(player_id, now)
    spent = await tx.clocks.days_off(player_id, year_of(now))
    ends_at = day_off_end(running_until, spent, now)
    if ends_at is None:
        return None
    if running_until is None:
        await tx.clocks.add_day_off(player_id, now, ends_at)
    longer = clock.given(clock.seat, ends_at - now, now)
    await tx.clocks.put(match.id, longer, before=clock)
    await tx.timers.set(Timer(TimerKind.CARD, match.id, now))
    return longer
