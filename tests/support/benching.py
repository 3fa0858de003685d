"""What the benchmarks with a bot process share: its Discord, and people who play on it."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import discord
from aiohttp import web

import rules
from bot.__main__ import main
from bot.app import Application
from bot.services.leases import LeaseTimes
from tests.support.loopback import ALICE, BOB, TOKEN, Loopback, channel_of, point_to, texts
from tests.support.sources import ROOT

SHARDS = 4
#: Seconds after which somebody plays another turn.
_PATIENCE = 5
#: So that processes share the shards quickly; the turns do not depend on it.
_TIMES = LeaseTimes(renew=1.0, identify=0.2)


class Discord(Loopback):
    """A Discord that notes when each server's board changes."""

    def __init__(self, guilds: list[int]) -> None:
        super().__init__(SHARDS, guilds=guilds)
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
            sys.executable, "-m", "tests.support.benching", str(server.port), env=settings, stderr=opened
        )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


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
            turns = [turn for turn in self._position.legal_turns if turn != rules.PASS]
            if not turns:
                break
            turn = self._chance.choice(turns)
            await self._server.slash(self._mover, "move", guild=self._guild, turn=turn)
            try:
                async with asyncio.timeout(_PATIENCE):
                    while f"**{turn}**" not in (board := await boards.get()).lower():
                        pass
            except TimeoutError:
                continue  # the bot asks first whether a turn is meant that loses much
            took.append(time.perf_counter() - begun)
            self._position, _ = self._position.play(turn)
            called = re.search("<@([0-9]+)>", board)
            self._mover = self._mover if called is None else int(called[1])
            await asyncio.sleep(begun + pace - time.perf_counter())
        return took


if __name__ == "__main__":
    point_to(int(sys.argv[1]))
    with patch("bot.__main__.Application", partial(Application, lease_times=_TIMES)):
        sys.exit(main())
