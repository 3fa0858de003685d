"""The Discord, the players and the bot process that several benchmarks share."""

from __future__ import annotations

import asyncio
import os
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from aiohttp import web

import render
import rules
from bot.__main__ import main
from bot.app import Application
from bot.discord.ui.scenes import warm_up
from bot.domain.turn_entry import TurnEntry
from bot.runtime.leases import LeaseTimes
from bot.services.matches import Matches, PlayResult
from tests.support.processes.loopback import ALICE, BOB, TOKEN, Loopback, channel_of, point_to, texts
from tests.support.sources import ROOT

SHARDS = 4
#: Maximum wait for a board, in seconds.
_PATIENCE = 20
#: Short, so that processes share the shards quickly. Turns do not depend on it.
_TIMES = LeaseTimes(renew=1.0, identify=0.2)


class Discord(Loopback):
    """A Discord that reports each server's new boards, and counts the requests that its limit covers."""

    def __init__(self, guilds: list[int]) -> None:
        super().__init__(SHARDS, guilds=guilds)
        #: The requests that the limit covers, by method and kind of object.
        self.counted: Counter[str] = Counter()
        self._ids = self._interactions  # recent enough for cards to be edited
        self._boards: dict[str, asyncio.Queue[str]] = {str(channel_of(guild)): asyncio.Queue() for guild in guilds}

    def boards(self, guild: int) -> asyncio.Queue[str]:
        """The texts of cards as they are posted or edited in a server."""
        return self._boards[str(channel_of(guild))]

    async def _answer(self, method: str, path: list[str], request: web.Request) -> Any:
        if path[0] not in ("interactions", "webhooks"):
            self.counted[f"{method} {path[2] if len(path) > 2 else path[0]}"] += 1
        if method == "DELETE" and path[0] == "channels":
            self.messages.pop(int(path[3]), None)
            return None
        answer = await super()._answer(method, path, request)
        if isinstance(answer, dict) and int(answer.get("id") or 0) in self.messages:
            self._boards[answer["channel_id"]].put_nowait(texts(answer))
        return answer


@dataclass(frozen=True, slots=True)
class Running:
    """A process of the bot."""

    pid: int
    #: A file that lists, once the process has stopped, when each picture was done and how much CPU it took.
    pictures: Path

    @property
    def cpu(self) -> float:
        """The CPU seconds used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def drawn(self, begun: float, ended: float) -> list[float]:
        """The CPU seconds of each picture between two times."""
        pictures = [map(float, line.split()) for line in self.pictures.read_text().splitlines()]
        return [took for done, took in pictures if begun < done < ended]

    @property
    def stored(self) -> dict[tuple[int, int], float]:
        """When each turn was stored, by its match and the step after it. Known once the process has stopped."""
        turns = (line.split() for line in _stored_in(self.pictures).read_text().splitlines())
        return {(int(match), int(step)): float(at) for match, step, at in turns}


def _stored_in(pictures: Path) -> Path:
    return pictures.with_suffix(".stored")


@asynccontextmanager
async def running(
    server: Loopback, address: str, log: Path, *, limited: bool, **settings: str
) -> AsyncIterator[Running]:
    """Run a process of the bot, with its requests ``limited`` to Discord's rate or not."""
    settings |= {"DISCORD_TOKEN": TOKEN, "DATABASE_URL": address, "PYTHONPATH": str(ROOT)}
    if not limited:  # as if a proxy kept the limit
        settings["DISCORD_API"] = f"http://127.0.0.1:{server.port}/api/v10"
    drawn = log.with_suffix(".drawn")
    with log.open("wb") as opened:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.benchmarks.bot", str(server.port), str(drawn), env=settings, stderr=opened
        )
    try:
        yield Running(process.pid, drawn)
    finally:
        process.terminate()
        await process.wait()


class Table:
    """A random game of Dalen between Alice and Bob on a server."""

    def __init__(self, server: Discord, guild: int) -> None:
        self._server = server
        self._guild = guild
        self._chance = random.Random(guild)
        self._position = rules.ruleset("dalen", 7).start()
        self._mover = ALICE

    async def _begin(self) -> None:
        server, guild, boards = self._server, self._guild, self._server.boards(self._guild)
        await server.slash(ALICE, "challenge", guild=guild, game="dalen", opponent=BOB, size=7, first="challenger")
        while "challenges" not in await boards.get():
            pass
        channel = str(channel_of(guild))
        cards = [message for message in server.messages.values() if message["channel_id"] == channel]
        card = next(message for message in cards if "challenges" in texts(message))
        await server.press(BOB, card, "Accept")
        while "open with" not in await boards.get():
            pass

    async def play(self, seconds: float, pace: float = 0, late: float = 0) -> list[float]:
        """Play for some seconds, and return each board's latency.

        A turn is due every ``pace`` seconds, the first in ``late`` seconds. A late turn does not delay the next.
        """
        took, boards = list[float](), self._server.boards(self._guild)
        due, until = time.perf_counter() + late, time.perf_counter() + seconds
        while max(due, time.perf_counter()) < until and (turn := self._turn()):
            await asyncio.sleep(due - time.perf_counter())
            begun = time.perf_counter()
            await self._server.slash(self._mover, "move", guild=self._guild, turn=turn)
            board = ""
            async with asyncio.timeout(_PATIENCE):
                while f"`{turn}`" not in board and f"**{turn.title()}**" not in board:
                    board = await boards.get()
            took.append(time.perf_counter() - begun)
            self._position, _ = self._position.play(turn)
            called = re.search("<@([0-9]+)>", board)
            self._mover = self._mover if called is None else int(called[1])
            due += pace
        return took

    def _turn(self) -> str | None:
        """A turn that the bot plays without confirmation; None if there is none."""
        turns = [turn for turn in self._position.legal_turns if turn != rules.PASS]
        self._chance.shuffle(turns)
        return next((turn for turn in turns if not TurnEntry.begin(self._position, turn).is_risky), None)


async def tables(server: Discord, guilds: Iterable[int]) -> list[Table]:
    """Start a game on each server, one after the other: only a few challenges to one person may wait at a time."""
    await server.until(lambda: server.connected == list(range(SHARDS)))
    begun = [Table(server, guild) for guild in guilds]
    for table in begun:
        await table._begin()
    return begun


def percentiles(took: Sequence[float]) -> str:
    """The 50th, 95th and 99th percentiles in milliseconds."""
    cuts = statistics.quantiles([seconds * 1000 for seconds in took], n=100)
    return "".join(f"{cuts[percent - 1]:>7.0f}" for percent in (50, 95, 99))


def _run(port: int, drawn: Path) -> int:
    """Run the bot, and record the CPU of its pictures and when it stores turns."""
    point_to(port)
    took, stored = list[str](), list[str]()

    def picture(*arguments: Any, **options: Any) -> bytes:
        begun = time.thread_time()
        try:
            return draw(*arguments, **options)
        finally:
            took.append(f"{time.perf_counter()} {time.thread_time() - begun}\n")

    async def play_and_view(*arguments: Any) -> PlayResult:
        played = await store(*arguments)
        stored.append(f"{played.game.match.id} {played.game.step} {time.perf_counter()}\n")
        return played

    draw, store = render.picture, Matches.play_and_view
    # Draw ahead now: otherwise the bot would do so between turns, and these pictures take ten times as long as boards.
    warm_up("dalen")
    with (
        patch("bot.__main__.Application", partial(Application, lease_times=_TIMES)),
        patch("bot.discord.gateway.lifecycle.warm_up_pictures", partial(asyncio.sleep, 0)),
        patch.object(render, "picture", picture),
        patch.object(Matches, "play_and_view", play_and_view),
    ):
        status = main()
    _stored_in(drawn).write_text("".join(stored))
    drawn.write_text("".join(took))
    return status


if __name__ == "__main__":
    sys.exit(_run(int(sys.argv[1]), Path(sys.argv[2])))
