"""Requests to Discord that wait for the budget, that are repeated while connections break, or that fail for good."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from bot.discord.transport.requests import Connector, persist
from bot.domain.matches import UnknownMatchError
from bot.runtime.token_bucket import TokenBucket


async def _answer(request: web.Request) -> web.Response:
    return web.Response(status=503 if "broken" in request.path else 200)


@pytest.fixture
async def address() -> AsyncIterator[str]:
    """The address of an API that answers anything."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", _answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10"
    await runner.cleanup()


async def test_answers_to_interactions_never_wait(address: str) -> None:
    budget = TokenBucket(1e-9)
    async with aiohttp.ClientSession(connector=Connector(budget)) as session:
        waiting = asyncio.create_task(session.get(f"{address}/channels/1/messages"))
        for path in ("/interactions/1/token/callback", "/webhooks/1/token/messages/@original"):
            async with session.post(address + path) as response:
                assert response.status == 200
        assert not waiting.done()
        waiting.cancel()


async def test_a_follow_up_that_may_have_taken_effect_is_not_repeated(address: str) -> None:
    async with aiohttp.ClientSession(connector=Connector(None)) as session:
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.post(f"{address}/webhooks/1/broken")
        for method, path in (("POST", "/channels/broken/messages"), ("PATCH", "/webhooks/1/broken/messages/2")):
            async with session.request(method, address + path) as response:
                assert response.status == 503


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
