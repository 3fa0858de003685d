"""The clocks of matches.

A clock changes in the same transaction as its match, of which the row is locked by then, so that a turn and the fall of
a flag come one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.clocks import HEARTBEAT, Clock, Spent, TimeControl
from bot.domain.timers import TimerKind
from bot.storage.tables import clock_turns, clocks, matches, timers, turns, vacations
from bot.storage.timers import TimerStore

_CLOCK_TIMERS = (TimerKind.FLAG, TimerKind.REMINDER)


class ClockStore(TimerStore):
    """Keeps the clocks, with the timers of their flags and reminders."""

    async def change_clock(
        self, match_id: int, change: Callable[[Clock], Clock | None], *, step: int, at: datetime
    ) -> Clock | None:
        """Puts what ``change`` makes of it in the place of a running match's clock, and asks for its card to show that.

        None, and nothing is changed, when ``change`` says None, or when the match has not made exactly ``step`` steps.
        """
        async with self._database.write() as connection:
            if not await self._stands_at(connection, match_id, step):
                return None
            clock = await self._clock(connection, match_id)
            changed = None if clock is None else change(clock)
            if changed is not None:
                await self._put_clock(connection, match_id, changed, before=clock)
                await self._set_timer(connection, TimerKind.CARD, match_id, at)
            return changed

    async def take_day_off(
        self,
        match_id: int,
        player_id: int,
        change: Callable[[Clock, datetime], Clock | None],
        *,
        step: int,
        at: datetime,
        year_begins: datetime,
        allowance: int,
        length: timedelta,
    ) -> bool:
        """Lengthens the player's time, with ``change``, to the end of a day off: of the one that they have, or of a new
        one, of which they may have ``allowance`` since ``year_begins``. False, and nothing is changed, without one.
        """
        async with self._database.write() as connection:
            if not await self._stands_at(connection, match_id, step):
                return False
            clock = await self._clock(connection, match_id)
            mine = vacations.c.player_id == player_id
            ends_at: datetime | None = await connection.scalar(
                select(vacations.c.ends_at).where(mine, vacations.c.ends_at > at).order_by(vacations.c.ends_at.desc())
            )
            if ends_at is None:
                spent = await connection.scalar(
                    select(func.count()).select_from(vacations).where(mine, vacations.c.starts_at >= year_begins)
                )
                if (spent or 0) >= allowance:
                    return False
            changed = None if clock is None else change(clock, ends_at or at + length)
            if changed is None:
                return False
            if ends_at is None:
                await connection.execute(
                    insert(vacations).values(player_id=player_id, starts_at=at, ends_at=at + length)
                )
            await self._put_clock(connection, match_id, changed, before=clock)
            await self._set_timer(connection, TimerKind.CARD, match_id, at)
            return True

    async def days_off(self, player_id: int, year_begins: datetime) -> int:
        """How many days off the player has begun since then."""
        async with self._database.read() as connection:
            spent = await connection.scalar(
                select(func.count())
                .select_from(vacations)
                .where(vacations.c.player_id == player_id, vacations.c.starts_at >= year_begins)
            )
            return spent or 0

    async def last_clock_change(self) -> datetime | None:
        """When a clock that is running was set going last: the bot was there then."""
        async with self._database.read() as connection:
            latest: datetime | None = await connection.scalar(
                select(func.max(clocks.c.since, type_=clocks.c.since.type))
            )
            return latest

    async def shift_clocks(
        self,
        away_since: datetime,
        by: timedelta,
        now: datetime,
        spacing: timedelta,
        *,
        most_left: timedelta | None,
        memo: tuple[str, str],
    ) -> int:
        """Lets all clocks that ran at that time, and the timers of their matches, run so much longer; how many.

        With ``most_left``, only those on which no more than that was left. Their cards are to show it, one every
        ``spacing``. The memo is a name and its value, kept with the change.
        """
        async with self._database.write() as connection:
            await self._set_memo(connection, *memo)
            rows = await connection.execute(
                select(clocks).where(clocks.c.since.is_not(None)).order_by(clocks.c.since, clocks.c.match_id)
            )
            shifted = [
                {"of": row.match_id, "since": clock.since, "flag": clock.flag_at, "remind": clock.remind_at or now}
                for row in rows
                for before in [to_clock(row)]
                if not before.fallen(away_since)
                and (most_left is None or before.left_at(before.seat, away_since) <= most_left)
                for clock in [before.shifted(by)]
            ]
            if not shifted:
                return 0
            of: BindParameter[int] = bindparam("of")
            await connection.execute(
                update(clocks).where(clocks.c.match_id == of).values(since=bindparam("since")), shifted
            )
            for kind, due in ((TimerKind.FLAG, "flag"), (TimerKind.REMINDER, "remind")):
                await connection.execute(
                    update(timers)
                    .where(timers.c.kind == kind.value, timers.c.subject_id == of)
                    .values(due_at=bindparam(due)),
                    shifted,
                )
            await connection.execute(
                delete(timers).where(timers.c.kind == TimerKind.CARD, timers.c.subject_id == of), shifted
            )
            await connection.execute(
                insert(timers),
                [
                    {"kind": TimerKind.CARD, "subject_id": each["of"], "due_at": now + number * spacing}
                    for number, each in enumerate(shifted)
                ],
            )
            return len(shifted)

    # Parts of other changes, which have locked the match

    async def _new_clock(
        self, connection: AsyncConnection, match_id: int, control: TimeControl, since: datetime | None
    ) -> None:
        clock = Clock.new(control, since)
        await connection.execute(
            insert(clocks).values(
                match_id=match_id, control=control.code, first_left=clock.left[0], second_left=clock.left[1], seat=0
            )
        )
        await self._put_clock(connection, match_id, clock)

    async def _turn_clock(self, connection: AsyncConnection, match_id: int, step: int, at: datetime, seat: int) -> None:
        """The step is a turn, after which it is up to ``seat`` to act."""
        clock = await self._clock(connection, match_id)
        if clock is None:
            return
        before = clock
        clock, spent = clock.turned(at, seat)
        await connection.execute(
            insert(clock_turns).values(
                match_id=match_id, step=step, seat=spent.seat, used=spent.used, gained=spent.gained
            )
        )
        await self._put_clock(connection, match_id, clock, before=before)

    async def _turn_clock_back(self, connection: AsyncConnection, match_id: int, ply: int, at: datetime) -> None:
        """Turns are taken back, so that ``ply`` stand; the one who made the first of them is to act again."""
        clock = await self._clock(connection, match_id)
        if clock is None:
            return
        rows = await connection.execute(
            select(turns, clock_turns.c.seat, clock_turns.c.used, clock_turns.c.gained)
            .outerjoin(clock_turns, (clock_turns.c.match_id == turns.c.match_id) & (clock_turns.c.step == turns.c.step))
            .where(turns.c.match_id == match_id)
            .order_by(turns.c.step)
        )
        spent: list[Spent] = []
        for row in rows:
            if row.turn is None:
                del spent[row.ply :]
            else:
                spent.append(Spent(row.seat, row.used, row.gained))
        undone = spent[ply:]
        await self._put_clock(connection, match_id, clock.taken_back(at, undone[0].seat, undone), before=clock)

    async def _let_clock_run(self, connection: AsyncConnection, match_id: int, at: datetime, *, run: bool) -> None:
        """Starts or stops the clock, if there is one."""
        clock = await self._clock(connection, match_id)
        if clock is not None:
            await self._put_clock(connection, match_id, clock.started(at) if run else clock.stopped(at), before=clock)

    async def _out_of_time(self, connection: AsyncConnection, match_id: int, step: int, at: datetime) -> bool:
        """Whether the match has made so many steps and the flag of the player to act has fallen; locks the match."""
        if not await self._stands_at(connection, match_id, step):
            return False
        clock = await self._clock(connection, match_id)
        return clock is not None and clock.fallen(at)

    async def _clock(self, connection: AsyncConnection, match_id: int) -> Clock | None:
        row = (await connection.execute(select(clocks).where(clocks.c.match_id == match_id))).one_or_none()
        return None if row is None else to_clock(row)

    async def _put_clock(
        self, connection: AsyncConnection, match_id: int, clock: Clock, *, before: Clock | None = None
    ) -> None:
        """Stores a clock in the place of the one that was there ``before``. What has rung for that one, and is due at
        the same time for this one, does not ring again."""
        await connection.execute(
            update(clocks)
            .where(clocks.c.match_id == match_id)
            .values(first_left=clock.left[0], second_left=clock.left[1], seat=clock.seat, since=clock.since)
        )
        if before is None or clock.flag_at != before.flag_at:
            await self._set_timer(connection, TimerKind.FLAG, match_id, clock.flag_at)
        if before is None or clock.remind_at != before.remind_at:
            await self._set_timer(connection, TimerKind.REMINDER, match_id, clock.remind_at)
        if clock.since is not None:
            beats = self._insert(connection, timers).values(
                kind=TimerKind.HEARTBEAT, subject_id=0, due_at=clock.since + HEARTBEAT
            )
            await connection.execute(beats.on_conflict_do_nothing())

    async def _stands_at(self, connection: AsyncConnection, match_id: int, step: int) -> bool:
        """Locks a running match, when it has made so many steps."""
        found = await connection.scalar(
            select(matches.c.id)
            .where(matches.c.id == match_id, matches.c.step == step, matches.c.ended_at.is_(None))
            .with_for_update()
        )
        return found is not None


def to_clock(row: Row[Any]) -> Clock:
    return Clock(TimeControl.from_code(row.control), (row.first_left, row.second_left), row.seat, row.since)
