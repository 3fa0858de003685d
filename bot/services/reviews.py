"""Reviews of matches that are over: searched once, and then stored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import structlog

from bot.domain.computer import NothingFoundError, SearchRequest, SearchResult
from bot.domain.matches import Game
from bot.domain.reviews import ManyReviewsError, Review, check_review, review_of, review_requests, second_look
from bot.services.fair_queue import FairQueue
from bot.storage import Storage
from rules.search import VERSION

_LOG = structlog.get_logger(__name__)
#: The most reviews that are in the making; one is searched for at a time.
_MOST = 5
#: The number under which reviews wait in the queue of all searches, one turn of theirs after each of a match.
_QUEUED_AS = 0


class PendingReview:
    """A review in the making, which several people may wait for."""

    def __init__(self, total: int, *, waits: bool) -> None:
        #: How many searches are done, and how many are to be, as far as that is known yet.
        self.done = 0
        self.total = total
        #: Whether others are made first.
        self.waits = waits
        self.task: asyncio.Task[Review] | None = None
        self._changed = asyncio.Event()

    def advance(self) -> None:
        """Tell those who wait that something has been done."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def wait(self) -> Review | None:
        """Wait until something more has been done; the review once it is there.

        Raises what it has failed with, and :class:`NothingFoundError` if a stop has broken it off.
        """
        assert self.task is not None
        if not self.task.done():
            await self._changed.wait()
        if self.task.cancelled():  # not those who wait for it
            raise NothingFoundError
        return self.task.result() if self.task.done() else None


class Reviews:
    """``think`` searches for whatever has a number of its own in its queue; ``version`` is that of the search.

    The caller has checked that people may see the match.
    """

    def __init__(
        self,
        storage: Storage,
        think: Callable[[int, SearchRequest], Awaitable[SearchResult]],
        *,
        version: int = VERSION,
    ) -> None:
        self._storage = storage
        self._think = think
        self._version = version
        #: By match.
        self._pending: dict[int, PendingReview] = {}
        self._queue = FairQueue(1)

    async def get(self, game: Game) -> Review | PendingReview:
        """The review of a game or, while it is made, the pending one, which begins if nobody has asked for it yet.

        Another process may make it at the same time; both store the same.
        """
        check_review(game)
        # Before the read, which may just miss what is being stored.
        pending = self._pending.get(game.match.id)
        if pending is not None:
            return pending
        async with self._storage.read() as tx:
            stored = await tx.reviews.get(game.match.id, self._version)
        if stored is not None:
            return stored
        pending = self._pending.get(game.match.id)
        if pending is None:
            if len(self._pending) >= _MOST:
                raise ManyReviewsError
            pending = PendingReview(len(review_requests(game)), waits=bool(self._pending))
            self._pending[game.match.id] = pending
            pending.task = asyncio.get_running_loop().create_task(self._make(game, pending))
            pending.task.add_done_callback(partial(self._forget, game.match.id))
        return pending

    def stop(self) -> None:
        """Make no more reviews; those who still want one ask again after the next start."""
        for pending in self._pending.values():
            if pending.task is not None:
                pending.task.cancel()

    async def _make(self, game: Game, pending: PendingReview) -> Review:
        async with self._queue.place(game.match.id):
            pending.waits = False
            found = await self._find(pending, review_requests(game))
            deeper = await asyncio.to_thread(second_look, game, found)
            pending.total += len(deeper)
            pending.advance()
            again = await self._find(pending, deeper)
        review = await asyncio.to_thread(review_of, game, found, again)
        async with self._storage.transaction() as tx:
            await tx.reviews.set(game.match.id, self._version, review)
        return review

    async def _find(self, pending: PendingReview, requests: Sequence[SearchRequest]) -> dict[int, SearchResult]:
        """What is found for each request, by the number of turns that had been played."""
        found = {}
        for request in requests:
            found[len(request.turns)] = await self._think(_QUEUED_AS, request)
            pending.done += 1
            pending.advance()
        return found

    def _forget(self, match_id: int, task: asyncio.Task[Review]) -> None:
        self._pending.pop(match_id).advance()
        # Perhaps nobody waits for it any more.
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("review_failed", match=match_id, exc_info=error)
