"""``python -m bot.bench``: measure a day of timers, as fast as the database allows."""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from bot.domain.challenges import ChallengeState, First
from bot.domain.clocks import DAY, TimeControl
from bot.domain.timers import TimerKind
from bot.services.clocks import Clocks, Fall
from bot.services.matches import Matches
from bot.services.ratings import Ratings
from bot.services.timers import Alarms
from bot.storage import Database, Storage
from bot.storage.tables import challenges, clocks, match_deliveries, matches, players, timers
from rules import ruleset

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_CONTROL = TimeControl.turns_of(DAY, hard=True)


class _Clock:
    now = _BEGIN

    def __call__(self) -> datetime:
        return self.now


async def run_day(database: Database, count: int) -> tuple[int, float]:
    """Let the flags of ``count`` matches fall in the course of a day; return how many fell, and the seconds it took."""
    clock, storage, fallen = _Clock(), Storage(database), 0
    await _fill(database, count)
    clocks = Clocks(storage, Matches(storage, Ratings(storage, clock=clock), clock=clock), clock=clock)

    async def drop(match_id: int) -> None:
        nonlocal fallen
        fall, _ = await clocks.flag_fell(match_id)
        fallen += fall is Fall.DAY_OFF

    async def beat(_subject: int) -> None:
        await clocks.beat([0])

    async def pass_by(_subject: int) -> None:
        pass

    handlers = dict.fromkeys(TimerKind, pass_by) | {TimerKind.FLAG: drop, TimerKind.HEARTBEAT: beat}
    alarms = Alarms(storage, handlers, clock)
    began = time.perf_counter()
    while (due := await alarms.next_due()) is not None and due <= _BEGIN + DAY:
        clock.now = max(clock.now, due)
        await alarms.ring()
    return fallen, time.perf_counter() - began


async def _fill(database: Database, count: int) -> None:
    """Store ``count`` matches among as many players, whose flags fall at random times on the first day."""
    chance, game = random.Random(1), ruleset("dalen", 5)
    flags = [_BEGIN + DAY * chance.random() for _ in range(count)]
    async with database.write() as connection:
        await connection.execute(insert(players), [{"id": n, "name": f"P{n}"} for n in range(1, count + 1)])
        rows = [
            {
                "id": n,
                "channel_id": n,
                "challenger_id": n,
                "opponent_id": n % count + 1,
                "low_id": 0,
                "high_id": n,
                "ruleset": game.id,
                "first": First.CHALLENGER,
                "state": ChallengeState.ACCEPTED,
                "created_at": _BEGIN,
                "expires_at": _BEGIN,
                "version": 1,
                "shown_version": 1,
            }
            for n in range(1, count + 1)
        ]
        await connection.execute(insert(challenges), rows)
        rows = [
            {
                "id": n,
                "challenge_id": n,
                "ruleset": game.id,
                "game": "dalen",
                "first_id": n,
                "second_id": n % count + 1,
                "ply": 0,
                "step": 0,
                "started_at": _BEGIN,
            }
            for n in range(1, count + 1)
        ]
        await connection.execute(insert(matches), rows)
        rows = [
            {
                "match_id": n,
                "home_channel_id": n,
                "channel_id": n,
                "occupied_channel_id": n,
                "requests": 1,
                "shown_version": 1,
                "shown_step": 0,
            }
            for n in range(1, count + 1)
        ]
        await connection.execute(insert(match_deliveries), rows)
        rows = [
            {
                "match_id": n,
                "control": _CONTROL.code,
                "first_left": DAY,
                "second_left": DAY,
                "seat": 0,
                "since": flag - DAY,
            }
            for n, flag in enumerate(flags, 1)
        ]
        await connection.execute(insert(clocks), rows)
        rows = [{"kind": TimerKind.FLAG, "subject_id": n, "due_at": flag} for n, flag in enumerate(flags, 1)]
        await connection.execute(insert(timers), rows)


async def _measure(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}")
        try:
            await database.migrate()
            fallen, seconds = await run_day(database, count)
        finally:
            await database.close()
    each = timedelta(seconds=seconds) / count / timedelta(milliseconds=1)
    print(f"{fallen:,} flags of a day fell in {seconds:.1f} s, {each:.2f} ms each")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bot.bench", description="Measure a day of timers.")
    parser.add_argument("--timers", type=int, default=10_000, help="how many flags fall (default: 10,000)")
    asyncio.run(_measure(parser.parse_args().timers))


if __name__ == "__main__":
    main()
