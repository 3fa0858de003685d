"""Watching matches: whoever waits for a change of a match is woken by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Watching:
    """The watchers of matches in this process."""

    def __init__(self) -> None:
        self._watchers: dict[int, set[asyncio.Event]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._watchers.values()))

    def wake(self, match_id: int) -> None:
        """Note that a match has changed."""
        for watcher in self._watchers.get(match_id, ()):
            watcher.set()

    @asynccontextmanager
    async def watch(self, match_id: int) -> AsyncIterator[asyncio.Event]:
        """An event that is set at every change during the block; whoever waits for it clears it."""
        changed = asyncio.Event()
        watchers = self._watchers.setdefault(match_id, set())
        watchers.add(changed)
        try:
            yield changed
        finally:
            watchers.discard(changed)
            if not watchers:
                self._watchers.pop(match_id, None)
