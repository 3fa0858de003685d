"""The queue before the search: in what order and how fast searches begin, and whose games there is time for."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from bot.computer.thinking import Thinking
from bot.domain.computer import SearchRequest
from rules.search import LEVELS
from tests.support.services.matches import DALEN, refused
from tests.support.services.random_search import RandomSearch
from tests.support.waiting import until

OPENED, BEGUN = (), ("e5", "light")
ALICE, BOB, CAROL = 1, 2, 3
TOP = LEVELS[-1]


def request(level: int = 1, turns: tuple[str, ...] = BEGUN) -> SearchRequest:
    return SearchRequest(DALEN, turns, level, seed=1)


class Computer:
    """The computer's queue, with searches and a clock that the test sets."""

    def __init__(self, workers: int) -> None:
        self.now = 0.0
        self.search = RandomSearch()
        self.thinking = Thinking(self.search, workers)
        #: The searches that wait, and the names of the answered ones.
        self.tasks: list[asyncio.Task[None]] = []
        self.answered: list[str] = []

    def let_searches_take(self, seconds: float, *, of_a_core: float | None = None) -> None:
        """Set the time of each search, by the clock (at least long enough for the pace) and of a core."""

        async def pause(_request: SearchRequest) -> None:
            self.now += max(seconds, 0.5)

        self.search.seconds, self.search.pause = seconds if of_a_core is None else of_a_core, pause

    async def think(
        self, person: int, level: int = 1, match_id: int | None = None, turns: tuple[str, ...] = BEGUN
    ) -> None:
        """Answer a search before anything else happens. Raises ``TimeoutError`` if it has to wait."""
        async with asyncio.timeout(0):
            await self.thinking.think(person, request(level, turns), match_id)

    async def ask(self, name: str, person: int, level: int = 1, match_id: int | None = None, searches: int = 1) -> None:
        """Ask for a search that waits."""

        async def think() -> None:
            await self.thinking.think(person, request(level), match_id, searches=searches)
            self.answered.append(name)

        self.search.hold()
        self.tasks.append(asyncio.create_task(think()))
        await until(lambda: len(self.thinking) == len(self.tasks))

    async def answers(self) -> list[str]:
        """The names of the searches, in the order in which they are answered."""
        self.search.release()
        await asyncio.gather(*self.tasks)
        return self.answered

    def levels(self, person: int) -> list[int]:
        """The levels at which a person may start a game."""
        return [level for level in LEVELS if self.thinking.has_room(person, level)]


@pytest.fixture
def workers() -> int:
    return 1


@pytest.fixture
async def computer(monkeypatch: pytest.MonkeyPatch, workers: int) -> Computer:
    computer = Computer(workers)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: computer.now)
    monkeypatch.setattr("bot.computer.thinking.time", SimpleNamespace(monotonic=lambda: computer.now))
    return computer


# The order


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


async def test_people_who_have_used_little_come_before_most_matches_of_a_heavy_user(computer: Computer) -> None:
    computer.let_searches_take(20.0)
    await computer.think(ALICE, TOP, 1)
    for match_id in (1, 2, 3, 4):
        await computer.ask(f"Alice {match_id}", ALICE, TOP, match_id)
    await computer.ask("Bob", BOB, TOP, 5)
    assert computer.thinking.ahead_of(CAROL, TOP) == 2, "the search that runs, and Bob's"
    assert computer.thinking.ahead_of(ALICE, TOP, 4) == 4
    await computer.ask("Carol", CAROL, 1, 6)
    assert await computer.answers() == ["Alice 1", "Carol", "Bob", "Alice 2", "Alice 3", "Alice 4"]


async def test_the_time_of_a_hint_or_a_review_counts_for_the_person_who_asked(computer: Computer) -> None:
    computer.let_searches_take(6.0)
    await computer.think(ALICE, 4)
    for name, person, match_id in (("Carol", CAROL, 3), ("Alice", ALICE, 1), ("Bob", BOB, 2)):
        await computer.ask(name, person, match_id=match_id)
    assert await computer.answers() == ["Carol", "Bob", "Alice"]


async def test_the_shortest_row_of_searches_comes_first(computer: Computer) -> None:
    answered = list[int]()

    async def review(person: int, positions: int) -> None:
        for left in range(positions, 0, -1):
            await computer.thinking.think(person, request(3), searches=left)
            answered.append(person)

    computer.search.hold()
    tasks = [asyncio.create_task(review(person, many)) for person, many in ((ALICE, 6), (BOB, 5), (CAROL, 2))]
    await until(lambda: len(computer.thinking) == 3)
    computer.search.release()
    await asyncio.gather(*tasks)
    assert answered[:3] == [ALICE, CAROL, CAROL]


async def test_many_searches_in_a_row_do_not_wait_for_people_who_have_used_more(computer: Computer) -> None:
    computer.let_searches_take(8.0)
    for person in range(10, 20):
        await computer.think(person, TOP, person)
    for person in range(10, 20):
        await computer.ask(str(person), person, TOP, person)
    await computer.ask("Alice", ALICE, 3, searches=250)
    assert (await computer.answers()).index("Alice") == 1, "after the search that runs already"


async def test_use_long_ago_does_not_count(computer: Computer) -> None:
    computer.let_searches_take(20.0)
    await computer.think(ALICE, 5, 1)
    assert computer.thinking.used_by(ALICE) == 20.0
    computer.now += 3600
    assert computer.thinking.used_by(ALICE) == 0.0


async def test_the_time_of_a_core_counts_and_not_the_wait_on_a_busy_machine(computer: Computer) -> None:
    computer.let_searches_take(30, of_a_core=0.5)
    for match_id in (1, 2, 3, 4):
        await computer.think(ALICE, 5, match_id)
    assert computer.thinking.used_by(ALICE) < 2
    assert computer.levels(ALICE) == [1, 2, 3, 4, 5]


# The pace


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_worker_begins_three_match_searches_at_once_then_three_a_second(
    computer: Computer, workers: int
) -> None:
    thinking = computer.thinking
    tasks = [asyncio.create_task(thinking.think(match_id % 7, request(), match_id)) for match_id in range(10 * workers)]
    # After a pause there are no more at once than before.
    for computer.now, begun in ((0.0, 3), (0.4, 4), (0.7, 5), (1.1, 6), (3.0, 9), (3.4, 10)):
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(computer.search.asked) == begun * workers
    await asyncio.gather(*tasks)


async def test_hints_and_reviews_neither_keep_to_the_pace_of_matches_nor_slow_it(computer: Computer) -> None:
    for match_id in (None, None, None, None, 1, 2, 3):
        await computer.think(ALICE, match_id=match_id)
    await refused(TimeoutError, computer.think(BOB, match_id=4))
    await computer.think(BOB)


# Room for more games


async def test_only_a_person_who_keeps_the_computer_busy_is_refused(computer: Computer) -> None:
    computer.let_searches_take(20.0)
    for match_id in (1, 2, 3, 4):
        await computer.think(ALICE, 5, match_id)
    assert computer.levels(ALICE) == [1]
    assert computer.levels(BOB) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("workers", [1, 2])
async def test_when_many_keep_it_busy_weaker_levels_have_room_for_more(computer: Computer, workers: int) -> None:
    begun = []
    for person in range(300):
        level = max(computer.levels(person))
        begun.append(level)
        computer.let_searches_take(8 / 4 ** (5 - level))
        await computer.think(person, level, person)
    assert begun == sorted(begun, reverse=True)
    counts = [begun.count(level) for level in LEVELS]
    assert all(counts), "the weakest is never refused"
    assert sum(counts[1:]) < 120 * workers, "at three turns a second, a turn in each takes some 30 seconds"


async def test_games_that_have_only_been_opened_count_for_what_their_level_takes(computer: Computer) -> None:
    computer.let_searches_take(0.0)
    for match_id in range(1, 4):
        await computer.think(ALICE, 5, match_id, OPENED)
    assert computer.levels(ALICE) == [1, 2, 3, 4, 5]
    await computer.think(ALICE, 5, 4, OPENED)
    assert computer.levels(ALICE) == [1, 2, 3, 4]
    assert set(computer.thinking.going_on()) == {1, 2, 3, 4}
    assert computer.thinking.has_room(ALICE, 5, over={4}), "a game that is over takes no more time"


async def test_a_game_that_goes_on_keeps_no_room_for_idle_ones(computer: Computer) -> None:
    for match_id in range(1, 5):
        computer.now += 1
        await computer.think(ALICE, TOP, match_id, OPENED)
    assert TOP not in computer.levels(ALICE)
    computer.now = 200
    await computer.think(ALICE, TOP, 1, OPENED)
    assert TOP not in computer.levels(ALICE)
    computer.now = 320
    assert TOP in computer.levels(ALICE)


async def test_a_game_counts_for_its_last_turns_cost_while_the_next_is_searched(computer: Computer) -> None:
    computer.let_searches_take(0.0)
    for match_id in range(1, 5):
        await computer.think(ALICE, TOP, match_id)
    for match_id in range(1, 5):
        await computer.ask("", ALICE, TOP, match_id)
    assert TOP in computer.levels(ALICE)
    await computer.answers()
