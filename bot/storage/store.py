"""The storage as its callers see it: transactions, each with one repository for each feature."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.shards import Shards
from bot.storage.challenges import ChallengeRepository
from bot.storage.choices import ChoiceRepository
from bot.storage.clocks import ClockRepository
from bot.storage.database import Database
from bot.storage.deliveries import DeliveryRepository
from bot.storage.history import HistoryRepository
from bot.storage.leaderboards import LeaderboardRepository
from bot.storage.lines import LineRepository
from bot.storage.matches import MatchRepository
from bot.storage.memos import MemoRepository
from bot.storage.nudges import NudgeRepository
from bot.storage.players import PlayerRepository
from bot.storage.presence import PresenceRepository
from bot.storage.privacy import PrivacyRepository
from bot.storage.proposals import ProposalRepository
from bot.storage.puzzles import PuzzleRepository
from bot.storage.ratings import RatingRepository
from bot.storage.reviews import ReviewRepository
from bot.storage.settings import SettingsRepository
from bot.storage.threads import ThreadRepository
from bot.storage.timers import TimerRepository
from bot.storage.tournaments import TournamentRepository


class Transaction:
    """A transaction: the repositories that read and write in it."""

    def __init__(self, connection: AsyncConnection, shards: Shards) -> None:
        self.shards = shards
        self.challenges = ChallengeRepository(connection, shards)
        self.choices = ChoiceRepository(connection, shards)
        self.clocks = ClockRepository(connection, shards)
        self.deliveries = DeliveryRepository(connection, shards)
        self.history = HistoryRepository(connection, shards)
        self.leaderboards = LeaderboardRepository(connection, shards)
        self.lines = LineRepository(connection, shards)
        self.matches = MatchRepository(connection, shards)
        self.memos = MemoRepository(connection, shards)
        self.nudges = NudgeRepository(connection, shards)
        self.players = PlayerRepository(connection, shards)
        self.settings = SettingsRepository(connection, shards)
        self.presence = PresenceRepository(connection, shards)
        self.privacy = PrivacyRepository(connection, shards)
        self.proposals = ProposalRepository(connection, shards)
        self.puzzles = PuzzleRepository(connection, shards)
        self.ratings = RatingRepository(connection, shards)
        self.reviews = ReviewRepository(connection, shards)
        self.threads = ThreadRepository(connection, shards)
        self.timers = TimerRepository(connection, shards)
        self.tournaments = TournamentRepository(connection, shards)


class Storage:
    """A database, in transactions of a process that does the work of its ``shards``."""

    def __init__(self, database: Database, shards: Shards | None = None) -> None:
        self._database = database
        self._shards = shards or Shards()
        #: Called after a commit that has set timers, with the time at which the first of them is due.
        self.on_timers: Callable[[datetime], None] = lambda due: None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """A transaction that writes: committed at the end of the block, rolled back when it raises."""
        async with self._database.write() as connection:
            tx = Transaction(connection, self._shards)
            yield tx
        if tx.timers.first_due is not None:
            self.on_timers(tx.timers.first_due)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A transaction that only reads; every query may see what others have stored since the one before."""
        async with self._database.read() as connection:
            yield Transaction(connection, self._shards)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Transaction]:
        """A transaction that only reads, and finds all that is stored as it was at one time; it may be streamed."""
        async with self._database.snapshot() as connection:
            yield Transaction(connection, self._shards)
