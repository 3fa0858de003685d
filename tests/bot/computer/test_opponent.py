"""The computer at work without Discord, with searches that end when the test says so."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta

import pytest

import rules
from bot.computer.opponent import Opponent
from bot.config import Config
from bot.domain.challenges import First
from bot.domain.matches import Game, Match, ProposalKind, Step
from bot.domain.timers import Timer, TimerKind
from bot.runtime.timers import Scheduler, timer_handlers
from bot.services.computer_games import DueSearch
from bot.services.matches import PlayResult
from bot.services.scheduling import call_computer
from rules.search.players import at_random
from tests.support.services.house import House, opened
from tests.support.services.matches import ALICE, BOB, DALEN, Clock
from tests.support.thorough import sample
from tests.support.waiting import until

MINUTE = timedelta(minutes=1)
DARK, LIGHT = DALEN.game.sides


async def nobody_waits() -> None:
    """People have all been answered."""


async def show_nothing(_match_id: int) -> None:
    """Without Discord, nothing is shown."""


class Study(House):
    """A house where the computer plays, and the test sees its searches and replies."""

    def __init__(self, config: Config, clock: Clock) -> None:
        super().__init__(config, clock)
        self.shown: asyncio.Queue[PlayResult] = asyncio.Queue()
        self.begin()

    def begin(self, show: Callable[[PlayResult], Awaitable[None]] | None = None) -> None:
        """A process begins, which knows only what is stored."""
        self.opponent = Opponent(self.computer_games, self.thinking, show or self.shown.put, nobody_waits)
        handlers = {**timer_handlers([self.opponent]), TimerKind.SHOW_MATCH: show_nothing}
        self.scheduler = Scheduler(self.storage, handlers, self.clock)
        self.scheduler.stop()  # it runs only when the test says so

    async def stop(self) -> None:
        await asyncio.gather(*self.opponent.stop(), return_exceptions=True)

    async def meet(self, ruleset: rules.Ruleset = DALEN) -> Match:
        """Start a match in which the computer opens."""
        return await self.computer_games.start(self.room(), ALICE, 2, ruleset, First.OPPONENT)

    async def search_begins(self, count: int = 1) -> None:
        """Wait until so many searches have begun."""
        await until(lambda: len(self.search.asked) >= count)

    async def skip(self, match: Match, chance: random.Random, left: int) -> None:
        """Store a random game up to its last turns."""
        game = await self.game(match)
        positions, steps = [game.position], list[Step]()
        while positions[-1].outcome is None:
            turn = at_random(positions[-1], chance.getrandbits(30))
            mover = game.player_of(positions[-1].turn_of)
            steps.append(Step(game.ply + len(positions), turn, mover.id, self.now))
            positions.append(positions[-1].play(turn)[0])
        async with self.storage.transaction() as tx:
            awaited_id = 0
            for number, step in enumerate(steps[:-left]):
                awaited_id = match.opponent_of(step.player_id).id
                assert await tx.matches.add_step(match.id, game.step + number, step, awaited_id)
            await call_computer(tx, match.id, match.guild_id, awaited_id, self.now)

    async def reply(self) -> Game:
        """The next turn of the computer."""
        return (await asyncio.wait_for(self.shown.get(), 20)).game

    async def next_reply(self) -> Game:
        """The computer's answer to what is due now."""
        await self.scheduler.run_due()
        return await self.reply()

    async def timers(self, after: timedelta = timedelta()) -> int:
        """The number of the computer's timers that are due by then."""
        async with self.storage.read() as tx:
            due = await tx.timers.due(self.now + after, 100)
        return sum(timer.kind is TimerKind.COMPUTER for timer in due)


@pytest.fixture
def workers() -> int:
    return 1


@pytest.fixture
async def study(config: Config, clock: Clock, workers: int) -> AsyncIterator[Study]:
    async with opened(Study(config.model_copy(update={"computer_workers": workers}), clock)) as study:
        yield study
        study.search.release()
        await study.stop()


async def test_a_turn_is_due_until_it_is_stored_and_holds_up_no_other_timer(study: Study) -> None:
    study.search.hold()
    match = await study.meet()
    await study.scheduler.run_due()  # and does not wait
    await study.search_begins()
    assert (await study.timers(), await study.timers(MINUTE)) == (0, 1), "in case this comes to nothing"
    await study.scheduler.run_due()
    study.now += MINUTE
    await study.scheduler.run_due()
    assert len(study.search.asked) == 1, "the search is going on"
    study.search.release()
    assert (await study.reply()).ply == 1
    assert await study.timers(MINUTE) == 0
    assert (await study.game(match)).to_act == ALICE


@pytest.mark.parametrize(
    "failure", [BrokenProcessPool("it breaks again and again"), TimeoutError("it hangs"), ValueError("a bug"), None]
)
async def test_the_next_process_repeats_a_search_that_failed_or_was_stopped(
    study: Study, failure: Exception | None
) -> None:
    if failure is None:
        study.search.hold()
    else:
        study.search.failures = [failure]
    await study.meet()
    await study.scheduler.run_due()
    await study.search_begins()
    await study.stop()
    study.search.release()
    assert study.shown.empty()
    study.begin()
    await study.scheduler.run_due()
    assert len(study.search.asked) == 1, "it is not tried again and again"
    study.now += MINUTE
    assert (await study.next_reply()).ply == 1


async def test_a_turn_that_becomes_due_during_a_stop_is_left_to_the_next_process(study: Study) -> None:
    match = await study.meet()
    stopping: set[asyncio.Task[None]] = set()

    async def show(_reply: PlayResult) -> None:
        stopping.update(study.opponent.stop())
        await study.play(match, ALICE, DARK)

    study.begin(show)
    await study.scheduler.run_due()
    await until(lambda: stopping)
    await asyncio.gather(*stopping)
    assert len(study.search.asked) == 1
    study.begin()
    assert (await study.next_reply()).ply == 3


async def test_after_a_stop_no_search_begins_that_was_just_being_loaded(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await study.meet()
    find_due, stopping = study.computer_games.due_search, list[set[asyncio.Task[None]]]()

    async def due_search(match_id: int) -> DueSearch | None:
        stopping.append(study.opponent.stop())
        return await find_due(match_id)

    assert await study.opponent.begin(match.id) is not None
    monkeypatch.setattr(study.computer_games, "due_search", due_search)
    await until(lambda: stopping)
    await asyncio.gather(*stopping[0])
    assert study.search.asked == []


async def test_after_a_stop_nothing_is_begun(study: Study) -> None:
    await study.meet()
    study.opponent.stop()
    await study.scheduler.run_due()
    assert study.opponent.stop() == set(), "there is nothing to wait for"
    assert await study.timers(MINUTE) == 1, "another process has it to do"


async def test_a_timer_of_a_match_in_which_nothing_is_due_is_gone(study: Study) -> None:
    match = await study.meet()
    await study.next_reply()
    async with study.storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.COMPUTER, match.id, study.now))
    await study.scheduler.run_due()
    assert await study.timers(MINUTE) == 0


# Changes while it thinks


async def test_a_take_back_is_followed_by_a_search_once_the_old_one_is_over(study: Study) -> None:
    match = await study.meet()
    await study.next_reply()
    game = await study.play(match, ALICE, LIGHT)
    turns = game.position.legal_turns
    await study.play(match, ALICE, turns[0])
    study.search.hold()
    await study.scheduler.run_due()
    await study.propose(match, ALICE, ProposalKind.TAKE_BACK)
    game = await study.play(match, ALICE, turns[-1])
    await study.scheduler.run_due()
    study.search.release()
    replied = await study.reply()
    assert replied.turns[:-1] == game.turns
    assert study.shown.empty()


async def test_a_turn_that_becomes_due_while_nothing_is_found_due_does_not_wait(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await study.meet()
    find_due = study.computer_games.due_search

    async def due_search(match_id: int) -> DueSearch | None:
        found = await find_due(match_id)
        if found is None:
            monkeypatch.setattr(study.computer_games, "due_search", find_due)
            await study.play(match, ALICE, DARK)
            await study.scheduler.run_due()
        return found

    monkeypatch.setattr(study.computer_games, "due_search", due_search)
    await study.scheduler.run_due()
    assert [(await study.reply()).ply for _ in range(2)] == [1, 3]


async def test_a_turn_found_for_a_board_that_changes_meanwhile_is_not_played(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await study.meet()
    await study.next_reply()
    game = await study.play(match, ALICE, LIGHT)
    turns = game.position.legal_turns
    await study.play(match, ALICE, turns[0])
    load = study.matches.game

    async def load_just_before_a_change(match_id: int) -> Game:
        game = await load(match_id)
        if len(study.search.asked) == 2:
            monkeypatch.setattr(study.matches, "game", load)
            await study.propose(match, ALICE, ProposalKind.TAKE_BACK)
            await study.play(match, ALICE, turns[-1])
        return game

    monkeypatch.setattr(study.matches, "game", load_just_before_a_change)
    replied = await study.next_reply()
    assert replied.turns[2] == turns[-1]
    assert study.search.asked[-1].turns == replied.turns[:-1], "it was thought about"


# Several matches, and whole games


@pytest.mark.parametrize("workers", [2])
async def test_matches_take_turns_and_workers_share_them(study: Study) -> None:
    study.search.hold()
    matches = [await study.meet() for _ in range(4)]
    await study.scheduler.run_due()
    await study.search_begins(2)
    await until(lambda: len(study.thinking) == len(matches))
    assert len(study.search.asked) == 2
    assert sorted(study.thinking.ahead_of(ALICE.id, 2, match.id) for match in matches) == [0, 0, 1, 2]
    assert study.thinking.ahead_of(ALICE.id, 2, 99) == 3
    assert study.thinking.ahead_of(BOB.id, 2, 99) == 1, "she has enough, so he comes next"
    study.search.release()
    assert {(await study.reply()).match.id for _ in matches} == {match.id for match in matches}
    assert Counter(request.turns for request in study.search.asked) == {(): 4}


@pytest.mark.parametrize("name", sample([*rules.GAMES], 2))
async def test_whole_games_come_to_an_end(study: Study, name: str) -> None:
    match = await study.meet(rules.ruleset(name, min(rules.GAMES[name].sizes)))
    chance = random.Random(1)
    game = await study.next_reply()
    await study.play(match, ALICE, game.position.sides[0])
    await study.skip(match, chance, left=4)
    game = await study.game(match)
    while game.outcome is None:
        if game.to_act == ALICE:
            game = await study.play(match, ALICE, at_random(game.position, chance.getrandbits(30)))
        else:
            game = await study.next_reply()
    assert await study.timers(MINUTE) == 0
