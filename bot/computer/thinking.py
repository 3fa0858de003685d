"""The queue before the search: matches take turns, and too many of them are not begun."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from typing import TypeAlias

from bot import metrics
from bot.domain.computer import SearchRequest, SearchResult
from bot.services.fair_queue import FairQueue
from bot.services.token_bucket import TokenBucket
from rules.search import LEVELS

Search: TypeAlias = Callable[[SearchRequest], Awaitable[SearchResult]]
#: Seconds since its last search for which a match counts as one that is going on.
_GOING_ON = 300.0
#: The most seconds that one turn in each of the matches may take a worker when another one begins at the top level. The
#: seconds that it would take are there for weaker levels too, so these have room for longer.
_MOST_SECONDS = 30.0
#: How many searches for matches each worker begins in a second at most. What they find is stored and shown, which keeps
#: the bot itself busy for longer than a quick search keeps a worker; and games of people go first.
_MOST_PER_SECOND = 3.0
#: Seconds that a match at the top level counts for until a turn has been searched; at each level below, a quarter.
_GUESSED = 8.0


class Thinking:
    """Searches for matches, one each and as many at once as there are ``workers``; the others wait in a fair queue.

    Numbers above 0 are those of matches, whose searches keep a pace; hints and reviews have other numbers.
    """

    def __init__(self, search: Search, workers: int) -> None:
        self._search = search
        self._workers = workers
        self._queue = FairQueue(1, workers)
        self._pace = TokenBucket(_MOST_PER_SECOND * workers)
        #: When each match was last searched for, and how many seconds that took, the latest last.
        self._spent: OrderedDict[int, tuple[float, float]] = OrderedDict()

    async def think(self, match_id: int, request: SearchRequest) -> SearchResult:
        """Search for a match that is not searched for yet. Raises :class:`QueueFullError` for one that is."""
        guessed = _guessed(request.level)
        self._note(match_id, self._spent.get(match_id, (0.0, guessed))[1])
        async with self._queue.place(match_id):
            if match_id > 0:
                await self._pace.wait()
            began = time.monotonic()
            result = await self._search(request)
        seconds = time.monotonic() - began
        # An opening is found at once, and says nothing of the turns that follow.
        self._note(match_id, max(seconds, 1 / _MOST_PER_SECOND if request.turns else guessed))
        metrics.SEARCH.labels(str(request.level)).observe(seconds)
        return result

    def __len__(self) -> int:
        """How many matches are searched for or wait for that."""
        return len(self._queue)

    def ahead_of(self, match_id: int) -> int:
        """How many boards are searched before that of a match."""
        return self._queue.ahead_of(match_id)

    def going_on(self) -> Collection[int]:
        """The matches that were searched for lately; they may be over by now."""
        self._forget_old()
        return list(self._spent)

    def has_room(self, level: int, over: Collection[int] = ()) -> bool:
        """Whether another match may begin at a level, beside those that are going on and keep the workers busy.

        Matches that are known to be ``over`` do not count.
        """
        self._forget_old()
        spent = sum(seconds for match_id, (_, seconds) in self._spent.items() if match_id not in over)
        return spent + _guessed(level) <= _MOST_SECONDS * self._workers + _GUESSED

    def _note(self, match_id: int, seconds: float) -> None:
        self._forget_old()
        self._spent[match_id] = time.monotonic(), seconds
        self._spent.move_to_end(match_id)

    def _forget_old(self) -> None:
        since = time.monotonic() - _GOING_ON
        while self._spent and next(iter(self._spent.values()))[0] < since:
            self._spent.popitem(last=False)


def _guessed(level: int) -> float:
    """The seconds that a match at a level counts for until a turn has been searched."""
    return _GUESSED / 4.0 ** (LEVELS[-1] - level)
