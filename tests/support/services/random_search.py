"""An instant search for tests in which the computer's strength does not matter."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from bot.domain.computer import SearchRequest, SearchResult
from rules import Phase
from rules.search import explain
from rules.search.players import at_random


class RandomSearch:
    """A search that finds a random turn by its seed, always with the same ``value``. On hold, it keeps thinking."""

    def __init__(self) -> None:
        self.value = 0.5
        #: CPU seconds that each search reports.
        self.seconds = 0.0
        #: Results to return instead of random ones, by the number of turns played.
        self.found: dict[int, SearchResult] = {}
        #: Called before each search.
        self.pause: Callable[[SearchRequest], Awaitable[object]] | None = None
        #: Errors with which the next searches fail.
        self.failures: list[Exception] = []
        self.asked: list[SearchRequest] = []
        #: Lets a task wait without SimCord waiting for it.
        self.waiting: Callable[[Awaitable[object]], Awaitable[object]] = just_wait
        self._free = asyncio.Event()
        self._free.set()

    async def __call__(self, request: SearchRequest) -> SearchResult:
        self.asked.append(request)
        if not self._free.is_set():
            await self.waiting(self._free.wait())
        if self.pause is not None:
            await self.pause(request)
        if self.failures:
            raise self.failures.pop()
        if len(request.turns) in self.found:
            return self.found[len(request.turns)]
        position = request.ruleset.replay(request.turns)
        if position.phase is Phase.PLAY:
            turn = at_random(position, request.seed)
            if not request.explained:
                return SearchResult(turn, self.value, (turn,), seconds=self.seconds)
            return SearchResult(turn, self.value, (turn,), explain(position, turn), 0.5, self.seconds)
        return SearchResult(random.Random(request.seed).choice(position.legal_turns), self.value, seconds=self.seconds)

    def hold(self) -> None:
        self._free.clear()

    def release(self) -> None:
        self._free.set()


async def just_wait(awaitable: Awaitable[object]) -> None:
    await awaitable
