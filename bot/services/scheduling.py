"""What follows from a change, scheduled in its transaction: showing it, the computer's turn, the next round."""

from __future__ import annotations

from datetime import datetime

from bot.domain.deliveries import CardKey
from bot.domain.matches import Match
from bot.domain.players import COMPUTER_IDS
from bot.domain.timers import Timer, TimerKind
from bot.storage import Transaction


async def show_later(tx: Transaction, kind: TimerKind, subject_id: int, guild_id: int | None, now: datetime) -> None:
    """Have a change shown by the process that holds the server, unless that is this one and the caller shows it."""
    if not (tx.shown_by_caller and tx.shards.holds(guild_id)):
        await tx.timers.set_for(guild_id, Timer(kind, subject_id, now))


async def show_match_later(tx: Transaction, match: Match, now: datetime) -> None:
    """Have a change of a match shown in all its homes, but not where the caller shows it.

    A caller shows only one home, so strangers' homes get a timer each, even if one of them turns out to be needless.
    """
    if match.apart is None:
        await show_later(tx, TimerKind.SHOW_MATCH, match.id, match.guild_id, now)
        return
    for seat, guild_id in enumerate(match.apart):
        await tx.timers.set_for(guild_id, Timer(TimerKind.SHOW_MATCH, CardKey(match.id, seat).subject, now))


async def refresh_later(tx: Transaction, match: Match, now: datetime) -> None:
    """Have the cards of a match updated after a change of its clock, or a void result."""
    await tx.timers.set(*(Timer(TimerKind.CARD, key.subject, now) for key in match.card_keys))


async def call_computer(
    tx: Transaction, match_id: int, guild_id: int | None, awaited_id: int | None, now: datetime
) -> None:
    """Schedule a turn of the computer, if it is to act."""
    if awaited_id in COMPUTER_IDS:
        await tx.timers.set_for(guild_id, Timer(TimerKind.COMPUTER, match_id, now))


async def update_tournament(tx: Transaction, tournament_id: int, now: datetime) -> None:
    """Schedule advancing and showing a tournament after a change.

    Every transaction locks tournaments before ratings, so there are no deadlocks.
    """
    await tx.tournaments.increase_version(tournament_id)
    await tx.timers.set(Timer(TimerKind.TOURNAMENT, tournament_id, now))


async def update_ladder(tx: Transaction, ladder_id: int, now: datetime) -> None:
    """Schedule advancing and showing a ladder after a change."""
    await tx.ladders.increase_version(ladder_id)
    await tx.timers.set(Timer(TimerKind.LADDER, ladder_id, now))
