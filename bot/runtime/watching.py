"""Watchers: tasks that wait for a change of a match, or for news of a program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Watching:
    """The watchers of matches and programs in this process, by id; matches and programs never have the same id."""

    def __init__(self) -> None:
        self._watchers: dict[int, set[asyncio.Event]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._watchers.values()))

    def wake(self, subject_id: int) -> None:
        """Wake the watchers of a match that has changed, or of a program that has news."""
        for watcher in self._watchers.get(subject_id, ()):
            watcher.set()

    @asynccontextmanager
    async def watch(self, *subject_ids: int) -> AsyncIterator[asyncio.Event]:
        """An event that every change sets during the block; its waiter clears it."""
        changed = asyncio.Event()
        for subject_id in subject_ids:
            self._watchers.setdefault(subject_id, set()).add(changed)
        try:
            yield changed
        finally:
            for subject_id in subject_ids:
                watchers = self._watchers[subject_id]
                watchers.discard(changed)
                if not watchers:
                    del self._watchers[subject_id]
