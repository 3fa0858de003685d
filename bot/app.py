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
from bot.discord.features.challenges.welcome import Welcome
from bot.discord.gateway.backlog import Backlog
from bot.discord.gateway.client import Client
from bot.discord.gateway.dispatcher import Dispatcher
from bot.discord.gateway.features import build_features
from bot.discord.gateway.lifecycle import Lifecycle, ShardConnections
from bot.discord.gateway.registration import Registration
from bot.discord.gateway.router import Router
from bot.discord.interaction.access import Access
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.card_presenters import (
    ChallengePresenter,
    LadderPresenter,
    ProposalPresenter,
    TournamentPresenter,
)
from bot.discord.posting.channels import Channels
from bot.discord.posting.messenger import Messenger
from bot.discord.posting.presenter import Presenter
from bot.discord.transport.in_flight import InFlight
from bot.discord.transport.requests import REQUESTS_PER_SECOND
from bot.discord.transport.sender import Sender
from bot.discord.transport.servers import Servers
from bot.discord.ui.commands import CommandMentions
from bot.domain.shards import Shards
from bot.runtime import metrics
from bot.runtime.fair_queue import FairQueue
from bot.runtime.fair_threads import FairThreads
from bot.runtime.leases import USUAL_TIMES, Leases, LeaseTimes, SoleProcess
from bot.runtime.timers import Scheduler, timer_handlers
from bot.runtime.token_bucket import TokenBucket
from bot.runtime.watching import Watching
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks
from bot.services.computer_games import ComputerGames
from bot.services.deliveries import Deliveries
from bot.services.fair_play import FairPlay
from bot.services.history import History
from bot.services.ladders import Ladders
from bot.services.matches import Matches
from bot.services.outages import Outages
from bot.services.people.doors import Doors
from bot.services.people.privacy import Privacy
from bot.services.people.programs import Programs
from bot.services.people.reminders import Nudges, Reminders
from bot.services.people.settings import Settings
from bot.services.plans import Plans
from bot.services.proposals import Proposals
from bot.services.ratings import Ratings
from bot.services.readers import Readers
from bot.services.study.imports import Imports
from bot.services.study.lines import Lines
from bot.services.study.notes import Notes
from bot.services.study.puzzles import Puzzles
from bot.services.study.reviews import Hints, Reviews
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage
from bot.storage.session import DatabaseSession
from bot.web.http.visitors import Proxies
from bot.web.pages.activity import API, Activity
from bot.web.server import Pages
from render.cache import viewer


def utc_now() -> datetime:
    return datetime.now(UTC)


def _activity(config: Config) -> Activity | None:
    """The Activity that shows the pages on Discord; None without pages, id or secret."""
    client_id, secret = config.discord_client_id, config.discord_client_secret
    if config.web_url is None or client_id is None or secret is None:
        return None
    return Activity(client_id, secret.get_secret_value(), config.discord_api or API)


class Services:
    """The parts that need a database, but not Discord."""

    def __init__(
        self,
        config: Config,
        clock: Callable[[], datetime],
        lease_times: LeaseTimes,
        search: Search | None,
        doors: type[Doors] = Doors,
        on_timers: Callable[[datetime], None] | None = None,
    ) -> None:
        self.shards = Shards(config.shards or 1, leased=config.shards is not None)
        self.database = Database(config.database_url, client=self.shards.holder)
        self.watching = Watching()
        self.leases = self.sole = None
        if config.shards is not None:
            self.leases = Leases(DatabaseSession(self.database), self.shards, lease_times, self.watching.wake)
        elif self.database.is_server:
            self.sole = SoleProcess(DatabaseSession(self.database), lease_times)
        on_changed = None if config.web_url is None else self.watching.wake
        self.storage = Storage(self.database, self.shards, on_changed, on_timers)
        self.ratings = Ratings(self.storage, clock=clock)
        self.matches = Matches(self.storage, self.ratings, clock=clock)
        self.deliveries = Deliveries(self.storage, clock=clock)
        self.activity = _activity(config)
        self.doors = doors(
            self.storage, config.web_url, clock, None if self.activity is None else self.activity.client_id
        )
        self.programs = Programs(self.storage, self.matches, clock=clock)
        self.challenges = Challenges(self.storage, clock=clock, lifetime=config.challenge_lifetime)
        self.ladders = Ladders(self.storage, clock=clock)
        self.proposals = Proposals(self.storage, self.matches, clock=clock)
        self.lines = Lines(self.storage, self.matches, clock=clock)
        self.plans = Plans(self.storage, self.matches)
        self.notes = Notes(self.storage)
        self.history = History(self.storage, self.matches)
        self.readers = Readers(self.storage, self.matches, clock=clock)
        self.imports = Imports(self.storage, clock=clock)
        self.reminders = Reminders(self.storage, self.history, clock=clock)
        self.settings = Settings(self.storage, themes=render.THEME_NAMES, languages=texts.LANGUAGES)
        self.tournaments = Tournaments(self.storage, self.matches, clock=clock)
        self.privacy = Privacy(self.storage, self.matches, self.tournaments, clock=clock)
        self.clocks = Clocks(self.storage, self.matches, clock=clock)
        self.puzzles = Puzzles(self.storage, clock=clock)
        self.nudges = Nudges(self.storage, self.matches, clock=clock)
        self.outages = Outages(self.clocks, self.shards, clock)
        self.fair_play = FairPlay(self.storage, self.matches)
        self.threads = FairThreads(viewer.get)
        self.animations = FairQueue()
        self.workers = Workers(config.computer_workers)
        self.thinking = Thinking(search or self.workers.search, config.computer_workers)
        self.computer_games = ComputerGames(
            self.storage,
            self.matches,
            self.proposals,
            self.fair_play,
            self.thinking.going_on,
            self.thinking.has_room,
            clock=clock,
        )
        self.hints = Hints(self.thinking.think, self.thinking.ahead_of)
        self.reviews = Reviews(self.storage, self.fair_play, self.thinking.think, self.thinking.used_by)


class Posting:
    """The parts that need Discord: sending messages, and presenting stored changes.

    ``retry_later`` is called after a temporary failure to show something.
    """

    def __init__(
        self,
        services: Services,
        client: Client,
        budget: TokenBucket | None,
        channels: type[Channels],
        clock: Callable[[], datetime],
        retry_later: Callable[[], None],
    ) -> None:
        storage, settings = services.storage, services.settings
        self.servers = Servers(client, services.shards)
        self.in_flight = InFlight()
        self.access = Access(storage, services.deliveries, services.tournaments, services.ladders)
        self.languages = Languages(client, self.servers, settings)
        self.mentions = CommandMentions()
        self.private_cards = PrivateCards(self.languages, self.mentions)
        self.sender = Sender(client, self.servers, services.deliveries, budget, retry_later)
        self.messenger = Messenger(self.sender, settings, services.deliveries, clock)
        self.channels = channels(
            client, self.servers, self.languages, services.deliveries, self.messenger, self.mentions
        )
        self.welcome = Welcome(self.servers, settings, self.languages, self.messenger, storage, clock)
        shared = services.deliveries, self.sender, self.messenger, self.languages
        self.challenge_presenter = ChallengePresenter(*shared, settings)
        self.ladder_presenter = LadderPresenter(*shared, services.ladders)
        self.proposal_presenter = ProposalPresenter(*shared)
        self.tournament_presenter = TournamentPresenter(*shared, settings, self.mentions)
        self.presenter = Presenter(
            matches=services.matches,
            proposals=services.proposals,
            deliveries=services.deliveries,
            challenge_presenter=self.challenge_presenter,
            proposal_presenter=self.proposal_presenter,
            settings=settings,
            channels=self.channels,
            sender=self.sender,
            languages=self.languages,
            private_cards=self.private_cards,
            mentions=self.mentions,
            doors=services.doors,
            ahead_of=services.thinking.ahead_of,
            clock=clock,
        )


class Application(Services):
    """The bot: its services, connected to Discord by the ``client``, which starts and stops it.

    Its database is ``config.database_url``; ``clock`` returns the time in UTC. The computer plays what ``search``
    finds, by default in processes of its own; ``channels`` finds places for matches, and ``doors`` makes the addresses
    of their pages.
    """

    def __init__(
        self,
        config: Config,
        *,
        clock: Callable[[], datetime] = utc_now,
        lease_times: LeaseTimes = USUAL_TIMES,
        search: Search | None = None,
        channels: type[Channels] = Channels,
        doors: type[Doors] = Doors,
    ) -> None:
        super().__init__(config, clock, lease_times, search, doors, self._schedule)
        self._clock = clock
        self._channels = channels
        self._poll = None if self.leases is None else lease_times.timers
        self._budget = None if config.discord_api else TokenBucket(REQUESTS_PER_SECOND)
        self.client = Client(self.shards, self.leases, self._budget, self._attend)
        self.pages = None if config.web_url is None else self._pages(config.web_url, Proxies(config.proxies))
        for command in (command for feature in self.features for command in feature.commands):
            self.client.tree.add_command(command)

    def _attend(self, client: Client) -> tuple[Dispatcher, Lifecycle]:
        """Construct the parts that need the client, and return the two that the client needs."""
        posting = Posting(self, client, self._budget, self._channels, self._clock, self._retry_later)
        self.presenter, self.tournament_presenter = posting.presenter, posting.tournament_presenter
        self.sender, self.in_flight, self.welcome = posting.sender, posting.in_flight, posting.welcome
        self.features = build_features([*vars(self).values(), *vars(posting).values()])
        self.opponent = Opponent(
            self.computer_games, self.thinking, self.presenter.show_reply, self.in_flight.wait_for_quiet
        )
        handlers = timer_handlers([self.outages, self.privacy, self.opponent, self.presenter, *self.features])
        self.timers = Scheduler(self.storage, handlers, self._clock, self._poll)
        self.backlog = Backlog(
            presenter=self.presenter,
            challenge_presenter=posting.challenge_presenter,
            proposal_presenter=posting.proposal_presenter,
            servers=posting.servers,
            storage=self.storage,
            on_done=self.timers.schedule,
        )
        self.connections = ShardConnections(
            outages=self.outages,
            servers=posting.servers,
            budget=self._budget,
            scheduler=self.timers,
            backlog=self.backlog,
            presenter=self.presenter,
            deliveries=self.deliveries,
            welcome=self.welcome,
            in_flight=self.in_flight,
        )
        self.lifecycle = Lifecycle(
            database=self.database,
            leases=self.leases or self.sole,
            registration=Registration(self.storage, posting.mentions),
            scheduler=self.timers,
            backlog=self.backlog,
            connections=self.connections,
            presenter=self.presenter,
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
            languages=posting.languages,
            servers=posting.servers,
            sender=posting.sender,
            reminders=self.reminders,
            in_flight=self.in_flight,
            private_cards=posting.private_cards,
            mentions=posting.mentions,
            catch_up_later=self._retry_later,
        )
        return dispatcher, self.lifecycle

    def serving(self, host: str, port: int | None) -> AbstractAsyncContextManager[None]:
        """Serve the pages of matches on a port during the block; do nothing without a port or their address."""
        return nullcontext() if self.pages is None or port is None else self.pages.serving(host, port)

    def _pages(self, url: str, proxies: Proxies) -> Pages:
        return Pages(
            matches=self.matches,
            challenges=self.challenges,
            programs=self.programs,
            proposals=self.proposals,
            clocks=self.clocks,
            computer_games=self.computer_games,
            history=self.history,
            readers=self.readers,
            lines=self.lines,
            plans=self.plans,
            notes=self.notes,
            hints=self.hints,
            puzzles=self.puzzles,
            reviews=self.reviews,
            fair_play=self.fair_play,
            settings=self.settings,
            doors=self.doors,
            watching=self.watching,
            is_ready=lambda: self.lifecycle.prepared,
            url=url,
            proxies=proxies,
            activity=self.activity,
        )

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
        """Whether all shards that this process holds are connected to Discord."""
        return self.outages.connected == self.shards.current

    async def is_ready(self) -> bool:
        """Whether the bot is connected to Discord; raises if it cannot reach its database."""
        if not self.is_connected():
            return False
        async with self.storage.read() as tx:
            await tx.timers.next_due()
        return True

    async def measure(self) -> None:
        """Update the metrics that are not counted as they change."""
        async with self.storage.read() as tx:
            metrics.TIMERS_DUE.set(await tx.timers.count_due(self._clock()))
        metrics.SHARDS_HELD.set(len(self.shards.current))
        metrics.QUEUE_LENGTH.labels("animations").set(len(self.animations))
        metrics.QUEUE_LENGTH.labels("computer").set(len(self.thinking))
