"""A mapping of bounded size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Recent(OrderedDict[_Key, _Value]):
    """A mapping that keeps at most ``limit`` of the latest values, and drops the oldest as soon as it is ``stale``."""

    def __init__(self, limit: int, stale: Callable[[_Value], bool] | None = None) -> None:
        super().__init__()
        self._limit, self._stale = limit, stale

    def __setitem__(self, key: _Key, value: _Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > self._limit or (self and self._stale is not None and self._stale(next(iter(self.values())))):
            self.popitem(last=False)
