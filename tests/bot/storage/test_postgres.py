"""What only a server with several writers at once can show, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from bot.domain.clocks import DAY, TimeControl
from bot.domain.deliveries import CardKey, PostedMessage, ReplacedMessage
from bot.domain.matches import Ending, Match, MovedOnError, ProposalKind, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.storage import Database, Storage
from bot.storage.failures import DatabaseFailedError, watch_writes
from tests.support.services.house import House
from tests.support.services.matches import ALICE, BOB, CROWD, DALEN, PLACE, refused
from tests.support.services.stored import (
    end_match,
    get_memo,
    place_match,
    running_matches,
    set_memo,
    waiting_matches,
)
from tests.support.thorough import fewer

HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def backend() -> str:
    return "postgresql"


async def challenged(house: House, place: Place) -> list[tuple[int, Player, Player]]:
    """Challenges between the players in pairs."""
    pairs = list(zip(CROWD[:20:2], CROWD[1:20:2], strict=True))
    return [((await house.challenge(*pair, place)).id, *pair) for pair in pairs]


async def test_one_of_several_challenges_accepted_at_once_gets_the_channel(house: House) -> None:
    place, processes = Place(1, 11), (house, house.another())
    offered = await challenged(house, place)
    accepting = (processes[at % 2].challenges.accept(number, player) for at, (number, _, player) in enumerate(offered))
    found = [await house.delivery(match) for match in await asyncio.gather(*accepting)]
    placed = [delivery for delivery in found if delivery.channel_id is not None]
    assert [delivery.channel_id for delivery in placed] == [place.channel_id]
    # When it is over, one of the waiting matches follows, however many ask.
    assert await end_match(house.storage, placed[0].match_id, 0, house.now, Result(None, Ending.ABANDONED))
    waiting = await waiting_matches(processes[1].storage, place.channel_id)
    assert len(waiting) == len(offered) - 1
    placing = (
        place_match(process.storage, match_id, place.channel_id) for match_id in waiting for process in processes
    )
    assert sum(await asyncio.gather(*placing)) == 1


async def test_rematches_and_challenges_at_once_do_not_wait_for_each_other(house: House) -> None:
    place, other = Place(1, 12), house.another()
    offered = await challenged(house, place)
    number, first, second = offered.pop()
    match = await house.challenges.accept(number, second)
    assert await end_match(house.storage, match.id, 0, house.now, Result(None, Ending.ABANDONED))
    rematch = await house.propose(match, first, ProposalKind.REMATCH)
    work: list[Any] = [other.challenges.accept(number, player) for number, _, player in offered]
    await asyncio.gather(*work, house.proposals.accept(rematch.id, second.id))
    assert len(await running_matches(house.storage, place, channel_id=place.channel_id)) == 1


async def test_a_match_that_two_processes_show_leaves_no_board_with_buttons(house: House) -> None:
    processes, match = (house, house.another()), await house.start()
    cards = [PostedMessage(PLACE.channel_id, message, 1, 0) for message in range(130, 140)]

    async def show(process: House, card: PostedMessage) -> None:
        async with process.storage.transaction() as tx:
            if not await tx.deliveries.set_message(CardKey(match.id), card):
                await tx.deliveries.add_replaced([ReplacedMessage(CardKey(match.id), card, surplus=True)])

    await asyncio.gather(*(show(processes[card.message_id % 2], card) for card in cards))
    message = (await house.delivery(match)).message
    assert message is not None
    async with house.storage.read() as tx:
        left = {replaced.message.message_id for replaced in await tx.deliveries.replaced_messages()}
    assert left == {card.message_id for card in cards} - {message.message_id}


async def test_a_turn_loses_nothing_that_another_process_stores_at_the_same_time(house: House) -> None:
    other = house.another()
    await other.clocks.acquire_shard(0)
    for number in range(fewer(12, 2)):
        match = await house.accepted(place=house.room(), control=TimeControl.banks_of(3 * DAY, DAY))
        house.now += HOUR
        game = (await house.matches.turn(match.id, ALICE.id)).game
        calls = [
            other.clocks.give_time(match.id, BOB.id, seen_step=0),
            house.matches.play(game, game.position.draft("e5"), ALICE),
            other.propose(match, BOB, ProposalKind.ABANDON, seen_step=0),
            other.clocks.make_up_for(0, house.now - timedelta(minutes=number)),
        ]
        random.Random(number).shuffle(calls)
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(error) for error in done if isinstance(error, Exception)} <= {MovedOnError}
        played = await house.match(match)
        assert (played.step, played.ply) == (1, 1)
        assert [offer for offer in played.proposals if offer.step < played.step] == []
        assert played.clock is not None
        given = any(isinstance(result, Match) for result in done)
        least = (3 + 1 + given) * DAY - HOUR
        assert least <= played.clock.time_left[0] <= least + 2 * timedelta(minutes=number)
        async with house.storage.read() as tx:
            timers = await tx.timers.due(house.now + 99 * DAY, 999)
        own = {timer.kind: timer.due_at for timer in timers if timer.subject_id == match.id}
        assert own[TimerKind.FLAG] == played.clock.flag_at


async def test_a_change_that_is_cancelled_leaves_nothing_and_holds_nobody_up(database: Database) -> None:
    storage, begun = Storage(database), asyncio.Event()

    async def change() -> None:
        async with database.write() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            driver.add_log_listener(lambda _connection, _notice: begun.set())
            await connection.execute(text("INSERT INTO memos VALUES ('half', 'done')"))
            await connection.execute(text("DO $$ BEGIN RAISE NOTICE 'begun'; PERFORM pg_sleep(600); END $$"))

    task = asyncio.create_task(change())
    await begun.wait()
    task.cancel()
    await refused(asyncio.CancelledError, task)
    await set_memo(storage, "half", "a whole")
    assert await get_memo(storage, "half") == "a whole"


async def test_connections_that_a_restarted_server_has_closed_are_replaced(database_url: str) -> None:
    one, other = (Database(database_url, client="restarted") for _ in range(2))
    await set_memo(Storage(one), "name", "value")
    closed = asyncio.Event()
    async with one.read() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        driver.add_termination_listener(lambda _connection: closed.set())
    close_others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND application_name = 'restarted'"
    )
    async with other.read() as connection:
        await connection.execute(text(close_others))
    await closed.wait()
    assert await get_memo(Storage(one), "name") == "value"
    for each in (one, other):
        await each.close()


async def test_a_match_that_begins_while_its_player_is_deleted_is_resigned(house: House) -> None:
    other = house.another()
    waits = text(
        "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.001); END LOOP; "
        "END $$"
    )
    async with other.storage.transaction() as tx:
        await tx.players.save(ALICE, BOB)
    async with asyncio.timeout(60), other.database.read() as connection:
        async with other.storage.transaction() as tx:
            await tx.players.save(ALICE)
            match_id = await tx.matches.add(DALEN, None, (ALICE, BOB), house.now, awaited_id=ALICE.id, rated=True)
            await tx.deliveries.add(CardKey(match_id), Place(None, 10), 10)
            deleting = asyncio.create_task(house.privacy.delete(ALICE.id))
            await connection.execute(waits)
        await deleting
    match = await house.matches.match(match_id)
    assert match.first.deleted
    assert match.result == Result(BOB.id, Ending.RESIGNATION)


async def test_a_lost_connection_tells_whether_anything_can_have_been_stored(database: Database) -> None:
    pid = text("SELECT pg_backend_pid()")
    end = text("SELECT pg_terminate_backend(:pid, 5000)")

    async def write(then: str) -> None:
        watch_writes()
        async with database.write() as connection:
            mine = await connection.scalar(pid)
            async with database.read() as other:
                await other.execute(end, {"pid": mine})
            if then:
                await connection.execute(text(then))

    assert (await refused(DatabaseFailedError, write("SELECT 1"))).nothing_stored
    assert not (await refused(DatabaseFailedError, write(""))).nothing_stored, "the commit is lost"
