"""``python -m tests.benchmarks.storage``: measure storing turns, and a day of timers."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, event, insert

from bot.domain.challenges import ChallengeState, First
from bot.domain.clocks import DAY, TimeControl
from bot.domain.matches import Game
from bot.domain.timers import TimerKind
from bot.runtime.timers import Scheduler
from bot.services.clocks import Clocks, Fall
from bot.services.matches import Matches
from bot.services.ratings import Ratings
from bot.storage import Database, Storage, UnusableDatabaseError, address_of
from bot.storage.tables import challenges, clocks, match_deliveries, matches, players, timers
from rules import ruleset
from tests.support.services.counts import statements_on
from tests.support.services.matches import Clock, play_turn, start

_BEGIN = Clock().now
_CONTROL = TimeControl.turns_of(DAY, hard=True)


async def run_day(database: Database, count: int) -> tuple[int, float]:
    """Let the flags of ``count`` matches fall over a day; return how many fell, and the seconds this took."""
    clock, storage, fallen = Clock(), Storage(database), 0
    await _fill(database, count)
    clocks = Clocks(storage, Matches(storage, Ratings(storage, now=clock), now=clock), now=clock)

    async def drop(match_id: int) -> None:
        nonlocal fallen
        fall, _ = await clocks.flag_fell(match_id)
        fallen += fall is Fall.DAY_OFF

    async def beat(_subject: int) -> None:
        await clocks.beat([0])

    async def pass_by(_subject: int) -> None:
        pass

    handlers = dict.fromkeys(TimerKind, pass_by) | {TimerKind.FLAG: drop, TimerKind.HEARTBEAT: beat}
    scheduler = Scheduler(storage, handlers, clock)
    began = time.perf_counter()
    while (due := await scheduler.next_due()) is not None and due <= _BEGIN + DAY:
        clock.now = max(clock.now, due)
        await scheduler.run_due()
    return fallen, time.perf_counter() - began


async def _fill(database: Database, count: int) -> None:
    """Store ``count`` matches among as many players, with flags that fall at random times on the first day."""
    chance, game = random.Random(1), ruleset("dalen", 5)
    accepted = {"ruleset": game.id, "first": First.CHALLENGER, "state": ChallengeState.ACCEPTED, "low_id": 0}
    accepted |= {"created_at": _BEGIN, "expires_at": _BEGIN, "version": 1, "shown_version": 1}
    running = {"ruleset": game.id, "game": "dalen", "ply": 0, "step": 0, "started_at": _BEGIN}
    shown = {"requests": 1, "shown_version": 1, "shown_step": 0, "card_message_id": 1}
    banks = {"control": _CONTROL.code, "first_left": DAY, "second_left": DAY, "seat": 0}
    rows: dict[Table, list[dict[str, Any]]] = defaultdict(list)
    for n in range(1, count + 1):
        other, flag = n % count + 1, _BEGIN + DAY * chance.random()
        people = {"challenger_id": n, "opponent_id": other, "high_id": n}
        channels = dict.fromkeys(("home_channel_id", "channel_id", "occupied_channel_id"), n)
        rows[players].append({"id": n, "name": f"P{n}"})
        rows[challenges].append({"id": n, "channel_id": n, **people, **accepted})
        seats = {"first_id": n, "second_id": other, "awaited_id": n}
        rows[matches].append({"id": n, "challenge_id": n, **seats, **running})
        rows[match_deliveries].append({"match_id": n, **channels, **shown})
        rows[clocks].append({"match_id": n, "since": flag - DAY, **banks})
        rows[timers].append({"kind": TimerKind.FLAG, "subject_id": n, "due_at": flag})
    async with database.write() as connection:
        for table, values in rows.items():
            await connection.execute(insert(table), values)


async def _measure_timers(database: Database, count: int) -> None:
    fallen, seconds = await run_day(database, count)
    each = timedelta(seconds=seconds) / count / timedelta(milliseconds=1)
    print(f"{fallen:,} flags of a day fell in {seconds:.1f} s, {each:.2f} ms each")


@dataclass
class _Cost:
    """The cost of a turn: milliseconds of CPU and of wall time, statements, and round trips to the database."""

    cpu: float
    wall: float
    statements: int
    trips: int


async def play_turns(database: Database, count: int) -> list[_Cost]:
    """Play this many turns, with new matches for ended ones, and return each turn's cost."""
    clock, storage, chance = Clock(), Storage(database), random.Random(1)
    matches = Matches(storage, Ratings(storage, now=clock), now=clock)
    ends = 0

    def count_end(connection: Connection) -> None:
        nonlocal ends
        # Reads need a transaction on some databases only.
        ends += connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT"

    for name in ("begin", "commit", "rollback"):
        event.listen(database.engine.sync_engine, name, count_end)
    costs: list[_Cost] = []
    game: Game | None = None
    while len(costs) < count:
        if game is None or game.to_act is None:
            game = await matches.game((await start(matches)).id)
        assert game.to_act is not None
        turn = chance.choice(game.position.legal_turns)
        ends = 0
        with statements_on(database) as statements:
            cpu, wall = time.process_time(), time.perf_counter()
            game = await play_turn(matches, game.match.id, game.to_act.id, turn)
            cpu, wall = (time.process_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000
        costs.append(_Cost(cpu, wall, len(statements), len(statements) + ends))
    return costs


async def _measure_turns(database: Database, count: int) -> None:
    costs = await play_turns(database, count)
    cpu, wall, statements, trips = (
        statistics.median(getattr(cost, name) for cost in costs) for name in ("cpu", "wall", "statements", "trips")
    )
    print(
        f"a turn: {statements:g} statements, {trips:g} round trips, {cpu:.2f} ms of CPU here, {wall:.2f} ms in all "
        f"(medians of {count:,})"
    )


async def _measure(timers: int, turns: int, beside: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        measured = [(address_of(Path(folder) / "turns.db"), partial(_measure_turns, count=turns))]
        if beside is not None:
            measured.append((beside, partial(_measure_turns, count=turns)))
        measured.append((address_of(Path(folder) / "timers.db"), partial(_measure_timers, count=timers)))
        for address, measure in measured:
            database = Database(address)
            try:
                await database.migrate()
                print(end=f"{database.url.get_backend_name()}, ")
                await measure(database)
            finally:
                await database.close()


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.storage",
        description="Measure storing turns, and a day of timers, on a new SQLite database.",
    )
    parser.add_argument("--timers", type=int, default=10_000, help="how many flags fall (default: 10,000)")
    parser.add_argument("--turns", type=int, default=1000, help="how many turns are played (default: 1,000)")
    parser.add_argument("--beside", help="the address of an empty database where turns are measured as well")
    options = parser.parse_args()
    try:
        asyncio.run(_measure(options.timers, options.turns, options.beside))
    except UnusableDatabaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
