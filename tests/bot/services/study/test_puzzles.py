"""What is stored of puzzles, on each kind of database."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.players import Names, Player
from bot.domain.shards import Shards
from bot.domain.study.puzzles import (
    MOST_TRIES,
    START,
    DailyPuzzle,
    NoPuzzleError,
    PuzzleCount,
    PuzzleProgress,
    Try,
    UnknownPuzzleError,
    next_daily,
)
from bot.domain.timers import Timer, TimerKind
from bot.storage import Storage
from rules.puzzles import Puzzle
from tests.support.discord.known_puzzles import ALL, ONE_TURN, RUN, TWO_TURNS
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CAROL, outcomes, refused

pytestmark = pytest.mark.usefixtures("hand_made_puzzles")
#: A server on which the puzzle of the day is posted, in another shard than what has no server, and a channel of it.
SERVER, CHANNEL = (1 << 60) + (1 << 22), 20


def met(player: Player) -> Player:
    """A player who uses the bot on the server."""
    return replace(player, names=Names(player.name, "", SERVER, None))


async def shown(house: House, player: Player, game: str | None = None) -> Puzzle:
    """The next puzzle, which the player then sees."""
    puzzle = await house.puzzles.next(player.id, game)
    await house.puzzles.see(player, puzzle)
    return puzzle


async def timers(house: House) -> dict[TimerKind, Timer]:
    async with house.storage.read() as tx:
        return {timer.kind: timer for timer in await tx.timers.due(house.now + timedelta(days=9), 10)}


async def test_the_tries_of_todays_puzzle_end_with_its_solution(house: House) -> None:
    today = await house.puzzles.today()
    assert today is not None
    for player, ends_shown in ((ALICE, False), (BOB, True)):
        for _ in range(2):
            await house.puzzles.answer(player, today, solved=False)
        assert await house.puzzles.daily_result(player.id, today) is None, "the player still tries"
        await house.puzzles.answer(player, today, solved=not ends_shown, shown=ends_shown)
        await house.puzzles.answer(player, today, solved=False)
        result = await house.puzzles.daily_result(player.id, today)
        assert result is not None
        assert result.tries == (Try.WRONG, Try.WRONG, Try.SHOWN if ends_shown else Try.FOUND)
    for _ in range(30):
        await house.puzzles.answer(CAROL, today, solved=False)
    await house.puzzles.answer(CAROL, today, solved=True)
    result = await house.puzzles.daily_result(CAROL.id, today)
    assert result is not None
    assert len(result.tries) == MOST_TRIES + 1, "a row of squares stays short"
    other = next(puzzle for puzzle in ALL if puzzle is not today)
    await house.puzzles.answer(ALICE, other, solved=True)
    assert await house.puzzles.daily_result(ALICE.id, other) is None, "it is not the puzzle of the day"
    house.now += timedelta(days=1)
    assert await house.puzzles.daily_result(ALICE.id, today) is None


async def test_each_puzzle_comes_once_and_then_the_one_seen_longest_ago(house: House) -> None:
    found = []
    for _ in range(6):
        house.now += timedelta(minutes=1)
        found.append(await shown(house, ALICE))
    assert set(found[:3]) == set(ALL)
    assert found[:3] == found[3:]
    assert found[2] is RUN, "the hardest one last"
    assert await house.puzzles.next(ALICE.id, "hedu") is TWO_TURNS


async def test_puzzles_of_games_that_a_player_knows_come_first(house: House) -> None:
    await house.settings.mark_known(ALICE, "nadraz")
    assert await shown(house, ALICE) is RUN, "though it is the hardest one"
    assert await house.puzzles.next(ALICE.id) is not RUN
    assert await house.puzzles.next(BOB.id) is not RUN


async def test_a_game_without_puzzles_and_an_unknown_puzzle_are_refused(house: House) -> None:
    await refused(NoPuzzleError, house.puzzles.next(ALICE.id, "fiodar"))
    await refused(UnknownPuzzleError, house.puzzles.get("00000000"))
    assert await house.puzzles.get(RUN.key) is RUN


async def test_only_how_the_first_try_ends_counts(house: House) -> None:
    await shown(house, ALICE, "dalen")
    failed = await house.puzzles.answer(ALICE, ONE_TURN, solved=False)
    assert (failed.counts, failed.solved, failed.change) == (True, False, -30)
    solved = await house.puzzles.answer(ALICE, ONE_TURN, solved=True)
    assert (solved.counts, solved.solved, solved.change) == (False, False, 0)
    house.now += timedelta(minutes=1)
    assert (await house.puzzles.answer(ALICE, TWO_TURNS, solved=True)).solved
    again = await house.puzzles.answer(ALICE, TWO_TURNS, solved=False)
    assert (again.counts, again.solved) == (False, True)
    found = await house.puzzles.progress(ALICE.id)
    assert (found.tried, found.solved, found.streak) == (2, 1, 1)
    assert await house.puzzles.progress(BOB.id) == PuzzleProgress(START)


@pytest.mark.both_databases
async def test_two_answers_at_once_count_once(house: House) -> None:
    calls = [process.puzzles.answer(ALICE, ONE_TURN, solved=True) for process in (house, house.another(), house)]
    assert await outcomes(*calls) == {"FirstTry": 3}
    found = await house.puzzles.progress(ALICE.id)
    assert (found.tried, found.streak) == (1, 1)


async def test_the_puzzle_of_the_day_is_posted_once_a_day(house: House) -> None:
    assert await house.puzzles.to_post(SERVER) is None
    assert (await house.puzzles.subscribe(SERVER, CHANNEL)).puzzle_channel_id == CHANNEL
    assert (await timers(house))[TimerKind.DAILY_PUZZLE].due_at == house.now
    first = await house.puzzles.to_post(SERVER)
    assert first is not None
    assert await house.puzzles.to_post(SERVER) == first, "it was not posted yet"
    await house.puzzles.set_posted(replace(first, message_id=77))
    assert await house.puzzles.to_post(SERVER) is None
    due = (await timers(house))[TimerKind.DAILY_PUZZLE].due_at
    assert due == next_daily(SERVER, house.now)
    house.now = due
    second = await house.puzzles.to_post(SERVER)
    assert second is not None
    assert second.puzzle != first.puzzle
    await house.puzzles.subscribe(SERVER, CHANNEL + 1)
    assert await house.puzzles.to_post(SERVER) == replace(second, channel_id=CHANNEL + 1)
    await house.puzzles.subscribe(SERVER, None)
    assert await house.puzzles.to_post(SERVER) is None
    await house.puzzles.skip(SERVER)
    assert TimerKind.DAILY_PUZZLE not in await timers(house)


async def test_only_the_channel_that_is_gone_gets_no_more_puzzles(house: House) -> None:
    await house.puzzles.subscribe(SERVER, CHANNEL)
    gone = await house.puzzles.to_post(SERVER)
    assert gone is not None
    await house.puzzles.subscribe(SERVER, CHANNEL + 1)  # while it turns out that the other one is gone
    await house.puzzles.give_up(gone)
    assert await house.puzzles.to_post(SERVER) == replace(gone, channel_id=CHANNEL + 1)
    await house.puzzles.give_up(replace(gone, channel_id=CHANNEL + 1))
    assert await house.puzzles.to_post(SERVER) is None
    assert TimerKind.DAILY_PUZZLE not in await timers(house)


async def test_moving_the_puzzle_of_a_day_after_its_post_waits_for_the_next_day(house: House) -> None:
    await posted(house)
    await house.puzzles.subscribe(SERVER, CHANNEL + 1)
    assert await house.puzzles.to_post(SERVER) is None
    assert (await timers(house))[TimerKind.DAILY_PUZZLE].due_at == next_daily(SERVER, house.now)


async def test_all_servers_get_the_same_puzzle_on_a_day(house: House) -> None:
    for server_id in (SERVER, 5 << 22):
        await house.puzzles.subscribe(server_id, CHANNEL)
    one, other = [await house.puzzles.to_post(server_id) for server_id in (SERVER, 5 << 22)]
    assert one is not None
    assert other is not None
    assert one.puzzle == other.puzzle


async def posted(house: House) -> DailyPuzzle:
    await house.puzzles.subscribe(SERVER, CHANNEL)
    daily = await house.puzzles.to_post(SERVER)
    assert daily is not None
    daily = replace(daily, message_id=77)
    await house.puzzles.set_posted(daily)
    return daily


@pytest.mark.both_databases
async def test_solvers_of_the_server_are_counted_on_its_card_for_a_week(house: House) -> None:
    daily = await posted(house)
    puzzle = await house.puzzles.get(daily.puzzle)
    await house.puzzles.answer(CAROL, puzzle, solved=True)
    assert await house.puzzles.outdated_counts(SERVER) == [], "nobody knows her there"
    assert TimerKind.PUZZLE_COUNT not in await timers(house)
    await house.puzzles.answer(met(ALICE), puzzle, solved=True)
    begun = house.now
    house.now += timedelta(seconds=30)
    await house.puzzles.answer(met(BOB), puzzle, solved=False)
    due = (await timers(house))[TimerKind.PUZZLE_COUNT]
    assert (due.subject_id, due.due_at) == (SERVER, begun + timedelta(minutes=1)), "whoever is first waits no longer"
    assert await house.puzzles.outdated_counts(SERVER) == [replace(daily, count=PuzzleCount(1, 2))]
    await house.puzzles.set_counted(replace(daily, count=PuzzleCount(1, 2)))
    assert await house.puzzles.outdated_counts(SERVER) == []
    for days, kept in ((6, True), (8, False)):
        house.now = begun + timedelta(days=days)
        await posted(house)
        await house.puzzles.answer(met(CAROL), puzzle, solved=True)
        async with house.storage.read() as tx:
            assert (daily.day in {posted_daily.day for posted_daily in await tx.puzzles.dailies(SERVER)}) is kept


@pytest.mark.both_databases
async def test_only_the_process_that_holds_the_shard_posts(house: House) -> None:
    await house.puzzles.subscribe(SERVER, CHANNEL)
    for shard in range(2):
        shards = Shards(2, leased=True)
        shards.acquired.add(shard)
        shards.renew(shards.clock() + 60)
        async with Storage(house.database, shards).read() as tx:
            due = {timer.kind for timer in await tx.timers.due(house.now, 10)}
        assert (TimerKind.DAILY_PUZZLE in due) == (shard == shards.of(SERVER))


@pytest.mark.both_databases
async def test_attempts_are_part_of_the_data_and_go_with_the_player(house: House) -> None:
    await house.puzzles.answer(ALICE, ONE_TURN, solved=True)
    await shown(house, BOB)
    part = await house.privacy.export(ALICE.id)
    assert part is not None
    assert ONE_TURN.key in part.data.decode()
    await house.privacy.delete(ALICE.id)
    async with house.storage.read() as tx:
        assert await tx.puzzles.attempts(ALICE.id) == []
        assert len(await tx.puzzles.attempts(BOB.id)) == 1
