"""The storage as its callers see it: transactions, each with one repository for each feature."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.shards import Shards
from bot.storage.challenges import ChallengeRepository
from bot.storage.choices import ChoiceRepository
from bot.storage.clocks import ClockRepository
from bot.storage.database import Database
from bot.storage.deliveries import DeliveryRepository
from bot.storage.doors import DoorRepository
from bot.storage.history import HistoryRepository
from bot.storage.leaderboards import LeaderboardRepository
from bot.storage.limits import LimitRepository
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


def _part(kind: type[_R]) -> cached_property[_R]:
    """A repository that is made when it is first asked for, since most transactions need few of them."""

    def make(self: Transaction) -> _R:
        return kind(self._connection, self.shards, self._due, self._changed)

    return cached_property(make)


@dataclass
class Transaction:
    """A transaction: the repositories that read and write in it."""

    _connection: AsyncConnection
    shards: Shards
    _due: list[datetime]
    _changed: set[int]

    challenges = _part(ChallengeRepository)
    choices = _part(ChoiceRepository)
    clocks = _part(ClockRepository)
    deliveries = _part(DeliveryRepository)
    doors = _part(DoorRepository)
    history = _part(HistoryRepository)
    leaderboards = _part(LeaderboardRepository)
    limits = _part(LimitRepository)
    lines = _part(LineRepository)
    matches = _part(MatchRepository)
    memos = _part(MemoRepository)
    nudges = _part(NudgeRepository)
    players = _part(PlayerRepository)
    settings = _part(SettingsRepository)
    presence = _part(PresenceRepository)
    privacy = _part(PrivacyRepository)
    proposals = _part(ProposalRepository)
    puzzles = _part(PuzzleRepository)
    ratings = _part(RatingRepository)
    reviews = _part(ReviewRepository)
    threads = _part(ThreadRepository)
    timers = _part(TimerRepository)
    tournaments = _part(TournamentRepository)


@dataclass
class Storage:
    """A database, in transactions of a process that does the work of its ``shards``.

    ``on_changed`` is called with each match that looks different after a transaction; without it, other processes are
    not told either.
    """

    database: Database
    shards: Shards = field(default_factory=Shards)
    on_changed: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        self._first_due: datetime | None = None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """A transaction that writes: committed at the end of the block, rolled back when it raises."""
        due: list[datetime] = []
        changed: set[int] = set()
        async with self.database.write() as connection:
            tx = Transaction(connection, self.shards, due, changed)
            yield tx
            if self.on_changed is not None and self.shards.leased:
                await tx.matches.tell_others(changed)
        if self.on_changed is not None:
            for match_id in changed:
                self.on_changed(match_id)
        if due:
            self._first_due = min(due if self._first_due is None else [self._first_due, *due])

    def take_first_due(self) -> datetime | None:
        """When the first of the timers is due that were stored since the last call; None if there are none."""
        due, self._first_due = self._first_due, None
        return due

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A transaction that only reads; every query may see what others have stored since the one before."""
        async with self.database.read() as connection:
            yield Transaction(connection, self.shards, [], set())

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Transaction]:
        """A transaction that only reads, and finds all that is stored as it was at one time; it may be streamed."""
        async with self.database.snapshot() as connection:
            yield Transaction(connection, self.shards, [], set())
