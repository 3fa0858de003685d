"""The earlier states of a game of Dendria, which no turn may recreate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from rules.side import Side

#: A state within a stretch of reversible turns: the masks of both sides' pieces, and the side to play.
State: TypeAlias = tuple[int, int, Side]


class StateHistory:
    """States in order, each once. It never changes: :meth:`and_then` returns a longer one.

    Histories that continue each other share one table, each with its own length, so a line of play takes no more memory
    than its longest history. Only a second continuation of the same history copies it.
    """

    __slots__ = ("_hash", "_indices", "_length", "_states")

    def __init__(self, states: Iterable[State] = ()) -> None:
        #: The shared table, which only grows: state by index, and index by state.
        self._states: dict[int, State] = dict(enumerate(dict.fromkeys(states)))
        self._indices: dict[State, int] = {state: index for index, state in self._states.items()}
        self._length = len(self._states)
        self._hash = 0
        for state in self._indices:
            self._hash ^= hash(state)

    def __reduce__(self) -> tuple[type[StateHistory], tuple[tuple[State, ...]]]:
        return StateHistory, (tuple(self),)  # not the states of longer ones

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[State]:
        return (self._states[index] for index in range(self._length))

    def __contains__(self, state: State) -> bool:
        index = self._indices.get(state)
        return index is not None and index < self._length

    def and_then(self, state: State) -> StateHistory:
        """Return this history with one more state."""
        if state in self:
            return self
        # Claiming the next index is atomic, so two threads that continue the same history cannot both get it.
        if not self._length or self._states.setdefault(self._length, state) != state:
            return StateHistory([*self, state])
        self._indices[state] = self._length
        longer = object.__new__(StateHistory)
        longer._states, longer._indices = self._states, self._indices
        longer._length = self._length + 1
        longer._hash = self._hash ^ hash(state)
        return longer

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StateHistory):
            return NotImplemented
        return self._length == other._length and (
            self._states is other._states or all(state in other for state in self)
        )

    def __hash__(self) -> int:
        return self._hash
