"""Hints: the turn that the computer would play."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass

from bot.domain.computer import NothingFoundError, SearchRequest, SearchResult, StillThinkingError
from bot.services.at_once import AtOnce


@dataclass
class Hints:
    """``think`` searches for a person; ``ahead_of`` counts the searches before one of theirs at a level."""

    think: Callable[[int, SearchRequest], Awaitable[SearchResult]]
    ahead_of: Callable[[int, int], int]

    def __post_init__(self) -> None:
        self._searches = AtOnce(1, math.inf, StillThinkingError)

    @contextmanager
    def one_at_a_time(self, player_id: int, request: SearchRequest) -> Iterator[int]:
        """Count a player's search during the block; yield the number of searches ahead of it.

        Raises :class:`StillThinkingError` if the player already waits for one.
        """
        with self._searches.room(player_id):
            yield self.ahead_of(player_id, request.level)

    async def find(self, request: SearchRequest, player_id: int) -> SearchResult:
        """Search for a player counted by :meth:`one_at_a_time`; raise :class:`NothingFoundError` if the workers break,
        hang or stop."""
        try:
            return await self.think(player_id, request)
        except (BrokenProcessPool, TimeoutError) as error:
            raise NothingFoundError from error
