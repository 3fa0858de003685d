"""``python -m tests.benchmarks.computer``: measure how long people wait while others play the computer.

One process on SQLite serves games between people at an even pace. They alternate between being alone and sharing the
bot with games against the computer, which keep its workers busy. Everything runs on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from aiohttp import web

import rules
from bot.storage.database import address_of
from tests.benchmarks.bot import Discord, percentiles, running, tables
from tests.support.processes.loopback import ALICE, BOB, guild_on

#: Whether the computer plays, for each part of the run.
_PARTS = (False, True) * 3
#: The id of the first person who plays the computer. Each has their own server.
_FIRST_ALONE = 5000
#: The range of seconds after which people check for their turn if no board has come, so that they do not act at once.
_PATIENCE = 20, 60


class _Timed(Discord):
    """A Discord that measures how long interactions take to be acknowledged."""

    def __init__(self, guilds: list[int]) -> None:
        super().__init__(guilds)
        self._began: dict[str, float] = {}
        self.acknowledged: list[float] = []
        #: Whether new interactions are measured.
        self.counts = False

    async def _dispatch(self, event: str, data: dict[str, Any], shard: int) -> None:
        if self.counts and event == "INTERACTION_CREATE" and int(data["member"]["user"]["id"]) in (ALICE, BOB):
            self._began[data["id"]] = time.perf_counter()
        await super()._dispatch(event, data, shard)

    async def _answer(self, method: str, path: list[str], request: web.Request) -> Any:
        if path[0] == "interactions" and (began := self._began.pop(path[1], None)) is not None:
            self.acknowledged.append(time.perf_counter() - began)
        return await super()._answer(method, path, request)


async def _play_computer(server: _Timed, guild: int, who: int, level: int, database: Path) -> None:
    """Play random games against the computer, each turn as soon as possible."""
    chance, boards = random.Random(guild), server.boards(guild)
    while True:
        position = await asyncio.to_thread(_position, database, who)
        if position is None or position.outcome is not None:
            await server.slash(who, "challenge", guild=guild, game="dalen", level=level, first="challenger")
        else:
            await server.slash(who, "move", guild=guild, turn=chance.choice(list(position.legal_turns)))
        with suppress(TimeoutError):
            await asyncio.wait_for(boards.get(), chance.uniform(*_PATIENCE))


def _position(database: Path, who: int) -> rules.Position | None:
    """The position of a person's newest match; None without a match."""
    with closing(sqlite3.connect(database)) as connection:
        (match,) = connection.execute("SELECT max(id) FROM matches WHERE ? IN (first_id, second_id)", (who,)).fetchone()
        if match is None:
            return None
        rows = connection.execute("SELECT turn FROM turns WHERE match_id = ? ORDER BY step", (match,))
        return rules.ruleset("dalen").replay([turn for (turn,) in rows])


async def _bench(games: int, level: int, pairs: int, pace: float, seconds: float, folder: Path) -> None:
    guilds = [guild_on(number) for number in range(games + pairs)]
    database = folder / "bench.db"
    waits = {beside: (list[float](), list[float]()) for beside in (False, True)}
    async with _Timed(guilds) as server, running(server, address_of(database), folder / "log", limited=False):
        playing = await tables(server, guilds[games:])
        gc.collect()
        gc.freeze()  # this process's garbage collection would count as waiting
        for beside in _PARTS:
            computing = [
                asyncio.create_task(_play_computer(server, guild, _FIRST_ALONE + number, level, database))
                for number, guild in enumerate(guilds[:games] if beside else [])
            ]
            await asyncio.sleep(5)
            server.acknowledged, server.counts = [], True
            played = await asyncio.gather(*(table.play(seconds, pace) for table in playing))
            server.counts = False
            for task in computing:
                task.cancel()
            waits[beside][0].extend(server.acknowledged)
            waits[beside][1].extend(wait for some in played for wait in some)
    print(f"{'people':>24} {'until':>14} {'turns':>6} p50 ms    p95    p99")
    for beside, of in waits.items():
        name = f"beside {games} of the computer" if beside else "alone"
        for what, took in zip(("acknowledged", "board"), of, strict=True):
            print(f"{name:>24} {what:>14} {len(took):>6}{percentiles(took)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.computer", description="Measure what people wait for beside the computer."
    )
    parser.add_argument("--games", type=int, default=20, help="games against the computer")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=8, help="games of two people")
    parser.add_argument("--pace", type=float, default=1.0, help="seconds from turn to turn in each of them")
    parser.add_argument("--seconds", type=float, default=20, help="of each of the six parts; more would outlast a game")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_bench(options.games, options.level, options.pairs, options.pace, options.seconds, Path(folder)))


if __name__ == "__main__":
    main()
