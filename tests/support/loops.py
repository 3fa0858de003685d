"""The event loop of the tests."""

from __future__ import annotations

import asyncio
import selectors

#: How many rounds of the loop may pass between two looks.
_MOST = 20


class _Selector(selectors.DefaultSelector):
    """Looks at the sockets less often while there is something else to do, since each look is a system call."""

    _passed = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0 and self._passed < _MOST:
            self._passed += 1
            return []
        self._passed = 0
        return super().select(timeout)


def new_loop() -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(_Selector())
