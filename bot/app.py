"""The composition root: constructs the parts of the bot and connects them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime

import render
from bot import texts
from bot.computer.opponent import Opponent
from bot.computer.thinking import Search, Thinking
from bot.computer.workers import Workers
from bot.config import Config
from bot.discord.gateway.backlog import Backlog
from bot.discord.gateway.client import Client
from bot.discord.gateway.dispatcher import Dispatcher
from bot.discord.gateway.features import build_features
from bot.discord.gateway.lifecycle import Lifecycle, ShardConnections
from bot.discord.gateway.parts import DiscordParts
from bot.discord.gateway.registration import Registration
from bot.discord.gateway.router import Router
from bot.discord.posting.channels import Channels
from bot.discord.transport.requests import REQUESTS_PER_SECOND
from bot.domain.shards import Shards
from bot.runtime import metrics
from bot.runtime.fair_threads import FairThreads
from bot.runtime.leases import USUAL_TIMES, LeaseTimes, processes_on
from bot.runtime.timers import Scheduler, timer_handlers
from bot.runtime.token_bucket import TokenBucket
from bot.runtime.watching import Watching
from bot.services.people.doors import Doors
from bot.services.services import Services
from bot.storage import Database, Storage
from bot.web.http.visitors import Proxies
from bot.web.pages.activity import API, Activity
from bot.web.server import Pages
from render.cache import viewer


def utc_now() -> datetime:
    return datetime.now(UTC)


def _activity(config: Config) -> Activity | None:
    """The Activity that shows the pages on Discord; None without pages, or without its id and secret."""
    client_id, secret = config.discord_client_id, config.discord_client_secret
    if config.web_url is None or client_id is None or secret is None:
        return None
    return Activity(client_id, secret.get_secret_value(), config.discord_api or API)


class Process(Services):
    """The services of a process with its database and its workers, without Discord."""

    def __init__(
        self,
        config: Config,
        now: Callable[[], datetime],
        lease_times: LeaseTimes = USUAL_TIMES,
        search: Search | None = None,
        doors: type[Doors] = Doors,
        on_timers: Callable[[datetime], None] | None = None,
    ) -> None:
        shards = Shards(config.shards or 1, leased=config.shards is not None)
        self.database = Database(config.database_url, client=shards.holder)
        watching = Watching()
        self.processes = processes_on(self.database, shards, lease_times, watching.wake)
        storage = Storage(self.database, shards, None if config.web_url is None else watching.wake, on_timers)
        self.activity = _activity(config)
        self.threads = FairThreads(viewer.get)
        self.workers = Workers(config.computer_workers)
        self.thinking = Thinking(search or self.workers.search, config.computer_workers)
        super().__init__(
            storage,
            shards,
            now,
            doors=doors(storage, config.web_url, now, None if self.activity is None else self.activity.client_id),
            watching=watching,
            challenge_lifetime=config.challenge_lifetime,
            themes=render.THEME_NAMES,
            languages=texts.LANGUAGES,
            think=self.thinking.think,
            used_by=self.thinking.used_by,
            ahead_of=self.thinking.ahead_of,
            going_on=self.thinking.going_on,
            has_room=self.thinking.has_room,
        )


class Application(Process):
    """The bot: its services, connected to Discord by the ``client``, which starts and stops it.

    ``now`` returns the time in UTC. ``search`` finds the computer's turns, by default in worker processes.
    ``channels`` finds places for matches, and ``doors`` makes the addresses of their pages.
    """

    def __init__(
        self,
        config: Config,
        *,
        now: Callable[[], datetime] = utc_now,
        lease_times: LeaseTimes = USUAL_TIMES,
        search: Search | None = None,
        channels: type[Channels] = Channels,
        doors: type[Doors] = Doors,
    ) -> None:
        super().__init__(config, now, lease_times, search, doors, self._schedule)
        self._now = now
        self._channels = channels
        self._poll = lease_times.timers if self.shards.leased else None
        self._budget = None if config.discord_api else TokenBucket(REQUESTS_PER_SECOND)
        self.client = Client(self.shards, self.processes, self._budget, self._build_parts)
        self.pages = None
        if config.web_url is not None:
            proxies = Proxies(config.proxies)
            self.pages = Pages(
                self,
                lambda: self.lifecycle.prepared,
                config.web_url,
                proxies,
                self._placed.conversation,
                self._placed.is_public,
                self.activity,
            )
        for command in (command for feature in self.features for command in feature.commands):
            self.client.tree.add_command(command)

    def _build_parts(self, client: Client) -> tuple[Dispatcher, Lifecycle]:
        """Construct the parts that need the client, and return the two that the client needs."""
        ahead_of = self.thinking.ahead_of
        parts = DiscordParts(self, client, self._budget, self._channels, self._now, self._retry_later, ahead_of)
        self.match_presenter, self.tournament_presenter = parts.match_presenter, parts.tournament_presenter
        self._placed = parts.channels
        self.sender, self.in_flight, self.welcome = parts.sender, parts.in_flight, parts.welcome
        self.features = build_features(self, parts)
        self.opponent = Opponent(
            self.computer_games, self.thinking, self.match_presenter.show_reply, self.in_flight.wait_for_quiet
        )
        handlers = timer_handlers(
            [self.outages, self.privacy, self.strangers, self.opponent, self.match_presenter, *self.features]
        )
        self.timers = Scheduler(self.storage, handlers, self._now, self._poll)
        self.backlog = Backlog(
            match_presenter=self.match_presenter,
            challenge_presenter=parts.challenge_presenter,
            proposal_presenter=parts.proposal_presenter,
            servers=parts.servers,
            storage=self.storage,
            on_done=self.timers.schedule,
        )
        self.connections = ShardConnections(
            outages=self.outages,
            servers=parts.servers,
            budget=self._budget,
            scheduler=self.timers,
            backlog=self.backlog,
            match_presenter=self.match_presenter,
            deliveries=self.deliveries,
            welcome=self.welcome,
            in_flight=self.in_flight,
        )
        self.lifecycle = Lifecycle(
            database=self.database,
            processes=self.processes,
            registration=Registration(self.storage, parts.command_mentions),
            scheduler=self.timers,
            backlog=self.backlog,
            connections=self.connections,
            match_presenter=self.match_presenter,
            upkeep=(self.ratings.catch_up, self.privacy.schedule_purge),
            stops=(
                self.connections.stop,
                lambda: self.in_flight.tasks,
                self.timers.stop,
                self.backlog.stop,
                self._stop_computer,
            ),
        )
        dispatcher = Dispatcher(
            router=Router(self.features),
            languages=parts.languages,
            servers=parts.servers,
            sender=parts.sender,
            reminders=self.reminders,
            in_flight=self.in_flight,
            private_cards=parts.private_cards,
            command_mentions=parts.command_mentions,
            catch_up_later=self._retry_later,
        )
        return dispatcher, self.lifecycle

    def serving(self, host: str, port: int | None) -> AbstractAsyncContextManager[None]:
        """Serve the pages on a port during the block; do nothing without a port or a public address."""
        return nullcontext() if self.pages is None or port is None else self.pages.serving(host, port)

    def _schedule(self, due: datetime) -> None:
        self.timers.schedule_at(due)

    def _retry_later(self) -> None:
        self.backlog.retry_later()

    def _stop_computer(self) -> set[asyncio.Task[None]]:
        working = self.opponent.stop()
        self.reviews.stop()
        self.workers.close()
        return working

    def is_connected(self) -> bool:
        """Whether all shards of this process are connected to Discord."""
        return self.outages.connected == self.shards.current

    async def is_ready(self) -> bool:
        """Whether the bot is connected to Discord; raises if it cannot reach its database."""
        if not self.is_connected():
            return False
        async with self.storage.read() as tx:
            await tx.timers.next_due()
        return True

    async def measure(self) -> None:
        """Update the metrics that are not counted when they change."""
        async with self.storage.read() as tx:
            metrics.TIMERS_DUE.set(await tx.timers.count_due(self._now()))
        metrics.SHARDS_HELD.set(len(self.shards.current))
        metrics.QUEUE_LENGTH.labels("animations").set(len(self.animations))
        metrics.QUEUE_LENGTH.labels("computer").set(len(self.thinking))
