"""The threads that draw pictures and replay games. Private requests wait in a fair queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from bot.runtime.fair_queue import FairQueue

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
#: Maximum threads. Each needs up to 20 MB, and asyncio would start up to 32.
_THREADS = 6
#: Maximum threads for private requests; the others are for public pictures.
_FOR_PEOPLE = 2


class FairThreads(ThreadPoolExecutor):
    """The executor behind ``asyncio.to_thread``, used only from the event loop.

    ``person`` returns the person for whom the current task works. None skips the queue, because everybody sees the
    result.
    """

    def __init__(self, person: Callable[[], int | None]) -> None:
        super().__init__(_THREADS)
        self._person = person
        self._queue = FairQueue(_FOR_PEOPLE)
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(
        self, function: Callable[_Parameters, _Result], /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> Future[_Result]:
        person = self._person()
        if person is None:
            return super().submit(function, *args, **kwargs)
        future: Future[_Result] = Future()
        task = asyncio.get_running_loop().create_task(self._run(person, future, lambda: function(*args, **kwargs)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return future

    async def _run(self, person: int, future: Future[Any], function: Callable[[], Any]) -> None:
        async with self._queue.slot(person):
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(await asyncio.wrap_future(super().submit(function)))
            except Exception as error:
                future.set_exception(error)
