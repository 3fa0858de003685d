"""The queue in which people take turns."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.runtime.fair_queue import FairQueue

ALICE, BOB, CAROL = 1, 2, 3


@dataclass
class Line:
    """A queue, and the jobs that it has let in, in order."""

    queue: FairQueue = field(default_factory=FairQueue)
    served: list[Any] = field(default_factory=list)

    async def ask(self, person: int, name: str | None = None, cost: float = 1.0) -> None:
        async with self.queue.slot(person, cost=cost):
            self.served.append(name or person)
            await asyncio.sleep(0)

    async def ask_at_once(self, *people: int) -> list[int]:
        self.served.clear()
        await asyncio.gather(*map(self.ask, people))
        return self.served


MANY = (*[ALICE] * 5, *[BOB] * 3, CAROL)


async def test_a_job_waits_for_at_most_one_job_of_each_other_person() -> None:
    assert await Line().ask_at_once(*MANY) == [ALICE, BOB, CAROL, ALICE, BOB, ALICE, BOB, ALICE, ALICE]


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
    assert (await Line(queue).ask_at_once(*MANY)).index(CAROL) <= 3


@pytest.mark.parametrize("at_once", [1, 2])
async def test_no_more_are_served_at_once_than_agreed(at_once: int) -> None:
    queue, inside, most = FairQueue(at_once), 0, 0

    async def ask(person: int) -> None:
        nonlocal inside, most
        async with queue.slot(person):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*map(ask, MANY))
    assert most == at_once


async def test_a_person_who_comes_while_another_is_served_comes_before_their_next_job() -> None:
    line, late = Line(), list[asyncio.Task[None]]()

    async def ask_and_call_bob() -> None:
        async with line.queue.slot(ALICE):
            line.served.append(ALICE)
            if not late:
                late.append(asyncio.create_task(line.ask(BOB)))
            await asyncio.sleep(0)

    await asyncio.gather(*(ask_and_call_bob() for _ in range(3)))
    await asyncio.gather(*late)
    assert line.served == [ALICE, BOB, ALICE, ALICE]


async def test_cheap_jobs_and_people_who_have_used_least_come_first() -> None:
    line = Line()
    await asyncio.gather(
        line.ask(ALICE, "Alice begins", 6.0),
        line.ask(ALICE, "Alice, dear", 4.0),
        line.ask(BOB, "Bob, dear", 4.0),
        line.ask(ALICE, "Alice, cheap", 1.0),
        line.ask(BOB, "Bob, cheap", 2.0),
    )
    assert line.served == ["Alice begins", "Bob, cheap", "Bob, dear", "Alice, cheap", "Alice, dear"]


async def test_a_person_who_has_used_least_comes_first_again_until_others_have() -> None:
    line = Line()

    async def ask(person: int, jobs: int) -> None:
        for _ in range(jobs):
            await line.ask(person)

    await ask(ALICE, 3)
    await asyncio.gather(ask(ALICE, 2), ask(BOB, 6))
    assert line.served[3:] == [ALICE, BOB, BOB, BOB, BOB, ALICE, BOB, BOB]


async def test_use_counts_for_half_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
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
    chance, line = random.Random(seed), Line()

    async def ask(person: int) -> None:
        async with line.queue.slot(person):
            await asyncio.sleep(0)
            if chance.random() < 0.3:
                raise OSError

    tasks = [asyncio.create_task(ask(chance.choice((ALICE, BOB, CAROL)))) for _ in range(30)]
    for _ in range(40):
        await asyncio.sleep(0)
        chance.choice(tasks).cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(line.queue) == 0
    assert await line.ask_at_once(ALICE, BOB) == [ALICE, BOB]
