"""The clocks of matches, and days off.

A clock changes in the same transaction as its match, of which the row is locked by then, so that a turn and the fall of
a flag come one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, func, insert, select, update

from bot.domain.clocks import HEARTBEAT, Clock, Spent, TimeControl
from bot.domain.timers import Timer, TimerKind
from bot.storage.repository import Repository
from bot.storage.tables import clock_turns, clocks, timers, turns, vacations
from bot.storage.timers import TimerRepository


class ClockRepository(Repository):
    """The clocks, with the timers of their flags and reminders, and the days off."""

    async def add(self, match_id: int, clock: Clock) -> None:
        """Store the clock of a new match."""
        await self._connection.execute(
            insert(clocks).values(
                match_id=match_id,
                control=clock.control.code,
                first_left=clock.left[0],
                second_left=clock.left[1],
                seat=clock.seat,
            )
        )
        await self.put(match_id, clock)

    async def get(self, match_id: int) -> Clock | None:
        row = (await self._connection.execute(select(clocks).where(clocks.c.match_id == match_id))).one_or_none()
        return None if row is None else to_clock(row)

    async def put(self, match_id: int, clock: Clock, *, before: Clock | None = None) -> None:
        """Store a clock in place of the one ``before``. What has rung for that one, and is due at the same time for
        this one, does not ring again.
        """
        await self._connection.execute(
            update(clocks)
            .where(clocks.c.match_id == match_id)
            .values(first_left=clock.left[0], second_left=clock.left[1], seat=clock.seat, since=clock.since)
        )
        timer_repository = TimerRepository(self._connection)
        for kind, due_at, due_before in (
            (TimerKind.FLAG, clock.flag_at, before and before.flag_at),
            (TimerKind.REMINDER, clock.remind_at, before and before.remind_at),
        ):
            if before is not None and due_at == due_before:
                continue
            if due_at is None:
                await timer_repository.cancel(kind, match_id)
            else:
                await timer_repository.set(Timer(kind, match_id, due_at))
        if clock.since is not None:
            await timer_repository.set_unless_there(Timer(TimerKind.HEARTBEAT, 0, clock.since + HEARTBEAT))

    async def add_spent(self, match_id: int, step: int, spent: Spent) -> None:
        """Note what the turn of that step did to its player's time."""
        await self._connection.execute(
            insert(clock_turns).values(
                match_id=match_id, step=step, seat=spent.seat, used=spent.used, gained=spent.gained
            )
        )

    async def spent(self, match_id: int) -> list[tuple[int, Spent | None]]:
        """What every step of the match did to its player's time, with the turns that stand after it; None for a
        take-back.
        """
        rows = await self._connection.execute(
            select(turns.c.ply, clock_turns.c.seat, clock_turns.c.used, clock_turns.c.gained)
            .outerjoin(clock_turns, (clock_turns.c.match_id == turns.c.match_id) & (clock_turns.c.step == turns.c.step))
            .where(turns.c.match_id == match_id)
            .order_by(turns.c.step)
        )
        return [(row.ply, None if row.seat is None else Spent(row.seat, row.used, row.gained)) for row in rows]

    async def running(self) -> list[tuple[int, Clock]]:
        """The clocks that are running, with the ids of their matches, for :meth:`shift`; the longest-running first."""
        rows = await self._connection.execute(
            select(clocks)
            .where(clocks.c.since.is_not(None))
            .order_by(clocks.c.since, clocks.c.match_id)
            .with_for_update()
        )
        return [(row.match_id, to_clock(row)) for row in rows]

    async def shift(self, shifted: Sequence[tuple[int, Clock]], now: datetime) -> None:
        """Store clocks that run from another time on, and let what rings for them ring then."""
        if not shifted:
            return
        values = [
            {"of": match_id, "since": clock.since, "flag": clock.flag_at, "remind": clock.remind_at or now}
            for match_id, clock in shifted
        ]
        of: BindParameter[int] = bindparam("of")
        await self._connection.execute(
            update(clocks).where(clocks.c.match_id == of).values(since=bindparam("since")), values
        )
        for kind, due in ((TimerKind.FLAG, "flag"), (TimerKind.REMINDER, "remind")):
            await self._connection.execute(
                update(timers)
                .where(timers.c.kind == kind.value, timers.c.subject_id == of)
                .values(due_at=bindparam(due)),
                values,
            )

    async def last_change(self) -> datetime | None:
        """When a clock that is running was started last."""
        latest: datetime | None = await self._connection.scalar(
            select(func.max(clocks.c.since, type_=clocks.c.since.type))
        )
        return latest

    # Days off

    async def add_day_off(self, player_id: int, starts_at: datetime, ends_at: datetime) -> None:
        await self._connection.execute(
            insert(vacations).values(player_id=player_id, starts_at=starts_at, ends_at=ends_at)
        )

    async def day_off_ends_at(self, player_id: int, now: datetime) -> datetime | None:
        """When the day off that the player has now ends; None without one."""
        ends_at: datetime | None = await self._connection.scalar(
            select(vacations.c.ends_at)
            .where(vacations.c.player_id == player_id, vacations.c.ends_at > now)
            .order_by(vacations.c.ends_at.desc())
        )
        return ends_at

    async def days_off(self, player_id: int, since: datetime) -> int:
        """How many days off the player has begun since then."""
        spent = await self._connection.scalar(
            select(func.count())
            .select_from(vacations)
            .where(vacations.c.player_id == player_id, vacations.c.starts_at >= since)
        )
        return spent or 0


def to_clock(row: Row[Any]) -> Clock:
    return Clock(TimeControl.from_code(row.control), (row.first_left, row.second_left), row.seat, row.since)
