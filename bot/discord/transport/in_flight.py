"""The interactions in progress. Less urgent work can wait until people have their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

#: The most seconds that less urgent work waits for interactions.
_LONGEST_WAIT = 0.5
#: The most simultaneous interactions of one person; others wait, acknowledged.
_MOST_AT_ONCE = 4


class InFlight:
    """The tasks that handle interactions."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        #: The tasks among these that wait for a search.
        self._searching: set[asyncio.Task[Any]] = set()
        #: Each person's room for interactions, and the room that each task takes.
        self._room: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()
        self._rooms: dict[asyncio.Task[Any], asyncio.Semaphore] = {}

    @property
    def tasks(self) -> frozenset[asyncio.Task[Any]]:
        """All tasks, including those in a search."""
        return frozenset(self._tasks)

    def attend(self) -> None:
        """Count the current task as handling an interaction until it ends."""
        task = _current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait_for_room(self, person: int) -> None:
        """Wait for room among the person's interactions, which the current task then takes until it ends or waits for a
        search.
        """
        task, room = _current_task(), self._room.setdefault(person, asyncio.Semaphore(_MOST_AT_ONCE))
        await room.acquire()
        self._rooms[task] = room
        task.add_done_callback(self._make_room)

    def _make_room(self, task: asyncio.Task[Any]) -> None:
        if (room := self._rooms.pop(task, None)) is not None:
            room.release()

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Let nothing wait for the current task in this block, in which it waits for a search."""
        task = _current_task()
        self._searching.add(task)
        self._make_room(task)
        try:
            yield
        finally:
            self._searching.discard(task)

    async def wait_for_quiet(self) -> None:
        """Wait until no interaction is being answered, for at most half a second."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_WAIT):
                while answering := self._tasks - self._searching:
                    await asyncio.wait(answering, return_when=asyncio.FIRST_COMPLETED)


def _current_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task
