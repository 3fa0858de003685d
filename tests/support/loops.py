"""The event loop of the tests."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class _Selector(selectors.DefaultSelector):
    """Looks at the sockets every other time while there is something else to do, since each look is a system call.

    It looks no less often, because threads come to work while it does.
    """

    _looked = True

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._looked = timeout is None or timeout > 0 or not self._looked
        return super().select(timeout) if self._looked else []


class LastingLoop(asyncio.SelectorEventLoop):
    """A loop for one test after the other, so that connections can stay open in between."""

    ending = False

    def close(self) -> None:
        """Drop what a test has left to do, as a loop that ends does, and be ready for the next one."""
        loop: Any = self
        loop._ready.clear()
        loop._scheduled.clear()
        loop._timer_cancelled_count = 0
        loop._asyncgens_shutdown_called = loop._executor_shutdown_called = False
        loop._default_executor = None

    def end(self, last: Coroutine[Any, Any, None]) -> None:
        self.ending = True
        self.run_until_complete(last)
        super().close()


_lasting: list[LastingLoop] = []
_wanted = ContextVar("_wanted", default=False)


@contextmanager
def lasting_loop() -> Iterator[None]:
    """Let a test run in the lasting loop."""
    before = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(before)


def new_loop() -> asyncio.AbstractEventLoop:
    if not _wanted.get():
        return asyncio.SelectorEventLoop(_Selector())
    if not _lasting:
        _lasting.append(LastingLoop(_Selector()))
    return _lasting[0]


def complete(work: Coroutine[Any, Any, None]) -> None:
    """Do what a test that is no coroutine itself has to do in a loop."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(work)


def end_lasting_loop(last: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """End the lasting loop, if there is one, with some last work."""
    while _lasting:
        _lasting.pop().end(last())


async def until(there: Callable[[], bool]) -> None:
    """Let everything else go on until something is the case."""
    async with asyncio.timeout(30):
        while not there():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
