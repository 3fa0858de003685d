"""The sleeper that rings for whatever is due."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.timers import RINGS_AGAIN, Timer, TimerKind
from bot.services.timers import Alarms, Sleeper
from bot.storage import Storage
from tests.support.club import Club
from tests.support.counting import counting
from tests.support.services import Clock
from tests.support.storing import running_matches

DAY = 24 * 60 * 60


async def test_what_fails_when_it_is_due_is_tried_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.challenge(club.alice, club.bob)
    expire = club.app.challenges.expire
    failures = 2

    async def fail_twice(challenge_id: int) -> bool:
        nonlocal failures
        if failures:
            failures -= 1
            raise OSError("the disk is away")
        return await expire(challenge_id)

    monkeypatch.setattr(club.app.challenges, "expire", fail_twice)
    for _ in range(2):
        club.expect_failure("timer_failed")
    await club.env.advance_time(DAY + 1)
    assert "Accept" in club.card().labels
    await club.env.advance_time(10 * 60)
    assert "expired without an answer" in club.card().text


async def test_an_expiry_that_cannot_be_shown_does_not_keep_the_others_back(club: Club) -> None:
    await club.challenge(club.alice, club.bob)
    await club.challenge(club.alice, club.carol)
    club.env.inject_error("PATCH", "/channels/*/messages/*", status=503)
    await club.env.advance_time(DAY + 1)
    assert "expired without an answer" in club.card().text
    await club.restart()
    assert all("expired without an answer" in card.text for card in club.cards())


async def test_what_people_wait_for_rings_before_all_else_that_is_due(storage: Storage, clock: Clock) -> None:
    due = [
        Timer(kind, 1, clock() - timedelta(hours=hours))
        for hours, kind in enumerate((TimerKind.SHOW_MATCH, TimerKind.CARD, TimerKind.COMPUTER, TimerKind.PURGE))
    ]
    rung = list[TimerKind]()

    def handler(kind: TimerKind) -> Callable[[int], Awaitable[None]]:
        async def handle(_subject: int) -> None:
            rung.append(kind)

        return handle

    async with storage.transaction() as tx:
        await tx.timers.set(*due)
    await Alarms(storage, {kind: handler(kind) for kind in TimerKind}, clock).ring()
    assert rung == [TimerKind.COMPUTER, TimerKind.SHOW_MATCH, TimerKind.PURGE, TimerKind.CARD]


async def test_a_new_challenge_sets_the_clock_when_there_was_nothing_to_wait_for(club: Club) -> None:
    await club.env.advance_time(3 * DAY)
    await club.challenge(club.alice, club.bob)
    await club.env.advance_time(DAY - 1)
    assert "Accept" in club.card().labels
    await club.env.advance_time(2)
    assert "expired without an answer" in club.card().text


async def test_what_was_done_before_a_crash_is_not_done_again_and_what_was_not_is_tried_again(
    storage: Storage, clock: Clock
) -> None:
    for match_id in (1, 2, 3):
        async with storage.transaction() as tx:
            await tx.timers.set(Timer(TimerKind.FLAG, match_id, clock.now))
    rung: list[int] = []

    async def ring(match_id: int) -> None:
        if rung == [1]:
            rung.append(0)
            raise asyncio.CancelledError
        rung.append(match_id)

    alarms = Alarms(storage, {TimerKind.FLAG: ring}, clock)
    with pytest.raises(asyncio.CancelledError):
        await alarms.ring()
    await alarms.ring()
    assert rung == [1, 0, 3]
    clock.now += RINGS_AGAIN
    await alarms.ring()
    await alarms.ring()
    assert rung == [1, 0, 3, 2]


async def test_what_is_due_first_is_done_first(storage: Storage, clock: Clock) -> None:
    """Neither the kinds, nor the subjects, nor the order in which the timers were set decide."""
    order = random.Random(3).sample(range(40), 40)
    for subject, minutes in enumerate(order):
        kind = TimerKind.REMINDER if minutes % 3 else TimerKind.FLAG
        async with storage.transaction() as tx:
            await tx.timers.set(Timer(kind, subject, clock.now + timedelta(minutes=minutes)))
    rung: list[int] = []

    async def ring(subject: int) -> None:
        rung.append(order[subject])

    clock.now += timedelta(hours=1)
    alarms = Alarms(storage, {TimerKind.FLAG: ring, TimerKind.REMINDER: ring}, clock)
    while await alarms.next_due() is not None:
        await alarms.ring()
    assert rung == sorted(order)


async def test_a_timer_that_rings_takes_two_transactions(club: Club) -> None:
    now, following = club.env.now(), timedelta(minutes=1)
    async with club.app.storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.FLAG, 1, now), Timer(TimerKind.FLAG, 2, now + following))
    rung: list[int] = []

    async def ring(match_id: int) -> None:
        rung.append(match_id)

    with counting(club.app) as counts:
        due = await Alarms(club.app.storage, {TimerKind.FLAG: ring}, club.env.now).ring()
    assert (rung, due) == ([1], now + following)
    assert (counts.writes + counts.reads, len(counts.statements)) == (2, 5)


async def test_an_answer_that_comes_late_does_not_put_off_what_is_due() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    asked, answer, rung = asyncio.Event(), asyncio.Event(), asyncio.Event()
    dues = iter([now + timedelta(hours=20), now])

    async def next_due() -> datetime | None:
        due = next(dues, None)
        if due is not None and due > now:
            asked.set()
            await answer.wait()
        return due

    async def ring() -> None:
        rung.set()

    sleeper = Sleeper(next_due, ring, lambda: now)
    early = asyncio.create_task(sleeper.wake())
    await asked.wait()
    late = asyncio.create_task(sleeper.wake())
    answer.set()
    await late
    await early
    async with asyncio.timeout(10):
        await rung.wait()
    await asyncio.gather(*sleeper.stop())


async def test_what_a_press_has_set_going_goes_on_although_its_answer_failed(club: Club) -> None:
    await club.slash(club.alice, "tournament create", game="dalen", size=5)
    for who in (club.bob, club.carol):
        await club.press(who, "Join")
    await club.env.advance_time(60)
    for _ in range(5):
        club.env.inject_error("PATCH", "/channels/*/messages/*", status=503)
    await club.press(club.alice, "Start")
    await club.env.advance_time(60 * 60)
    assert len(await running_matches(club.app.storage)) == 3
