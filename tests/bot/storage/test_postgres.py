"""What only a server with several writers at once can show, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

import rules
from bot.domain.challenges import First
from bot.domain.clocks import DAY, TimeControl
from bot.domain.deliveries import PostedMessage, ReplacedMessage
from bot.domain.matches import Ending, Match, MovedOnError, ProposalKind, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.timers import TimerKind
from bot.services.clocks import Clocks
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.services.ratings import Ratings
from bot.storage import Database, Storage
from bot.storage.failures import DatabaseFailedError, watch_writes
from tests.support.databases import fast_database
from tests.support.services import Clock, challenging, privacy_service, service
from tests.support.stored import (
    accept_challenge,
    add_challenge,
    end_match,
    get_memo,
    place_match,
    running_matches,
    set_memo,
    stored_delivery,
    stored_match,
    waiting_matches,
)
from tests.support.thorough import fewer

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HERE = Place(1, 10)
PEOPLE = [Player(number, f"player {number}") for number in range(1, 21)]
DALEN = rules.ruleset("dalen", 5)


@pytest.fixture(scope="module")
def backend() -> str:
    return "postgresql"


@pytest.fixture
async def storages(database: Database) -> AsyncIterator[tuple[Storage, Storage]]:
    """The storage as two processes see it."""
    other = fast_database(database.url.render_as_string(hide_password=False))
    yield Storage(database), Storage(other)
    await other.close()


async def challenged(storage: Storage, place: Place) -> list[tuple[int, Player, Player]]:
    pairs = list(zip(PEOPLE[::2], PEOPLE[1::2], strict=True))
    offered = []
    for one, other in pairs:
        later = NOW + timedelta(days=1)
        challenge_id = await add_challenge(storage, place, one, other, DALEN, First.CHALLENGER, NOW, later)
        assert challenge_id is not None
        offered.append((challenge_id, one, other))
    return offered


async def test_of_challenges_accepted_at_once_one_is_played_in_the_channel(storages: tuple[Storage, Storage]) -> None:
    one, other = storages
    place = Place(1, 11)
    offered = await challenged(one, place)
    processes = [challenging(service(storage, Clock())) for storage in storages]
    started = await asyncio.gather(
        *(
            processes[number % 2].accept(challenge_id, second)
            for number, (challenge_id, _first, second) in enumerate(offered)
        )
    )
    found = [await stored_delivery(one, match.id) for match in started]
    assert len(found) == len(offered)
    placed = [delivery for delivery in found if delivery.channel_id is not None]
    assert [delivery.channel_id for delivery in placed] == [place.channel_id]
    # When it is over, one of those that wait follows, however many ask.
    assert await end_match(one, placed[0].match_id, 0, NOW, Result(None, Ending.ABANDONED))
    waiting = await waiting_matches(other, place.channel_id)
    placing = await asyncio.gather(
        *(place_match(storage, match_id, place.channel_id) for match_id in waiting for storage in storages)
    )
    assert sum(placing) == 1


async def test_rematches_and_challenges_at_once_do_not_wait_for_each_other(storages: tuple[Storage, Storage]) -> None:
    one, other = storages
    place = Place(1, 12)
    offered = await challenged(one, place)
    challenge_id, first, second = offered.pop()
    before = await accept_challenge(one, challenge_id, first, second, second, NOW)
    assert await end_match(one, before, 0, NOW, Result(None, Ending.ABANDONED))
    match = await stored_match(one, before)
    assert match is not None
    matches = Matches(one, Ratings(one, clock=lambda: NOW), clock=lambda: NOW)
    proposals = Proposals(one, matches, clock=lambda: NOW)
    rematch = await proposals.propose(match.id, first.id, ProposalKind.REMATCH)
    work: list[Any] = [
        accept_challenge(other, challenge_id, first, second, second, NOW) for challenge_id, first, second in offered
    ]
    assert None not in await asyncio.gather(*work, proposals.accept(rematch.id, second.id))
    running = await running_matches(one, place, channel_id=place.channel_id)
    assert len(running) == 1


async def test_a_match_that_two_processes_show_leaves_no_board_with_buttons(storages: tuple[Storage, Storage]) -> None:
    one, other = storages
    place = Place(1, 13)
    (challenge_id, first, second), *_ = await challenged(one, place)
    match_id = await accept_challenge(one, challenge_id, first, second, second, NOW)
    cards = [PostedMessage(13, message, 1, 0) for message in range(130, 140)]

    async def show(storage: Storage, card: PostedMessage) -> None:
        async with storage.transaction() as tx:
            if not await tx.deliveries.set_message(match_id, card):
                await tx.deliveries.add_replaced([ReplacedMessage(match_id, card, surplus=True)])

    await asyncio.gather(*(show((one, other)[card.message_id % 2], card) for card in cards))
    message = (await stored_delivery(one, match_id)).message
    assert message is not None
    async with one.read() as tx:
        left = {
            each.message.message_id for each in await tx.deliveries.replaced_messages() if each.match_id == match_id
        }
    assert left == {card.message_id for card in cards} - {message.message_id}


async def test_a_turn_loses_nothing_that_another_process_stores_at_the_same_time(
    storages: tuple[Storage, Storage],
) -> None:
    clock = Clock()
    matches, others = (service(storage, clock) for storage in storages)
    clocks = Clocks(storages[1], others, clock=clock)
    await clocks.acquire_shard(0)
    proposals = Proposals(storages[1], others, clock=clock)
    challenges = challenging(matches)
    control = TimeControl.banks_of(3 * DAY, DAY)
    for number in range(fewer(12, 2)):
        alice, bob = Player(900 + 2 * number, "Alice"), Player(901 + 2 * number, "Bob")
        place = Place(5, 500 + number)
        challenge = await challenges.challenge(place, alice, bob, DALEN, First.CHALLENGER, control=control)
        match = await challenges.accept(challenge.id, bob)
        clock.now += timedelta(hours=1)
        game = (await matches.turn(match.id, alice.id)).game
        calls = [
            clocks.give_time(match.id, bob.id, seen_step=0),
            matches.play(game, game.position.draft("e5"), alice),
            proposals.propose(match.id, bob.id, ProposalKind.DRAW, seen_step=0),
            clocks.make_up_for(0, clock.now - timedelta(minutes=number)),
        ]
        random.Random(number).shuffle(calls)
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(each) for each in done if isinstance(each, Exception)} <= {MovedOnError}
        played = await matches.match(match.id)
        assert (played.step, played.ply) == (1, 1)
        assert [each for each in played.proposals if each.step < played.step] == []
        assert played.clock is not None
        given = any(isinstance(each, Match) for each in done)
        least = (3 + 1 + given) * DAY - timedelta(hours=1)
        assert least <= played.clock.time_left[0] <= least + 2 * timedelta(minutes=number)
        async with storages[0].read() as tx:
            timers = await tx.timers.due(clock.now + 99 * DAY, 999)
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
    with pytest.raises(asyncio.CancelledError):
        await task
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


async def test_a_match_that_begins_while_its_player_is_deleted_is_resigned(
    storages: tuple[Storage, Storage],
) -> None:
    one, other = storages
    alice, bob = PEOPLE[:2]
    matches = service(one, Clock())
    waits = text(
        "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.001); END LOOP; "
        "END $$"
    )
    async with other.transaction() as tx:
        await tx.players.save(alice, bob)
    async with asyncio.timeout(60), other.database.read() as connection:
        async with other.transaction() as tx:
            await tx.players.save(alice)
            match_id = await tx.matches.add(DALEN, None, (alice, bob), NOW, awaited_id=alice.id, rated=True)
            await tx.deliveries.add(match_id, 10, 10)
            deleting = asyncio.create_task(privacy_service(one, matches, lambda: NOW).delete(alice.id))
            await connection.execute(waits)
        await deleting
    match = await matches.match(match_id)
    assert match.first.deleted
    assert match.result == Result(bob.id, Ending.RESIGNATION)


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

    with pytest.raises(DatabaseFailedError) as failed:
        await write("SELECT 1")
    assert failed.value.nothing_stored
    with pytest.raises(DatabaseFailedError) as failed:
        await write("")  # the commit is lost
    assert not failed.value.nothing_stored
