"""What is kept: the tables, SQLite's settings, the constraints, and one writer at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, insert, select, text, update
from sqlalchemy.exc import IntegrityError

import rules
from bot.domain.challenges import ChallengeState, First
from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.domain.matches import Ending, Result
from bot.domain.places import Place
from bot.domain.players import Names, Player
from bot.domain.timers import Timer, TimerKind
from bot.storage import Database, Storage
from bot.storage.tables import challenges, match_deliveries, matches, memos, metadata, turns
from tests.support.club import Club, stored_turns
from tests.support.migrating import PLACED, check_placed, go_back, make_old, stored_rows
from tests.support.storing import (
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
    stored_steps,
)

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
PLACE = Place(guild_id=1 << 60, channel_id=(1 << 60) + 1)
ALICE, BOB, CAROL = (Player((1 << 61) + number, name) for number, name in enumerate(("Alice", "Bob", "Carol")))
DALEN = rules.ruleset("dalen", 5)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/new.db")
    await database.migrate()
    yield database
    await database.close()


@pytest.fixture
def storage(database: Database) -> Storage:
    return Storage(database)


async def challenge(storage: Storage, challenger: Player = ALICE, opponent: Player | None = BOB) -> int:
    added = await add_challenge(storage, PLACE, challenger, opponent, DALEN, First.CHALLENGER, NOW, LATER)
    assert added is not None
    return added


async def match(storage: Storage, first: Player = ALICE, second: Player = BOB) -> int:
    return await accept_challenge(storage, await challenge(storage, first, second), first, second, second, NOW)


async def unshown(storage: Storage) -> tuple[list[int], list[int]]:
    async with storage.read() as tx:
        return await tx.deliveries.unshown()


async def test_the_migrations_make_exactly_the_tables_that_the_code_names(database: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, metadata))

    async with database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_partial_indexes_and_checks_are_in_the_database_as_in_the_code(database: Database) -> None:
    """These are what the comparison of tables does not look at."""
    created = await schema(database)
    expected = Database("sqlite+aiosqlite://")
    try:
        async with expected.engine.begin() as connection:
            await connection.run_sync(metadata.create_all)
        wanted = await schema(expected)
    finally:
        await expected.close()
    assert created.keys() - {"alembic_version"} == wanted.keys()
    for name, statement in wanted.items():
        if name.startswith("ix_"):
            assert created[name] == statement
    for check in ("(ended_at IS NULL) = (ending IS NULL)", "challenge_id IS NULL OR rematch_of IS NULL"):
        assert f"CHECK ({check})" in created["matches"]


async def schema(database: Database) -> dict[str, str]:
    async with database.engine.connect() as connection:
        rows = await connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        return {name: " ".join(statement.split()) for name, statement in rows}


async def test_matches_from_before_steps_are_kept_with_their_turns_and_cards(tmp_path: Path) -> None:
    """Every turn is the step of the same number, and numbers go on where they stopped."""

    old = Database(f"sqlite+aiosqlite:///{tmp_path}/old.db")
    try:
        await make_old(old, "0001", OLD_ROWS)
        await old.migrate()
        storage = Storage(old)
        found = await stored_match(storage, 7)
        assert found is not None
        assert (found.challenge_id, found.ply, found.step, found.waiting) == (3, 2, 2, False)
        assert (found.first, found.second) == (Player(1, "Alice"), Player(2, "Bob"))
        delivery = await stored_delivery(storage, 7)
        assert delivery == MatchDelivery(5, PostedMessage(10, 99, 4, 1), 7, Place(1, 10), 10)
        assert (found.started_at, found.moved_at) == (NOW, NOW + timedelta(minutes=2))
        steps = await stored_steps(storage, 7)
        assert [(step.ply, step.turn, step.player_id) for step in steps] == [(1, "e5", 1), (2, "light", 2)]
        assert await unshown(storage) == ([], [7])
        assert await add_turn(storage, 7, 2, "d4", 2, LATER, Result(2, Ending.RESIGNATION))
        assert await add_challenge(storage, PLACE, ALICE, BOB, DALEN, First.RANDOM, NOW, LATER) == 4
        async with old.read() as connection:
            assert (await connection.execute(text("PRAGMA foreign_key_check"))).all() == []
            assert await connection.scalar(text("PRAGMA integrity_check")) == "ok"
        new = await schema(old)
        assert not [name for name in new if name.endswith("_before")]
    finally:
        await old.close()


async def test_where_matches_are_played_and_what_was_shown_survives_there_and_back(tmp_path: Path) -> None:
    old = Database(f"sqlite+aiosqlite:///{tmp_path}/old.db")
    try:
        await make_old(old, "0009", PLACED)
        before, tables = await stored_rows(old), await schema(old)
        await old.migrate()
        await check_placed(Storage(old))
        async with old.read() as connection:
            assert (await connection.execute(text("PRAGMA foreign_key_check"))).all() == []
            assert await connection.scalar(text("PRAGMA integrity_check")) == "ok"
        await go_back(old, "0009")
        assert await stored_rows(old) == before
        assert (await schema(old)).keys() == tables.keys()
    finally:
        await old.close()


async def test_time_zones_survive_there_and_back(tmp_path: Path) -> None:
    old = Database(f"sqlite+aiosqlite:///{tmp_path}/old.db")
    offsets = {1: 0, 2: 330, 3: -600}
    rows = (
        "INSERT INTO players VALUES (1, 'Alice', ''), (2, 'Bob', ''), (3, 'Carol', '')",
        "INSERT INTO preferences (player_id, orientation, coordinates, confirmation, pings, utc_offset) "
        "VALUES (1, 'as-is', true, 'risky', true, 0), (2, 'as-is', true, 'risky', true, 330), "
        "(3, 'as-is', true, 'risky', true, -600)",
    )
    try:
        await make_old(old, "0015", rows)
        await old.migrate()
        for player_id, offset in offsets.items():
            async with Storage(old).read() as tx:
                chosen = await tx.settings.preferences(player_id)
            assert chosen.time_zone == timezone(timedelta(minutes=offset))
            assert (chosen.digest_at, chosen.digest_refused) == (None, False)
        async with Storage(old).transaction() as tx:
            await tx.settings.change_preferences(1, {"time_zone": ZoneInfo("Europe/Berlin"), "digest_at": 480})
            await tx.timers.set(Timer(TimerKind.DIGEST, 1, NOW))
        await go_back(old, "0015")
        async with old.read() as connection:
            found = await connection.execute(text("SELECT player_id, utc_offset FROM preferences"))
            assert {row.player_id: row.utc_offset for row in found} == offsets
            assert await connection.scalar(text("SELECT count(*) FROM timers")) == 0
    finally:
        await old.close()


async def test_there_is_no_way_back_for_a_match_without_a_channel(database: Database, storage: Storage) -> None:
    async with storage.transaction() as tx:
        await tx.players.save(ALICE, BOB)
        match_id = await tx.matches.add(DALEN, None, (ALICE, BOB), NOW, rated=True)
    with pytest.raises(NotImplementedError, match="restore a backup"):
        await go_back(database, "0009")
    assert await stored_match(storage, match_id) is not None


@pytest.mark.parametrize("interrupted", [True, False])
async def test_a_correction_of_ratings_that_an_older_version_left_is_done_by_rating_all_again(
    tmp_path: Path, interrupted: bool
) -> None:
    old = Database(f"sqlite+aiosqlite:///{tmp_path}/old.db")
    try:
        left = ("INSERT INTO memos VALUES ('uncorrected-ratings', '3')",) if interrupted else ()
        await make_old(old, "0005", ("INSERT INTO memos VALUES ('rating-formula', '1')", *left))
        await old.migrate()
        storage = Storage(old)
        assert (await get_memo(storage, "rating-formula") is None) is interrupted
        assert await get_memo(storage, "uncorrected-ratings") is None
    finally:
        await old.close()


async def test_when_the_bot_was_there_last_is_known_after_the_upgrade_and_after_the_way_back(tmp_path: Path) -> None:
    old = Database(f"sqlite+aiosqlite:///{tmp_path}/old.db")
    seen = "2026-01-01T12:00:00.123456+00:00"
    try:
        await make_old(old, "0016", ("INSERT INTO memos VALUES ('last-seen', '2026-01-01T12:00:00.123456+00:00')",))
        await old.migrate()
        async with Storage(old).transaction() as tx:
            assert await tx.presence.take(0) == datetime.fromisoformat(seen)
        await go_back(old, "0016")
        assert await get_memo(Storage(old), "last-seen") == seen
    finally:
        await old.close()


OLD_ROWS = (
    "INSERT INTO players VALUES (1, 'Alice'), (2, 'Bob')",
    "INSERT INTO challenges VALUES (3, 1, 10, 1, 2, 1, 2, 'dalen/1/5/standard', 'challenger', 'accepted', "
    "'2026-01-01 12:00:00.000000', '2026-01-02 12:00:00.000000', 2, 2, 10, 98)",
    "INSERT INTO matches VALUES (7, 3, 'dalen/1/5/standard', 'dalen', 1, 10, 10, 1, 2, 2, "
    "'2026-01-01 12:00:00.000000', NULL, NULL, NULL, 5, 4, 10, 99, 1)",
    "INSERT INTO turns VALUES (7, 1, 'e5', 1, '2026-01-01 12:01:00.000000'), "
    "(7, 2, 'light', 2, '2026-01-01 12:02:00.000000')",
)


@pytest.mark.parametrize("revision", ["0001", "0002", "0003", "0004", "0005"])
async def test_a_name_that_may_be_a_nickname_stays_on_the_one_server_it_can_come_from(
    tmp_path: Path, revision: str
) -> None:
    old = Database(f"sqlite+aiosqlite:///{tmp_path}/old.db")
    try:
        # At first there were no conversations.
        await make_old(old, revision, SEEN_ON_SERVERS[: 2 if revision == "0001" else 3])
        await old.migrate()
        storage = Storage(old)
        for guild_id, names in ((5, ["Alice", "", "", "", ""]), (6, [""] * 5), (None, [""] * 5)):
            async with storage.read() as tx:
                known = await tx.players.named([1, 2, 3, 4, -1], guild_id)
            assert [known[each].name for each in (1, 2, 3, 4, -1)] == names
        found = await stored_challenge(storage, 3)
        assert found is not None
        assert (found.challenger.name, found.opponent and found.opponent.name) == ("Alice", "")
        async with storage.transaction() as tx:
            await tx.players.save(Player(2, "Bob", Names("Robert", "bob", 6, None)))
        again = await stored_challenge(storage, 4)
        assert again is not None
        assert again.opponent == Player(2, "Robert")
        async with storage.read() as tx:
            assert (await tx.players.named([2], 7))[2].name == "Robert"
        async with old.read() as connection:
            assert (await connection.execute(text("PRAGMA foreign_key_check"))).all() == []
            assert not await connection.scalar(text("SELECT count(*) FROM nicknames WHERE player_id < 0"))
    finally:
        await old.close()


async def test_the_way_back_keeps_a_name_for_everybody(database: Database, storage: Storage) -> None:
    async with storage.transaction() as tx:
        await tx.players.save(
            Player(1, "Zoe", Names("Zed", "zed", 5, "Zoe")), Player(2, "Bob", Names("Bob", "bob", 5, None))
        )

    await go_back(database, "0005")
    async with database.read() as connection:
        rows = (await connection.execute(text("SELECT * FROM players ORDER BY id"))).all()
    assert [tuple(row) for row in rows] == [(1, "Zoe"), (2, "Bob")]


#: Alice was on server 5 only, Bob on 5 and 6, Carol in a conversation only, Dan nowhere, and somebody is forgotten.
SEEN_ON_SERVERS = (
    "INSERT INTO players (id, name) VALUES (1, 'Alice'), (2, 'Bob'), (3, 'Carol'), (4, 'Dan'), (-1, '')",
    "INSERT INTO challenges (id, guild_id, channel_id, challenger_id, opponent_id, low_id, high_id, ruleset, first, "
    "state, created_at, expires_at, version) VALUES "
    "(3, 5, 10, 1, 2, 1, 2, 'dalen/1/5/standard', 'challenger', 'declined', '2026-01-01', '2026-01-02', 2), "
    "(4, 6, 11, -1, 2, -1, 2, 'dalen/1/5/standard', 'challenger', 'declined', '2026-01-01', '2026-01-02', 2)",
    "INSERT INTO challenges (id, guild_id, channel_id, challenger_id, opponent_id, low_id, high_id, ruleset, first, "
    "state, created_at, expires_at, version) VALUES "
    "(5, NULL, 12, 1, 3, 1, 3, 'dalen/1/5/standard', 'challenger', 'declined', '2026-01-01', '2026-01-02', 2)",
)


async def test_migrating_again_changes_nothing(database: Database, storage: Storage) -> None:
    before = await schema(database)
    await match(storage)
    await database.migrate()
    assert await schema(database) == before
    assert await stored_match(storage, 1) is not None


async def test_sqlite_writes_ahead_keeps_foreign_keys_and_survives_a_power_cut(database: Database) -> None:
    async with database.read() as connection:
        pragmas = [
            await connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        ]
    assert pragmas == ["wal", 1, 2, 5000]


async def test_a_database_in_a_folder_that_is_missing_is_made_with_the_folder(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "games.db"
    database = Database(f"sqlite+aiosqlite:///{file}")
    try:
        await database.migrate()
        await set_memo(Storage(database), "name", "value")
    finally:
        await database.close()
    assert file.exists()


async def test_many_writers_at_once_never_find_the_database_busy(database: Database, storage: Storage) -> None:
    async def write_and_read(number: int) -> None:
        await set_memo(storage, f"memo {number % 7}", str(number))
        await get_memo(storage, f"memo {number % 7}")

    await asyncio.gather(*map(write_and_read, range(100)))
    assert await get_memo(storage, "memo 0") is not None


async def test_two_processes_may_write_to_the_same_database(database: Database, storage: Storage) -> None:
    other = Database(database.url.render_as_string(hide_password=False))
    try:
        writers = [storage, Storage(other)] * 10
        await asyncio.gather(*(set_memo(each, f"memo {n}", str(n)) for n, each in enumerate(writers)))
        assert [await get_memo(storage, f"memo {n}") for n in range(20)] == [str(n) for n in range(20)]
    finally:
        await other.close()


async def test_what_is_read_in_a_change_stays_true_until_its_end(database: Database, storage: Storage) -> None:
    """Without the write lock from the start, the second writer would find the database busy, or count wrongly."""
    other = Database(database.url.render_as_string(hide_password=False))
    count = select(memos.c.value).where(memos.c.name == "count")

    async def add_one(to: Database) -> None:
        async with to.write() as connection:
            value = await connection.scalar(count)
            await connection.execute(update(memos).values(value=str(int(value or 0) + 1)))

    await set_memo(storage, "count", "0")
    try:
        await asyncio.gather(*(add_one(each) for each in [database, other] * 10))
    finally:
        await other.close()
    assert await get_memo(storage, "count") == "20"


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
    assert await challenge(storage, BOB, ALICE) == identity + 1


async def test_of_two_waiting_matches_only_one_gets_the_channel(storage: Storage) -> None:
    await match(storage)
    waiting = [await match(storage, ALICE, CAROL), await match(storage, BOB, CAROL)]
    await end_match(storage, 1, 0, NOW, Result(BOB.id, Ending.RESIGNATION))
    placed = await asyncio.gather(*(place_match(storage, each, PLACE.channel_id) for each in waiting))
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
        await tx.deliveries.set_message(identity, PostedMessage(5, 6, 1, 0))
    assert await unshown(storage) == ([], [])
    await add_turn(storage, identity, 0, "e5", ALICE.id, NOW, None)
    assert await unshown(storage) == ([], [identity])
    assert (await stored_delivery(storage, identity)).message == PostedMessage(5, 6, 1, 0)


async def test_a_change_that_is_cancelled_leaves_nothing_and_holds_nobody_up(
    database: Database, storage: Storage
) -> None:
    begun, loop = asyncio.Event(), asyncio.get_running_loop()
    counting = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 99999) SELECT max(i) FROM n"

    def begin() -> None:
        loop.call_soon_threadsafe(begun.set)

    async def change() -> None:
        async with database.write() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            await driver.create_function("begun", 0, begin)
            await connection.execute(text("INSERT INTO memos VALUES ('half', 'done')"))
            await connection.execute(text(f"SELECT begun(), ({counting})"))

    task = asyncio.create_task(change())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await set_memo(storage, "next", "one")
    assert await get_memo(storage, "half") is None
