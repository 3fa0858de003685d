"""What has to happen at a time, whether or not the process runs until then."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.timers import Timer, TimerKind
from bot.storage.base import Store
from bot.storage.tables import timers


class TimerStore(Store):
    """Keeps the timers: one of a kind for each subject."""

    async def next_timer(self) -> datetime | None:
        """When the next timer is due."""
        async with self._database.read() as connection:
            due: datetime | None = await connection.scalar(
                select(func.min(timers.c.due_at, type_=timers.c.due_at.type))
            )
            return due

    async def due_timers(self, now: datetime, most: int) -> list[Timer]:
        """The timers that are due, the earliest first."""
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(timers.c.kind, timers.c.subject_id, timers.c.due_at)
                .where(timers.c.due_at <= now)
                .order_by(timers.c.due_at, timers.c.kind, timers.c.subject_id)
                .limit(most)
            )
            return [Timer(TimerKind(row.kind), row.subject_id, row.due_at) for row in rows]

    async def set_timer(self, timer: Timer) -> None:
        """Sets a timer, in the place of another one of that kind for the subject."""
        async with self._database.write() as connection:
            await self._set_timer(connection, timer.kind, timer.subject_id, timer.due_at)

    async def end_timer(self, rung: Timer) -> None:
        """Removes a timer that has rung, unless it was set anew meanwhile."""
        async with self._database.write() as connection:
            await connection.execute(delete(timers).where(_is(rung)))

    async def postpone_timer(self, timer: Timer, due_at: datetime) -> None:
        """Lets a timer ring again later, unless it was set anew meanwhile."""
        async with self._database.write() as connection:
            await connection.execute(update(timers).where(_is(timer)).values(due_at=due_at))

    async def _set_timer(
        self, connection: AsyncConnection, kind: TimerKind, subject_id: int, due_at: datetime | None
    ) -> None:
        """Sets a timer, or removes it when it has no time."""
        if due_at is None:
            await connection.execute(delete(timers).where(timers.c.kind == kind, timers.c.subject_id == subject_id))
            return
        put = self._insert(connection, timers).values(kind=kind, subject_id=subject_id, due_at=due_at)
        await connection.execute(
            put.on_conflict_do_update(index_elements=["kind", "subject_id"], set_={"due_at": put.excluded.due_at})
        )


def _is(timer: Timer) -> ColumnElement[bool]:
    return and_(timers.c.kind == timer.kind, timers.c.subject_id == timer.subject_id, timers.c.due_at == timer.due_at)
