"""Wakes the tasks that wait for a change of a match, or for news of a program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Watching:
    """The watchers of matches and programs in this process, by ids, which never coincide."""

    def __init__(self) -> None:
        self._watchers: dict[int, set[asyncio.Event]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._watchers.values()))

    def wake(self, subject_id: int) -> None:
        """Note that a match has changed, or that a program has news."""
        for watcher in self._watchers.get(subject_id, ()):
            watcher.set()

    @asynccontextmanager
    async def watch(self, *subject_ids: int) -> AsyncIterator[asyncio.Event]:
        """An event that every change sets during the block; its waiter clears it."""
        changed = asyncio.Event()
        for each in subject_ids:
            self._watchers.setdefault(each, set()).add(changed)
        try:
            yield changed
        finally:
            for each in subject_ids:
                watchers = self._watchers[each]
                watchers.discard(changed)
                if not watchers:
                    del self._watchers[each]
