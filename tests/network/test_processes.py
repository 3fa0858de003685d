"""Several processes of the bot on one database: if one dies, freezes or loses its connection, no turn is lost or shown
twice, and no clock is charged for the outage.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import asyncpg  # type: ignore[import-untyped]
import discord
import pytest
from aiohttp import web
from sqlalchemy import make_url

from bot.discord.ui.actions import More, PlayTurn
from bot.storage.session import LockKind
from tests.support.discord.cards import press_of
from tests.support.games import WHOLE_GAME
from tests.support.processes.bot_process import LoggedProcess, running_bot
from tests.support.processes.loopback import ALICE, BOB, Loopback, buttons, channel_of, guild_on, texts
from tests.support.processes.postgres import OwnServer, Postgres

SHARDS = 4
GUILDS = [guild_on(shard) for shard in range(SHARDS)]
#: After this many seconds without an effect, people press again.
PATIENCE = 2.0


class Discord(Loopback):
    """A Discord whose messages have an age and can be deleted, so that cards can be edited and replaced."""

    def __init__(self) -> None:
        super().__init__(SHARDS, guilds=GUILDS)
        self._ids = itertools.count(discord.utils.time_snowflake(discord.utils.utcnow()))
        #: The number of interactions acknowledged twice.
        self.answered_twice = 0

    async def _answer(self, method: str, path: list[str], request: web.Request) -> Any:
        match [method, *path]:
            case ["POST", "interactions", identity, _, "callback"]:
                self.answered_twice += identity in self._acknowledged
            case ["DELETE", "channels", _, "messages", identity]:
                self.messages.pop(int(identity), None)
                return None
        return await super()._answer(method, path, request)

    def of(self, guild: int) -> list[dict[str, Any]]:
        """The messages of a server, oldest first."""
        channel = str(channel_of(guild))
        return [self.messages[key] for key in sorted(self.messages) if self.messages[key]["channel_id"] == channel]


class World:
    """A match in each server, in different shards, and the processes that serve them."""

    def __init__(self, server: Discord, url: str, folder: Path, stack: AsyncExitStack) -> None:
        self.server = server
        self.url = url
        self.processes: list[LoggedProcess] = []
        self.matches: dict[int, int] = {}
        self.played: dict[int, int] = dict.fromkeys(GUILDS, 0)
        #: How often a server had two boards for a while.
        self.stood_twice = 0
        self._folder = folder
        self._stack = stack
        self._chance = random.Random(4)

    async def start(self, count: int) -> None:
        """Start some processes at once."""

        async def start_one() -> LoggedProcess:
            log = self._folder / f"log-{self._chance.getrandbits(40)}"
            bot = running_bot(self.server, self._folder, log, DATABASE_URL=self.url, SHARDS=str(SHARDS))
            return LoggedProcess(await self._stack.enter_async_context(bot), log)

        self.processes += await asyncio.gather(*(start_one() for _ in range(count)))
        await self.settle()

    async def settle(self) -> None:
        """Wait until each shard is held by one process and connected once."""
        alive = [member for member in self.processes if member.running.returncode is None]

        def settled() -> bool:
            held = sorted(shard for process in alive for shard in process.held)
            fair = all(len(process.held) <= -(-SHARDS // len(alive)) for process in alive)
            return fair and held == self.server.connected == list(range(SHARDS))

        await self.until(settled)

    async def until(self, condition: Callable[[], bool], seconds: float = 90) -> None:
        """Wait until a condition is true, which may depend on the logs."""
        async with asyncio.timeout(seconds):
            while not condition():
                await self.pause()

    async def pause(self) -> None:
        """Wait for a change on Discord, but only briefly."""
        self.server.changed.clear()
        with suppress(TimeoutError):
            # Python 3.11's wait_for may ignore the cancellation by a timeout around it.
            async with asyncio.timeout(0.1):
                await self.server.changed.wait()

    async def insist(self, press: Callable[[], Awaitable[None]], done: Callable[[], bool]) -> None:
        """Press repeatedly, as people do when nothing happens."""
        async with asyncio.timeout(120):
            while not done():
                await press()
                with suppress(TimeoutError):
                    await self.until(done, PATIENCE)

    # What people do

    async def begin(self, clock: str) -> None:
        """Start a match of Alice and Bob on each server."""
        for guild in GUILDS:
            options = {"game": "dalen", "opponent": BOB, "size": 5, "first": "challenger", "clock": clock}
            await self.server.slash(ALICE, "challenge", guild=guild, **options)
            await self.until(lambda guild=guild: bool(self.server.of(guild)))  # type: ignore[misc]
            await self.server.press(BOB, self.server.of(guild)[0], "Accept")
        for guild in GUILDS:
            await self.until(lambda guild=guild: len(self.boards(guild)) == 1)  # type: ignore[misc]
            (self.matches[guild],) = (more.match_id for more in more_of(self.boards(guild)[0]))

    async def play(self, guild: int, at: int) -> None:
        """Play a turn of a server's match with a button on any server, until the board shows it."""
        number = self.played[guild]

        async def press() -> None:
            if boards := self.boards(guild):
                (who,) = re.findall(r"<@([0-9]+)>", texts(boards[-1]))
                turn = PlayTurn(self.matches[guild], number, WHOLE_GAME[number])
                await self.server.press_id(int(who), turn.custom_id, at)

        await self.insist(press, lambda: self.step(guild) > number)
        self.played[guild] += 1

    async def play_everywhere(self) -> None:
        """Play a turn of each match at the same time, with buttons on random servers."""
        await asyncio.gather(*(self.play(guild, self._chance.choice(GUILDS)) for guild in GUILDS))

    # What people see

    def boards(self, guild: int) -> list[dict[str, Any]]:
        """The cards with buttons of a match."""
        return [message for message in self.server.of(guild) if more_of(message)]

    def step(self, guild: int) -> int:
        """The step of the newest board."""
        return max((more.step for message in self.boards(guild) for more in more_of(message)), default=0)

    def is_tidy(self, guild: int) -> bool:
        """Whether there is one board, and at most one ping, which links that board."""
        boards = self.boards(guild)
        pings = [
            text for message in self.server.of(guild) if "](https://discord.com/channels/" in (text := texts(message))
        ]
        return len(boards) == 1 and len(pings) <= 1 and all(f"/{boards[0]['id']})" in ping for ping in pings)

    def notices(self, said: str) -> list[int]:
        """How many messages of each server contain a text."""
        return [sum(said in texts(message) for message in self.server.of(guild)) for guild in GUILDS]

    # What is stored

    @asynccontextmanager
    async def database(self) -> AsyncIterator[asyncpg.Connection]:
        url = make_url(self.url).set(drivername="postgresql")
        connection = await asyncpg.connect(url.render_as_string(hide_password=False))
        try:
            yield connection
        finally:
            await connection.close()

    async def flags(self) -> dict[int, datetime]:
        """When the flags will fall, by server."""
        async with self.database() as connection:
            rows = await connection.fetch(
                "SELECT match_id, since, CASE seat WHEN 0 THEN first_left ELSE second_left END AS time_left FROM clocks"
            )
        left = {row["match_id"]: row["since"] + timedelta(microseconds=row["time_left"]) for row in rows}
        return {guild: left[match] for guild, match in self.matches.items()}

    async def given_back(self, before: dict[int, datetime], expected: Iterable[int] = ()) -> dict[int, timedelta]:
        """How much later than ``before`` the flags will fall, by shard, once all ``expected`` shards have more time."""
        async with asyncio.timeout(90):
            while True:
                flags = await self.flags()
                longer = {shard: flags[guild] - before[guild] for shard, guild in enumerate(GUILDS)}
                if all(longer[shard] for shard in expected):
                    return longer
                await self.pause()

    async def ring(self, *kinds: str) -> None:
        """Make the timers of some kinds due."""
        async with self.database() as connection:
            await connection.execute("UPDATE timers SET due_at = now() WHERE kind = ANY($1)", kinds)

    async def until_rung(self) -> None:
        """Wait until all due timers have rung."""
        async with self.database() as connection, asyncio.timeout(90):
            while await connection.fetchval("SELECT true FROM timers WHERE due_at <= now()"):
                await self.pause()

    async def check(self) -> None:
        """Check that each turn is stored once, and that each channel shows its match with one board and its ping."""
        async with self.database() as connection:
            rows = await connection.fetch("SELECT match_id, turn FROM turns ORDER BY match_id, step")
        for guild, match in self.matches.items():
            turns = [row["turn"] for row in rows if row["match_id"] == match]
            assert turns == list(WHOLE_GAME[: self.played[guild]])
            self.stood_twice += len(self.boards(guild)) > 1
            await self.until(lambda guild=guild: self.is_tidy(guild))  # type: ignore[misc]
            assert self.step(guild) == self.played[guild]
        assert self.server.answered_twice == 0


def more_of(message: dict[str, Any]) -> list[More]:
    """The press of a message's button More…, which only boards have."""
    found = (press_of(button.get("custom_id", ""), More) for button in buttons(message["components"]))
    return [press for press in found if press is not None]


#: Makes a world on a database. The tests' report says how often it had two boards on a server.
NewWorld: TypeAlias = Callable[[str], AbstractAsyncContextManager[World]]


@pytest.fixture
def world(tmp_path: Path, record_property: Callable[[str, object], None]) -> NewWorld:
    @asynccontextmanager
    async def world(url: str) -> AsyncIterator[World]:
        async with Discord() as server, AsyncExitStack() as stack:
            here = World(server, url, tmp_path, stack)
            yield here
            record_property("boards that stood twice", here.stood_twice)

    return world


async def test_killed_processes_lose_no_turn_and_show_none_twice(postgres: Postgres, world: NewWorld) -> None:
    async with postgres.database(migrated=False) as url, world(url) as here:
        await here.start(2)
        assert here.server.registrations == 1, "one process migrates and registers, the other finds it done"
        await here.begin("none")
        for _ in range(3):
            await here.play_everywhere()
        await here.check()
        for moment, victim in (("before_message", 0), ("after_message", 1)):
            if len(here.processes) < 2:
                await here.start(1)
            setattr(here.server, moment, here.processes[victim].running.kill)
            await here.play_everywhere()
            setattr(here.server, moment, lambda: None)
            await here.processes.pop(victim).running.wait()
            await here.settle()
            await here.play_everywhere()
            await here.check()


async def test_outages_charge_no_clock_and_repeat_no_notice(own_server: OwnServer, world: NewWorld) -> None:
    async with world(own_server.url) as here:
        await here.start(3)
        await here.begin("3 min")  # a hundredth of it is longer than any outage here
        await here.play_everywhere()
        await freeze(here)
        await lose_leases(here)
        await restart_database(here, own_server)
        await die_while_timers_ring(here)
        assert here.server.registrations == 1


async def freeze(here: World) -> None:
    """Freeze a process until its leases expire, then let it continue."""
    frozen = max(here.processes, key=lambda process: len(process.held))
    others = [process for process in here.processes if process is not frozen]
    lost, before = frozen.held, await here.flags()
    begun = discord.utils.utcnow()
    frozen.running.send_signal(signal.SIGSTOP)
    try:
        await here.until(lambda: {shard for process in others for shard in process.held} == {*range(SHARDS)})
        await here.until(lambda: here.server.connected == sorted([*range(SHARDS), *lost]))
        given_back = await here.given_back(before, lost)
        longest = discord.utils.utcnow() - begun + timedelta(seconds=1)  # a second for its last sign of life
        for shard, longer in given_back.items():
            assert (timedelta(seconds=4) < longer < 2 * longest) if shard in lost else not longer
        await here.play_everywhere()  # the frozen process receives the presses too
        before, begun = await here.flags(), discord.utils.utcnow()
    finally:
        frozen.running.send_signal(signal.SIGCONT)
    await here.until(lambda: not frozen.held)
    await here.settle()
    handed_over = 2 * (discord.utils.utcnow() - begun)
    assert all(longer < handed_over for longer in (await here.given_back(before)).values())
    await here.check()


async def lose_leases(here: World) -> None:
    """Break the connections that hold the processes' leases."""
    begun = here.server.identified
    async with here.database() as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1",
            LockKind.PROCESS,
        )
    await here.until(lambda: here.server.identified >= begun + SHARDS)
    await here.settle()
    await here.play_everywhere()
    await here.check()


async def restart_database(here: World, database: OwnServer) -> None:
    """Crash and restart the database server while turns are played on some servers."""
    busy, quiet = GUILDS[:2], range(2, SHARDS)
    before, begun = await here.flags(), discord.utils.utcnow()
    playing = [asyncio.create_task(here.play(guild, GUILDS[-1])) for guild in busy]
    await database.crash()
    await here.until(lambda: here.server.connected == [])
    away = timedelta(seconds=3)  # long enough for players to notice
    await here.until(lambda: discord.utils.utcnow() - begun > away)
    await database.start()
    await asyncio.gather(*playing)
    await here.settle()
    given_back = await here.given_back(before, quiet)
    longest = 2 * (discord.utils.utcnow() - begun) + timedelta(seconds=1)
    assert all(given_back[shard] < longest for shard in quiet)
    await here.play_everywhere()
    await here.check()


async def die_while_timers_ring(here: World) -> None:
    """Kill a process while challenges expire and flags fall in all shards."""
    for guild in GUILDS:
        await here.server.slash(ALICE, "challenge", guild=guild, game="dalen")
    await here.until(lambda: here.notices("challenges anyone") == [1] * SHARDS)
    async with here.database() as connection:
        await connection.execute("UPDATE clocks SET since = since - interval '1 hour'")
    victim = here.processes.pop()
    here.server.after_message = victim.running.kill

    def all_announced() -> bool:
        return [here.notices("expired without"), here.notices("time in match")] == 2 * [[1] * SHARDS]

    await here.insist(lambda: here.ring("challenge-expiry", "flag"), all_announced)
    await victim.running.wait()
    await here.settle()
    await here.ring("challenge-expiry", "flag")
    await here.until_rung()
    assert all_announced()
