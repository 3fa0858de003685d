"""Databases as earlier versions made them."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from bot.domain.deliveries import MatchDelivery, PostedMessage, ReplacedMessage
from bot.domain.matches import Ending, Result
from bot.domain.places import Place
from bot.storage import Database, Storage

MIGRATIONS = Path(__file__).parents[2] / "bot" / "storage" / "migrations"

#: What each revision brings room for, as it keeps that itself: rows of its new tables, and matches where those change.
#: Match 1 is over and counts. 2, its rematch, was taken back, and 3 waits for a place.
ROWS: dict[str, tuple[str, ...]] = {
    "0001": (
        "INSERT INTO players VALUES (1, 'Alice'), (2, 'Bob')",
        "INSERT INTO challenges VALUES (1, 5, 10, 1, 2, 1, 2, 'dalen/1/5/standard', "
        "'challenger', 'accepted', '2026-01-01 12:00:00.000000', '2026-01-01 12:00:00.000000', 2, 2, 10, 81)",
        "INSERT INTO matches VALUES (1, 1, 'dalen/1/5/standard', 'dalen', 5, 10, 10, 1, 2, "
        "4, '2026-01-01 12:00:00.000000', '2026-01-01 12:00:00.000000', 'resignation', 2, 5, 5, 10, 91, 4)",
        "INSERT INTO turns VALUES "
        "(1, 1, 'e5', 1, '2026-01-01 12:00:00.000000'), (1, 2, 'light', 2, '2026-01-01 12:00:00.000000'), "
        "(1, 3, 'd4', 2, '2026-01-01 12:00:00.000000'), (1, 4, 'a1', 1, '2026-01-01 12:00:00.000000')",
        "INSERT INTO timers VALUES ('purge', 0, '2026-01-01 12:00:00.000000')",
        "INSERT INTO memos VALUES ('rating-formula', '1'), ('last-seen', '2026-01-01T12:00:00+00:00')",
    ),
    "0002": (
        "INSERT INTO matches (id, rematch_of, ruleset, game, guild_id, home_channel_id, channel_id, first_id, "
        "second_id, ply, step, started_at, version, shown_version, card_channel_id, card_message_id, shown_step) "
        "VALUES (2, 1, 'dalen/1/5/standard', 'dalen', 5, 10, 10, 2, 1, 2, 4, '2026-01-01 12:00:00.000000', 5, "
        "4, 10, 92, 3)",
        "INSERT INTO turns (match_id, step, ply, turn, player_id, played_at) VALUES "
        "(2, 1, 1, 'e5', 2, '2026-01-01 12:00:00.000000'), "
        "(2, 2, 2, 'dark', 1, '2026-01-01 12:00:00.000000'), (2, 3, 1, NULL, 1, '2026-01-01 12:00:00.000000'), "
        "(2, 4, 2, 'light', 1, '2026-01-01 12:00:00.000000')",
        "INSERT INTO proposals (id, match_id, kind, proposer_id, step, state, version) "
        "VALUES (1, 1, 'rematch', 1, 4, 'accepted', 2), (2, 2, 'draw', 2, 4, 'open', 1)",
        "INSERT INTO drafts VALUES (2, 1, 4, 'd4')",
        "INSERT INTO preferences VALUES (1, 'night', '7', true, 'always', false, 'de')",
        "INSERT INTO hints VALUES (1, 'dalen')",
        "INSERT INTO servers VALUES (5, 'channel', NULL, NULL, 'es')",
        "INSERT INTO server_channels VALUES (5, 10)",
    ),
    "0003": (
        "INSERT INTO rating_events VALUES (1, 1, 'rated', '2026-01-01 12:00:00.000000')",
        "INSERT INTO rating_changes VALUES (1, 'dalen', 1, 0, 0.0, 1500, 350, 1331.0625, 0.1), "
        "(2, 'dalen', 1, 1, 1.0, 1500, 350, 1668.9375, 290.25)",
        "INSERT INTO standings VALUES (0, '', 'all', 2, 0, 1, 0, 0, 1, 1, 1668.9375, 1790000000)",
    ),
    "0004": (
        "INSERT INTO clocks VALUES (2, 'bank 60 0 -', 60000000, 60000001, 0, '2026-01-01 12:00:00.000000')",
        "INSERT INTO clock_turns VALUES (2, 1, 0, 1500000, 0)",
        "INSERT INTO vacations VALUES (1, '2026-01-01 12:00:00.000000', '2026-01-02 12:00:00.000000')",
        "INSERT INTO blocks VALUES (1, 2)",
        "INSERT INTO tournaments (id, channel_id, name, organiser_id, ruleset, at_once, state, created_at, version) "
        "VALUES (1, 10, 'Cup', 1, 'dalen/1/5/standard', 2, 'running', '2026-01-01 12:00:00.000000', 1)",
        "INSERT INTO entrants VALUES (1, 1, 0, NULL), (1, 2, 1, '2026-01-01 12:00:00.000000')",
        "INSERT INTO pairings VALUES (1, 1, 1, 2, NULL)",
    ),
    "0006": ("INSERT INTO posts VALUES (1, 1, '2026-01-01 12:00:00.000000')",),
    "0007": ("INSERT INTO nicknames VALUES (1, 6, 'Ally')",),
    "0008": (
        "INSERT INTO replaced_cards VALUES (9007199254740993, 10, 1, 0)",
        "INSERT INTO rating_corrections VALUES (2, 'dalen', 1)",
    ),
    "0009": ("INSERT INTO threads VALUES (1152921504606846977, 10)",),
    "0010": (
        "INSERT INTO matches (id, ruleset, game, guild_id, first_id, second_id, ply, step, started_at) "
        "VALUES (3, 'dalen/1/5/standard', 'dalen', 5, 1, 2, 0, 0, '2026-01-01 12:00:00.000000')",
        "INSERT INTO match_deliveries (match_id, home_channel_id, requests) VALUES (3, 10, 1)",
    ),
    "0012": ("INSERT INTO nudges VALUES (2, 2, '2026-01-01 12:00:00.000000')",),
    "0013": ("INSERT INTO other_card_channels VALUES (5, 10)",),
    "0014": ("INSERT INTO lines VALUES (2, 1, 4, 2, 'd4', 'd', '2026-01-01 12:00:00.000000')",),
    "0019": (
        "INSERT INTO puzzle_attempts VALUES (1, '0a1b2c3d', 2, '2026-01-01 12:00:00.000000', true, "
        "'2026-01-01 12:00:00.000000'), (2, '0a1b2c3d', 2, '2026-01-01 12:00:00.000000', NULL, NULL)",
        "INSERT INTO daily_puzzles VALUES (5, '2026-01-01', '0a1b2c3d', 10, 1152921504606846977, 1, 1)",
    ),
    "0020": ("""INSERT INTO reviews VALUES (1, 1, '{"chances": [0.5], "points": []}')""",),
    "0021": (
        "INSERT INTO kept_counts VALUES (1, '5e1f', '2026-01-01 12:00:00.000000', '2026-01-01 13:00:00.000000')",
        "INSERT INTO timers VALUES ('forget', 0, '2026-01-01 13:00:00.000000')",
        "INSERT INTO memos VALUES ('limits-key', 'c0ffee')",
    ),
}

#: At revision 0009: match 1 is over and was shown, 2 is its rematch and has moved on since, and 3 waits for a place; 4
#: is in a thread, was taken back and shown on request, and its end was not shown.
PLACED = (
    "INSERT INTO players (id, name, username) VALUES (1, 'Alice', ''), (2, 'Bob', '')",
    "INSERT INTO challenges (id, guild_id, channel_id, challenger_id, opponent_id, low_id, high_id, ruleset, first, "
    "state, created_at, expires_at, version, shown_version, card_channel_id, card_message_id) VALUES "
    "(1, 5, 10, 1, 2, 1, 2, 'dalen/1/5/standard', 'challenger', 'accepted', '2026-01-01', '2026-01-02', 2, 2, 10, 81), "
    "(3, 5, 10, 1, 2, 1, 2, 'dalen/1/5/standard', 'challenger', 'accepted', '2026-01-01', '2026-01-02', 2, 2, 10, 83), "
    "(4, 5, 40, 1, 2, 1, 2, 'dalen/1/5/standard', 'challenger', 'accepted', '2026-01-01', '2026-01-02', 2, 2, 40, 84)",
    "INSERT INTO matches (id, challenge_id, rematch_of, ruleset, game, guild_id, home_channel_id, channel_id, "
    "first_id, second_id, ply, step, started_at, ended_at, ending, winner_id, version, shown_version, "
    "card_channel_id, card_message_id, shown_step) VALUES "
    "(1, 1, NULL, 'dalen/1/5/standard', 'dalen', 5, 10, 10, 1, 2, 1, 1, '2026-01-01 12:00:00.000000', "
    "'2026-01-01 12:30:00.000000', 'resignation', 2, 3, 3, 10, 91, 1), "
    "(2, NULL, 1, 'dalen/1/5/standard', 'dalen', 5, 10, 10, 2, 1, 1, 1, '2026-01-01 12:00:00.000000', "
    "NULL, NULL, NULL, 2, 1, 10, 92, 0), "
    "(3, 3, NULL, 'dalen/1/5/standard', 'dalen', 5, 10, NULL, 1, 2, 0, 0, '2026-01-01 12:00:00.000000', "
    "NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL), "
    "(4, 4, NULL, 'dalen/1/5/standard', 'dalen', 5, 40, 41, 1, 2, 0, 2, '2026-01-01 12:00:00.000000', "
    "'2026-01-01 12:30:00.000000', 'agreement', NULL, 6, 5, 41, 94, 2)",
    "INSERT INTO turns (match_id, step, ply, turn, player_id, played_at) VALUES "
    "(1, 1, 1, 'e5', 1, '2026-01-01 12:00:00.000000'), (2, 1, 1, 'e5', 2, '2026-01-01 12:00:00.000000'), "
    "(4, 1, 1, 'e5', 1, '2026-01-01 12:00:00.000000'), (4, 2, 0, NULL, 1, '2026-01-01 12:00:00.000000')",
    "INSERT INTO clocks VALUES (2, 'bank 60 0 -', 60000000, 60000000, 0, '2026-01-01 12:00:00.000000')",
    "INSERT INTO rating_events VALUES (1, 1, 'rated', '2026-01-01 12:30:00.000000')",
    "INSERT INTO replaced_cards (message_id, channel_id, match_id, step) VALUES (90, 10, 1, 0)",
    "INSERT INTO proposals (id, match_id, kind, proposer_id, step, state, version) VALUES "
    "(1, 1, 'rematch', 1, 1, 'accepted', 2)",
)


class _UndoneError(Exception):
    """Rolls a transaction back."""


async def climb(database: Database) -> None:
    """Bring an empty database from each revision to the next, storing what each has room for."""
    scripts = ScriptDirectory(str(MIGRATIONS))
    for script in reversed(list(scripts.walk_revisions())):
        await make_old(database, script.revision, ROWS.get(script.revision, ()))


async def make_old(database: Database, revision: str, rows: tuple[str, ...]) -> None:
    """Make the tables as they were at a revision, with some rows."""

    def make(connection: Connection) -> None:
        command.upgrade(_config(connection), revision)
        for row in rows:
            connection.execute(text(row))

    async with database.write() as connection:
        await connection.run_sync(make)


async def go_back(database: Database, revision: str) -> None:
    """Make the tables as they were at a revision, with what is stored now."""

    def back(connection: Connection) -> None:
        command.downgrade(_config(connection), revision)

    async with database.write() as connection:
        await connection.run_sync(back)


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


async def check_placed(storage: Storage) -> None:
    """Check that the matches of :data:`PLACED` are where they were, and shown as far as they were."""
    async with storage.read() as tx:
        deliveries = await tx.deliveries.get_all([1, 2, 3, 4])
        assert deliveries == {
            1: MatchDelivery(3, PostedMessage(10, 91, 3, 1), 1, Place(5, 10), 10),
            2: MatchDelivery(2, PostedMessage(10, 92, 1, 0), 2, Place(5, 10), 10),
            3: MatchDelivery(1, None, 3, Place(5, 10), None),
            4: MatchDelivery(6, PostedMessage(41, 94, 5, 2), 4, Place(5, 40), 41),
        }
        assert await tx.deliveries.unshown() == ([], [4, 3, 2])
        assert await tx.deliveries.waiting() == [3]
        assert await tx.deliveries.replaced() == [ReplacedMessage(1, PostedMessage(10, 90, 0, 0), surplus=False)]
        (running,) = await tx.matches.meant(3, Place(5, 10))
        assert (running.id, running.rematch_of, running.clock is None) == (2, 1, False)
    with suppress(_UndoneError):
        async with storage.transaction() as tx:
            assert not await tx.deliveries.place(3, 10), "another match is running there"
            assert await tx.matches.end(2, 1, datetime(2026, 1, 2, tzinfo=UTC), Result(1, Ending.RESIGNATION))
            assert await tx.deliveries.place(3, 10)
            raise _UndoneError


async def stored_rows(database: Database) -> dict[str, list[dict[str, object]]]:
    """Every row of the tables that have to do with matches, by table."""
    found = {}
    async with database.read() as connection:
        for table in ("matches", "turns", "clocks", "rating_events", "replaced_cards", "proposals", "challenges"):
            rows = await connection.execute(text(f"SELECT * FROM {table}"))  # noqa: S608
            found[table] = sorted((dict(row) for row in rows.mappings()), key=str)
    return found
