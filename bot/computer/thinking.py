"""The queue for searches: people take fair turns, and new matches are refused under overload."""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.computer import SearchRequest, SearchResult
from bot.runtime import metrics
from bot.runtime.fair_queue import FairQueue
from bot.runtime.token_bucket import TokenBucket
from rules.search import LEVELS

Search: TypeAlias = Callable[[SearchRequest], Awaitable[SearchResult]]
#: A match counts as going on until so many seconds after its last search.
_GOING_ON = 300.0
#: A match at the top level may begin only while one turn in every match takes each worker at most so many seconds. A
#: match at a lower level may begin up to the load that such a match would cause.
_MOST_SECONDS = 30.0
#: Maximum searches in matches that a worker begins in a second: quick turns take longer to store and show than to find,
#: and games between people come first.
_MOST_PER_SECOND = 3.0
#: Minimum cost of a turn in a match, in seconds.
_LEAST = 1 / _MOST_PER_SECOND
#: Expected seconds of the first search at the top level; every lower level takes a quarter of the level above.
_GUESSED = 8.0


@dataclass
class Thinking:
    """Searches for people. As many run at a time as there are ``workers``; the others wait in a fair queue.

    The person with the least recent use comes first. Searches in matches, at most one in each match, have a limited
    rate; hints and reviews belong to no match.
    """

    search: Search
    workers: int

    def __post_init__(self) -> None:
        self._queue = FairQueue(self.workers)
        self._pace = TokenBucket(_MOST_PER_SECOND * self.workers)
        #: The time and cost of the last search for a person in a match (None: hints and reviews), the latest last.
        self._spent: OrderedDict[tuple[int, int | None], tuple[float, float]] = OrderedDict()

    async def think(
        self, player_id: int, request: SearchRequest, match_id: int | None = None, *, searches: int = 1
    ) -> SearchResult:
        """Search for a person, perhaps in a match; ``searches`` are left in a series, including this one."""
        expected = self._expected_cost(player_id, request.level, match_id)
        self._note(player_id, match_id, expected)
        # Short series come first, but a long one waits no longer than a turn at the top level.
        series = max(expected, min(expected * searches, _GUESSED))
        async with self._queue.slot(player_id, match_id, series) as job:
            job.correct(expected)
            if match_id is not None:
                await self._pace.wait()
            began = time.monotonic()
            result = await self.search(request)
            metrics.SEARCH.labels(str(request.level)).observe(time.monotonic() - began)
            job.correct(result.seconds if match_id is None else max(result.seconds, _LEAST))
        # Openings take no time, so their cost says nothing about later turns.
        self._note(player_id, match_id, job.cost if request.turns else expected)
        return result

    def __len__(self) -> int:
        return len(self._queue)

    def used_by(self, player_id: int) -> float:
        """A person's recent use, in seconds of CPU time."""
        return self._queue.used_by(player_id)

    def ahead_of(self, player_id: int, level: int, match_id: int | None = None) -> int:
        """The number of searches before a person's search in a match, or before their next search (None)."""
        return self._queue.ahead_of(player_id, match_id, self._expected_cost(player_id, level, match_id))

    def going_on(self) -> Collection[int]:
        """The matches with recent searches; some may be over."""
        self._forget_old()
        return [match_id for _, match_id in self._spent if match_id is not None]

    def has_room(self, player_id: int, level: int, over: Collection[int] = ()) -> bool:
        """Whether a person may begin another match at a level, given the current load.

        Nobody counts for more than the load of this person with the new match, so the busiest people are refused first.
        The lowest level always has room. Matches that are ``over`` do not count.
        """
        self._forget_old()
        going_on = defaultdict[int, float](float)
        for (person, match_id), (_, seconds) in self._spent.items():
            if match_id not in over:
                going_on[person] += seconds
        own = going_on.pop(player_id, 0.0) + _guess(level)
        spent = own + sum(min(own, seconds) for seconds in going_on.values())
        return level == LEVELS[0] or spent <= _MOST_SECONDS * self.workers + _GUESSED

    def _expected_cost(self, player_id: int, level: int, match_id: int | None) -> float:
        """The expected CPU time of a search, in seconds: what the match's last search took, or else a guess."""
        guess = _guess(level)
        return guess if match_id is None else self._spent.get((player_id, match_id), (0.0, guess))[1]

    def _note(self, player_id: int, match_id: int | None, seconds: float) -> None:
        self._forget_old()
        self._spent[player_id, match_id] = time.monotonic(), seconds
        self._spent.move_to_end((player_id, match_id))

    def _forget_old(self) -> None:
        since = time.monotonic() - _GOING_ON
        while self._spent and next(iter(self._spent.values()))[0] < since:
            self._spent.popitem(last=False)


def _guess(level: int) -> float:
    """The assumed cost of a turn at a level, before the first search."""
    return max(_GUESSED / 4.0 ** (LEVELS[-1] - level), _LEAST)
