"""Copies of databases with all their contents."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, delete, func, select, text, update

from bot.__main__ import main
from bot.config import Config
from bot.storage import Database, Storage, UnusableDatabaseError, tables
from bot.storage.database import address_of
from bot.storage.tables import key_values, metadata, turns
from bot.storage.transfer import copy
from tests.support.processes.postgres import Postgres
from tests.support.services.house import House, opened
from tests.support.services.matches import Clock
from tests.support.services.released import VERSIONS, read, restore
from tests.support.services.stored import running_matches, set_memo


@pytest.fixture
async def other(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    """A database of the other kind, without tables."""

    @asynccontextmanager
    async def address() -> AsyncIterator[str]:
        if backend == "postgresql":
            yield f"sqlite+aiosqlite:///{tmp_path / 'other.db'}"
            return
        postgres: Postgres = request.getfixturevalue("postgres")
        async with postgres.database(migrated=False) as url:
            yield url

    async with address() as url:
        database = Database(url)
        yield database
        await database.close()


@pytest.fixture
async def file(database_file: Path) -> AsyncIterator[Database]:
    """Another database with nothing in it."""
    database = Database(address_of(database_file))
    yield database
    await database.close()


def url_of(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


async def stored(database: Database) -> dict[Table, list[tuple[Any, ...]]]:
    async with database.read() as connection:
        return {
            table: sorted(map(tuple, await connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def ignore(_table: str, _count: int) -> None:
    """Nobody watches."""


async def test_every_table_travels_to_the_other_database_and_is_used_there(blank: Database, other: Database) -> None:
    await restore(read(VERSIONS[-1]), blank)
    await blank.migrate()
    before = await stored(blank)
    watched: list[tuple[str, int]] = []
    copied = await copy(blank, other, lambda *each: watched.append(each))
    assert await stored(other) == before
    assert (copied.tables, copied.rows) == (len(before), sum(map(len, before.values())))
    assert watched == [(table.name, len(rows)) for table, rows in before.items() if rows]
    played = len(before[tables.matches])
    assert copied.replays == played
    async with opened(House(Config.model_construct(database_url=url_of(other)), Clock())) as house:
        (match, *_) = await running_matches(house.storage)
        game = await house.game(match)
        assert (await house.play_on(match, game.position.legal_turns[0])).step == game.step + 1
        assert (await house.start()).id == played + 1


async def test_nothing_is_copied_into_a_database_that_has_anything(database: Database, file: Database) -> None:
    await set_memo(Storage(database), "name", "value")
    with pytest.raises(UnusableDatabaseError, match=r"is not empty. Name one that is.$"):
        await copy(file, database, ignore)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (update(turns).where(turns.c.turn == "d4").values(turn="z9"), "Match 1 cannot be replayed"),
        (
            text("CREATE TRIGGER other AFTER INSERT ON memos BEGIN UPDATE memos SET value = 0; END"),
            "came out differently",
        ),
    ],
)
async def test_a_copy_that_comes_out_wrong_leaves_nothing_behind(
    house: House, empty_database: Path, tmp_path: Path, change: Any, said: str
) -> None:
    database = house.database
    await house.start(turns=("e5", "light", "d4"))
    await set_memo(house.storage, "name", "value")
    target = Database(f"sqlite+aiosqlite:///{shutil.copy(empty_database, tmp_path / 'target.db')}")
    async with target.write() as connection:
        await connection.execute(delete(key_values))
    async with (database if change.is_dml else target).write() as connection:
        await connection.execute(change)
    with pytest.raises(UnusableDatabaseError, match=said):
        await copy(database, target, ignore)
    async with target.read() as connection:
        for table in metadata.sorted_tables:
            assert await connection.scalar(select(func.count()).select_from(table)) == 0
    await target.close()


async def test_only_a_database_of_this_version_is_copied(file: Database, tmp_path: Path) -> None:
    async with file.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '0000_earlier'"))
    target, missing = (Database(address_of(tmp_path / name)) for name in ("target.db", "missing.db"))
    with pytest.raises(UnusableDatabaseError, match="Start the bot with it once"):
        await copy(file, target, ignore)
    with pytest.raises(UnusableDatabaseError, match=r"^There is no database sqlite.*missing\.db\.$"):
        await copy(missing, target, ignore)
    assert not (tmp_path / "missing.db").exists()
    await target.close()


def test_the_command_copies_and_says_what_it_has_checked(
    database_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(database_file)) as connection, connection:
        connection.execute("INSERT INTO players (id, name) VALUES (1, 'Alice')")
    addresses = [f"sqlite+aiosqlite:///{file}" for file in (database_file, tmp_path / "target.db")]
    assert main(["copy", *addresses]) == 0
    said = capsys.readouterr()
    assert "players: 1 rows" in said.err
    assert "tables are the same in both databases, and the latest 0 matches can be replayed." in said.out
    assert main(["copy", *addresses]) == 1
    assert capsys.readouterr().err.endswith("target.db is not empty. Name one that is.\n")
    assert main(["copy", "games.db", addresses[1]]) == 1
    assert capsys.readouterr().err.startswith("FROM is not the address of a database.")
