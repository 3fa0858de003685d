"""The storage as its callers see it: transactions, each with one repository for each feature."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Generic, TypeVar

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
from bot.storage.repository import Repository
from bot.storage.reviews import ReviewRepository
from bot.storage.settings import SettingsRepository
from bot.storage.threads import ThreadRepository
from bot.storage.timers import TimerRepository
from bot.storage.tournaments import TournamentRepository

_R = TypeVar("_R", bound=Repository)


class _Part(Generic[_R]):
    """A repository that is made when it is first asked for, since most transactions need few of them."""

    def __init__(self, kind: type[_R]) -> None:
        self._kind = kind

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, tx: Transaction, _owner: type) -> _R:
        made = tx.__dict__[self._name] = self._kind(tx.connection, tx.shards)
        return made


class Transaction:
    """A transaction: the repositories that read and write in it."""

    challenges = _Part(ChallengeRepository)
    choices = _Part(ChoiceRepository)
    clocks = _Part(ClockRepository)
    deliveries = _Part(DeliveryRepository)
    history = _Part(HistoryRepository)
    leaderboards = _Part(LeaderboardRepository)
    lines = _Part(LineRepository)
    matches = _Part(MatchRepository)
    memos = _Part(MemoRepository)
    nudges = _Part(NudgeRepository)
    players = _Part(PlayerRepository)
    settings = _Part(SettingsRepository)
    presence = _Part(PresenceRepository)
    privacy = _Part(PrivacyRepository)
    proposals = _Part(ProposalRepository)
    puzzles = _Part(PuzzleRepository)
    ratings = _Part(RatingRepository)
    reviews = _Part(ReviewRepository)
    threads = _Part(ThreadRepository)
    timers = _Part(TimerRepository)
    tournaments = _Part(TournamentRepository)

    def __init__(self, connection: AsyncConnection, shards: Shards) -> None:
        self.connection = connection
        self.shards = shards


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
