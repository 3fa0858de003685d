"""People take turns at what takes long."""

from __future__ import annotations

import asyncio
import random

import pytest

from bot.runtime.fair_queue import FairQueue

ALICE, BOB, CAROL = 1, 2, 3


async def run(queue: FairQueue, wishes: list[int], at_once: int = 1) -> list[int]:
    """Whom the queue let in, in order, when all ask at once."""
    served, inside = [], 0

    async def ask(person: int) -> None:
        nonlocal inside
        async with queue.slot(person):
            inside += 1
            assert inside <= at_once
            served.append(person)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*map(ask, wishes))
    return served


async def test_a_single_job_waits_for_at_most_one_of_everybody_else() -> None:
    served = await run(FairQueue(), [ALICE] * 5 + [BOB] * 3 + [CAROL])
    assert served == [ALICE, BOB, CAROL, ALICE, BOB, ALICE, BOB, ALICE, ALICE]


async def test_several_are_served_at_once_and_others_know_how_many_are_ahead() -> None:
    queue, begin, ahead = FairQueue(2), asyncio.Event(), []

    async def ask(person: int) -> None:
        ahead.append(queue.ahead_of(person))
        async with queue.slot(person, 7):
            await begin.wait()

    tasks = [asyncio.create_task(ask(person)) for person in (1, 2, 3, 4)]
    for _ in range(3):
        await asyncio.sleep(0)
    assert ahead == [0, 0, 1, 2]
    assert [queue.ahead_of(person, 7) for person in (1, 2, 3, 4, 5)] == [0, 0, 1, 2, 3]
    assert queue.ahead_of(3, 8) == 3, "one of hers waits already"
    begin.set()
    await asyncio.gather(*tasks)
    assert (len(queue), queue.ahead_of(5)) == (0, 0)
    wishes = [ALICE] * 5 + [BOB] * 3 + [CAROL]
    served = await run(FairQueue(2), wishes, 2)
    assert served.index(CAROL) <= 3


async def test_who_comes_while_somebody_is_served_comes_before_their_next_one() -> None:
    queue, served = FairQueue(), []

    async def ask(person: int, during: list[asyncio.Task[None]]) -> None:
        async with queue.slot(person):
            served.append(person)
            if person == ALICE and BOB not in served and not during:
                during.append(asyncio.create_task(ask(BOB, during)))
            await asyncio.sleep(0)

    late: list[asyncio.Task[None]] = []
    await asyncio.gather(*(ask(ALICE, late) for _ in range(3)))
    await asyncio.gather(*late)
    assert served == [ALICE, BOB, ALICE, ALICE]


async def test_cheap_jobs_and_those_of_who_has_used_least_come_first() -> None:
    queue, served = FairQueue(), list[str]()

    async def ask(name: str, person: int, cost: float) -> None:
        async with queue.slot(person, cost=cost):
            served.append(name)
            await asyncio.sleep(0)

    await asyncio.gather(
        ask("Alice begins", ALICE, 6.0),
        ask("Alice, dear", ALICE, 4.0),
        ask("Bob, dear", BOB, 4.0),
        ask("Alice, cheap", ALICE, 1.0),
        ask("Bob, cheap", BOB, 2.0),
    )
    assert served == ["Alice begins", "Bob, cheap", "Bob, dear", "Alice, cheap", "Alice, dear"]


async def test_whoever_has_used_least_comes_first_again_until_others_have() -> None:
    queue, served = FairQueue(), list[int]()

    async def ask(person: int, jobs: int) -> None:
        for _ in range(jobs):
            async with queue.slot(person):
                served.append(person)
                await asyncio.sleep(0)

    await ask(ALICE, 3)
    await asyncio.gather(ask(ALICE, 2), ask(BOB, 6))
    assert served[3:] == [ALICE, BOB, BOB, BOB, BOB, ALICE, BOB, BOB]


async def test_what_was_used_counts_for_half_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, now = FairQueue(), 1000.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    async with queue.slot(ALICE, cost=5.0) as job:
        assert queue.used_by(ALICE) == 5.0
        job.cost = 8.0
    for used in (8.0, 4.0, 2.0):
        assert queue.used_by(ALICE) == pytest.approx(used)
        now += 60
    now += 3600
    assert queue.used_by(ALICE) == 0.0


@pytest.mark.parametrize("seed", range(20))
async def test_a_job_that_is_cancelled_or_fails_holds_nobody_up(seed: int) -> None:
    chance, queue = random.Random(seed), FairQueue()
    served = []

    async def ask(person: int) -> None:
        async with queue.slot(person):
            served.append(person)
            await asyncio.sleep(0)
            if chance.random() < 0.3:
                raise OSError

    tasks = [asyncio.create_task(ask(chance.choice((ALICE, BOB, CAROL)))) for _ in range(30)]
    for _ in range(40):
        await asyncio.sleep(0)
        chance.choice(tasks).cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(queue) == 0
    served.clear()
    assert await run(queue, [ALICE, BOB]) == [ALICE, BOB]
