"""Reviews of matches that are over: searched once, and then stored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from bot.domain.computer import SearchRequest, SearchResult
from bot.domain.errors import ManyReviewsError
from bot.domain.matches import Game
from bot.domain.reviews import Review, check_review, positions, review_of, review_requests
from bot.services.fair_queue import FairQueue
from bot.storage import Storage
from rules.search import VERSION

_LOG = structlog.get_logger(__name__)
#: The most reviews that are in the making; one is searched for at a time.
_MOST = 5
#: The number under which reviews wait in the queue of all searches, one turn of theirs after each of a match.
_QUEUED_AS = 0


class Making:
    """A review in the making, which several people may wait for."""

    def __init__(self) -> None:
        #: How many positions have been searched, and how many there are; None while others are reviewed.
        self.done = 0
        self.total: int | None = None
        self.task: asyncio.Task[Review] | None = None

    async def wait(self, seconds: float) -> Review | None:
        """The review, as soon as it is there; None if it takes longer than that. Raises what it has failed with."""
        assert self.task is not None
        await asyncio.wait({self.task}, timeout=seconds)
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
        self._making: dict[int, Making] = {}
        self._queue = FairQueue(1)

    async def get(self, game: Game) -> Review | Making:
        """The review of a game, or the making of it, which begins if nobody has asked for it yet.

        Another process may make it at the same time; both store the same.
        """
        check_review(game)
        async with self._storage.read() as tx:
            stored = await tx.reviews.get(game.match.id, self._version)
        if stored is not None:
            return stored
        making = self._making.get(game.match.id)
        if making is None:
            if len(self._making) >= _MOST:
                raise ManyReviewsError
            making = self._making[game.match.id] = Making()
            making.task = asyncio.get_running_loop().create_task(self._make(game, making))
            making.task.add_done_callback(partial(self._forget, game.match.id))
        return making

    def stop(self) -> None:
        """Make no more reviews; those who still want one ask again after the next start."""
        for making in self._making.values():
            if making.task is not None:
                making.task.cancel()

    async def _make(self, game: Game, making: Making) -> Review:
        async with self._queue.place(game.match.id):
            played = await asyncio.to_thread(positions, game)
            requests = review_requests(game, played)
            making.total = len(requests)
            found = []
            for request in requests:
                found.append(await self._think(_QUEUED_AS, request))
                making.done += 1
        review = review_of(game, played, found)
        async with self._storage.transaction() as tx:
            await tx.reviews.set(game.match.id, self._version, review)
        return review

    def _forget(self, match_id: int, task: asyncio.Task[Review]) -> None:
        del self._making[match_id]
        # Perhaps nobody waits for it any more.
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("review_failed", match=match_id, exc_info=error)
