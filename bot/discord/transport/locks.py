"""One lock for each thing that one task at a time may show."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

_Key = TypeVar("_Key", bound=Hashable)


class Locks(Generic[_Key]):
    """Locks that exist as long as somebody holds them or waits for them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[_Key, asyncio.Lock] = WeakValueDictionary()

    def of(self, key: _Key) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())
