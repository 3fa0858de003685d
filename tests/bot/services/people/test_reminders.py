"""Digests, and the ping after quiet hours: each is claimed once."""

from __future__ import annotations

from datetime import UTC, timedelta

import pytest

from bot.domain.timers import Timer, TimerKind
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.people.reminders import Reminders
from bot.storage import Storage
from tests.support.services import BOB, Clock, outcomes, start


@pytest.mark.both_databases
async def test_of_two_processes_that_claim_a_digest_one_gets_it(
    storage: Storage, matches: Matches, clock: Clock
) -> None:
    await start(matches, turns=("e5",))
    reminders = Reminders(storage, History(storage, matches), now=clock)
    at = clock.now.hour * 60 + clock.now.minute
    await reminders.change_times(BOB, time_zone=UTC, quiet=None, digest_at=at, language="en")
    clock.now += timedelta(days=1)
    assert await outcomes(*(reminders.digest(BOB.id) for _ in range(3))) == {"Reminder": 1, "NoneType": 2}
    clock.now += timedelta(seconds=91)
    assert await reminders.digest(BOB.id) is not None
    await reminders.end_digest(BOB.id)
    clock.now += timedelta(seconds=91)
    assert await reminders.digest(BOB.id) is None


@pytest.mark.both_databases
async def test_of_two_that_claim_a_ping_at_once_one_gets_it(storage: Storage, matches: Matches, clock: Clock) -> None:
    match = await start(matches, turns=("e5",))
    async with storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.QUIET_END, match.second.id, clock.now))
    reminders = Reminders(storage, History(storage, matches), now=clock)
    both = await outcomes(*(reminders.quiet_over(match.second.id) for _ in range(2)))
    assert both == {"Reminder": 1, "NoneType": 1}
