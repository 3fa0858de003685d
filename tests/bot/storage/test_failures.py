"""A database that fails says how, and whether anything was stored."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from gettext import NullTranslations
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from bot.storage import Database, Storage, UnusableDatabaseError
from bot.storage.database import address_of
from bot.storage.failures import DatabaseFailedError, watch_writes
from bot.storage.sqlite import SqliteConnection
from tests.support.services.matches import refused
from tests.support.services.stored import get_memo, set_memo
from tests.support.sources import ROOT
from tests.support.waiting import until


@pytest.fixture(scope="module")
def backend() -> str:
    return "sqlite"


@pytest.fixture
async def database(database_file: Path) -> AsyncIterator[Database]:
    """The bot's database, in a file that a test may spoil."""
    database = Database(address_of(database_file))
    await database.migrate()
    yield database
    await database.close()


async def fill_up(database: Database, _file: Path) -> None:
    async with database.read() as connection:
        pages = await connection.scalar(text("PRAGMA page_count"))
        await connection.execute(text(f"PRAGMA max_page_count = {pages}"))


async def lock(database: Database, file: Path) -> None:
    async with database.read() as connection:
        await connection.execute(text("PRAGMA busy_timeout = 0"))
    held = sqlite3.connect(file, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    _HELD.append(held)


async def make_read_only(database: Database, _file: Path) -> None:
    async with database.read() as connection:
        await connection.execute(text("PRAGMA query_only = ON"))


async def remove(_database: Database, file: Path) -> None:
    for each in file.parent.glob(f"{file.name}*"):
        each.unlink()


_HELD: list[sqlite3.Connection] = []


async def store_much(storage: Storage) -> None:
    async with storage.transaction() as tx:
        await tx.key_values.add("long", "x" * 1_000_000)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (fill_up, "SQLITE_FULL"),
        (lock, "SQLITE_BUSY"),
        (make_read_only, "SQLITE_READONLY"),
        (remove, "SQLITE_READONLY_DBMOVED"),
    ],
)
async def test_a_failure_has_the_code_of_the_database_and_leaves_nothing(
    database: Database, database_file: Path, spoil: Callable[[Database, Path], Awaitable[None]], code: str
) -> None:
    storage = Storage(database)
    await set_memo(storage, "name", "before")
    watch_writes()
    await spoil(database, database_file)
    failed = await refused(DatabaseFailedError, store_much(storage))
    for held in _HELD:
        held.close()
    _HELD.clear()
    assert (failed.database_code, failed.nothing_stored) == (code, True)
    assert await get_memo(storage, "long") is None


async def test_a_file_that_disappears_is_not_made_again_empty(database: Database, database_file: Path) -> None:
    await remove(database, database_file)
    await database.engine.dispose()
    threads = threading.active_count()
    with pytest.raises(DatabaseFailedError, match="SQLITE_CANTOPEN"):
        await get_memo(Storage(database), "name")
    assert not database_file.exists()  # noqa: ASYNC240
    await until(lambda: threading.active_count() <= threads)


async def test_a_failure_does_not_deny_earlier_changes_of_the_interaction(
    database: Database, database_file: Path
) -> None:
    storage = Storage(database)
    watch_writes()
    await set_memo(storage, "name", "first")
    await fill_up(database, database_file)
    failed = await refused(DatabaseFailedError, store_much(storage))
    assert not failed.nothing_stored
    assert "look before you try again" in failed.text.translate(NullTranslations())


async def test_nobody_knows_what_a_commit_has_stored_that_met_a_broken_disk(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC"

    async def fail(_self: SqliteConnection) -> None:
        raise error

    monkeypatch.setattr(SqliteConnection, "commit", fail)
    watch_writes()
    with pytest.raises(DatabaseFailedError, match="SQLITE_IOERR_FSYNC") as failed:
        await set_memo(Storage(database), "name", "value")
    assert not failed.value.nothing_stored


async def test_bugs_are_not_failures_of_the_database(database: Database) -> None:
    with pytest.raises(OperationalError, match="syntax error"):
        async with database.read() as connection:
            await connection.execute(text("SELEC"))


async def test_one_process_at_a_time_claims_a_file(database: Database, database_file: Path) -> None:
    await database.acquire()
    other = Database(address_of(database_file))
    with pytest.raises(UnusableDatabaseError, match="another process is using it; stop that one first"):
        await other.acquire()
    await database.close()
    await other.acquire()
    await other.close()


def test_a_killed_process_leaves_its_file_to_the_next(database_file: Path) -> None:
    holding = (
        "import asyncio, sys; from bot.storage import Database\n"
        "async def hold():\n"
        "    database = Database(sys.argv[1]); await database.acquire(); print(flush=True); await asyncio.sleep(1000)\n"
        "asyncio.run(hold())"
    )
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", holding, address_of(database_file)], stdout=subprocess.PIPE, cwd=ROOT
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"\n"
            process.kill()
