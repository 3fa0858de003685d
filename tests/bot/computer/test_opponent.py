"""The computer at work without Discord, with searches that end when the test says so."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta

import pytest

import rules
from bot.computer.opponent import Opponent
from bot.computer.thinking import Thinking
from bot.domain.challenges import First
from bot.domain.computer import SearchRequest, SearchResult
from bot.domain.matches import Game, Match, Step
from bot.domain.places import Place
from bot.domain.proposals import ProposalKind
from bot.domain.timers import Timer, TimerKind
from bot.services.computer_games import ComputerGames, DueSearch, Reply
from bot.services.fair_play import FairPlay
from bot.services.timekeeping import call_computer
from bot.services.timers import Scheduler, timer_handlers
from rules.search.players import at_random
from tests.support.house import House
from tests.support.random_search import RandomSearch, until
from tests.support.services import ALICE, BOB, DALEN, play_turn
from tests.support.thorough import sample

MINUTE = timedelta(minutes=1)


async def nobody_waits() -> None:
    """People have all been answered."""


async def show_nothing(_match_id: int) -> None:
    """Without Discord, nothing is shown."""


class Study:
    """The computer, whose searches and replies the test sees."""

    def __init__(self, house: House, workers: int = 1) -> None:
        self.house = house
        self.search = RandomSearch()
        #: What the next searches fail with.
        self.failures: list[Exception] = []
        self.shown: asyncio.Queue[Reply] = asyncio.Queue()
        self.asked: asyncio.Queue[SearchRequest] = asyncio.Queue()
        self.thinking = Thinking(self.find, workers)
        self.games = ComputerGames(
            house.storage,
            house.matches,
            house.proposals,
            FairPlay(house.storage, house.matches),
            self.thinking.going_on,
            self.thinking.has_room,
            clock=lambda: house.now,
        )
        self.open()

    def open(self) -> None:
        """A process begins, which knows of nothing that is not stored."""
        self.opponent = Opponent(self.games, self.thinking, self.shown.put, nobody_waits)
        handlers = {**timer_handlers([self.opponent]), TimerKind.SHOW_MATCH: show_nothing}
        self.scheduler = Scheduler(self.house.storage, handlers, lambda: self.house.now)
        self.scheduler.stop()  # it runs only when the test says so

    async def find(self, request: SearchRequest) -> SearchResult:
        self.asked.put_nowait(request)
        if self.failures:
            raise self.failures.pop()
        return await self.search(request)

    async def start(self, room: int, ruleset: rules.Ruleset = DALEN) -> Match:
        return await self.games.start(Place(1, room), ALICE, 2, ruleset, First.OPPONENT)

    async def skip(self, match: Match, chance: random.Random, left: int) -> None:
        """Stores the turns of a random game up to the last ones, which nobody has thought about."""
        game = await self.house.matches.game(match.id)
        positions, steps = [game.position], list[Step]()
        while positions[-1].outcome is None:
            turn = at_random(positions[-1], chance.getrandbits(30))
            mover = game.player_of(positions[-1].turn_of)
            steps.append(Step(game.ply + len(positions), turn, mover.id, self.house.now))
            positions.append(positions[-1].play(turn)[0])
        async with self.house.storage.transaction() as tx:
            awaited_id = 0
            for number, step in enumerate(steps[:-left]):
                awaited_id = match.opponent_of(step.player_id).id
                assert await tx.matches.add_step(match.id, game.step + number, step, awaited_id)
            await call_computer(tx, match.id, match.guild_id, awaited_id, self.house.now)

    async def reply(self) -> Game:
        """The next turn of the computer."""
        reply = await asyncio.wait_for(self.shown.get(), 20)
        assert reply.result is not None
        return reply.result.game

    async def timers(self, after: timedelta = timedelta()) -> int:
        """The number of the computer's timers that are due by then."""
        async with self.house.storage.read() as tx:
            due = await tx.timers.due(self.house.now + after, 100)
        return sum(timer.kind is TimerKind.COMPUTER for timer in due)


@pytest.fixture
async def study(house: House) -> AsyncIterator[Study]:
    study = Study(house)
    yield study
    study.search.release()
    await asyncio.gather(*study.opponent.stop(), return_exceptions=True)


async def test_a_turn_is_due_until_it_is_stored_and_holds_up_no_other_timer(study: Study) -> None:
    study.search.hold()
    match = await study.start(1)
    await study.scheduler.run_due()  # and does not wait
    await study.asked.get()
    assert (await study.timers(), await study.timers(MINUTE)) == (0, 1), "it rings again if this comes to nothing"
    await study.scheduler.run_due()
    study.house.now += MINUTE
    await study.scheduler.run_due()
    assert study.asked.empty(), "the search is going on"
    study.search.release()
    assert (await study.reply()).ply == 1
    assert await study.timers(MINUTE) == 0
    assert (await study.house.matches.game(match.id)).to_act == ALICE


@pytest.mark.parametrize(
    "failure", [BrokenProcessPool("it breaks again and again"), TimeoutError("it hangs"), ValueError("a bug")]
)
async def test_a_turn_whose_search_fails_is_not_lost(study: Study, failure: Exception) -> None:
    study.failures = [failure]
    await study.start(1)
    await study.scheduler.run_due()
    await study.asked.get()
    await asyncio.gather(*study.opponent.stop())
    study.open()
    await study.scheduler.run_due()
    assert study.asked.empty(), "it is not tried again and again"
    study.house.now += MINUTE
    await study.scheduler.run_due()
    assert (await study.reply()).ply == 1


async def test_what_becomes_due_during_a_stop_is_left_to_the_next_process(
    study: Study,
) -> None:
    match = await study.start(1)
    stopping: set[asyncio.Task[None]] = set()

    async def show(_reply: Reply) -> None:
        stopping.update(study.opponent.stop())
        await play_turn(study.house.matches, match.id, ALICE.id, DALEN.game.sides[0])

    study.opponent = Opponent(study.games, study.thinking, show, nobody_waits)
    await Scheduler(study.house.storage, timer_handlers([study.opponent]), lambda: study.house.now).run_due()
    await until(lambda: stopping)
    await asyncio.gather(*stopping)
    assert len(study.search.asked) == 1
    study.open()
    await study.scheduler.run_due()
    assert (await study.reply()).ply == 3


async def test_after_a_stop_nothing_is_searched_that_was_just_being_loaded(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await study.start(1)
    find_due, stopping = study.games.due_search, list[set[asyncio.Task[None]]]()

    async def due_search(match_id: int) -> DueSearch | None:
        stopping.append(study.opponent.stop())
        return await find_due(match_id)

    assert await study.opponent.begin(match.id) is not None
    monkeypatch.setattr(study.games, "due_search", due_search)
    await until(lambda: stopping)
    await asyncio.gather(*stopping[0])
    assert study.search.asked == []


async def test_after_a_stop_nothing_is_begun(study: Study) -> None:
    await study.start(1)
    study.opponent.stop()
    await study.scheduler.run_due()
    assert study.opponent.stop() == set(), "there is nothing to wait for"
    assert await study.timers(MINUTE) == 1, "another process has it to do"


async def test_a_timer_of_a_match_in_which_nothing_is_due_is_gone(study: Study) -> None:
    match = await study.start(1)
    await study.scheduler.run_due()
    await study.reply()
    async with study.house.storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.COMPUTER, match.id, study.house.now))
    await study.scheduler.run_due()
    assert await study.timers(MINUTE) == 0


async def test_another_process_goes_on_where_one_has_stopped(study: Study) -> None:
    study.search.hold()
    await study.start(1)
    await study.scheduler.run_due()
    await study.asked.get()
    await asyncio.gather(*study.opponent.stop(), return_exceptions=True)
    study.search.release()
    assert study.shown.empty()
    study.open()
    study.house.now += MINUTE
    await study.scheduler.run_due()
    assert (await study.reply()).ply == 1


async def test_a_take_back_is_followed_by_a_search_once_the_old_one_is_over(study: Study) -> None:
    match = await study.start(1)
    await study.scheduler.run_due()
    game = await study.reply()
    light = DALEN.game.sides[1]
    game = await play_turn(study.house.matches, match.id, ALICE.id, light)
    game = await play_turn(study.house.matches, match.id, ALICE.id, game.position.legal_turns[0])
    study.search.hold()
    await study.scheduler.run_due()
    await study.house.proposals.propose(match.id, ALICE.id, ProposalKind.TAKE_BACK)
    game = await play_turn(study.house.matches, match.id, ALICE.id, game.position.legal_turns[-1])
    await study.scheduler.run_due()
    study.search.release()
    replied = await study.reply()
    assert replied.turns[:-1] == game.turns
    assert study.shown.empty()


async def test_what_becomes_due_while_nothing_is_found_due_does_not_wait(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await study.start(1)
    find_due = study.games.due_search

    async def due_search(match_id: int) -> DueSearch | None:
        found = await find_due(match_id)
        if found is None:
            monkeypatch.setattr(study.games, "due_search", find_due)
            await play_turn(study.house.matches, match.id, ALICE.id, DALEN.game.sides[0])
            await study.scheduler.run_due()
        return found

    monkeypatch.setattr(study.games, "due_search", due_search)
    await study.scheduler.run_due()
    assert [(await study.reply()).ply for _ in range(2)] == [1, 3]


async def test_a_turn_found_for_a_board_that_changes_meanwhile_is_not_played(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await study.start(1)
    await study.scheduler.run_due()
    await study.reply()
    matches = study.house.matches
    await play_turn(matches, match.id, ALICE.id, DALEN.game.sides[1])
    game = await play_turn(matches, match.id, ALICE.id, (await matches.game(match.id)).position.legal_turns[0])
    before = game.position.legal_turns
    load = matches.game

    async def load_just_before_a_change(match_id: int) -> Game:
        game = await load(match_id)
        if len(study.search.asked) == 2:
            monkeypatch.setattr(matches, "game", load)
            await study.house.proposals.propose(match.id, ALICE.id, ProposalKind.TAKE_BACK)
            await play_turn(matches, match.id, ALICE.id, before[-1])
        return game

    monkeypatch.setattr(matches, "game", load_just_before_a_change)
    await study.scheduler.run_due()
    replied = await study.reply()
    assert replied.turns[2] == before[-1]
    assert study.search.asked[-1].turns == replied.turns[:-1], "it was thought about"


async def test_matches_take_turns_and_workers_share_them(house: House) -> None:
    study = Study(house, workers=2)
    study.search.hold()
    matches = [await study.start(room) for room in range(4)]
    await study.scheduler.run_due()
    for _ in range(2):
        await study.asked.get()
    await until(lambda: len(study.thinking) == len(matches))
    assert study.asked.empty()
    assert sorted(study.thinking.ahead_of(ALICE.id, 2, match.id) for match in matches) == [0, 0, 1, 2]
    assert study.thinking.ahead_of(ALICE.id, 2, 99) == 3
    assert study.thinking.ahead_of(BOB.id, 2, 99) == 1, "she has enough, so he comes next"
    study.search.release()
    assert {(await study.reply()).match.id for _ in matches} == {match.id for match in matches}
    assert Counter(request.turns for request in study.search.asked) == {(): 4}


async def test_quick_searches_keep_a_pace_that_leaves_time_for_games_of_people(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study(house)
    now = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    for room in range(4):
        await study.start(room)
    await study.scheduler.run_due()
    for _ in range(3):
        await study.shown.get()
    assert (len(study.thinking), study.shown.empty()) == (1, True)
    now += 0.34
    await study.shown.get()
    assert len(study.thinking) == 0


@pytest.mark.parametrize("name", sample([*rules.GAMES], 2))
async def test_whole_games_come_to_an_end(study: Study, name: str) -> None:
    match = await study.start(1, rules.ruleset(name, min(rules.GAMES[name].sizes)))
    chance = random.Random(1)
    await study.scheduler.run_due()
    game = await study.reply()
    game = await play_turn(study.house.matches, match.id, ALICE.id, game.position.sides[0])
    await study.skip(match, chance, left=4)
    game = await study.house.matches.game(match.id)
    while game.outcome is None:
        if game.to_act == ALICE:
            turn = at_random(game.position, chance.getrandbits(30))
            game = await play_turn(study.house.matches, match.id, ALICE.id, turn)
        else:
            await study.scheduler.run_due()
            game = await study.reply()
    assert await study.timers(MINUTE) == 0
