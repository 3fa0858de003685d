"""What is special about SQLite: its settings and its files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from sqlalchemy import select, text, update

from bot.storage import Database, Storage
from bot.storage.tables import key_values
from tests.support.services.matches import refused
from tests.support.services.stored import get_memo, set_memo


@pytest.fixture(scope="module")
def backend() -> str:
    return "sqlite"


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The bot's database, which waits for the disk."""
    database = Database(database_url)
    yield database
    await database.close()


@pytest.fixture
def storage(database: Database) -> Storage:
    return Storage(database)


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


async def test_nobody_writes_between_the_reads_and_writes_of_a_change(database: Database, storage: Storage) -> None:
    """Without the write lock from the start, the second writer would find the database busy, or count wrongly."""
    other = Database(database.url.render_as_string(hide_password=False))
    count = select(key_values.c.value).where(key_values.c.name == "count")

    async def add_one(to: Database) -> None:
        async with to.write() as connection:
            value = await connection.scalar(count)
            await connection.execute(update(key_values).values(value=str(int(value or 0) + 1)))

    await set_memo(storage, "count", "0")
    try:
        await asyncio.gather(*(add_one(process) for process in [database, other] * 10))
    finally:
        await other.close()
    assert await get_memo(storage, "count") == "20"


async def test_a_statement_is_executed_in_one_visit_to_the_thread_of_its_connection(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """aiosqlite itself would need visits of their own for the cursor, the rows and the end of the cursor."""
    visits, visit = list[Any](), aiosqlite.Connection._execute

    async def count(self: aiosqlite.Connection, fn: Any, *arguments: Any, **named: Any) -> Any:
        visits.append(fn)
        return await visit(self, fn, *arguments, **named)  # type: ignore[no-untyped-call]

    async with database.read() as connection:  # opens it
        await connection.execute(text("SELECT 1"))
    monkeypatch.setattr(aiosqlite.Connection, "_execute", count)
    async with database.write() as connection:
        await connection.execute(text("INSERT INTO memos VALUES ('count', '1')"))
        found = await connection.scalar(select(key_values.c.value).where(key_values.c.name == "count"))
    assert found == "1"
    assert len(visits) == 3, "one for each statement, where the first also begins, and one to commit"


async def test_a_query_finds_more_rows_than_are_read_at_once(database: Database) -> None:
    numbers = text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1234) SELECT i FROM n")
    async with database.read() as connection:
        assert [*(await connection.execute(numbers)).scalars()] == [*range(1, 1235)]
        assert (await connection.execute(numbers)).scalars().first() == 1


@pytest.mark.parametrize("times", [0, 1, 2])
async def test_a_cancelled_change_is_undone_and_holds_nobody_up(
    database: Database, storage: Storage, times: int
) -> None:
    """Cancel it during a long statement of SQLite, or once or twice before its end."""
    begun, loop = asyncio.Event(), asyncio.get_running_loop()
    counting = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 99999) SELECT max(i) FROM n"

    def begin() -> None:
        loop.call_soon_threadsafe(begun.set)

    async def change() -> None:
        async with database.write() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            await driver.create_function("begun", 0, begin)
            await connection.execute(text("INSERT INTO memos VALUES ('half', 'done')"))
            if times:
                loop.call_soon(begun.set)
            await connection.execute(text(counting if times else f"SELECT begun(), ({counting})"))
            await connection.execute(text("INSERT INTO memos VALUES ('whole', 'done')"))

    task = asyncio.create_task(change())
    await begun.wait()
    for _ in range(times or 1):
        task.cancel()
        for _ in range(3 if times else 0):
            await asyncio.sleep(0)
    await refused(asyncio.CancelledError, task)
    await set_memo(storage, "next", "one")
    assert [await get_memo(storage, name) for name in ("half", "whole")] == [None, None]
