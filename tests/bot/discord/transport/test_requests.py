"""Which requests to Discord wait for the budget, and which of them patiently."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from bot.discord.transport.requests import patiently, tracing
from bot.services.token_bucket import TokenBucket


class _Noting(TokenBucket):
    """A budget that has room, and notes who would have waited."""

    def __init__(self) -> None:
        super().__init__(8)
        self.patient: list[bool] = []

    async def wait(self, *, patient: bool = False) -> None:
        self.patient.append(patient)


async def _answer(_request: web.Request) -> web.Response:
    return web.Response()


@pytest.fixture
async def address() -> AsyncIterator[str]:
    """Of an API that answers anything."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", _answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10"
    await runner.cleanup()


async def test_answers_to_interactions_never_wait(address: str) -> None:
    budget = TokenBucket(1e-9)
    async with aiohttp.ClientSession(trace_configs=[tracing(budget)]) as session:
        waiting = asyncio.create_task(session.get(f"{address}/channels/1/messages"))
        for path in ("/interactions/1/token/callback", "/webhooks/1/token/messages/@original"):
            async with session.post(address + path) as response:
                assert response.status == 200
        assert not waiting.done()
        waiting.cancel()


async def test_requests_that_nobody_waits_for_are_patient(address: str) -> None:
    budget = _Noting()
    async with aiohttp.ClientSession(trace_configs=[tracing(budget)]) as session:
        await session.get(f"{address}/channels/1/messages")
        with patiently():
            await session.get(f"{address}/channels/1/messages")
        await session.get(f"{address}/channels/1/messages")
    assert budget.patient == [False, True, False]
