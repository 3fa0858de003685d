"""The event loop of the tests."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable


class _Selector(selectors.DefaultSelector):
    """Looks at the sockets every other time while there is something else to do, since each look is a system call.

    It looks no less often, because threads come to work while it does.
    """

    _looked = True

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._looked = timeout is None or timeout > 0 or not self._looked
        return super().select(timeout) if self._looked else []


def new_loop() -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(_Selector())


async def until(there: Callable[[], bool]) -> None:
    """Let everything else go on until something is the case."""
    async with asyncio.timeout(30):
        while not there():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
