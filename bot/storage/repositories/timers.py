"""Timers: work that is due at a time, even after a restart."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Integer, Table, and_, bindparam, case, delete, func, select, update

from bot.domain.timers import (
    IMMEDIATE,
    LEASE,
    OF_CHALLENGES,
    OF_LADDERS,
    OF_MATCHES,
    OF_PROPOSALS,
    OF_SERVERS,
    OF_TOURNAMENTS,
    Timer,
    TimerKind,
)
from bot.storage.repositories.clocks import ACTING_ON
from bot.storage.repositories.deliveries import PROPOSED_ON
from bot.storage.repository import NOTIFICATIONS, Repository
from bot.storage.tables import challenges, clocks, ladders, match_deliveries, proposals, timers, tournaments


def _guild_of(table: Table) -> ColumnElement[int | None]:
    return select(table.c.guild_id).where(table.c.id == timers.c.subject_id).scalar_subquery()


_proposed = select(PROPOSED_ON).where(proposals.c.id == timers.c.subject_id).scalar_subquery()
_shown = (
    select(match_deliveries.c.home_guild_id)
    .where(
        match_deliveries.c.match_id == func.abs(timers.c.subject_id),
        match_deliveries.c.seat == case((timers.c.subject_id < 0, 1), else_=0),
    )
    .scalar_subquery()
)
_acting = select(ACTING_ON).where(clocks.c.match_id == timers.c.subject_id).scalar_subquery()
#: The server of a timer's subject; NULL outside servers.
_GUILD_ID: ColumnElement[int | None] = case(
    (timers.c.kind.in_((TimerKind.FLAG, TimerKind.REMINDER, TimerKind.FIRST_TURN, TimerKind.LOST_HOME)), _acting),
    (timers.c.kind.in_(OF_MATCHES), _shown),
    (timers.c.kind.in_(OF_CHALLENGES), _guild_of(challenges)),
    (timers.c.kind.in_(OF_PROPOSALS), _proposed),
    (timers.c.kind.in_(OF_TOURNAMENTS), _guild_of(tournaments)),
    (timers.c.kind.in_(OF_LADDERS), _guild_of(ladders)),
    (timers.c.kind.in_(OF_SERVERS), timers.c.subject_id),
)
# Built once, for every turn and every run of the scheduler.
_FIRST_DUE = select(timers.c.due_at).order_by(timers.c.due_at).limit(1)
_DUE = (
    select(timers.c.kind, timers.c.subject_id, timers.c.due_at)
    .where(timers.c.due_at <= bindparam("now"))
    .order_by(timers.c.kind.not_in(IMMEDIATE), timers.c.due_at, timers.c.kind, timers.c.subject_id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(of=timers, skip_locked=True)
)
_THIS = and_(timers.c.kind == bindparam("its_kind"), timers.c.subject_id == bindparam("subject"))
#: Whether a timer was not set again meanwhile.
_UNCHANGED = and_(_THIS, timers.c.due_at == bindparam("its_time"))
_POSTPONING = update(timers).where(_UNCHANGED).values(due_at=bindparam("due"))
_RESCHEDULING = update(timers).where(_THIS).values(due_at=bindparam("due"))
_REMOVING = delete(timers).where(_UNCHANGED)
_CANCELLING = delete(timers).where(
    timers.c.kind.in_(bindparam("kinds", expanding=True)), timers.c.subject_id == bindparam("subject")
)
_EXPIRING = (
    update(timers)
    .where(timers.c.kind.in_(bindparam("kinds", expanding=True)), timers.c.due_at > bindparam("now"))
    .values(due_at=bindparam("now"))
)


class TimerRepository(Repository):
    """The timers, at most one of each kind for a subject."""

    async def next_due(self) -> datetime | None:
        """The time of this process's next timer."""
        return await self._scalar(self._in_own_servers(_FIRST_DUE, _GUILD_ID))

    async def count_due(self, now: datetime) -> int:
        """The number of this process's due timers."""
        due = select(func.count()).select_from(timers).where(timers.c.due_at <= now, self._is_held(_GUILD_ID))
        return await self._scalar(due) or 0

    async def due(self, now: datetime, most: int) -> list[Timer]:
        """This process's due timers: first immediate ones, for which people wait, then the earliest."""
        rows = await self._rows(self._in_own_servers(_DUE, _GUILD_ID), {"now": now, "most": most})
        return [Timer(TimerKind(row.kind), row.subject_id, row.due_at) for row in rows]

    async def lease(self, now: datetime, until: datetime) -> Timer | None:
        """Lease the first due timer: no other process handles it before ``until``."""
        for timer in await self.due(now, 1):
            await self._execute(_POSTPONING, {**_is(timer), "due": until})
            return timer
        return None

    async def set(self, *added: Timer) -> None:
        """Set timers, replacing the subjects' timers of the same kind."""
        await self._put(timers, *map(_row, added))
        self._due_times.extend(timer.due_at for timer in added)

    async def set_unless_there(self, timer: Timer) -> None:
        """Set a timer unless the subject has one of that kind; lock it until the end of the transaction."""
        put = self._insert(timers).values(_row(timer))
        await self._execute(
            put.on_conflict_do_update(index_elements=["kind", "subject_id"], set_={"due_at": timers.c.due_at})
        )
        self._due_times.append(timer.due_at)

    async def set_for(self, guild_id: int | None, timer: Timer) -> None:
        """Set an immediate timer. If another process holds the server, notify the processes after the commit."""
        await self.set(timer)
        if not self._shards.holds(guild_id):
            await self._rows(select(func.pg_notify(NOTIFICATIONS, f"{timer.kind}:{timer.subject_id}")))

    async def reschedule(self, moved: Collection[Timer]) -> None:
        """Change the times of these timers, if they are still set."""
        if moved:
            rows = [{"its_kind": timer.kind, "subject": timer.subject_id, "due": timer.due_at} for timer in moved]
            await self._execute(_RESCHEDULING, rows)
            self._due_times.extend(timer.due_at for timer in moved)

    async def cancel(self, subject_id: int, *kinds: TimerKind) -> None:
        if kinds:
            await self._execute(_CANCELLING, {"kinds": list(kinds), "subject": subject_id})

    async def acquire(self, kind: TimerKind, subject_id: int, now: datetime) -> bool:
        """Remove a timer whose handler is running; False if it is gone. Of simultaneous callers, one succeeds."""
        this = (timers.c.kind == kind, timers.c.subject_id == subject_id)
        return await self._execute(delete(timers).where(*this, timers.c.due_at <= now + LEASE)) == 1

    async def is_due(self, kind: TimerKind, subject_id: int, now: datetime) -> bool:
        """Whether the subject has a due timer of that kind."""
        this = (timers.c.kind == kind, timers.c.subject_id == subject_id)
        return await self._exists(select(timers.c.due_at).where(*this, timers.c.due_at <= now))

    async def remove(self, handled: Timer) -> None:
        """Remove a timer after its work, unless it was set again meanwhile."""
        await self._execute(_REMOVING, _is(handled))

    async def postpone(self, timer: Timer, due_at: datetime) -> None:
        """Move a timer to a later time, unless it was set again meanwhile."""
        await self._execute(_POSTPONING, {**_is(timer), "due": due_at})
        self._due_times.append(due_at)

    async def expire_leases(self, kinds: Collection[TimerKind], now: datetime) -> None:
        """Make all of this process's timers of these kinds due now."""
        await self._execute(self._in_own_servers(_EXPIRING, _GUILD_ID), {"kinds": list(kinds), "now": now})

    async def spread(self, kind: TimerKind, subjects: Collection[int], start: datetime, spacing: timedelta) -> None:
        """Set a timer for each subject, ``spacing`` apart."""
        await self.set(*(Timer(kind, subject, start + number * spacing) for number, subject in enumerate(subjects)))


def _row(timer: Timer) -> dict[str, Any]:
    return {"kind": timer.kind, "subject_id": timer.subject_id, "due_at": timer.due_at}


def _is(timer: Timer) -> dict[str, Any]:
    """The parameters of :data:`_UNCHANGED`."""
    return {"its_kind": timer.kind, "subject": timer.subject_id, "its_time": timer.due_at}
