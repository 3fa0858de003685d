"""Requests to Discord that wait for the budget, and requests that fail like a broken connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from bot.discord.transport.requests import Connector
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
