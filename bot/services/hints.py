"""Hints: what the computer would do in somebody's place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.domain.computer import SearchRequest, SearchResult, StillThinkingError
from bot.services.fair_queue import QueueFullError


class Hints:
    """``think`` searches for somebody, by a number of theirs, and ``ahead_of`` counts the searches before theirs."""

    def __init__(
        self, think: Callable[[int, SearchRequest], Awaitable[SearchResult]], ahead_of: Callable[[int], int]
    ) -> None:
        self._think = think
        self._ahead_of = ahead_of

    def ahead_of(self, player_id: int) -> int:
        """How many searches come before a hint for the player."""
        return self._ahead_of(-player_id)

    async def find(self, request: SearchRequest, player_id: int) -> SearchResult:
        """What is found for a player, who waits for one hint at a time."""
        try:
            # Numbers above 0 are those of matches.
            return await self._think(-player_id, request)
        except QueueFullError:
            raise StillThinkingError from None
