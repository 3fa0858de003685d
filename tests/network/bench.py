"""``python -m tests.network.bench``: measure how many turns one, two and four processes on one PostgreSQL play.

Everything is on this machine: the processes, the database, a Discord on the loopback interface, and the players, who
play as fast as they see their boards.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import discord
from aiohttp import web

import rules
from bot.__main__ import main as run_bot
from bot.app import Application
from bot.services.leases import LeaseTimes
from tests.support.loopback import ALICE, BOB, TOKEN, Loopback, channel_of, guild_on, point_to, texts
from tests.support.postgres import Postgres, serve
from tests.support.sources import ROOT

_SHARDS = 4
#: So that the processes share the shards quickly; the turns do not depend on it.
_TIMES = LeaseTimes(look=1.0, identify=0.2)


class Discord(Loopback):
    """A Discord that notes when each server's board changes."""

    def __init__(self, guilds: list[int]) -> None:
        super().__init__(_SHARDS, guilds=guilds)
        self._ids = itertools.count(discord.utils.time_snowflake(discord.utils.utcnow()))
        self._boards: dict[str, asyncio.Queue[str]] = {str(channel_of(guild)): asyncio.Queue() for guild in guilds}

    def boards(self, guild: int) -> asyncio.Queue[str]:
        """The texts of the cards that are posted or edited in a server."""
        return self._boards[str(channel_of(guild))]

    async def _answer(self, method: str, path: list[str], request: web.Request) -> Any:
        if [method, *path][::3] == ["GET", "messages"]:
            channel = [each for each in self.messages.values() if each["channel_id"] == path[1]]
            return channel[: -1 - int(request.query["limit"]) : -1]
        if method == "DELETE" and path[0] == "channels":
            self.messages.pop(int(path[3]), None)
            return None
        answer = await super()._answer(method, path, request)
        if path[0] == "channels" and isinstance(answer, dict):
            answer["attachments"] = []
            self._boards[path[1]].put_nowait(texts(answer))
        return answer


@asynccontextmanager
async def running(server: Loopback, address: str, log: Path, *, limited: bool, **settings: str) -> AsyncIterator[None]:
    """A process of the bot, whose requests are ``limited`` to what Discord allows."""
    settings |= {"DISCORD_TOKEN": TOKEN, "DATABASE_URL": address, "PYTHONPATH": str(ROOT)}
    if not limited:  # somebody else keeps the limit then
        settings["DISCORD_API"] = f"http://127.0.0.1:{server.port}/api/v10"
    with log.open("wb") as opened:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.network.bench", "--bot", str(server.port), env=settings, stderr=opened
        )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def _shared_out(server: Loopback, logs: list[Path]) -> None:
    """Wait until every process holds its share of the shards, and all of them are connected."""
    while True:
        held = []
        for log in logs:
            events = re.findall(r"(shard_taken|shard_given_up) .*shard=", log.read_text())
            held.append(events.count("shard_taken") - events.count("shard_given_up"))
        if held == [_SHARDS // len(logs)] * len(logs) and server.connected == list(range(_SHARDS)):
            return
        await asyncio.sleep(0.5)


class Table:
    """A random game of Dalen between Alice and Bob in a server."""

    def __init__(self, server: Discord, guild: int) -> None:
        self._server = server
        self._guild = guild
        self._chance = random.Random(guild)
        self._position = rules.ruleset("dalen", 7).start()
        self._mover = ALICE

    async def begin(self) -> None:
        """Begin the game; only a few challenges to one person may wait at a time."""
        server, guild, boards = self._server, self._guild, self._server.boards(self._guild)
        await server.slash(ALICE, "challenge", guild=guild, game="dalen", opponent=BOB, size=7, first="challenger")
        while "challenges" not in await boards.get():
            pass
        channel = str(channel_of(guild))
        cards = [each for each in server.messages.values() if each["channel_id"] == channel]
        card = next(each for each in cards if "challenges" in texts(each))
        await server.press(BOB, card, "Accept")
        while "open with" not in await boards.get():
            pass

    async def play(self, seconds: float, pace: float = 0) -> list[float]:
        """Play for some seconds, a turn every ``pace`` seconds, and return how long each board took."""
        took, boards = list[float](), self._server.boards(self._guild)
        until = time.perf_counter() + seconds
        while (begun := time.perf_counter()) < until and self._position.outcome is None:
            turn = self._chance.choice(self._position.legal_turns)
            await self._server.slash(self._mover, "move", guild=self._guild, turn=turn)
            while f"**{turn}**" not in (board := await boards.get()).lower():
                pass
            took.append(time.perf_counter() - begun)
            self._position, _ = self._position.play(turn)
            called = re.search("<@([0-9]+)>", board)
            self._mover = self._mover if called is None else int(called[1])
            await asyncio.sleep(begun + pace - time.perf_counter())
        return took


async def _measure(processes: int, address: str, guilds: int, seconds: float, folder: Path, *, limited: bool) -> None:
    ours = [guild_on(number) for number in range(guilds)]
    logs = [folder / f"{processes}-{number}.log" for number in range(processes)]
    async with AsyncExitStack() as stack:
        server = Discord(ours)
        await stack.enter_async_context(server)
        for log in logs:
            await stack.enter_async_context(running(server, address, log, limited=limited, SHARDS=str(_SHARDS)))
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
    parser = argparse.ArgumentParser(prog="python -m tests.network.bench", description="Measure turns on PostgreSQL.")
    parser.add_argument("--guilds", type=int, default=16, help="servers, in each of which a game is played")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--unlimited", action="store_true", help="do without the limit of Discord's requests a second")
    parser.add_argument("--bot", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bot is None:
        with tempfile.TemporaryDirectory() as folder, serve(Path(tempfile.mkdtemp()), "bench") as postgres:
            bench = _bench(postgres, options.guilds, options.seconds, Path(folder), limited=not options.unlimited)
            asyncio.run(bench)
        return
    point_to(options.bot)
    with patch("bot.__main__.Application", partial(Application, lease_times=_TIMES)):
        sys.exit(run_bot())


if __name__ == "__main__":
    main()
