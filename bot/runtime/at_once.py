"""Limits on simultaneous actions, so that no person uses up shared resources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class AtOnce:
    """Room for at most ``each`` actions of every person at the same time, and ``all`` in total.

    ``refusal`` makes the error for a person who finds no room.
    """

    each: float
    all: float
    refusal: Callable[[], Exception]

    def __post_init__(self) -> None:
        self._inside: Counter[int | None] = Counter()

    def __len__(self) -> int:
        return self._inside.total()

    @contextmanager
    def room(self, person: int | None) -> Iterator[None]:
        """Count an action during the block, for a person or for nobody in particular."""
        if len(self) >= self.all or (person is not None and self._inside[person] >= self.each):
            raise self.refusal()
        self._inside[person] += 1
        try:
            yield
        finally:
            self._inside[person] -= 1
            if not self._inside[person]:
                del self._inside[person]
