"""Hints, and reviews of finished matches, which are made once and then stored."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import structlog

from bot.domain.computer import NothingFoundError, SearchRequest, SearchResult, StillThinkingError
from bot.domain.matches import Game
from bot.domain.study.reviews import (
    Review,
    StillReviewingError,
    check_review,
    deeper_requests,
    request_count,
    review_of,
    review_requests,
)
from bot.runtime.at_once import AtOnce
from bot.services.fair_play import FairPlay
from bot.storage import Storage
from rules.search import VERSION


@dataclass
class Hints:
    """Hints. ``think`` searches for a person; ``ahead_of`` counts the searches before their next one at a level."""

    think: Callable[[int, SearchRequest], Awaitable[SearchResult]]
    ahead_of: Callable[[int, int], int]

    def __post_init__(self) -> None:
        self._searches = AtOnce(1, math.inf, StillThinkingError)

    @contextmanager
    def one_at_a_time(self, player_id: int, request: SearchRequest) -> Iterator[int]:
        """Allow a player one search, during the block; yield the number of searches ahead of it.

        Raises :class:`StillThinkingError` if the player already waits for a search.
        """
        with self._searches.room(player_id):
            yield self.ahead_of(player_id, request.level)

    async def find(self, request: SearchRequest, player_id: int) -> SearchResult:
        """Search for a player, within :meth:`one_at_a_time`.

        Raises :class:`NothingFoundError` if the workers break, hang or stop.
        """
        try:
            return await self.think(player_id, request)
        except (BrokenProcessPool, TimeoutError) as error:
            raise NothingFoundError from error


_LOG = structlog.get_logger(__name__)


class Think(Protocol):
    """Search for a person; ``searches`` is the number of searches left in a series, including this one."""

    async def __call__(self, player_id: int, request: SearchRequest, *, searches: int = 1) -> SearchResult: ...


class PendingReview:
    """A review in progress; several people may wait for it."""

    def __init__(self, game: Game) -> None:
        self.match = game.match
        #: The people who wait for it.
        self.people: set[int] = set()
        #: The number of searches done, and the approximate total.
        self.done = 0
        self.total = request_count(game)
        self.task: asyncio.Task[Review] | None = None
        self._change = asyncio.Event()

    def advance(self) -> None:
        """Wake the waiting tasks."""
        changed, self._change = self._change, asyncio.Event()
        changed.set()

    async def wait(self) -> Review | None:
        """Wait for progress; return the review once it is finished. Raises :class:`NothingFoundError` after a stop."""
        assert self.task is not None
        if not self.task.done():
            await self._change.wait()
        if self.task.cancelled():
            raise NothingFoundError
        return self.task.result() if self.task.done() else None


@dataclass
class Reviews:
    """Reviews of matches that people may see, as the caller has checked.

    ``used_by`` returns a person's recent use of the computer; ``version`` is the version of the search.
    """

    storage: Storage
    fair_play: FairPlay
    think: Think
    used_by: Callable[[int], float]
    version: int = VERSION

    def __post_init__(self) -> None:
        #: By match.
        self._pending: dict[int, PendingReview] = {}

    async def find(self, game: Game, player_id: int) -> Review | PendingReview | None:
        """The stored or pending review of a game, for a player; None if nobody has asked for it."""
        check_review(game)
        await self.fair_play.check_imported(player_id, game)
        # Looked up before reading, because a review may finish and be stored at any time.
        pending = self._pending.get(game.match.id)
        if pending is not None:
            return pending
        async with self.storage.read() as tx:
            return await tx.reviews.get(game.match.id, self.version)

    async def get(self, game: Game, player_id: int) -> Review | PendingReview:
        """The stored review of a game or, without one, a pending review, begun if necessary.

        If another process makes it at the same time, both store the same review. Raises :class:`StillReviewingError` if
        the player is waiting for the review of another match.
        """
        found = await self.find(game, player_id)
        if isinstance(found, Review):
            return found
        pending = self._join(self._pending.get(game.match.id) or PendingReview(game), player_id)
        if pending.task is None:
            self._pending[game.match.id] = pending
            pending.task = asyncio.get_running_loop().create_task(self._make(game, pending))
            pending.task.add_done_callback(partial(self._finish, game.match.id))
        return pending

    def stop(self) -> None:
        """Cancel all pending reviews. People can ask again after the next start."""
        for pending in self._pending.values():
            if pending.task is not None:
                pending.task.cancel()

    def _join(self, pending: PendingReview, player_id: int) -> PendingReview:
        for other in self._pending.values():
            if other is not pending and player_id in other.people:
                raise StillReviewingError(other.match)
        pending.people.add(player_id)
        return pending

    async def _make(self, game: Game, pending: PendingReview) -> Review:
        requests = await asyncio.to_thread(review_requests, game)
        pending.total = len(requests)
        found = await self._find(pending, requests)
        deeper = await asyncio.to_thread(deeper_requests, game, found)
        pending.total += len(deeper)
        pending.advance()
        again = await self._find(pending, deeper)
        review = await asyncio.to_thread(review_of, game, found, again)
        async with self.storage.transaction() as tx:
            if await tx.matches.lock(game.match.id) is not None:  # an imported record may have been deleted meanwhile
                await tx.reviews.set(game.match.id, self.version, review)
        return review

    async def _find(self, pending: PendingReview, requests: Sequence[SearchRequest]) -> dict[int, SearchResult]:
        """The results of the searches, by the number of turns played."""
        found = dict[int, SearchResult]()
        for request in requests:
            # The search counts for the waiting person who has used the computer least.
            player_id = min(pending.people, key=self.used_by)
            searches = len(requests) - len(found)
            found[len(request.turns)] = await self.think(player_id, request, searches=searches)
            pending.done += 1
            pending.advance()
        return found

    def _finish(self, match_id: int, task: asyncio.Task[Review]) -> None:
        self._pending.pop(match_id).advance()
        # Logged here, because perhaps nobody waits for the review any more.
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("review_failed", match=match_id, exc_info=error)
