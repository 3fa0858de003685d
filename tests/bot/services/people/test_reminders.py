"""Digests, and the ping after quiet hours: each is claimed once."""

from __future__ import annotations

from datetime import UTC, timedelta

import pytest

from bot.domain.timers import Timer, TimerKind
from tests.support.services.house import House
from tests.support.services.matches import BOB, outcomes


@pytest.mark.both_databases
async def test_of_two_processes_that_claim_a_digest_one_gets_it(house: House) -> None:
    await house.start(turns=("e5",))
    at = house.now.hour * 60 + house.now.minute
    await house.reminders.change_times(BOB, time_zone=UTC, quiet=None, digest_at=at, language="en")
    house.now += timedelta(days=1)
    assert await outcomes(*(house.reminders.digest(BOB.id) for _ in range(3))) == {"Reminder": 1, "NoneType": 2}
    house.now += timedelta(seconds=91)
    assert await house.reminders.digest(BOB.id) is not None
    await house.reminders.end_digest(BOB.id)
    house.now += timedelta(seconds=91)
    assert await house.reminders.digest(BOB.id) is None


@pytest.mark.both_databases
async def test_of_two_processes_that_claim_a_ping_one_gets_it(house: House) -> None:
    await house.start(turns=("e5",))
    async with house.storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.QUIET_END, BOB.id, house.now))
    both = await outcomes(*(house.reminders.quiet_over(BOB.id) for _ in range(2)))
    assert both == {"Reminder": 1, "NoneType": 1}
