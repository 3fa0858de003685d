"""``python -m tests.benchmarks.network``: measure how many turns one, two and four processes on one PostgreSQL play.

Everything is on this machine: the processes, the database, a Discord on the loopback interface, and the players, who
play as fast as they see their boards.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from tests.support.benching import SHARDS, Discord, Table, running
from tests.support.loopback import Loopback, guild_on
from tests.support.postgres import Postgres, serve


async def _shared_out(server: Loopback, logs: list[Path]) -> None:
    """Wait until every process holds its share of the shards, and all of them are connected."""
    while True:
        held = []
        for log in logs:
            events = re.findall(r"(shard_taken|shard_released) .*shard=", log.read_text())
            held.append(events.count("shard_taken") - events.count("shard_released"))
        if held == [SHARDS // len(logs)] * len(logs) and server.connected == list(range(SHARDS)):
            return
        await asyncio.sleep(0.5)


async def _measure(processes: int, address: str, guilds: int, seconds: float, folder: Path, *, limited: bool) -> None:
    ours = [guild_on(number) for number in range(guilds)]
    logs = [folder / f"{processes}-{number}.log" for number in range(processes)]
    async with AsyncExitStack() as stack:
        server = Discord(ours)
        await stack.enter_async_context(server)
        for log in logs:
            await stack.enter_async_context(running(server, address, log, limited=limited, SHARDS=str(SHARDS)))
        await _shared_out(server, logs)
        tables = [Table(server, guild) for guild in ours]
        for table in tables:
            await table.begin()
        begun = time.perf_counter()
        played = await asyncio.gather(*(table.play(seconds) for table in tables))
        passed = time.perf_counter() - begun
    took = sorted(each * 1000 for some in played for each in some)
    cuts = statistics.quantiles(took, n=100)
    print(f"{processes:>9} {len(took) / passed:>8.1f} {cuts[49]:>8.0f} {cuts[94]:>8.0f} {cuts[98]:>8.0f}")


async def _bench(postgres: Postgres, guilds: int, seconds: float, folder: Path, *, limited: bool) -> None:
    print(f"{'processes':>9} {'turns/s':>8} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}")
    for processes in (1, 2, 4):
        async with postgres.database(migrated=True) as address:
            await _measure(processes, address, guilds, seconds, folder, limited=limited)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.network", description="Measure turns on PostgreSQL."
    )
    parser.add_argument("--guilds", type=int, default=16, help="servers, in each of which a game is played")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--unlimited", action="store_true", help="do without the limit of Discord's requests a second")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serve(Path(tempfile.mkdtemp()), "bench") as postgres:
        asyncio.run(_bench(postgres, options.guilds, options.seconds, Path(folder), limited=not options.unlimited))


if __name__ == "__main__":
    main()
