"""Fair drawing: nobody's pictures block the pictures of others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from threading import Event, Lock

import pytest

from bot.runtime.fair_threads import FairThreads
from tests.support.services.matches import refused

ALICE, BOB = 1, 2
whose: ContextVar[int | None] = ContextVar("whose", default=None)
_PATIENCE = 60


class Easel:
    """Draws pictures; Alice's pictures take until the ``brush`` is free."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.brush = Event()
        self._lock = Lock()

    async def draw(self, person: int | None, name: str) -> str:
        whose.set(person)
        return await asyncio.to_thread(self._draw, name)

    async def ask_for_a_hundred(self) -> list[asyncio.Task[str]]:
        """Let Alice ask for pictures that wait for the brush."""
        asked = [asyncio.create_task(self.draw(ALICE, f"alice {number}")) for number in range(100)]
        await asyncio.sleep(0)
        return asked

    def _draw(self, name: str) -> str:
        with self._lock:
            self.begun.append(name)
        if name.startswith("alice"):
            assert self.brush.wait(_PATIENCE)
        return name


@pytest.fixture
async def easel() -> AsyncIterator[Easel]:
    asyncio.get_running_loop().set_default_executor(FairThreads(whose.get))
    easel = Easel()
    yield easel
    easel.brush.set()


async def test_public_pictures_are_drawn_while_one_person_asks_for_a_hundred(easel: Easel) -> None:
    asked = await easel.ask_for_a_hundred()
    assert await easel.draw(None, "the board after a turn") == "the board after a turn"
    easel.brush.set()
    assert await asyncio.gather(*asked) == [f"alice {number}" for number in range(100)]


async def test_another_person_comes_before_the_rest_of_a_hundred_pictures(easel: Easel) -> None:
    asked = await easel.ask_for_a_hundred()
    other = asyncio.create_task(easel.draw(BOB, "bob"))
    await asyncio.sleep(0)
    easel.brush.set()
    await asyncio.gather(*asked, other)
    assert easel.begun.index("bob") < 10


async def test_an_error_in_a_thread_reaches_the_waiting_task(easel: Easel) -> None:
    whose.set(ALICE)
    await refused(ZeroDivisionError, asyncio.to_thread(lambda: 1 // 0))
    given_up = asyncio.create_task(easel.draw(ALICE, "alice"))
    await asyncio.sleep(0)
    given_up.cancel()
    await refused(asyncio.CancelledError, given_up)
    easel.brush.set()
    assert await easel.draw(BOB, "bob") == "bob"
