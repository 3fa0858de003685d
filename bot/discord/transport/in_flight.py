"""The interactions in progress. Less urgent work waits until people have their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

#: Maximum number of seconds that less urgent work waits for interactions.
_LONGEST_WAIT = 0.5
#: Maximum number of one person's interactions in progress. Further ones are acknowledged, and wait.
_MOST_AT_ONCE = 4


class InFlight:
    """The tasks that handle interactions."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        #: Those tasks that wait for a search.
        self._searching: set[asyncio.Task[Any]] = set()
        #: The room for interactions of each person, and the room that each task occupies.
        self._room: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()
        self._rooms: dict[asyncio.Task[Any], asyncio.Semaphore] = {}

    @property
    def tasks(self) -> frozenset[asyncio.Task[Any]]:
        """All tasks, including the ones that wait for a search."""
        return frozenset(self._tasks)

    def add_current_task(self) -> None:
        """Count the current task, until it ends, as one that handles an interaction."""
        task = _current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait_for_room(self, person: int) -> None:
        """Wait until the person has room for an interaction. The current task occupies it until it ends or searches."""
        task, room = _current_task(), self._room.setdefault(person, asyncio.Semaphore(_MOST_AT_ONCE))
        await room.acquire()
        self._rooms[task] = room
        task.add_done_callback(self._make_room)

    def _make_room(self, task: asyncio.Task[Any]) -> None:
        if (room := self._rooms.pop(task, None)) is not None:
            room.release()

    @contextmanager
    def searching(self) -> Iterator[None]:
        """Let no other work wait for the current task within the block, in which it waits for a search."""
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
