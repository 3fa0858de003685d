"""The scheduler, and the handlers of what is due."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import pytest

from bot.domain.timers import LEASE, Timer, TimerKind
from bot.runtime.timers import Scheduler
from bot.storage import Storage
from render.cache import viewer
from tests.support.discord.actions import open_tournament
from tests.support.discord.club import Club
from tests.support.services.counts import counting
from tests.support.services.house import House
from tests.support.services.matches import refused
from tests.support.services.stored import running_matches
from tests.support.waiting import until

DAY = 24 * 60 * 60


async def set_timers(house: House, *timers: Timer) -> None:
    async with house.storage.transaction() as tx:
        await tx.timers.set(*timers)


async def test_a_timer_whose_handler_fails_is_handled_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    await club.challenge(club.alice, club.bob)
    expire = club.app.challenges.expire
    failures = 2

    async def fail_twice(challenge_id: int, *, seen: bool) -> bool:
        nonlocal failures
        if failures:
            failures -= 1
            raise OSError("the disk is away")
        return await expire(challenge_id, seen=seen)

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


async def test_timers_that_people_wait_for_are_handled_first(house: House) -> None:
    due = [
        Timer(kind, 1, house.now - timedelta(hours=hours))
        for hours, kind in enumerate((TimerKind.SHOW_MATCH, TimerKind.CARD, TimerKind.COMPUTER, TimerKind.PURGE))
    ]
    handled = list[TimerKind]()

    def handler(kind: TimerKind) -> Callable[[int], Awaitable[None]]:
        async def handle(_subject: int) -> None:
            handled.append(kind)

        return handle

    await set_timers(house, *due)
    await Scheduler(house.storage, {kind: handler(kind) for kind in TimerKind}, house.clock).run_due()
    assert handled == [TimerKind.COMPUTER, TimerKind.SHOW_MATCH, TimerKind.PURGE, TimerKind.CARD]


async def test_every_kind_of_timer_has_a_handler(club: Club) -> None:
    assert set(club.app.timers.handlers) == set(TimerKind)


async def test_a_new_challenge_sets_the_clock_when_there_was_nothing_to_wait_for(club: Club) -> None:
    await club.env.advance_time(3 * DAY)
    await club.challenge(club.alice, club.bob)
    await club.env.advance_time(DAY - 1)
    assert "Accept" in club.card().labels
    await club.env.advance_time(2)
    assert "expired without an answer" in club.card().text


async def test_a_run_that_an_interaction_has_scheduled_works_for_everybody(house: House) -> None:
    people: list[int | None] = []

    async def handle(_match_id: int) -> None:
        people.append(viewer.get())

    scheduler = Scheduler(house.storage, {TimerKind.FLAG: handle}, house.clock)
    await scheduler.schedule()
    viewer.set(1)
    await set_timers(house, Timer(TimerKind.FLAG, 1, house.now))
    scheduler.schedule_at(house.now)
    await until(lambda: bool(people))
    await asyncio.gather(*scheduler.stop())
    assert people == [None]


async def test_after_a_crash_only_timers_that_were_not_handled_are_handled(house: House) -> None:
    for match_id in (1, 2, 3):
        await set_timers(house, Timer(TimerKind.FLAG, match_id, house.now))
    handled: list[int] = []

    async def handle(match_id: int) -> None:
        if handled == [1]:
            handled.append(0)
            raise asyncio.CancelledError
        handled.append(match_id)

    scheduler = Scheduler(house.storage, {TimerKind.FLAG: handle}, house.clock)
    await refused(asyncio.CancelledError, scheduler.run_due())
    await scheduler.run_due()
    assert handled == [1, 0, 3]
    house.now += LEASE
    await scheduler.run_due()
    await scheduler.run_due()
    assert handled == [1, 0, 3, 2]


async def test_timers_are_handled_in_the_order_of_their_times(house: House) -> None:
    """Neither the kinds, nor the subjects, nor the order in which the timers were set decide."""
    order = random.Random(3).sample(range(40), 40)
    for subject, minutes in enumerate(order):
        kind = TimerKind.REMINDER if minutes % 3 else TimerKind.FLAG
        await set_timers(house, Timer(kind, subject, house.now + timedelta(minutes=minutes)))
    handled: list[int] = []

    async def handle(subject: int) -> None:
        handled.append(order[subject])

    house.now += timedelta(hours=1)
    scheduler = Scheduler(house.storage, {TimerKind.FLAG: handle, TimerKind.REMINDER: handle}, house.clock)
    while await scheduler.next_due() is not None:
        await scheduler.run_due()
    assert handled == sorted(order)


@pytest.mark.both_databases
async def test_handling_a_timer_takes_two_transactions(club: Club) -> None:
    now, following = club.env.now(), timedelta(minutes=1)
    async with Storage(club.app.database).transaction() as tx:  # unknown to the bot's scheduler
        await tx.timers.set(Timer(TimerKind.FLAG, 1, now), Timer(TimerKind.FLAG, 2, now + following))
    handled: list[int] = []

    async def handle(match_id: int) -> None:
        handled.append(match_id)

    with counting(club.app.database) as counts:
        due = await Scheduler(club.app.storage, {TimerKind.FLAG: handle}, club.env.now).run_due()
    assert (handled, due) == ([1], now + following)
    assert (counts.writes + counts.reads, len(counts.statements)) == (2, 5)


@pytest.mark.both_databases
async def test_an_answer_that_comes_late_does_not_put_off_what_is_due(house: House) -> None:
    asked, answer, handled = asyncio.Event(), asyncio.Event(), asyncio.Event()
    dues = iter([house.now + timedelta(hours=20), house.now])

    class Slow(Scheduler):
        async def next_due(self) -> datetime | None:
            due = next(dues)
            if due > house.now:
                asked.set()
                await answer.wait()
            return due

        async def run_due(self) -> None:
            handled.set()

    scheduler = Slow(house.storage, {}, house.clock)
    early = asyncio.create_task(scheduler.schedule())
    await asked.wait()
    late = asyncio.create_task(scheduler.schedule())
    answer.set()
    await late
    await early
    async with asyncio.timeout(10):
        await handled.wait()
    await asyncio.gather(*scheduler.stop())


async def test_a_timer_stored_at_the_end_of_a_run_is_handled_by_the_next_run(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.runtime.timers._SPACING", 0.0)
    handled = asyncio.Event()

    async def handle(_match_id: int) -> None:
        handled.set()

    class Overtaken(Scheduler):
        async def run_due(self) -> datetime | None:
            due = await super().run_due()
            if due is None and not handled.is_set():
                async with Storage(house.database, on_timers=self.schedule_at).transaction() as tx:
                    await tx.timers.set(Timer(TimerKind.SHOW_MATCH, 1, house.now))
                await asyncio.sleep(0.01)  # in which the scheduler wakes up
            return due

    scheduler = Overtaken(house.storage, {TimerKind.SHOW_MATCH: handle}, house.clock)
    await scheduler.schedule()
    scheduler.schedule_in(0)
    async with asyncio.timeout(10):
        await handled.wait()
    await asyncio.gather(*scheduler.stop())


def test_a_run_that_is_scheduled_twice_begins_once(house: House) -> None:
    """This holds in the loop of the bot, too, whose handles are others."""
    uvloop = pytest.importorskip("uvloop")
    handled = list[None]()

    class Counting(Scheduler):
        async def next_due(self) -> None:
            return None

        async def run_due(self) -> None:
            handled.append(None)

    async def run() -> None:
        scheduler = Counting(house.storage, {}, house.clock)
        await scheduler.schedule()
        scheduler.schedule_in(0)
        scheduler.schedule_in(0)
        await until(lambda: bool(handled))
        await asyncio.gather(*scheduler.stop())

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
    assert len(handled) == 1


async def test_a_tournament_goes_on_although_the_answer_to_its_start_failed(club: Club) -> None:
    await open_tournament(club, club.bob, club.carol)
    await club.env.advance_time(60)
    for _ in range(5):
        club.env.inject_error("PATCH", "/channels/*/messages/*", status=503)
    await club.press(club.alice, "Start")
    await club.env.advance_time(60 * 60)
    assert len(await running_matches(club.app.storage)) == 3
