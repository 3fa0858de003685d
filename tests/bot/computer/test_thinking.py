"""The queue before the search: in what order and how fast searches begin, and for how many games there is time."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from bot.computer.thinking import Thinking
from bot.domain.computer import SearchRequest
from rules.search import LEVELS
from tests.support.house import DALEN
from tests.support.searching import RandomSearch, until

OPENED, BEGUN = (), ("e5", "light")


class Clock:
    """The time that Thinking and the event loop see."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", clock)
    monkeypatch.setattr("bot.computer.thinking.time", SimpleNamespace(monotonic=clock))
    return clock


def request(level: int = 1, turns: tuple[str, ...] = BEGUN) -> SearchRequest:
    return SearchRequest(DALEN, turns, level, seed=1)


async def at_once(thinking: Thinking, number: int, asked: SearchRequest) -> None:
    """A search that ends before anything else happens. Raises ``TimeoutError`` if it has to wait."""
    async with asyncio.timeout(0):
        await thinking.think(number, asked)


async def test_whoever_has_waited_longest_is_answered_first() -> None:
    search, answered = RandomSearch(), list[int]()
    thinking = Thinking(search, workers=1)

    async def think(match_id: int) -> None:
        await thinking.think(match_id, request())
        answered.append(match_id)
        if answered == [3]:  # whose player answers at once
            await think(3)

    search.hold()
    tasks = [asyncio.create_task(think(match_id)) for match_id in (3, 1, 2)]
    await until(lambda: len(thinking) == 3)
    assert [thinking.ahead_of(match_id) for match_id in (3, 1, 2)] == [0, 1, 2]
    search.release()
    await asyncio.gather(*tasks)
    assert answered == [3, 1, 2, 3]


@pytest.mark.parametrize("workers", [1, 2])
async def test_each_worker_begins_three_searches_for_matches_at_once_and_then_three_a_second(
    clock: Clock, workers: int
) -> None:
    search = RandomSearch()
    thinking = Thinking(search, workers)
    tasks = [asyncio.create_task(thinking.think(match_id, request())) for match_id in range(1, 10 * workers + 1)]
    # After a pause there are no more at once than before.
    for clock.now, begun in ((0.0, 3), (0.4, 4), (0.7, 5), (1.1, 6), (3.0, 9), (3.4, 10)):
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(search.asked) == begun * workers
    await asyncio.gather(*tasks)


@pytest.mark.usefixtures("clock")
async def test_hints_and_reviews_neither_wait_for_the_pace_of_matches_nor_slow_it_down() -> None:
    thinking = Thinking(RandomSearch(), workers=1)
    for number in (-1, -2, -3, -4, 0, 0, 0, 0, 1, 2, 3):
        await at_once(thinking, number, request())
    with pytest.raises(TimeoutError):
        await at_once(thinking, 4, request())
    for number in (-1, 0):
        await at_once(thinking, number, request())


@pytest.mark.parametrize("workers", [1, 2])
async def test_no_more_quick_games_go_on_than_the_pace_has_turns_for(clock: Clock, workers: int) -> None:
    thinking = Thinking(RandomSearch(), workers)
    games = 0
    while games < 400 and thinking.has_room(LEVELS[0]):
        games += 1
        clock.now += 0.5
        await at_once(thinking, games, request())
    assert 90 * workers < games < 120 * workers, "at three turns a second, a turn in each takes some 30 seconds"


async def test_a_game_that_goes_on_keeps_no_room_for_those_that_do_not(clock: Clock) -> None:
    thinking, top = Thinking(RandomSearch(), workers=1), LEVELS[-1]
    for match_id in range(1, 5):
        clock.now += 1
        await at_once(thinking, match_id, request(top, OPENED))
    assert not thinking.has_room(top)
    clock.now = 200
    await at_once(thinking, 1, request(top, OPENED))
    assert not thinking.has_room(top)
    clock.now = 320
    assert thinking.has_room(top)


async def test_a_game_counts_for_what_its_last_turn_took_while_the_next_one_is_searched(clock: Clock) -> None:
    search, top = RandomSearch(), LEVELS[-1]
    thinking = Thinking(search, workers=1)
    for match_id in range(1, 5):
        clock.now += 1
        await at_once(thinking, match_id, request(top))
    search.hold()
    tasks = [asyncio.create_task(thinking.think(match_id, request(top))) for match_id in range(1, 5)]
    await until(lambda: len(thinking) == 4)
    assert thinking.has_room(top)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
