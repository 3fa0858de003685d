"""The queue before the search: in what order and how fast searches begin, and whose games there is time for."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from bot.computer.thinking import Thinking
from bot.domain.computer import SearchRequest
from rules.search import LEVELS
from tests.support.random_search import RandomSearch, until
from tests.support.services import DALEN, refused

OPENED, BEGUN = (), ("e5", "light")
ALICE, BOB, CAROL = 1, 2, 3


class Clock:
    """The time that Thinking and the event loop see."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def searching(self, search: RandomSearch, seconds: float) -> None:
        """Have each search take so long, of a core and by this clock, and the quickest long enough for the pace."""

        async def pause(_request: SearchRequest) -> None:
            self.now += max(seconds, 0.5)

        search.seconds, search.pause = seconds, pause


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", clock)
    monkeypatch.setattr("bot.computer.thinking.time", SimpleNamespace(monotonic=clock))
    return clock


def request(level: int = 1, turns: tuple[str, ...] = BEGUN) -> SearchRequest:
    return SearchRequest(DALEN, turns, level, seed=1)


async def at_once(thinking: Thinking, person: int, asked: SearchRequest, match_id: int | None = None) -> None:
    """A search that ends before anything else happens. Raises ``TimeoutError`` if it has to wait."""
    async with asyncio.timeout(0):
        await thinking.think(person, asked, match_id)


def levels_with_room(thinking: Thinking, person: int) -> list[int]:
    return [level for level in LEVELS if thinking.has_room(person, level)]


class Queue:
    """Searches that wait, and the order in which they are answered."""

    def __init__(self, thinking: Thinking, search: RandomSearch) -> None:
        self.thinking = thinking
        self.search = search
        self.answered: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, name: str, person: int, asked: SearchRequest, match_id: int | None = None) -> None:
        """Ask for a search that waits."""

        async def think() -> None:
            await self.thinking.think(person, asked, match_id)
            self.answered.append(name)

        self.search.hold()
        self.tasks.append(asyncio.create_task(think()))
        await until(lambda: len(self.thinking) == len(self.tasks))

    async def answer(self) -> list[str]:
        """Whose searches are answered, in this order."""
        self.search.release()
        await asyncio.gather(*self.tasks)
        return self.answered


async def test_matches_of_one_person_are_answered_in_turn() -> None:
    search, answered = RandomSearch(), list[int]()
    thinking = Thinking(search, workers=1)

    async def think(match_id: int) -> None:
        await thinking.think(ALICE, request(), match_id)
        answered.append(match_id)
        if answered == [3]:  # where she answers at once
            await think(3)

    search.hold()
    tasks = [asyncio.create_task(think(match_id)) for match_id in (3, 1, 2)]
    await until(lambda: len(thinking) == 3)
    assert [thinking.ahead_of(ALICE, 1, match_id) for match_id in (3, 1, 2)] == [0, 1, 2]
    search.release()
    await asyncio.gather(*tasks)
    assert answered == [3, 1, 2, 3]


async def test_who_has_used_little_comes_before_most_matches_of_a_heavy_user(clock: Clock) -> None:
    search, top = RandomSearch(), LEVELS[-1]
    thinking = Thinking(search, workers=1)
    clock.searching(search, 20.0)
    await at_once(thinking, ALICE, request(top), 1)
    queue = Queue(thinking, search)
    for match_id in (1, 2, 3, 4):
        await queue.ask(f"Alice {match_id}", ALICE, request(top), match_id)
    await queue.ask("Bob", BOB, request(top), 5)
    assert thinking.ahead_of(CAROL, top) == 2, "what is searched, and Bob's"
    assert thinking.ahead_of(ALICE, top, 4) == 4
    await queue.ask("Carol", CAROL, request(1), 6)
    assert await queue.answer() == ["Alice 1", "Carol", "Bob", "Alice 2", "Alice 3", "Alice 4"]


async def test_what_a_hint_or_a_review_took_counts_for_whoever_asked(clock: Clock) -> None:
    search = RandomSearch()
    thinking = Thinking(search, workers=1)
    clock.searching(search, 6.0)
    await at_once(thinking, ALICE, request(4))
    queue = Queue(thinking, search)
    await queue.ask("Carol", CAROL, request(), 3)
    await queue.ask("Alice", ALICE, request(), 1)
    await queue.ask("Bob", BOB, request(), 2)
    assert await queue.answer() == ["Carol", "Bob", "Alice"]


@pytest.mark.usefixtures("clock")
async def test_of_several_searches_in_a_row_those_that_are_few_come_first() -> None:
    search = RandomSearch()
    thinking, answered = Thinking(search, workers=1), list[int]()

    async def review(person: int, positions: int) -> None:
        for left in range(positions, 0, -1):
            await thinking.think(person, request(3), searches=left)
            answered.append(person)

    search.hold()
    tasks = [asyncio.create_task(review(person, many)) for person, many in ((ALICE, 6), (BOB, 5), (CAROL, 2))]
    await until(lambda: len(thinking) == 3)
    search.release()
    await asyncio.gather(*tasks)
    assert answered[:3] == [ALICE, CAROL, CAROL]


async def test_many_searches_in_a_row_do_not_wait_for_those_who_have_used_more(clock: Clock) -> None:
    search, top = RandomSearch(), LEVELS[-1]
    thinking = Thinking(search, workers=1)
    clock.searching(search, 8.0)
    for person in range(10, 20):
        await at_once(thinking, person, request(top), person)
    queue = Queue(thinking, search)
    for person in range(10, 20):
        await queue.ask(str(person), person, request(top), person)
    review = asyncio.create_task(thinking.think(ALICE, request(3), searches=250))
    review.add_done_callback(lambda _: queue.answered.append("Alice"))
    await until(lambda: len(thinking) == 11)
    answered = await queue.answer()
    assert answered.index("Alice") == 1, "after the search that runs already"


async def test_what_was_used_long_ago_does_not_count(clock: Clock) -> None:
    search = RandomSearch()
    thinking = Thinking(search, workers=1)
    clock.searching(search, 20.0)
    await at_once(thinking, ALICE, request(5), 1)
    assert thinking.used_by(ALICE) == 20.0
    clock.now += 3600
    assert thinking.used_by(ALICE) == 0.0


async def test_seconds_of_a_core_count_and_not_those_of_a_busy_machine(clock: Clock) -> None:
    search = RandomSearch()
    search.seconds = 0.5

    async def pause(_request: SearchRequest) -> None:
        clock.now += 30

    search.pause = pause
    thinking = Thinking(search, workers=1)
    for match_id in (1, 2, 3, 4):
        await thinking.think(ALICE, request(5), match_id)
    assert thinking.used_by(ALICE) < 2
    assert levels_with_room(thinking, ALICE) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_worker_begins_three_match_searches_at_once_then_three_a_second(clock: Clock, workers: int) -> None:
    search = RandomSearch()
    thinking = Thinking(search, workers)
    tasks = [asyncio.create_task(thinking.think(match_id % 7, request(), match_id)) for match_id in range(10 * workers)]
    # After a pause there are no more at once than before.
    for clock.now, begun in ((0.0, 3), (0.4, 4), (0.7, 5), (1.1, 6), (3.0, 9), (3.4, 10)):
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(search.asked) == begun * workers
    await asyncio.gather(*tasks)


@pytest.mark.usefixtures("clock")
async def test_hints_and_reviews_neither_keep_to_the_pace_of_matches_nor_slow_it() -> None:
    thinking = Thinking(RandomSearch(), workers=1)
    for match_id in (None, None, None, None, 1, 2, 3):
        await at_once(thinking, ALICE, request(), match_id)
    await refused(TimeoutError, at_once(thinking, BOB, request(), 4))
    await at_once(thinking, BOB, request())


async def test_whoever_keeps_the_computer_busy_is_refused_and_nobody_else(clock: Clock) -> None:
    search = RandomSearch()
    thinking = Thinking(search, workers=1)
    clock.searching(search, 20.0)
    for match_id in (1, 2, 3, 4):
        await thinking.think(ALICE, request(5), match_id)
    assert levels_with_room(thinking, ALICE) == [1]
    assert levels_with_room(thinking, BOB) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("workers", [1, 2])
async def test_when_many_keep_it_busy_weaker_levels_have_room_for_more(clock: Clock, workers: int) -> None:
    search = RandomSearch()
    thinking = Thinking(search, workers)
    begun = []
    for person in range(300):
        level = max(levels_with_room(thinking, person))
        begun.append(level)
        clock.searching(search, 8 / 4 ** (5 - level))
        await thinking.think(person, request(level), person)
    assert begun == sorted(begun, reverse=True)
    counts = [begun.count(level) for level in LEVELS]
    assert all(counts), "the weakest is never refused"
    assert sum(counts[1:]) < 120 * workers, "at three turns a second, a turn in each takes some 30 seconds"


async def test_games_that_have_only_been_opened_count_for_what_their_level_takes(clock: Clock) -> None:
    search = RandomSearch()
    thinking = Thinking(search, workers=1)
    clock.searching(search, 0.0)
    for match_id in range(1, 4):
        await thinking.think(ALICE, request(5, OPENED), match_id)
    assert levels_with_room(thinking, ALICE) == [1, 2, 3, 4, 5]
    await thinking.think(ALICE, request(5, OPENED), 4)
    assert levels_with_room(thinking, ALICE) == [1, 2, 3, 4]
    assert set(thinking.going_on()) == {1, 2, 3, 4}
    assert thinking.has_room(ALICE, 5, over={4}), "a game that is over takes no more time"


async def test_a_game_that_goes_on_keeps_no_room_for_those_that_do_not(clock: Clock) -> None:
    thinking, top = Thinking(RandomSearch(), workers=1), LEVELS[-1]
    for match_id in range(1, 5):
        clock.now += 1
        await at_once(thinking, ALICE, request(top, OPENED), match_id)
    assert not thinking.has_room(ALICE, top)
    clock.now = 200
    await at_once(thinking, ALICE, request(top, OPENED), 1)
    assert not thinking.has_room(ALICE, top)
    clock.now = 320
    assert thinking.has_room(ALICE, top)


async def test_a_game_counts_for_its_last_turns_cost_while_the_next_is_searched(clock: Clock) -> None:
    search, top = RandomSearch(), LEVELS[-1]
    thinking = Thinking(search, workers=1)
    clock.searching(search, 0.0)
    for match_id in range(1, 5):
        await at_once(thinking, ALICE, request(top), match_id)
    queue = Queue(thinking, search)
    for match_id in range(1, 5):
        await queue.ask("", ALICE, request(top), match_id)
    assert thinking.has_room(ALICE, top)
    await queue.answer()
