"""What becomes of databases that earlier versions made, and of one without tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, func, select, text

import rules
from bot.domain.challenges import First
from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.domain.matches import Ending, Result
from bot.domain.places import Place
from bot.domain.players import Names, Player
from bot.domain.preferences import Confirmation
from bot.domain.proposals import ProposalKind
from bot.domain.timers import Timer, TimerKind
from bot.storage import Database, Storage
from bot.storage.tables import metadata
from tests.support.migrating import PLACED, check_placed, climb, go_back, make_old, stored_rows
from tests.support.services import Clock, play_turn, service
from tests.support.storing import (
    add_challenge,
    add_turn,
    get_memo,
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


async def test_the_migrations_make_exactly_the_tables_that_the_code_names(database: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, metadata))

    async with database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_partial_indexes_and_checks_are_in_the_database_as_in_the_code(
    database: Database, new_blank: Callable[[], AbstractAsyncContextManager[Database]]
) -> None:
    """These are what the comparison of tables does not look at."""
    async with new_blank() as expected:
        async with expected.write() as connection:
            await connection.run_sync(metadata.create_all)
        wanted = await schema(expected)
    created = await schema(database)
    assert {name: said for name, said in created.items() if name in wanted} == wanted
    assert {name for name in created if "alembic" not in name} == wanted.keys()


async def schema(database: Database) -> dict[str, str]:
    """Indexes and checks by name, and with PostgreSQL other constraints too."""
    found: dict[str, str] = {}
    async with database.read() as connection:
        if connection.dialect.name == "postgresql":
            for query in (
                "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
                "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE connamespace = 'public'::regnamespace AND contype <> 'n'",
            ):
                found.update((await connection.execute(text(query))).all())
            return found
        for name, said in await connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")):
            if said.startswith("CREATE TABLE"):
                found |= dict.fromkeys(re.findall(r"CHECK \(.*\)", said), "")
            found[name] = " ".join(said.split()) if name.startswith("ix_") else ""
    return found


async def check_sound(database: Database) -> None:
    """PostgreSQL sees to this itself."""
    if database.url.get_backend_name() == "sqlite":
        async with database.read() as connection:
            assert (await connection.execute(text("PRAGMA foreign_key_check"))).all() == []
            assert await connection.scalar(text("PRAGMA integrity_check")) == "ok"


async def test_rows_of_every_earlier_version_are_kept(blank: Database) -> None:
    await climb(blank)
    await check_sound(blank)
    async with blank.read() as connection:
        for table in metadata.sorted_tables:
            count = await connection.scalar(select(func.count()).select_from(table))
            assert count, f"tests.support.migrating.ROWS has no rows of {table.name}"
    clock = Clock()
    clock.now = NOW
    matches = service(Storage(blank), clock)
    games = [await matches.game(number) for number in (1, 2, 3)]
    assert [game.turns for game in games] == [("e5", "light", "d4", "a1"), ("e5", "light"), ()]
    assert [game.match.result for game in games] == [Result(2, Ending.RESIGNATION), None, None]
    assert [each.kind for each in games[1].match.proposals] == [ProposalKind.DRAW]
    assert games[1].match.clock is not None
    assert [game.match.waiting for game in games] == [False, False, True]
    assert (await play_turn(matches, 2, 1, "d4")).turns == ("e5", "light", "d4")
    assert await unshown(Storage(blank)) == ([], [3, 2])
    assert await add_challenge(Storage(blank), PLACE, ALICE, BOB, DALEN, First.RANDOM, NOW, LATER) == 2


async def test_matches_from_before_steps_are_kept_with_their_turns_and_cards(blank: Database) -> None:
    """Every turn is the step of the same number, and numbers go on where they stopped."""

    await make_old(blank, "0001", OLD_ROWS)
    await blank.migrate()
    storage = Storage(blank)
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
    await check_sound(blank)
    assert not [name for name in await schema(blank) if name.endswith("_before")]


async def test_where_matches_are_played_and_what_was_shown_survives_there_and_back(blank: Database) -> None:
    await make_old(blank, "0009", PLACED)
    before, tables = await stored_rows(blank), await schema(blank)
    await blank.migrate()
    await check_placed(Storage(blank))
    await check_sound(blank)
    await go_back(blank, "0009")
    assert await stored_rows(blank) == before
    assert (await schema(blank)).keys() == tables.keys()


async def test_time_zones_survive_there_and_back(blank: Database) -> None:
    offsets = {1: 0, 2: 330, 3: -600}
    rows = (
        "INSERT INTO players VALUES (1, 'Alice', ''), (2, 'Bob', ''), (3, 'Carol', '')",
        "INSERT INTO preferences (player_id, orientation, coordinates, confirmation, pings, utc_offset) "
        "VALUES (1, 'as-is', true, 'risky', true, 0), (2, 'as-is', true, 'risky', true, 330), "
        "(3, 'as-is', true, 'risky', true, -600)",
    )
    await make_old(blank, "0015", rows)
    await blank.migrate()
    for player_id, offset in offsets.items():
        async with Storage(blank).read() as tx:
            chosen = await tx.settings.preferences(player_id)
        assert chosen.time_zone == timezone(timedelta(minutes=offset))
        assert (chosen.digest_at, chosen.digest_refused) == (None, False)
    async with Storage(blank).transaction() as tx:
        await tx.settings.change_preferences(1, {"time_zone": ZoneInfo("Europe/Berlin"), "digest_at": 480})
        await tx.timers.set(Timer(TimerKind.DIGEST, 1, NOW))
    await go_back(blank, "0015")
    async with blank.read() as connection:
        found = await connection.execute(text("SELECT player_id, utc_offset FROM preferences"))
        assert {row.player_id: row.utc_offset for row in found} == offsets
        assert await connection.scalar(text("SELECT count(*) FROM timers")) == 0


async def test_playing_at_once_becomes_a_choice_of_the_confirmation(blank: Database) -> None:
    rows = (
        "INSERT INTO players (id, name, username) VALUES (1, 'Alice', ''), (2, 'Bob', ''), (3, 'Carol', '')",
        "INSERT INTO preferences (player_id, orientation, coordinates, confirmation, pings, at_once) "
        "VALUES (1, 'as-is', true, 'risky', true, true), (2, 'as-is', true, 'always', true, true), "
        "(3, 'as-is', true, 'risky', true, false)",
    )
    await make_old(blank, "0020", rows)
    await blank.migrate()
    async with Storage(blank).read() as tx:
        chosen = [(await tx.settings.preferences(player_id)).confirmation for player_id in (1, 2, 3)]
    assert chosen == [Confirmation.AT_ONCE, Confirmation.ALWAYS, Confirmation.RISKY]
    await go_back(blank, "0020")
    async with blank.read() as connection:
        found = await connection.execute(text("SELECT player_id, confirmation, at_once FROM preferences"))
        kept = {row.player_id: (row.confirmation, bool(row.at_once)) for row in found}
    assert kept == {1: ("risky", True), 2: ("always", False), 3: ("risky", False)}


async def test_there_is_no_way_back_for_a_match_without_a_channel(blank: Database) -> None:
    await blank.migrate()
    storage = Storage(blank)
    async with storage.transaction() as tx:
        await tx.players.save(ALICE, BOB)
        match_id = await tx.matches.add(DALEN, None, (ALICE, BOB), NOW, rated=True)
    with pytest.raises(NotImplementedError, match="restore a backup"):
        await go_back(blank, "0009")
    assert await stored_match(storage, match_id) is not None


@pytest.mark.parametrize("interrupted", [True, False])
async def test_a_correction_of_ratings_that_an_older_version_left_is_done_by_rating_all_again(
    blank: Database, interrupted: bool
) -> None:
    left = ("INSERT INTO memos VALUES ('uncorrected-ratings', '3')",) if interrupted else ()
    await make_old(blank, "0005", ("INSERT INTO memos VALUES ('rating-formula', '1')", *left))
    await blank.migrate()
    storage = Storage(blank)
    assert (await get_memo(storage, "rating-formula") is None) is interrupted
    assert await get_memo(storage, "uncorrected-ratings") is None


async def test_when_the_bot_was_there_last_is_known_after_the_upgrade_and_after_the_way_back(blank: Database) -> None:
    seen = "2026-01-01T12:00:00.123456+00:00"
    await make_old(blank, "0016", ("INSERT INTO memos VALUES ('last-seen', '2026-01-01T12:00:00.123456+00:00')",))
    await blank.migrate()
    async with Storage(blank).transaction() as tx:
        assert await tx.presence.take(0) == datetime.fromisoformat(seen)
    await go_back(blank, "0016")
    assert await get_memo(Storage(blank), "last-seen") == seen


OLD_ROWS = (
    "INSERT INTO players VALUES (1, 'Alice'), (2, 'Bob')",
    "INSERT INTO challenges VALUES (3, 1, 10, 1, 2, 1, 2, 'dalen/1/5/standard', 'challenger', 'accepted', "
    "'2026-01-01 12:00:00.000000', '2026-01-02 12:00:00.000000', 2, 2, 10, 98)",
    "INSERT INTO matches VALUES (7, 3, 'dalen/1/5/standard', 'dalen', 1, 10, 10, 1, 2, 2, "
    "'2026-01-01 12:00:00.000000', NULL, NULL, NULL, 5, 4, 10, 99, 1)",
    "INSERT INTO turns VALUES (7, 1, 'e5', 1, '2026-01-01 12:01:00.000000'), "
    "(7, 2, 'light', 2, '2026-01-01 12:02:00.000000')",
)


@pytest.mark.parametrize("revision", ["0001", "0002", "0003", "0004", "0005", "0006"])
async def test_a_name_that_may_be_a_nickname_stays_on_the_one_server_it_can_come_from(
    blank: Database, revision: str
) -> None:
    # At first there were no conversations.
    await make_old(blank, revision, SEEN_ON_SERVERS[: 2 if revision == "0001" else 3])
    await blank.migrate()
    storage = Storage(blank)
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
    async with blank.read() as connection:
        assert not await connection.scalar(text("SELECT count(*) FROM nicknames WHERE player_id < 0"))


async def test_the_way_back_keeps_a_name_for_everybody(blank: Database) -> None:
    await blank.migrate()
    async with Storage(blank).transaction() as tx:
        await tx.players.save(
            Player(1, "Zoe", Names("Zed", "zed", 5, "Zoe")), Player(2, "Bob", Names("Bob", "bob", 5, None))
        )

    await go_back(blank, "0005")
    async with blank.read() as connection:
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
    await set_memo(storage, "name", "value")
    await database.migrate()
    assert await schema(database) == before
    assert await get_memo(storage, "name") == "value"


async def unshown(storage: Storage) -> tuple[list[int], list[int]]:
    async with storage.read() as tx:
        return await tx.deliveries.unshown()
