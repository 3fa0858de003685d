"""The clocks of matches, and days off.

A clock changes in a transaction that has locked its match, so a turn and a fallen flag never overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, or_, select, update

from bot.domain.clocks import Clock, DaysOff, TimeControl, TimeSpent
from bot.storage.repository import AnyRow, Repository, in_shards
from bot.storage.tables import clock_turns, clocks, match_deliveries, matches, presence, turns, vacations

#: The server of the home where the player whose clock runs is asked to act.
ACTING_ON: ColumnElement[int | None] = (
    select(match_deliveries.c.home_guild_id)
    .where(
        match_deliveries.c.match_id == clocks.c.match_id,
        or_(match_deliveries.c.player_id.is_(None), match_deliveries.c.seat == clocks.c.seat),
    )
    .correlate(clocks)
    .scalar_subquery()
)
_STATE = ("first_left", "second_left", "seat", "since")
_SAVING = update(clocks).where(
    clocks.c.match_id == bindparam("this"),
    *(clocks.c[name].is_not_distinct_from(bindparam(f"{name}_before")) for name in _STATE),
)


class ClockRepository(Repository):
    """The clocks, and the days off."""

    async def add(self, match_id: int, clock: Clock) -> None:
        """Store the clock of a new match."""
        await self._add(clocks, {"match_id": match_id, "control": clock.control.code, **_state(clock)})

    async def get(self, match_id: int) -> Clock | None:
        row = await self._row(select(clocks).where(clocks.c.match_id == match_id))
        return None if row is None else to_clock(row)

    async def lock(
        self, match_id: int, step: int, player_id: int, now: datetime, since: datetime
    ) -> tuple[Clock, DaysOff] | None:
        """Lock the clock of a running match, and return it with a player's :meth:`days_off`.

        None unless the match has exactly ``step`` steps.
        """
        await self._lock_match(match_id)
        row = await self._row(
            select(clocks, *_days_off(player_id, now, since))
            .join(matches, matches.c.id == clocks.c.match_id)
            .where(clocks.c.match_id == match_id, matches.c.step == step, matches.c.ended_at.is_(None))
        )
        return None if row is None else (to_clock(row), _to_days_off(row))

    async def save(self, match_id: int, clock: Clock, *, before: Clock) -> bool:
        """Replace the clock ``before``; False, without a change, if the stored clock differs from it."""
        values = {"this": match_id, **_state(clock), **_state(before, "_before")}
        self._changed_ids.add(match_id)
        return await self._execute(_SAVING, values) == 1

    async def add_spent(self, match_id: int, step: int, spent: TimeSpent) -> None:
        """Store the time used and gained by the turn of a step."""
        await self._add(clock_turns, {"match_id": match_id, "step": step, **asdict(spent)})

    async def spent(self, match_id: int) -> list[tuple[int, TimeSpent | None]]:
        """For each step of the match, the resulting ply and the time that its turn spent (None for a take-back)."""
        rows = await self._rows(
            select(turns.c.ply, clock_turns.c.seat, clock_turns.c.used, clock_turns.c.gained)
            .outerjoin(clock_turns, (clock_turns.c.match_id == turns.c.match_id) & (clock_turns.c.step == turns.c.step))
            .where(turns.c.match_id == match_id)
            .order_by(turns.c.step)
        )
        return [(row.ply, None if row.seat is None else TimeSpent(row.seat, row.used, row.gained)) for row in rows]

    async def running(self, shard: int, count: int) -> list[tuple[int, Clock]]:
        """Lock the matches with running clocks in one of ``count`` shards; return their ids and clocks.

        The clock that has run longest comes first.
        """
        locked: list[int] = await self._scalars(
            select(matches.c.id)
            .join(clocks, clocks.c.match_id == matches.c.id)
            .where(clocks.c.since.is_not(None), in_shards([shard], count, ACTING_ON))
            .order_by(matches.c.id)
            .with_for_update(of=matches)
        )
        ids = set(locked)
        # Read after the lock, because clocks could change before it.
        running = select(clocks).where(clocks.c.since.is_not(None)).order_by(clocks.c.since, clocks.c.match_id)
        return [(row.match_id, to_clock(row)) for row in await self._rows(running) if row.match_id in ids]

    async def shift(self, shifted: Sequence[tuple[int, Clock]]) -> None:
        """Store the new starting times of running clocks."""
        if shifted:
            await self._execute(
                update(clocks).where(clocks.c.match_id == bindparam("this")),
                [{"this": match_id, "since": clock.since} for match_id, clock in shifted],
            )

    async def last_change(self, shard: int, count: int) -> datetime | None:
        """The latest start of a running clock in one of ``count`` shards."""
        return await self._scalar(
            select(func.max(clocks.c.since, type_=clocks.c.since.type)).where(
                clocks.c.since.is_not(None), in_shards([shard], count, ACTING_ON)
            )
        )

    async def are_running(self) -> bool:
        """Whether any clock is running."""
        return await self._exists(select(clocks.c.match_id).where(clocks.c.since.is_not(None)))

    # Days off

    async def add_day_off(self, player_id: int, starts_at: datetime, ends_at: datetime) -> None:
        await self._add(vacations, {"player_id": player_id, "starts_at": starts_at, "ends_at": ends_at})

    async def days_off(self, player_id: int, now: datetime, since: datetime) -> DaysOff:
        """The end of the player's current day off, and the number of days off begun after ``since``."""
        return _to_days_off((await self._result(select(*_days_off(player_id, now, since)))).one())


def _days_off(player_id: int, now: datetime, since: datetime) -> tuple[ColumnElement[Any], ...]:
    """The columns that :func:`_to_days_off` reads."""
    running_until = select(func.max(vacations.c.ends_at, type_=vacations.c.ends_at.type)).where(
        vacations.c.player_id == player_id, vacations.c.ends_at > now
    )
    spent = select(func.count()).where(vacations.c.player_id == player_id, vacations.c.starts_at >= since)
    return running_until.scalar_subquery().label("running_until"), spent.scalar_subquery().label("spent")


def _to_days_off(row: AnyRow) -> DaysOff:
    return DaysOff(row.running_until, row.spent)


def _state(clock: Clock, suffix: str = "") -> dict[str, Any]:
    """The columns of a clock that can change."""
    values = (*clock.time_left, clock.seat, clock.since)
    return {f"{name}{suffix}": value for name, value in zip(_STATE, values, strict=True)}


def to_clock(row: AnyRow) -> Clock:
    return Clock(TimeControl.from_code(row.control), (row.first_left, row.second_left), row.seat, row.since)


class PresenceRepository(Repository):
    """The shards, by number. Only the process that acquired a shard last changes its row."""

    async def acquire(self, shard: int) -> datetime | None:
        """Make this process the holder of a shard; return when the bot was last present there (None: never)."""
        holder = self._shards.holder
        row = self._insert(presence).values(shard=shard, shards=self._shards.count, holder=holder)
        return await self._scalar(
            row.on_conflict_do_update(index_elements=["shard"], set_={"holder": holder}).returning(presence.c.seen_at)
        )

    async def note(self, shards: Collection[int], now: datetime) -> bool:
        """Store that the bot is present on these shards, as far as this process still holds them; False if on none."""
        own = update(presence).where(presence.c.shard.in_(shards), presence.c.holder == self._shards.holder)
        return await self._execute(own.values(seen_at=now)) > 0

    async def seen_at(self, shard: int) -> datetime | None:
        """When the bot was last present on a shard; None if it never was."""
        return await self._scalar(select(presence.c.seen_at).where(presence.c.shard == shard))

    async def outdated_shards(self) -> list[tuple[int, int, datetime | None]]:
        """Lock the shards of earlier runs with another number of shards.

        Return each shard with that number, and when the bot was last present there.
        """
        rows = await self._rows(
            select(presence.c.shard, presence.c.shards, presence.c.seen_at)
            .where(presence.c.shards != self._shards.count)
            .order_by(presence.c.shard)
            .with_for_update()
        )
        return [(row.shard, row.shards, row.seen_at) for row in rows]

    async def renumber(self, now: datetime) -> None:
        """Replace all shards with the current ones, where the bot was last present ``now``."""
        count = self._shards.count
        await self._execute(delete(presence))
        rows = ({"shard": shard, "shards": count, "seen_at": now, "holder": ""} for shard in range(count))
        await self._add(presence, *rows)
