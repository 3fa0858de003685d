"""The storage for its callers: transactions, each with a repository for every feature."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.shards import Shards
from bot.storage.database import Database
from bot.storage.repositories.challenges import ChallengeRepository, StrangerRepository
from bot.storage.repositories.clocks import ClockRepository, PresenceRepository
from bot.storage.repositories.deliveries import DeliveryRepository
from bot.storage.repositories.doors import DoorRepository
from bot.storage.repositories.imports import ImportRepository
from bot.storage.repositories.key_values import KeyValueRepository
from bot.storage.repositories.ladders import LadderRepository
from bot.storage.repositories.leaderboards import LeaderboardRepository
from bot.storage.repositories.limits import LimitRepository
from bot.storage.repositories.matches import MatchRepository
from bot.storage.repositories.players import PlayerRepository, ProgramRepository
from bot.storage.repositories.privacy import PrivacyRepository
from bot.storage.repositories.proposals import ProposalRepository
from bot.storage.repositories.ratings import RatingRepository
from bot.storage.repositories.searches import SearchRepository
from bot.storage.repositories.settings import SettingsRepository
from bot.storage.repositories.study import (
    LineRepository,
    NoteRepository,
    PlanRepository,
    PuzzleRepository,
    ReviewRepository,
)
from bot.storage.repositories.timers import TimerRepository
from bot.storage.repositories.tournaments import TournamentRepository
from bot.storage.repository import Repository

_R = TypeVar("_R", bound=Repository)
_T = TypeVar("_T")


def _repository(kind: type[_R]) -> cached_property[_R]:
    """A repository, constructed when it is first used, because most transactions use only a few."""

    def make(self: Transaction) -> _R:
        return kind(self._connection, self.shards, self._due_times, self._changed_ids)

    return cached_property(make)


@dataclass
class Transaction:
    """The repositories that read and write in one transaction."""

    _connection: AsyncConnection
    shards: Shards
    _due_times: list[datetime]
    _changed_ids: set[int]
    #: Whether the caller shows the change itself, if this process holds the server.
    shown_by_caller: bool = False

    challenges = _repository(ChallengeRepository)
    clocks = _repository(ClockRepository)
    deliveries = _repository(DeliveryRepository)
    doors = _repository(DoorRepository)
    imports = _repository(ImportRepository)
    ladders = _repository(LadderRepository)
    leaderboards = _repository(LeaderboardRepository)
    limits = _repository(LimitRepository)
    lines = _repository(LineRepository)
    matches = _repository(MatchRepository)
    key_values = _repository(KeyValueRepository)
    notes = _repository(NoteRepository)
    plans = _repository(PlanRepository)
    players = _repository(PlayerRepository)
    presence = _repository(PresenceRepository)
    privacy = _repository(PrivacyRepository)
    programs = _repository(ProgramRepository)
    proposals = _repository(ProposalRepository)
    puzzles = _repository(PuzzleRepository)
    ratings = _repository(RatingRepository)
    reviews = _repository(ReviewRepository)
    searches = _repository(SearchRepository)
    settings = _repository(SettingsRepository)
    strangers = _repository(StrangerRepository)
    timers = _repository(TimerRepository)
    tournaments = _repository(TournamentRepository)


@dataclass
class Storage:
    """Transactions of a process that holds ``shards``.

    After a transaction, ``on_changed`` is called with the id of every match that looks different and every program
    that has news; without it, other processes are not notified either. ``on_timers`` is called with the time of the
    earliest timer that was set. Both are also called after a failure, since an interrupted commit may have succeeded.
    """

    database: Database
    shards: Shards = field(default_factory=Shards)
    on_changed: Callable[[int], None] | None = None
    on_timers: Callable[[datetime], None] | None = None

    @asynccontextmanager
    async def transaction(self, *, shown_by_caller: bool = False) -> AsyncIterator[Transaction]:
        """A transaction that writes: committed at the end of the block, rolled back if the block raises.

        A change in it sets a timer that shows it, unless it is ``shown_by_caller``.
        """
        due: list[datetime] = []
        changed: set[int] = set()
        try:
            async with self.database.write() as connection:
                tx = Transaction(connection, self.shards, due, changed, shown_by_caller)
                yield tx
                if self.on_changed is not None and self.shards.leased:
                    await tx.matches.notify_others(changed)
        finally:
            if self.on_changed is not None:
                for subject_id in changed:
                    self.on_changed(subject_id)
            if due and self.on_timers is not None:
                self.on_timers(min(due))

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A transaction that only reads; each query sees everything stored before it."""
        async with self.database.read() as connection:
            yield Transaction(connection, self.shards, [], set())

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Transaction]:
        """A transaction that only reads, and sees one state of the database; its queries may be streamed."""
        async with self.database.snapshot() as connection:
            yield Transaction(connection, self.shards, [], set())
