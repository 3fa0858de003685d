"""What is special about SQLite: its settings and its files."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select, text, update

from bot.storage import Database, Storage
from bot.storage.database import execute, together
from bot.storage.tables import memos
from tests.support.stored import get_memo, set_memo


@pytest.fixture(scope="module")
def backend() -> str:
    return "sqlite"


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A database as the bot has it, which waits for the disk."""
    database = Database(database_url)
    yield database
    await database.close()


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


async def test_work_done_together_keeps_the_event_loop_free(database: Database) -> None:
    threads, storage = list[int](), Storage(database)
    event.listen(database.engine.sync_engine, "before_cursor_execute", lambda *_: threads.append(threading.get_ident()))
    async with storage.transaction() as tx:

        async def work() -> str | None:
            await tx.memos.set("together", "done")
            return await tx.together(tx.memos.get("together"))

        assert await tx.together(work()) == "done"
    assert len(threads) == 2
    assert threading.get_ident() not in threads
    assert await get_memo(storage, "together") == "done"


async def test_work_done_together_waits_for_nothing_else(database: Database, storage: Storage) -> None:
    async def work() -> None:
        async with database.write() as connection:

            async def store() -> None:
                await execute(connection, text("INSERT INTO memos VALUES ('half', 'done')"))
                await asyncio.sleep(1)

            await together(connection, store())

    with pytest.raises((AssertionError, RuntimeError)):
        await work()
    assert await get_memo(storage, "half") is None


@pytest.mark.parametrize("times", [1, 2])
async def test_cancelled_work_is_undone_before_anybody_goes_on(
    database: Database, storage: Storage, times: int
) -> None:
    begun, loop = asyncio.Event(), asyncio.get_running_loop()
    counting = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 99999) SELECT max(i) FROM n"

    async def change() -> None:
        async with database.write() as connection:

            async def work() -> None:
                await execute(connection, text("INSERT INTO memos VALUES ('half', 'done')"))
                loop.call_soon_threadsafe(begun.set)
                await execute(connection, text(counting))
                await execute(connection, text("INSERT INTO memos VALUES ('whole', 'done')"))

            await together(connection, work())

    task = asyncio.create_task(change())
    await begun.wait()
    for _ in range(times):
        task.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    await set_memo(storage, "next", "one")
    assert [await get_memo(storage, name) for name in ("half", "whole")] == [None, None]
