"""What is stored of puzzles, on each kind of database."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.players import Names, Player
from bot.domain.shards import Shards
from bot.domain.study.puzzles import (
    START,
    DailyPuzzle,
    NoPuzzleError,
    PuzzleCount,
    PuzzleProgress,
    UnknownPuzzleError,
    next_daily,
)
from bot.domain.timers import Timer, TimerKind
from bot.services.matches import Matches
from bot.services.people.settings import Settings
from bot.services.study.puzzles import Puzzles
from bot.storage import Database, Storage
from rules.puzzles import Puzzle
from tests.support.known_puzzles import ALL, ONE_TURN, RUN, TWO_TURNS
from tests.support.services import ALICE, BOB, CAROL, Clock, outcomes, privacy_service

pytestmark = pytest.mark.usefixtures("hand_made_puzzles")
#: A server on which the puzzle of the day is posted, in another shard than what has no server, and a channel of it.
SERVER, CHANNEL = (1 << 60) + (1 << 22), 20


@pytest.fixture
def puzzles(storage: Storage, clock: Clock) -> Puzzles:
    return Puzzles(storage, clock=clock, chance=random.Random(1))


def met(player: Player) -> Player:
    """A player who uses the bot on the server."""
    return replace(player, names=Names(player.name, "", SERVER, None))


async def shown(puzzles: Puzzles, player: Player, game: str | None = None) -> Puzzle:
    """The next puzzle, which the player then sees."""
    puzzle = await puzzles.next(player.id, game)
    await puzzles.see(player, puzzle)
    return puzzle


async def timers(storage: Storage, clock: Clock) -> dict[TimerKind, Timer]:
    async with storage.read() as tx:
        return {timer.kind: timer for timer in await tx.timers.due(clock.now + timedelta(days=9), 10)}


async def test_all_puzzles_come_once_and_then_those_seen_longest_ago(puzzles: Puzzles, clock: Clock) -> None:
    found = []
    for _ in range(6):
        clock.now += timedelta(minutes=1)
        found.append(await shown(puzzles, ALICE))
    assert set(found[:3]) == set(ALL)
    assert found[:3] == found[3:]
    assert found[2] is RUN, "the hardest one last"
    assert await puzzles.next(ALICE.id, "hedu") is TWO_TURNS


async def test_puzzles_of_games_that_a_player_knows_come_first(puzzles: Puzzles, storage: Storage) -> None:
    await Settings(storage, themes=(), languages=()).mark_known(ALICE, "nadraz")
    assert await shown(puzzles, ALICE) is RUN, "though it is the hardest one"
    assert await puzzles.next(ALICE.id) is not RUN
    assert await puzzles.next(BOB.id) is not RUN


async def test_what_is_not_there_is_refused(puzzles: Puzzles) -> None:
    with pytest.raises(NoPuzzleError):
        await puzzles.next(ALICE.id, "fiodar")
    with pytest.raises(UnknownPuzzleError):
        await puzzles.get("00000000")
    assert await puzzles.get(RUN.key) is RUN


async def test_only_how_the_first_try_ends_counts(puzzles: Puzzles, clock: Clock) -> None:
    await shown(puzzles, ALICE, "dalen")
    failed = await puzzles.answer(ALICE, ONE_TURN, solved=False)
    assert (failed.counts, failed.solved, failed.change) == (True, False, -30)
    solved = await puzzles.answer(ALICE, ONE_TURN, solved=True)
    assert (solved.counts, solved.solved, solved.change) == (False, False, 0)
    clock.now += timedelta(minutes=1)
    assert (await puzzles.answer(ALICE, TWO_TURNS, solved=True)).solved
    again = await puzzles.answer(ALICE, TWO_TURNS, solved=False)
    assert (again.counts, again.solved) == (False, True)
    found = await puzzles.progress(ALICE.id)
    assert (found.tried, found.solved, found.streak) == (2, 1, 1)
    assert await puzzles.progress(BOB.id) == PuzzleProgress(START)


@pytest.mark.both_databases
async def test_two_answers_at_once_count_once(puzzles: Puzzles, storage: Storage, clock: Clock) -> None:
    other = Puzzles(storage, clock=clock)
    calls = [each.answer(ALICE, ONE_TURN, solved=True) for each in (puzzles, other, puzzles)]
    assert await outcomes(*calls) == {"FirstTry": 3}
    found = await puzzles.progress(ALICE.id)
    assert (found.tried, found.streak) == (1, 1)


async def test_the_puzzle_of_the_day_is_posted_once_a_day(puzzles: Puzzles, storage: Storage, clock: Clock) -> None:
    assert await puzzles.to_post(SERVER) is None
    assert (await puzzles.subscribe(SERVER, CHANNEL)).puzzle_channel_id == CHANNEL
    assert (await timers(storage, clock))[TimerKind.DAILY_PUZZLE].due_at == clock.now
    first = await puzzles.to_post(SERVER)
    assert first is not None
    assert await puzzles.to_post(SERVER) == first, "it was not posted yet"
    await puzzles.set_posted(replace(first, message_id=77))
    assert await puzzles.to_post(SERVER) is None
    due = (await timers(storage, clock))[TimerKind.DAILY_PUZZLE].due_at
    assert due == next_daily(SERVER, clock.now)
    clock.now = due
    second = await puzzles.to_post(SERVER)
    assert second is not None
    assert second.puzzle != first.puzzle
    await puzzles.subscribe(SERVER, CHANNEL + 1)
    assert await puzzles.to_post(SERVER) == replace(second, channel_id=CHANNEL + 1)
    await puzzles.subscribe(SERVER, None)
    assert await puzzles.to_post(SERVER) is None
    await puzzles.skip(SERVER)
    assert TimerKind.DAILY_PUZZLE not in await timers(storage, clock)


async def test_only_the_channel_that_is_gone_gets_no_more_puzzles(
    puzzles: Puzzles, storage: Storage, clock: Clock
) -> None:
    await puzzles.subscribe(SERVER, CHANNEL)
    gone = await puzzles.to_post(SERVER)
    assert gone is not None
    await puzzles.subscribe(SERVER, CHANNEL + 1)  # while it turns out that the other one is gone
    await puzzles.give_up(gone)
    assert await puzzles.to_post(SERVER) == replace(gone, channel_id=CHANNEL + 1)
    await puzzles.give_up(replace(gone, channel_id=CHANNEL + 1))
    assert await puzzles.to_post(SERVER) is None
    assert TimerKind.DAILY_PUZZLE not in await timers(storage, clock)


async def test_moving_the_puzzle_of_a_day_after_its_post_waits_for_the_next_day(
    puzzles: Puzzles, storage: Storage, clock: Clock
) -> None:
    await posted(puzzles)
    await puzzles.subscribe(SERVER, CHANNEL + 1)
    assert await puzzles.to_post(SERVER) is None
    assert (await timers(storage, clock))[TimerKind.DAILY_PUZZLE].due_at == next_daily(SERVER, clock.now)


async def test_all_servers_get_the_same_puzzle_on_a_day(puzzles: Puzzles) -> None:
    for server_id in (SERVER, 5 << 22):
        await puzzles.subscribe(server_id, CHANNEL)
    one, other = [await puzzles.to_post(server_id) for server_id in (SERVER, 5 << 22)]
    assert one is not None
    assert other is not None
    assert one.puzzle == other.puzzle


async def posted(puzzles: Puzzles) -> DailyPuzzle:
    await puzzles.subscribe(SERVER, CHANNEL)
    daily = await puzzles.to_post(SERVER)
    assert daily is not None
    daily = replace(daily, message_id=77)
    await puzzles.set_posted(daily)
    return daily


@pytest.mark.both_databases
async def test_solvers_of_the_server_are_counted_on_its_card_for_a_week(
    puzzles: Puzzles, storage: Storage, clock: Clock
) -> None:
    daily = await posted(puzzles)
    puzzle = await puzzles.get(daily.puzzle)
    await puzzles.answer(CAROL, puzzle, solved=True)
    assert await puzzles.outdated_counts(SERVER) == [], "nobody knows her there"
    assert TimerKind.PUZZLE_COUNT not in await timers(storage, clock)
    await puzzles.answer(met(ALICE), puzzle, solved=True)
    begun = clock.now
    clock.now += timedelta(seconds=30)
    await puzzles.answer(met(BOB), puzzle, solved=False)
    due = (await timers(storage, clock))[TimerKind.PUZZLE_COUNT]
    assert (due.subject_id, due.due_at) == (SERVER, begun + timedelta(minutes=1)), "whoever is first waits no longer"
    assert await puzzles.outdated_counts(SERVER) == [replace(daily, count=PuzzleCount(1, 2))]
    await puzzles.set_counted(replace(daily, count=PuzzleCount(1, 2)))
    assert await puzzles.outdated_counts(SERVER) == []
    for days, kept in ((6, True), (8, False)):
        clock.now = begun + timedelta(days=days)
        await posted(puzzles)
        await puzzles.answer(met(CAROL), puzzle, solved=True)
        async with storage.read() as tx:
            assert (daily.day in {each.day for each in await tx.puzzles.dailies(SERVER)}) is kept


@pytest.mark.both_databases
async def test_only_the_process_that_holds_the_shard_posts(puzzles: Puzzles, database: Database, clock: Clock) -> None:
    await puzzles.subscribe(SERVER, CHANNEL)
    for shard in range(2):
        shards = Shards(2, leased=True)
        shards.acquired.add(shard)
        shards.renew(shards.clock() + 60)
        due = await timers(Storage(database, shards), clock)
        assert (TimerKind.DAILY_PUZZLE in due) == (shard == shards.of(SERVER))


@pytest.mark.both_databases
async def test_attempts_are_part_of_the_data_and_go_with_the_player(
    puzzles: Puzzles, storage: Storage, matches: Matches, clock: Clock
) -> None:
    await puzzles.answer(ALICE, ONE_TURN, solved=True)
    await shown(puzzles, BOB)
    privacy = privacy_service(storage, matches, clock)
    part = await privacy.export(ALICE.id)
    assert part is not None
    assert ONE_TURN.key in part.data.decode()
    await privacy.delete(ALICE.id)
    async with storage.read() as tx:
        assert await tx.puzzles.attempts(ALICE.id) == []
        assert len(await tx.puzzles.attempts(BOB.id)) == 1
