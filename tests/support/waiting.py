"""Waiting in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(there: Callable[[], bool]) -> None:
    """Let everything else go on until something is the case."""
    async with asyncio.timeout(30):
        while not there():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
