"""The budget of requests to Discord: how many pass at once, and who comes first when they have to wait."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp import web

from bot.discord.requests import RequestBudget, patiently, tracing


async def test_the_requests_of_a_second_pass_at_once_and_further_ones_in_order_with_the_patient_ones_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    budget = RequestBudget(8)
    passed: list[str] = []

    async def send(name: str) -> None:
        await budget.wait()
        passed.append(name)

    async def send_patiently(name: str) -> None:
        with patiently():
            await send(name)

    for _ in range(8):
        async with asyncio.timeout(0):  # there is no need to wait
            await budget.wait()
    cancelled = asyncio.create_task(send("never"))
    old = [asyncio.create_task(send_patiently(f"old {number}")) for number in range(3)]
    await asyncio.sleep(0)
    cancelled.cancel()
    new = [asyncio.create_task(send(f"new {number}")) for number in range(3)]
    await asyncio.sleep(0)
    assert passed == []
    for count, sending in enumerate((*new, *old), 1):
        now += 1 / 8
        await sending
        assert len(passed) == count
    assert passed == ["new 0", "new 1", "new 2", "old 0", "old 1", "old 2"]


async def test_answers_to_interactions_never_wait() -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response()

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10"
    budget = RequestBudget(1e-9)
    async with aiohttp.ClientSession(trace_configs=[tracing(budget)]) as session:
        waiting = asyncio.create_task(session.get(f"{address}/channels/1/messages"))
        for path in ("/interactions/1/token/callback", "/webhooks/1/token/messages/@original"):
            async with session.post(address + path) as response:
                assert response.status == 200
        assert not waiting.done()
        waiting.cancel()
    await runner.cleanup()
