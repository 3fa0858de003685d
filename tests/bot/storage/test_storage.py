"""What is kept: the tables, SQLite's settings, the constraints, and one writer at a time."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

import rules
from bot.domain.challenges import ChallengeState, First
from bot.domain.deliveries import CardKey, PostedMessage
from bot.domain.matches import Ending, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.timers import Timer, TimerKind
from bot.storage import Database, Storage
from bot.storage.database import lock
from bot.storage.tables import challenges, key_values, match_deliveries, matches, turns
from tests.support.discord.club import Club
from tests.support.services.house import House
from tests.support.services.stored import (
    accept_challenge,
    add_challenge,
    add_turn,
    end_match,
    get_memo,
    next_timer,
    place_match,
    set_memo,
    stored_challenge,
    stored_delivery,
    stored_match,
    stored_turns,
)

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
PLACE = Place(guild_id=1 << 60, channel_id=(1 << 60) + 1)
ALICE, BOB, CAROL = (Player((1 << 61) + number, name) for number, name in enumerate(("Alice", "Bob", "Carol")))
DALEN = rules.ruleset("dalen", 5)


async def challenge(storage: Storage, challenger: Player = ALICE, opponent: Player | None = BOB) -> int:
    added = await add_challenge(storage, PLACE, challenger, opponent, DALEN, First.CHALLENGER, NOW, LATER)
    assert added is not None
    return added


async def match(storage: Storage, first: Player = ALICE, second: Player = BOB) -> int:
    return await accept_challenge(storage, await challenge(storage, first, second), first, second, second, NOW)


async def unshown(storage: Storage) -> tuple[list[int], list[int]]:
    async with storage.read() as tx:
        unshown_matches = [card.match_id for card in await tx.deliveries.unshown_matches()]
        return await tx.deliveries.unshown_challenges(), unshown_matches


@pytest.mark.both_databases
async def test_an_interrupted_commit_loses_no_timer(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    scheduled = list[datetime]()
    storage, commit = Storage(database, on_timers=scheduled.append), AsyncConnection.commit

    async def commit_and_cancel(self: AsyncConnection) -> None:
        await commit(self)
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(AsyncConnection, "commit", commit_and_cancel)
        with pytest.raises(asyncio.CancelledError):
            async with storage.transaction() as tx:
                await tx.timers.set(Timer(TimerKind.SHOW_MATCH, 1, NOW), Timer(TimerKind.FLAG, 1, LATER))
    assert await next_timer(storage) == NOW
    assert scheduled == [NOW]


async def test_while_changes_wait_for_each_other_others_can_read(database_url: str) -> None:
    database = Database(database_url)

    async def change() -> None:
        async with database.write() as connection:
            await lock(connection, 1)

    async with database.write() as first:
        await lock(first, 1)
        waiting = [asyncio.create_task(change()) for _ in range(30)]
        async with asyncio.timeout(20):
            for _ in range(30):
                async with database.read() as connection:
                    await connection.execute(select(key_values.c.name))
        assert not any(task.done() for task in waiting)
    await asyncio.gather(*waiting)
    await database.close()


async def test_many_writers_in_two_processes_never_find_the_database_busy(house: House) -> None:
    storages = house.storage, house.another().storage

    async def write_and_read(number: int) -> None:
        await set_memo(storages[number % 2], f"memo {number}", str(number))
        await get_memo(storages[number % 2], f"memo {number}")

    await asyncio.gather(*map(write_and_read, range(100)))
    assert [await get_memo(storages[0], f"memo {number}") for number in range(100)] == [*map(str, range(100))]


async def test_a_change_that_fails_leaves_nothing_behind(database: Database, storage: Storage) -> None:
    identity = await match(storage)
    with pytest.raises(IntegrityError):
        # Nobody has this id, so the turn itself cannot be stored.
        await add_turn(storage, identity, 0, "e5", 404, NOW, None)
    found = await stored_match(storage, identity)
    assert found is not None
    assert (found.ply, found.step) == (0, 0)
    assert (await stored_delivery(storage, identity)).version == 1
    assert await stored_turns(storage, identity) == ()
    await set_memo(storage, "still", "writing")


async def test_a_turn_is_stored_only_on_the_board_it_was_played_on(storage: Storage) -> None:
    identity = await match(storage)
    assert await add_turn(storage, identity, 0, "e5", ALICE.id, NOW, None)
    assert not await add_turn(storage, identity, 0, "d4", ALICE.id, NOW, None)
    assert not await add_turn(storage, identity, 2, "d4", BOB.id, NOW, None)
    assert await stored_turns(storage, identity) == ("e5",)


async def test_nothing_is_stored_after_the_end(storage: Storage) -> None:
    identity = await match(storage)
    assert await end_match(storage, identity, 0, NOW, Result(BOB.id, Ending.RESIGNATION))
    assert not await end_match(storage, identity, 0, NOW, Result(ALICE.id, Ending.RESIGNATION))
    assert not await add_turn(storage, identity, 0, "e5", ALICE.id, NOW, None)
    found = await stored_match(storage, identity)
    assert found is not None
    assert found.result == Result(BOB.id, Ending.RESIGNATION)


async def test_the_database_refuses_a_second_running_match_in_a_channel(database: Database, storage: Storage) -> None:
    await match(storage)
    second = await match(storage, ALICE, CAROL)
    assert (await stored_delivery(storage, second)).channel_id is None
    assert not await place_match(storage, second, PLACE.channel_id)
    with pytest.raises(IntegrityError):
        async with database.write() as connection:
            await connection.execute(
                update(match_deliveries)
                .where(match_deliveries.c.match_id == second)
                .values(occupied_channel_id=PLACE.channel_id)
            )
    await end_match(storage, 1, 0, NOW, Result(BOB.id, Ending.RESIGNATION))
    assert await place_match(storage, second, PLACE.channel_id)


async def test_the_database_refuses_a_second_open_challenge_of_the_same_two(
    database: Database, storage: Storage
) -> None:
    identity = await challenge(storage)
    assert await add_challenge(storage, PLACE, BOB, ALICE, DALEN, First.RANDOM, NOW, LATER) is None
    async with database.read() as connection:
        row = (await connection.execute(select(challenges).where(challenges.c.id == identity))).one()
    with pytest.raises(IntegrityError):
        async with database.write() as connection:
            await connection.execute(insert(challenges).values({**row._mapping, "id": identity + 1}))
    async with storage.transaction() as tx:
        assert await tx.challenges.close(identity, ChallengeState.DECLINED)
    assert await challenge(storage, BOB, ALICE) > identity


async def test_one_of_two_waiting_matches_gets_the_channel(storage: Storage) -> None:
    await match(storage)
    waiting = [await match(storage, ALICE, CAROL), await match(storage, BOB, CAROL)]
    await end_match(storage, 1, 0, NOW, Result(BOB.id, Ending.RESIGNATION))
    placed = await asyncio.gather(*(place_match(storage, match_id, PLACE.channel_id) for match_id in waiting))
    assert sorted(placed) == [False, True]


async def test_every_match_carries_the_rules_it_is_played_by(database: Database, storage: Storage) -> None:
    for size in DALEN.game.sizes:
        for variant in DALEN.game.variants:
            ruleset = rules.ruleset("dalen", size, variant)
            place = Place(1, size * 10 + len(variant))
            added = await add_challenge(storage, place, ALICE, BOB, ruleset, First.RANDOM, NOW, LATER)
            assert added is not None
            identity = await accept_challenge(storage, added, ALICE, BOB, BOB, NOW)
            found = await stored_match(storage, identity)
            assert found is not None
            assert found.ruleset == ruleset
    async with database.read() as connection:
        stored = list(await connection.scalars(select(matches.c.ruleset).order_by(matches.c.id)))
    assert stored[0] == "dalen/1/5/standard"
    assert len(set(stored)) == 10


async def test_a_game_is_what_its_stored_turns_say(club: Club) -> None:
    match = await club.match(turns=("e5", "light", "d4"))
    async with club.app.database.write() as connection:
        await connection.execute(update(turns).where(turns.c.ply == 3).values(turn="a1"))
    await club.restart()
    game = await club.app.matches.game(match.id)
    assert game.turns == ("e5", "light", "a1")
    assert game.position == match.ruleset.replay(["e5", "light", "a1"])
    assert game.position.pieces() == {"e5": "d", "a1": "l"}


async def test_times_come_back_in_utc(storage: Storage) -> None:
    found = await stored_challenge(storage, await challenge(storage))
    assert found is not None
    assert (found.created_at, found.expires_at) == (NOW, LATER)
    assert found.created_at.tzinfo is not None
    async with storage.transaction() as tx:
        await tx.timers.set(Timer(TimerKind.PURGE, 0, LATER))
    assert await next_timer(storage) == LATER


async def test_a_player_has_the_name_they_were_last_seen_under(storage: Storage) -> None:
    await match(storage)
    await challenge(storage, Player(ALICE.id, "Alicia"), CAROL)
    found = await stored_match(storage, 1)
    assert found is not None
    assert found.first == Player(ALICE.id, "Alicia")


async def test_a_card_is_remembered_with_its_version_and_board(storage: Storage) -> None:
    identity = await match(storage)
    assert await unshown(storage) == ([1], [identity])
    async with storage.transaction() as tx:
        await tx.deliveries.set_challenge(1, 2, None)
        await tx.deliveries.set_message(CardKey(identity), PostedMessage(5, 6, 1, 0))
    assert await unshown(storage) == ([], [])
    await add_turn(storage, identity, 0, "e5", ALICE.id, NOW, None)
    assert await unshown(storage) == ([], [identity])
    assert (await stored_delivery(storage, identity)).message == PostedMessage(5, 6, 1, 0)
