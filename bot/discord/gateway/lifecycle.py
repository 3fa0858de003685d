"""Starting and stopping the bot, and what follows when it loses its connection to Discord or gets it back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import discord
import structlog

import rules
from bot.discord.features.challenges.welcome import Welcome
from bot.discord.features.study.puzzle import Stage, puzzle_card
from bot.discord.gateway.backlog import Backlog
from bot.discord.gateway.dispatcher import CommandTree
from bot.discord.gateway.registration import Registration
from bot.discord.posting.match_presenter import MatchPresenter
from bot.discord.transport.in_flight import InFlight
from bot.discord.transport.requests import REQUESTS_PER_SECOND
from bot.discord.transport.servers import Servers
from bot.discord.ui.scenes import warm_up
from bot.domain.preferences import Preferences
from bot.pictures import private_look
from bot.runtime.leases import Processes
from bot.runtime.timers import Scheduler
from bot.runtime.token_bucket import TokenBucket
from bot.services.deliveries import Deliveries
from bot.services.outages import Outages
from bot.storage import Database
from rules.puzzles import puzzles

_LOG = structlog.get_logger(__name__)
#: Maximum number of seconds that a stop waits for running tasks.
_PATIENCE = 5.0


@dataclass
class Lifecycle:
    """Starts and stops the process.

    ``upkeep`` runs after a start, in one process at a time. Each of ``stops`` ends background work, and returns the
    tasks to wait for.
    """

    database: Database
    processes: Processes
    registration: Registration
    scheduler: Scheduler
    backlog: Backlog
    connections: ShardConnections
    match_presenter: MatchPresenter
    upkeep: Sequence[Callable[[], Awaitable[object]]]
    stops: Sequence[Callable[[], Iterable[asyncio.Task[Any]]]]

    def __post_init__(self) -> None:
        #: Whether the database is ready for use.
        self.prepared = False

    async def prepare(self) -> None:
        """Migrate the database, before anything reaches Discord."""
        await self.database.acquire()
        await self.database.migrate()
        await self.processes.check()
        self.prepared = True

    async def start(self, tree: CommandTree) -> None:
        async with self.database.alone():
            await self.registration.register(tree)  # first of all, because cards mention commands
        await self.scheduler.expire_leases()
        self.backlog.start_catching_up()
        await self.scheduler.schedule()
        async with self.database.alone():
            for task in self.upkeep:
                await task()

    async def wind_up(self) -> None:
        """Finish running work, and start nothing new."""
        await _finish({task for stop in self.stops for task in stop()})
        await _finish(self.match_presenter.tasks)

    async def end(self) -> None:
        await self.connections.close()
        await self.match_presenter.note_retired()
        await self.processes.close()
        await self.database.close()


async def _finish(working: Collection[asyncio.Task[Any]]) -> None:
    if working:
        _, late = await asyncio.wait(working, timeout=_PATIENCE)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


@dataclass
class ShardConnections:
    """What follows when a shard connects or disconnects, or when this process acquires or releases it."""

    outages: Outages
    servers: Servers
    budget: TokenBucket | None
    scheduler: Scheduler
    backlog: Backlog
    match_presenter: MatchPresenter
    deliveries: Deliveries
    welcome: Welcome
    in_flight: InFlight

    def __post_init__(self) -> None:
        self._warming_up: asyncio.Task[None] | None = None

    async def acquire(self, shard: int) -> None:
        """Begin to work for a shard."""
        await self.outages.acquire(shard)
        await self.scheduler.expire_leases()
        self.backlog.start_catching_up()
        await self.scheduler.schedule()

    async def release(self, shard: int) -> None:
        """End the work for a released shard."""
        await self.outages.release(shard)
        self.servers.unset_ready(shard)

    async def renewed(self, processes: int) -> None:
        """Record that this process still holds its shards, and limit its requests to its share."""
        if self.budget is not None:
            self.budget.limit(REQUESTS_PER_SECOND / processes)
        await self.outages.note_presence()

    def timer_stored(self) -> None:
        """Look for timers that another process has stored."""
        self.scheduler.schedule_in(0)

    async def connect(self, shard: int) -> None:
        if self._warming_up is None:
            self._warming_up = asyncio.get_running_loop().create_task(warm_up_pictures(self._quiet))
        if await self.outages.connect(shard):
            await self.scheduler.schedule()

    def disconnect(self, shard: int) -> None:
        self.outages.disconnect(shard)

    async def be_ready(self, shard: int) -> None:
        if self.servers.set_ready(shard):
            _LOG.info("ready", shard=shard, guilds=len(self.servers.of_shard(shard)))
            for guild_id in await self.welcome.departed(shard):  # while the bot was down
                await self.leave(guild_id)
            self.backlog.start_catching_up()  # matches that wait for a place may find one now
            await self.welcome.catch_up(shard)

    async def join(self, guild: discord.Guild) -> None:
        self.backlog.start_catching_up()  # the bot may be back on a server with running matches
        await self.welcome.note_return(guild.id)
        await self.welcome.greet(guild)

    async def lose(self, channel_id: int) -> None:
        """Take the matches out of a deleted channel or thread."""
        await self.match_presenter.leave_channel(channel_id)

    async def leave(self, guild_id: int) -> None:
        """Let the matches of a server that has removed the bot wait for its return, or go on in conversations."""
        for key in await self.deliveries.leave_server(guild_id):
            await self.match_presenter.show_card(key)
        await self.welcome.note_departure(guild_id)

    def gain_view(self) -> None:
        """Show what is missing in a channel that the bot may now view."""
        self.backlog.start_catching_up()

    async def beat(self) -> None:
        """Record that the process is running. Call it every 20 seconds or so."""
        if await self.outages.make_up():
            await self.scheduler.schedule()
        self.outages.beat()

    def stop(self) -> Iterable[asyncio.Task[Any]]:
        """Stop drawing pictures in advance."""
        if self._warming_up is not None:
            self._warming_up.cancel()
        return ()

    async def close(self) -> None:
        """Record that the bot was connected until now."""
        await self.outages.note_presence()
        for shard in self.outages.connected:
            self.outages.disconnect(shard)

    async def _quiet(self) -> None:
        """Wait until nobody waits for a board or an answer."""
        await self.backlog.wait()
        await self.in_flight.wait_for_quiet()


async def warm_up_pictures(quiet: Callable[[], Awaitable[None]]) -> None:
    """Load the puzzles, and draw common pictures in advance while nobody waits for anything.

    The first picture of a size and the first close-up of a game take longer than later ones.
    """
    for game in rules.GAMES:
        await asyncio.to_thread(puzzles, game)
    for game in rules.GAMES:
        for draw in (warm_up, _draw_puzzle):
            await quiet()
            await asyncio.to_thread(draw, game)  # a stop waits for one picture only


def _draw_puzzle(game: str) -> None:
    for puzzle in puzzles(game)[:1]:
        puzzle_card(Stage(puzzle), private_look(Preferences()))
