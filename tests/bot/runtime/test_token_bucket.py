"""How many requests a token bucket lets through, and in what order."""

from __future__ import annotations

import asyncio

import pytest

from bot.runtime.token_bucket import TokenBucket


async def test_a_seconds_tokens_pass_at_once_then_in_order_with_the_patient_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    bucket = TokenBucket(8)
    passed: list[str] = []

    async def take(name: str, *, patient: bool = False) -> None:
        if patient:
            await bucket.reserve()
        await bucket.wait()
        passed.append(name)

    for _ in range(8):
        async with asyncio.timeout(0):  # there is no need to wait
            await bucket.reserve()
            await bucket.wait()
    cancelled = asyncio.create_task(take("never"))
    old = [asyncio.create_task(take(f"old {number}", patient=True)) for number in range(3)]
    await asyncio.sleep(0)
    cancelled.cancel()
    new = [asyncio.create_task(take(f"new {number}")) for number in range(3)]
    await asyncio.sleep(0)
    assert passed == []
    for count, taking in enumerate((*new, *old), 1):
        now += 1 / 8
        await taking
        assert len(passed) == count
    assert passed == ["new 0", "new 1", "new 2", "old 0", "old 1", "old 2"]
