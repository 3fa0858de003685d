"""``python -m tests.benchmarks.network``: measure the turns of one, two and four processes on one PostgreSQL.

Everything runs on this machine: the processes, the database, a Discord on the loopback interface, and the players, who
play as soon as they see their boards.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

from bot.storage.database import address_of
from tests.benchmarks.bot import SHARDS, Discord, percentiles, running, tables
from tests.support.processes.loopback import guild_on
from tests.support.processes.postgres import Postgres, serve


async def _shared_out(logs: list[Path]) -> None:
    """Wait until all shards are shared equally among the processes with these ``logs``."""
    while True:
        held = []
        for log in logs:
            events = re.findall(r"(shard_taken|shard_released) .*shard=", log.read_text())
            held.append(events.count("shard_taken") - events.count("shard_released"))
        if held == [SHARDS // len(logs)] * len(logs):
            return
        await asyncio.sleep(0.5)


async def _measure(processes: int, address: str, guilds: int, seconds: float, folder: Path, *, limited: bool) -> None:
    ours = [guild_on(number) for number in range(guilds)]
    logs = [folder / f"{processes}-{number}.log" for number in range(processes)]
    settings = {} if address.startswith("sqlite") else {"SHARDS": str(SHARDS)}
    async with Discord(ours) as server, AsyncExitStack() as bots:
        run = [
            await bots.enter_async_context(running(server, address, log, limited=limited, **settings)) for log in logs
        ]
        if settings:
            await _shared_out(logs)
        playing = await tables(server, ours)
        await asyncio.gather(*(table.play(seconds / 4) for table in playing))  # the first pictures are slower
        counted, cpu = Counter(server.counted), sum(process.cpu for process in run)
        begun = time.perf_counter()
        played = await asyncio.gather(*(table.play(seconds) for table in playing))
        passed = time.perf_counter() - begun
        cpu = sum(process.cpu for process in run) - cpu
        counted = server.counted - counted
    took = [taken for some in played for taken in some]
    turns = len(took)
    drawing = statistics.mean(took for process in run for took in process.drawn(begun, begun + passed))
    figures = (
        f"{'SQLite' if not settings else 'PostgreSQL':>10}",
        f"{processes:>9}",
        f"{turns / passed:>7.1f}",
        f"{cpu * 1000 / turns:>7.1f}",
        f"{drawing * 1000:>7.1f}",
        f"{cpu / turns / drawing:>5.1f}",
        f"{counted.total() / turns:>7.2f}",
        percentiles(took),
    )
    print(*figures, dict(counted), flush=True)


_HEADINGS = "           processes turns/s  CPU ms drawing ratio counted  p50 ms    p95    p99"


async def _bench(postgres: Postgres, guilds: int, seconds: float, folder: Path, *, limited: bool) -> None:
    print(_HEADINGS)
    await _measure(1, address_of(folder / "bench.db"), guilds, seconds, folder, limited=limited)
    for processes in (1, 2):
        async with postgres.database(migrated=True) as address:
            await _measure(processes, address, guilds, seconds, folder, limited=limited)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.network", description="Measure turns of people, all of which are typed."
    )
    parser.add_argument("--guilds", type=int, default=16, help="servers, in each of which a game is played")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--unlimited", action="store_true", help="do without the limit of Discord's requests a second")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serve(Path(tempfile.mkdtemp()), "bench") as postgres:
        asyncio.run(_bench(postgres, options.guilds, options.seconds, Path(folder), limited=not options.unlimited))


if __name__ == "__main__":
    main()
