"""The connection to the database: transactions, SQLite's settings and migrations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, event, make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

_MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """An engine with one writer.

    SQLite lets one connection write at a time and answers BUSY to a transaction that reads first and writes later, so
    there writers queue here and take the write lock at once (``BEGIN IMMEDIATE``).
    """

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self._is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writing = asyncio.Lock()
        if self._is_sqlite and self.url.database:
            Path(self.url.database).parent.mkdir(parents=True, exist_ok=True)
        self.engine: AsyncEngine = create_async_engine(self.url)
        if self._is_sqlite:
            event.listen(self.engine.sync_engine, "connect", _prepare_sqlite)
            event.listen(self.engine.sync_engine, "begin", _begin_sqlite)
            event.listen(self.engine.sync_engine, "invalidate", _roll_back_sqlite)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection that only reads."""
        async with self.engine.connect() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed at the end of the block, rolled back when it raises."""
        async with self.engine.connect() as plain:
            connection = await plain.execution_options(hexgrove_writes=True)
            if not self._is_sqlite:
                async with connection.begin():
                    yield connection
                return
            async with self._writing, connection.begin():
                yield connection

    async def migrate(self) -> None:
        """Brings the schema up to date."""
        async with self.engine.connect() as connection:
            await connection.execution_options(hexgrove_writes=True)
            await connection.run_sync(_upgrade)
            await connection.commit()

    async def close(self) -> None:
        await self.engine.dispose()


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver's own transaction handling is switched off: _begin_sqlite says how each one begins.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _roll_back_sqlite(connection: Any, _record: object, _error: object) -> None:
    # Whoever is cancelled in the middle of a change leaves a statement behind, and with it SQLite would keep the write
    # lock after the connection was closed, for everybody, until Python happens to collect the statement.
    connection.run_async(lambda driver: driver.rollback())


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("hexgrove_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
