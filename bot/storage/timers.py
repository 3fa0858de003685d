"""What has to happen at a time, whether or not the process runs until then."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)

from bot.domain.timers import (
    IMMEDIATE,
    LEASE,
    OF_CHALLENGES,
    OF_MATCHES,
    OF_PROPOSALS,
    OF_SERVERS,
    OF_TOURNAMENTS,
    Timer,
    TimerKind,
)
from bot.storage.repository import NOTIFICATIONS, Repository
from bot.storage.tables import challenges, matches, proposals, timers, tournaments


def _guild_of(table: Table) -> ColumnElement[int | None]:
    return select(table.c.guild_id).where(table.c.id == timers.c.subject_id).scalar_subquery()


_proposed = (
    select(matches.c.guild_id)
    .join(proposals, proposals.c.match_id == matches.c.id)
    .where(proposals.c.id == timers.c.subject_id)
    .scalar_subquery()
)
#: The server of a timer's subject, if it has one.
_GUILD_ID: ColumnElement[int | None] = case(
    (timers.c.kind.in_(OF_MATCHES), _guild_of(matches)),
    (timers.c.kind.in_(OF_CHALLENGES), _guild_of(challenges)),
    (timers.c.kind.in_(OF_PROPOSALS), _proposed),
    (timers.c.kind.in_(OF_TOURNAMENTS), _guild_of(tournaments)),
    (timers.c.kind.in_(OF_SERVERS), timers.c.subject_id),
)
# Built once, because timers are set with every turn and looked for all the time.
_FIRST_DUE = select(timers.c.due_at).order_by(timers.c.due_at).limit(1)
_DUE = (
    select(timers.c.kind, timers.c.subject_id, timers.c.due_at)
    .where(timers.c.due_at <= bindparam("now"))
    .order_by(timers.c.kind.not_in(IMMEDIATE), timers.c.due_at, timers.c.kind, timers.c.subject_id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(of=timers, skip_locked=True)
)
#: A timer, unless it was set again meanwhile.
_UNCHANGED = and_(
    timers.c.kind == bindparam("its_kind"),
    timers.c.subject_id == bindparam("subject"),
    timers.c.due_at == bindparam("its_time"),
)
_POSTPONING = update(timers).where(_UNCHANGED).values(due_at=bindparam("due"))
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
    """The timers: one of a kind for each subject."""

    async def next_due(self) -> datetime | None:
        """The time at which this process's next timer is due."""
        due: datetime | None = await self._connection.scalar(self._held(_FIRST_DUE, _GUILD_ID))
        return due

    async def count_due(self, now: datetime) -> int:
        """The number of this process's timers that are due."""
        due = select(func.count()).select_from(timers).where(timers.c.due_at <= now, self._is_held(_GUILD_ID))
        return await self._connection.scalar(due) or 0

    async def due(self, now: datetime, most: int) -> list[Timer]:
        """This process's timers that are due: first the ones that people wait for, then the earliest."""
        rows = await self._connection.execute(self._held(_DUE, _GUILD_ID), {"now": now, "most": most})
        return [Timer(TimerKind(row.kind), row.subject_id, row.due_at) for row in rows]

    async def lease(self, now: datetime, until: datetime) -> Timer | None:
        """Lease the first timer that is due ``until`` a time, before which no other process handles it."""
        for timer in await self.due(now, 1):
            await self._connection.execute(_POSTPONING, {**_is(timer), "due": until})
            return timer
        return None

    async def set(self, *added: Timer) -> None:
        """Set timers, each in place of another one of that kind for the subject."""
        await self._put(timers, *map(_row, added))
        self._due.extend(timer.due_at for timer in added)

    async def set_unless_there(self, timer: Timer) -> None:
        """Set a timer, unless there is one of that kind for the subject, which nobody else changes until the end of the
        transaction.
        """
        put = self._insert(timers).values(_row(timer))
        await self._connection.execute(
            put.on_conflict_do_update(index_elements=["kind", "subject_id"], set_={"due_at": timers.c.due_at})
        )
        self._due.append(timer.due_at)

    async def hand_over(self, timer: Timer) -> None:
        """Set a timer for another process, and notify the others of it once it is stored."""
        await self.set(timer)
        await self._connection.execute(select(func.pg_notify(NOTIFICATIONS, f"{timer.kind}:{timer.subject_id}")))

    async def reschedule(self, moved: Collection[Timer]) -> None:
        """Change the times of timers that are still set."""
        if not moved:
            return
        kind: BindParameter[str] = bindparam("its_kind")
        subject: BindParameter[int] = bindparam("subject")
        await self._connection.execute(
            update(timers).where(timers.c.kind == kind, timers.c.subject_id == subject).values(due_at=bindparam("due")),
            [{"its_kind": timer.kind.value, "subject": timer.subject_id, "due": timer.due_at} for timer in moved],
        )
        self._due.extend(timer.due_at for timer in moved)

    async def cancel(self, subject_id: int, *kinds: TimerKind) -> None:
        if kinds:
            await self._connection.execute(_CANCELLING, {"kinds": list(kinds), "subject": subject_id})

    async def claim(self, kind: TimerKind, subject_id: int, now: datetime) -> bool:
        """Remove a timer whose handler is being called; False if it is gone. Of simultaneous claims one succeeds."""
        due = timers.c.due_at <= now + LEASE
        claimed = await self._connection.execute(
            delete(timers).where(timers.c.kind == kind, timers.c.subject_id == subject_id, due)
        )
        return claimed.rowcount == 1

    async def is_due(self, kind: TimerKind, subject_id: int, now: datetime) -> bool:
        """Whether the subject has a timer of that kind that is due."""
        due = select(timers.c.due_at).where(timers.c.kind == kind, timers.c.subject_id == subject_id)
        return await self._connection.scalar(due.where(timers.c.due_at <= now)) is not None

    async def remove(self, handled: Timer) -> None:
        """Remove a timer whose work is done, unless it was set again meanwhile."""
        await self._connection.execute(_REMOVING, _is(handled))

    async def postpone(self, timer: Timer, due_at: datetime) -> None:
        """Move a timer to a later time, unless it was set again meanwhile."""
        await self._connection.execute(_POSTPONING, {**_is(timer), "due": due_at})
        self._due.append(due_at)

    async def expire_leases(self, kinds: Collection[TimerKind], now: datetime) -> None:
        """Make this process's timers of some kinds due now, if they are due later."""
        await self._connection.execute(self._held(_EXPIRING, _GUILD_ID), {"kinds": list(kinds), "now": now})

    async def spread(self, kind: TimerKind, subjects: Collection[int], start: datetime, spacing: timedelta) -> None:
        """Set a timer for each subject, one every ``spacing``."""
        await self.set(*(Timer(kind, each, start + number * spacing) for number, each in enumerate(subjects)))


def _row(timer: Timer) -> dict[str, Any]:
    return {"kind": timer.kind, "subject_id": timer.subject_id, "due_at": timer.due_at}


def _is(timer: Timer) -> dict[str, Any]:
    """The values that :data:`_UNCHANGED` asks for."""
    return {"its_kind": timer.kind, "subject": timer.subject_id, "its_time": timer.due_at}
