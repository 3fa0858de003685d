"""A bounded cache for expensive results such as pictures."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class SharedCache:
    """Keeps results of up to ``limit`` bytes in total. Concurrent requests for the same key share a result.

    Cache nothing private: a faster answer reveals an earlier request.
    """

    limit: int
    _values: OrderedDict[Hashable, bytes] = field(default_factory=OrderedDict)
    _making: dict[Hashable, asyncio.Task[bytes]] = field(default_factory=dict)
    _bytes: int = 0

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, bytes]]) -> bytes:
        """The cached bytes for a key or, by default, the result of ``make``."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        task = self._making.get(key)
        if task is None:
            task = self._making[key] = asyncio.create_task(make())
            task.add_done_callback(lambda done: self._keep(key, done))
        return await asyncio.shield(task)

    def kept(self, key: Hashable) -> bytes | None:
        return self._values.get(key)

    def _keep(self, key: Hashable, task: asyncio.Task[bytes]) -> None:
        del self._making[key]
        if task.cancelled() or task.exception() is not None:
            return
        self._values[key] = task.result()
        self._bytes += len(task.result())
        while self._bytes > self.limit:
            _, dropped = self._values.popitem(last=False)
            self._bytes -= len(dropped)
