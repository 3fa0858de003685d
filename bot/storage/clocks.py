"""The clocks of matches, and days off.

A clock changes in a transaction that has locked the row of its match, so that a turn and the fall of a flag come one
after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Row,
    ScalarSelect,
    Select,
    bindparam,
    exists,
    func,
    insert,
    select,
    update,
)

from bot.domain.clocks import Clock, DaysOff, TimeControl, TimeSpent
from bot.storage.repository import Repository, in_shards
from bot.storage.tables import clock_turns, clocks, matches, turns, vacations

_SAVING = (
    update(clocks)
    .where(
        clocks.c.match_id == bindparam("this"),
        clocks.c.first_left == bindparam("first_before"),
        clocks.c.second_left == bindparam("second_before"),
        clocks.c.seat == bindparam("seat_before"),
        clocks.c.since.is_not_distinct_from(bindparam("since_before")),
    )
    .values(
        first_left=bindparam("first_now"),
        second_left=bindparam("second_now"),
        seat=bindparam("seat_now"),
        since=bindparam("since_now"),
    )
)


class ClockRepository(Repository):
    """The clocks, and the days off."""

    async def add(self, match_id: int, clock: Clock) -> None:
        """Store the clock of a new match."""
        await self._connection.execute(
            insert(clocks).values(
                match_id=match_id,
                control=clock.control.code,
                first_left=clock.left[0],
                second_left=clock.left[1],
                seat=clock.seat,
                since=clock.since,
            )
        )

    async def get(self, match_id: int) -> Clock | None:
        row = (await self._connection.execute(select(clocks).where(clocks.c.match_id == match_id))).one_or_none()
        return None if row is None else to_clock(row)

    async def lock(
        self, match_id: int, step: int, player_id: int, now: datetime, since: datetime
    ) -> tuple[Clock, DaysOff] | None:
        """The clock of a running match, which nobody else changes until the end of the transaction, and the days off of
        a player, as in :meth:`days_off_at`; None unless the match has made exactly so many steps.
        """
        await self._lock_match(match_id)
        found = await self._connection.execute(
            select(clocks, *_days_off(player_id, now, since))
            .join(matches, matches.c.id == clocks.c.match_id)
            .where(clocks.c.match_id == match_id, matches.c.step == step, matches.c.ended_at.is_(None))
        )
        row = found.one_or_none()
        return None if row is None else (to_clock(row), _to_days_off(row))

    async def save(self, match_id: int, clock: Clock, *, before: Clock) -> bool:
        """Store a clock in place of the one ``before``; False, and nothing is stored, when it is another one by now."""
        saved = await self._connection.execute(
            _SAVING,
            {
                "this": match_id,
                "first_before": before.left[0],
                "second_before": before.left[1],
                "seat_before": before.seat,
                "since_before": before.since,
                "first_now": clock.left[0],
                "second_now": clock.left[1],
                "seat_now": clock.seat,
                "since_now": clock.since,
            },
        )
        return saved.rowcount == 1

    async def add_spent(self, match_id: int, step: int, spent: TimeSpent) -> None:
        """Note what the turn of that step did to its player's time."""
        await self._connection.execute(
            insert(clock_turns).values(
                match_id=match_id, step=step, seat=spent.seat, used=spent.used, gained=spent.gained
            )
        )

    async def spent(self, match_id: int) -> list[tuple[int, TimeSpent | None]]:
        """What every step of the match did to its player's time, with the turns that stand after it; None for a
        take-back.
        """
        rows = await self._connection.execute(
            select(turns.c.ply, clock_turns.c.seat, clock_turns.c.used, clock_turns.c.gained)
            .outerjoin(clock_turns, (clock_turns.c.match_id == turns.c.match_id) & (clock_turns.c.step == turns.c.step))
            .where(turns.c.match_id == match_id)
            .order_by(turns.c.step)
        )
        return [(row.ply, None if row.seat is None else TimeSpent(row.seat, row.used, row.gained)) for row in rows]

    async def running(self, shard: int, count: int) -> list[tuple[int, Clock]]:
        """The clocks that are running in one of so many shards, with the ids of their matches, which are locked; the
        longest-running first.
        """
        locked = await self._connection.scalars(
            select(matches.c.id)
            .join(clocks, clocks.c.match_id == matches.c.id)
            .where(clocks.c.since.is_not(None), in_shards([shard], count, matches.c.guild_id))
            .order_by(matches.c.id)
            .with_for_update(of=matches)
        )
        ids = set(locked)
        # Read after that, for they may have changed until their matches were locked.
        rows = await self._connection.execute(
            select(clocks).where(clocks.c.since.is_not(None)).order_by(clocks.c.since, clocks.c.match_id)
        )
        return [(row.match_id, to_clock(row)) for row in rows if row.match_id in ids]

    async def shift(self, shifted: Sequence[tuple[int, Clock]]) -> None:
        """Store clocks that run from another time on."""
        of: BindParameter[int] = bindparam("of")
        if shifted:
            await self._connection.execute(
                update(clocks).where(clocks.c.match_id == of).values(since=bindparam("since")),
                [{"of": match_id, "since": clock.since} for match_id, clock in shifted],
            )

    async def last_change(self, shard: int, count: int) -> datetime | None:
        """When a clock that is running in one of so many shards was started last."""
        latest: datetime | None = await self._connection.scalar(_last_change(shard, count))
        return latest

    async def are_running(self) -> bool:
        """Whether any clock is running."""
        return bool(await self._connection.scalar(select(exists().where(clocks.c.since.is_not(None)))))

    # Days off

    async def add_day_off(self, player_id: int, starts_at: datetime, ends_at: datetime) -> None:
        await self._connection.execute(
            insert(vacations).values(player_id=player_id, starts_at=starts_at, ends_at=ends_at)
        )

    async def days_off_at(self, player_id: int, now: datetime, since: datetime) -> DaysOff:
        """The player's days off, of which those count that were begun since then."""
        return _to_days_off((await self._connection.execute(select(*_days_off(player_id, now, since)))).one())

    async def days_off(self, player_id: int, since: datetime) -> int:
        """How many days off the player has begun since then."""
        return await self._connection.scalar(select(_begun(player_id, since))) or 0


# Built once for each shard, because every start of it asks for it.
@cache
def _last_change(shard: int, count: int) -> Select[Any]:
    return (
        select(func.max(clocks.c.since, type_=clocks.c.since.type))
        .join(matches, matches.c.id == clocks.c.match_id)
        .where(clocks.c.since.is_not(None), in_shards([shard], count, matches.c.guild_id))
    )


def _days_off(player_id: int, now: datetime, since: datetime) -> tuple[ColumnElement[Any], ...]:
    """The columns of a player's days off."""
    running_until = select(func.max(vacations.c.ends_at, type_=vacations.c.ends_at.type)).where(
        vacations.c.player_id == player_id, vacations.c.ends_at > now
    )
    return running_until.scalar_subquery().label("running_until"), _begun(player_id, since).label("spent")


def _begun(player_id: int, since: datetime) -> ScalarSelect[int]:
    return (
        select(func.count())
        .select_from(vacations)
        .where(vacations.c.player_id == player_id, vacations.c.starts_at >= since)
        .scalar_subquery()
    )


def _to_days_off(row: Row[Any]) -> DaysOff:
    return DaysOff(row.running_until, row.spent)


def to_clock(row: Row[Any]) -> Clock:
    return Clock(TimeControl.from_code(row.control), (row.first_left, row.second_left), row.seat, row.since)
