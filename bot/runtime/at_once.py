"""Limits to what people do at once, so nobody uses up what is there for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class AtOnce:
    """Room for at most ``each`` of every person at once, and ``all`` together; who finds none gets a ``refusal``."""

    each: float
    all: float
    refusal: Callable[[], Exception]

    def __post_init__(self) -> None:
        self._taken: Counter[int | None] = Counter()

    def __len__(self) -> int:
        return self._taken.total()

    @contextmanager
    def room(self, person: int | None) -> Iterator[None]:
        """Take room within the block, for a person or for nobody in particular."""
        if len(self) >= self.all or (person is not None and self._taken[person] >= self.each):
            raise self.refusal()
        self._taken[person] += 1
        try:
            yield
        finally:
            self._taken[person] -= 1
            if not self._taken[person]:
                del self._taken[person]
