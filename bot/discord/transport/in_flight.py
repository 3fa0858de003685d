"""The interactions in progress, so that less urgent work can wait until people have their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

#: The most seconds that something less urgent waits until nobody is being answered.
_LONGEST_WAIT = 0.5
#: The most interactions of one person that are worked on at once; the others wait, acknowledged.
_MOST_AT_ONCE = 4


class InFlight:
    """The tasks that handle interactions."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        #: Those of them that wait for a search.
        self._searching: set[asyncio.Task[Any]] = set()
        #: Each person's room for interactions, and the room that each task takes.
        self._room: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()
        self._rooms: dict[asyncio.Task[Any], asyncio.Semaphore] = {}

    @property
    def tasks(self) -> frozenset[asyncio.Task[Any]]:
        """All of them, including those that wait for a search."""
        return frozenset(self._tasks)

    def attend(self) -> None:
        """Count the current task as one that handles an interaction, until it ends."""
        task = _current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait_for_room(self, person: int) -> None:
        """Wait until few of the person's interactions are being worked on, and count the current task as one until it
        ends or waits for a search.
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
        """Let nothing wait for the current task within this block, while it waits for a search."""
        task = _current_task()
        self._searching.add(task)
        self._make_room(task)
        try:
            yield
        finally:
            self._searching.discard(task)

    async def wait_for_quiet(self) -> None:
        """Wait until nobody is being answered, or for half a second if people leave no gap."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_WAIT):
                while answering := self._tasks - self._searching:
                    await asyncio.wait(answering, return_when=asyncio.FIRST_COMPLETED)


def _current_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task
