"""The composition root: constructs every part of the bot and passes it what it needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import render
from bot import metrics, texts
from bot.computer.opponent import Opponent
from bot.computer.thinking import Search, Thinking
from bot.computer.workers import Workers
from bot.config import Config
from bot.discord.features.challenges.challenge import ChallengeCommands
from bot.discord.features.challenges.computer import ComputerGameButtons
from bot.discord.features.challenges.form import ChallengeFormCommands
from bot.discord.features.challenges.play import PlayCommand
from bot.discord.features.challenges.welcome import Welcome
from bot.discord.features.matches.board import BoardCommands
from bot.discord.features.matches.board_cards import BoardCardsChoice
from bot.discord.features.matches.clock import ClockButtons
from bot.discord.features.matches.games import GamesCommands
from bot.discord.features.matches.match_choice import MatchChoiceButtons
from bot.discord.features.matches.moderation import VoidResultButtons
from bot.discord.features.matches.nudging import NudgeButton
from bot.discord.features.matches.proposals import ProposalCommands
from bot.discord.features.matches.relocation import MoveButtons
from bot.discord.features.people.digests import Digests
from bot.discord.features.people.leaderboard import LeaderboardCommand
from bot.discord.features.people.privacy import PrivacyButtons
from bot.discord.features.people.profile import ProfileCommand
from bot.discord.features.people.settings import SettingsCommands
from bot.discord.features.study.daily_puzzle import DailyPuzzles
from bot.discord.features.study.hint import HintCommands
from bot.discord.features.study.learn import LearnCommand
from bot.discord.features.study.puzzle import PuzzleCommand
from bot.discord.features.study.replay import ReplayCommands
from bot.discord.features.study.review import ReviewCommands
from bot.discord.features.study.rules import RulesCommand
from bot.discord.features.study.try_ import TryCommand
from bot.discord.features.tournaments.tournament import TournamentCommands
from bot.discord.features.turns.move import PlayCommands
from bot.discord.features.turns.turn_buttons import TurnButtons
from bot.discord.gateway.backlog import Backlog
from bot.discord.gateway.client import Client
from bot.discord.gateway.dispatcher import Dispatcher
from bot.discord.gateway.lifecycle import Lifecycle
from bot.discord.gateway.registration import Registration
from bot.discord.gateway.router import Router
from bot.discord.gateway.timer_handlers import TimerHandlers
from bot.discord.interaction.access import Access
from bot.discord.interaction.feature import Feature
from bot.discord.interaction.languages import Languages
from bot.discord.interaction.options.game import fill_in_games
from bot.discord.interaction.private_cards import PrivateCards
from bot.discord.posting.challenge_presenter import ChallengePresenter
from bot.discord.posting.channel_ends import ChannelEnds
from bot.discord.posting.channels import Channels
from bot.discord.posting.handover import Handover
from bot.discord.posting.messenger import Messenger
from bot.discord.posting.presenter import Presenter
from bot.discord.posting.proposal_presenter import ProposalPresenter
from bot.discord.posting.replaced_cards import ReplacedCards
from bot.discord.posting.tournament_presenter import TournamentPresenter
from bot.discord.transport.delivery import Delivery
from bot.discord.transport.in_flight import InFlight
from bot.discord.transport.locks import Locks
from bot.discord.transport.requests import REQUESTS_PER_SECOND, tracing
from bot.discord.transport.servers import Servers
from bot.domain.shards import Shards
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks
from bot.services.computer_games import ComputerGames
from bot.services.deliveries import Deliveries
from bot.services.fair_play import FairPlay
from bot.services.fair_queue import FairQueue
from bot.services.fair_threads import FairThreads
from bot.services.hints import Hints
from bot.services.history import History
from bot.services.leases import USUAL_TIMES, Leases, LeaseTimes, SoleProcess
from bot.services.lines import Lines
from bot.services.matches import Matches
from bot.services.nudges import Nudges
from bot.services.outages import Outages
from bot.services.privacy import Privacy
from bot.services.proposals import Proposals
from bot.services.puzzles import Puzzles
from bot.services.ratings import Ratings
from bot.services.reminders import Reminders
from bot.services.reviews import Reviews
from bot.services.settings import Settings
from bot.services.timers import Alarms, Sleeper
from bot.services.token_bucket import TokenBucket
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage
from bot.storage.session import Session

#: The number of animations that one person may wait for.
_ANIMATIONS = 3


def utc_now() -> datetime:
    return datetime.now(UTC)


class Application:
    """The bot on Discord, which is started through its ``client``.

    Its database is ``config.database_url``; ``clock`` returns the time in UTC. The computer plays what ``search``
    finds, which is done in processes of its own unless told otherwise; ``channels`` says where its matches are played.
    """

    def __init__(
        self,
        config: Config,
        *,
        clock: Callable[[], datetime] = utc_now,
        lease_times: LeaseTimes = USUAL_TIMES,
        search: Search | None = None,
        channels: type[Channels] = Channels,
    ) -> None:
        self._clock = clock
        self.shards = Shards(config.shards or 1, leased=config.shards is not None)
        self.database = Database(config.database_url, client=self.shards.holder)
        leases = sole = None
        if config.shards is not None:
            leases = Leases(Session(self.database), self.shards, lease_times)
        elif self.database.is_server:
            sole = SoleProcess(Session(self.database), lease_times)
        self.storage = Storage(self.database, self.shards)
        self.ratings = Ratings(self.storage, clock=clock)
        self.matches = Matches(self.storage, self.ratings, clock=clock)
        self.deliveries = Deliveries(self.storage, clock=clock)
        self.challenges = Challenges(self.storage, clock=clock, lifetime=config.challenge_lifetime)
        self.proposals = Proposals(self.storage, self.matches, clock=clock)
        self.lines = Lines(self.storage, self.matches, clock=clock)
        self.history = History(self.storage, self.matches)
        self.reminders = Reminders(self.storage, self.history, clock=clock)
        self.settings = Settings(self.storage, themes=render.THEME_NAMES, languages=texts.LANGUAGES)
        self.tournaments = Tournaments(self.storage, self.matches, clock=clock)
        self.privacy = Privacy(self.storage, self.matches, self.tournaments, clock=clock)
        self.clocks = Clocks(self.storage, self.matches, clock=clock)
        self.puzzles = Puzzles(self.storage, clock=clock)
        self.nudges = Nudges(self.storage, self.matches, clock=clock)
        self.outages = Outages(self.clocks, self.shards, clock)

        self.threads = FairThreads()
        self.animations = FairQueue(_ANIMATIONS)
        self.workers = Workers(config.computer_workers)
        self.thinking = Thinking(search or self.workers.search, config.computer_workers)
        self.computer_games = ComputerGames(
            self.storage, self.matches, self.proposals, self.thinking.going_on, self.thinking.has_room, clock=clock
        )

        self.hints = Hints(self.thinking.think, self.thinking.ahead_of)
        self.reviews = Reviews(self.storage, self.thinking.think, self.thinking.used_by)

        budget = None if config.discord_api else TokenBucket(REQUESTS_PER_SECOND)
        self.client = Client(self.shards, leases, tracing(budget))
        servers = Servers(self.client, self.shards)
        self.access = Access(self.storage, self.tournaments)
        self.languages = Languages(self.client, servers, self.settings)
        self.channels = channels(self.client, servers, self.languages, self.deliveries)
        self.delivery = Delivery(self.client, servers)
        self.messenger = Messenger(self.delivery, self.settings, self.storage, clock)
        showing_proposals: Locks[int] = Locks()
        replaced_cards = ReplacedCards(
            delivery=self.delivery,
            channels=self.channels,
            matches=self.matches,
            languages=self.languages,
            showing_proposals=showing_proposals,
            storage=self.storage,
        )
        handover = Handover(self.shards, self.storage, clock)
        private_cards = PrivateCards(self.languages)
        proposal_presenter = ProposalPresenter(
            deliveries=self.deliveries,
            delivery=self.delivery,
            messenger=self.messenger,
            languages=self.languages,
            handover=handover,
            showing=showing_proposals,
            storage=self.storage,
        )
        challenge_presenter = ChallengePresenter(
            deliveries=self.deliveries,
            delivery=self.delivery,
            messenger=self.messenger,
            languages=self.languages,
            handover=handover,
            storage=self.storage,
        )
        self.presenter = Presenter(
            matches=self.matches,
            proposals=self.proposals,
            deliveries=self.deliveries,
            challenge_presenter=challenge_presenter,
            proposal_presenter=proposal_presenter,
            replaced_cards=replaced_cards,
            handover=handover,
            channels=self.channels,
            ends=ChannelEnds(self.client, servers),
            delivery=self.delivery,
            languages=self.languages,
            private_cards=private_cards,
            storage=self.storage,
            ahead_of=self.thinking.ahead_of,
            clock=clock,
        )
        self.tournament_presenter = TournamentPresenter(
            tournaments=self.tournaments,
            settings=self.settings,
            languages=self.languages,
            delivery=self.delivery,
            messenger=self.messenger,
            handover=handover,
            storage=self.storage,
        )
        handlers = TimerHandlers(
            challenges=self.challenges,
            clocks=self.clocks,
            deliveries=self.deliveries,
            outages=self.outages,
            tournaments=self.tournaments,
            settings=self.settings,
            privacy=self.privacy,
            reminders=self.reminders,
            languages=self.languages,
            messenger=self.messenger,
            digests=Digests(servers, self.matches, self.reminders, self.delivery, clock),
            daily_puzzles=DailyPuzzles(self.puzzles, self.settings, self.languages, self.delivery),
            presenter=self.presenter,
            challenge_presenter=challenge_presenter,
            tournament_presenter=self.tournament_presenter,
        ).handlers
        self.in_flight = in_flight = InFlight()
        self.opponent = Opponent(
            self.computer_games, self.thinking, self.presenter.show_reply, in_flight.wait_for_quiet
        )
        alarms = Alarms(self.storage, {**handlers, **self.opponent.handlers}, clock)
        self.timers = Sleeper(alarms.next_due, alarms.ring, clock, look=None if leases is None else lease_times.timers)
        self.storage.on_timers = self.timers.notice
        if leases is not None:
            leases.on_timer = partial(self.timers.set_alarm, 0)
        self.opponent.on_shown = self.timers.wake_for_noticed
        self.backlog = Backlog(
            presenter=self.presenter,
            challenge_presenter=challenge_presenter,
            proposal_presenter=proposal_presenter,
            servers=servers,
            storage=self.storage,
            on_done=self.timers.wake,
        )
        self.delivery.on_failure = self.backlog.try_later
        self.welcome = Welcome(
            servers=servers,
            settings=self.settings,
            languages=self.languages,
            messenger=self.messenger,
            storage=self.storage,
            clock=clock,
        )
        moving = MoveButtons(
            matches=self.matches,
            proposals=self.proposals,
            privacy=self.privacy,
            access=self.access,
            presenter=self.presenter,
            channels=self.channels,
        )
        match_lists = GamesCommands(
            matches=self.matches,
            challenges=self.challenges,
            history=self.history,
            deliveries=self.deliveries,
            nudges=self.nudges,
            settings=self.settings,
            access=self.access,
            servers=servers,
        )
        turn_buttons = TurnButtons(
            self.matches, self.settings, self.presenter, replaced_cards, match_lists, private_cards
        )
        fair_play = FairPlay(self.storage)
        hints = HintCommands(
            matches=self.matches,
            hints=self.hints,
            fair_play=fair_play,
            settings=self.settings,
            access=self.access,
            in_flight=in_flight,
            private_cards=private_cards,
        )
        against_computer = ComputerGameButtons(
            games=self.computer_games,
            challenges=self.challenges,
            ratings=self.ratings,
            access=self.access,
            presenter=self.presenter,
            challenge_presenter=challenge_presenter,
        )
        self.features: tuple[Feature, ...] = (
            PlayCommand(),
            PlayCommands(self.matches, self.access, self.presenter, turn_buttons, private_cards),
            turn_buttons,
            BoardCommands(
                matches=self.matches,
                deliveries=self.deliveries,
                settings=self.settings,
                access=self.access,
                moving=moving,
                presenter=self.presenter,
                channels=self.channels,
                replaced_cards=replaced_cards,
                private_cards=private_cards,
            ),
            TryCommand(
                matches=self.matches,
                lines=self.lines,
                history=self.history,
                settings=self.settings,
                access=self.access,
                turn_buttons=turn_buttons,
                hints=hints,
            ),
            hints,
            MatchChoiceButtons(),
            moving,
            BoardCardsChoice(self.matches, self.deliveries, self.access),
            TournamentCommands(
                tournaments=self.tournaments,
                settings=self.settings,
                access=self.access,
                presenter=self.presenter,
                tournament_presenter=self.tournament_presenter,
            ),
            VoidResultButtons(self.matches, self.deliveries, self.access),
            PrivacyButtons(self.privacy, self.history, self.presenter, challenge_presenter, self.tournament_presenter),
            LearnCommand(self.settings),
            PuzzleCommand(self.puzzles, self.hints, fair_play, in_flight),
            RulesCommand(self.settings),
            SettingsCommands(self.settings, self.reminders, self.puzzles, self.languages, self.welcome),
            match_lists,
            NudgeButton(self.nudges, self.deliveries, self.languages, self.messenger),
            ReplayCommands(
                matches=self.matches,
                history=self.history,
                privacy=self.privacy,
                settings=self.settings,
                languages=self.languages,
                access=self.access,
                messenger=self.messenger,
                drawing=self.animations,
            ),
            ReviewCommands(
                matches=self.matches,
                reviews=self.reviews,
                fair_play=fair_play,
                history=self.history,
                settings=self.settings,
                access=self.access,
                in_flight=in_flight,
            ),
            LeaderboardCommand(self.ratings, self.settings),
            ProfileCommand(self.ratings, self.privacy, self.puzzles, self.settings, self.access),
            against_computer,
            ChallengeCommands(
                challenges=self.challenges,
                deliveries=self.deliveries,
                presenter=self.presenter,
                challenge_presenter=challenge_presenter,
                access=self.access,
                against_computer=against_computer,
            ),
            ChallengeFormCommands(
                challenges=self.challenges,
                deliveries=self.deliveries,
                challenge_presenter=challenge_presenter,
                access=self.access,
                against_computer=against_computer,
            ),
            ProposalCommands(
                matches=self.matches,
                deliveries=self.deliveries,
                access=self.access,
                proposals=self.proposals,
                presenter=self.presenter,
            ),
            ClockButtons(self.matches, self.clocks, self.presenter, private_cards),
        )
        for command in (command for feature in self.features for command in feature.commands):
            fill_in_games(command)
            self.client.tree.add_command(command)
        dispatcher = Dispatcher(
            router=Router(self.features),
            languages=self.languages,
            servers=servers,
            reminders=self.reminders,
            in_flight=in_flight,
            private_cards=private_cards,
            after=self.timers.wake_for_noticed,
        )
        self.lifecycle = Lifecycle(
            database=self.database,
            leases=leases or sole,
            budget=budget,
            privacy=self.privacy,
            ratings=self.ratings,
            clocks=self.clocks,
            outages=self.outages,
            alarms=alarms,
            timers=self.timers,
            backlog=self.backlog,
            presenter=self.presenter,
            replaced_cards=replaced_cards,
            in_flight=in_flight,
            registration=Registration(self.client.tree, self.storage),
            servers=servers,
            welcome=self.welcome,
            stop_computer=self._stop_computer,
        )
        self.client.serve(dispatcher, self.lifecycle)

    def _stop_computer(self) -> set[asyncio.Task[None]]:
        working = self.opponent.stop()
        self.reviews.stop()
        self.workers.close()
        return working

    def is_connected(self) -> bool:
        """Whether all shards that this process holds are connected to Discord."""
        return self.outages.connected == self.shards.held

    async def is_ready(self) -> bool:
        """Whether the bot is connected to Discord; raises if it does not reach its database."""
        if not self.is_connected():
            return False
        async with self.storage.read() as tx:
            await tx.timers.next_due()
        return True

    async def measure(self) -> None:
        """Measure what is not counted as it happens."""
        async with self.storage.read() as tx:
            metrics.TIMERS_DUE.set(await tx.timers.count_due(self._clock()))
        metrics.SHARDS_HELD.set(len(self.shards.held))
        metrics.QUEUE_LENGTH.labels("animations").set(len(self.animations))
        metrics.QUEUE_LENGTH.labels("computer").set(len(self.thinking))
