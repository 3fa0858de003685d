"""Requests to Discord are repeated while connections break."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from bot.discord.transport.requests import persist
from bot.domain.matches import UnknownMatchError

BROKEN = [ConnectionResetError("reset"), aiohttp.ServerDisconnectedError(), TimeoutError()]


class Request:
    """A request that fails some times before it is answered."""

    def __init__(self, *failures: Exception) -> None:
        self._failures = list(failures)
        self.times = 0

    async def __call__(self) -> str:
        self.times += 1
        if self._failures:
            raise self._failures.pop(0)
        return "answer"


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record the pauses between attempts instead of waiting."""
    taken = list[float]()

    sleep = asyncio.sleep

    async def pause(seconds: float) -> None:
        taken.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", pause)
    return taken


@pytest.mark.parametrize("breaks", range(4))
async def test_a_request_is_repeated_until_it_is_answered(pauses: list[float], breaks: int) -> None:
    request = Request(*BROKEN[:breaks])
    assert await persist(request) == "answer"
    assert request.times == breaks + 1
    assert len(pauses) == breaks


async def test_a_request_that_keeps_failing_ends_with_its_error(pauses: list[float]) -> None:
    request = Request(*[ConnectionResetError("reset")] * 100)
    with pytest.raises(ConnectionResetError):
        await persist(request)
    assert 3 <= request.times <= 10
    assert pauses[0] == 0
    assert sum(pauses) < 3


async def test_a_failure_of_another_kind_is_not_repeated(pauses: list[float]) -> None:
    request = Request(UnknownMatchError())
    with pytest.raises(UnknownMatchError):
        await persist(request)
    assert request.times == 1
    assert pauses == []
