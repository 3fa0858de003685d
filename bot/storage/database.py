"""The connection to the database: transactions, SQLite's settings and migrations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import URL, Connection, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

_MIGRATIONS = Path(__file__).parent / "migrations"
#: The databases that the queries are written for, each with a suitable driver.
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
#: The number stands for this lock alone; the storage's other locks have other ones.
_TAKE_TURN = text("SELECT pg_advisory_xact_lock(4867600, 0)")
_EXAMPLES = "Write sqlite+aiosqlite:///data/hexgrove.db or postgresql+asyncpg://user:password@host/name."
#: Parts of SQLite's messages, with explanations.
_REASONS = {
    "file is not a database": "that file is not a database; name another one",
    "unable to open database file": "it cannot be opened; is it a folder, or does it belong to another user",
    "readonly database": "it is read-only; let this user write to the file and its folder",
    "database is locked": "another program keeps it locked; stop that one first",
}


class UnusableDatabaseError(Exception):
    """The database cannot be used; the message explains why, in a sentence for the operator."""


class Database:
    """An engine with one writer.

    SQLite lets one connection write at a time, and answers BUSY to a transaction that reads first and writes later. So
    with SQLite, writers queue here and take the write lock at once (``BEGIN IMMEDIATE``).
    """

    def __init__(self, url: str) -> None:
        self.url = _parse(url)
        self._is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writing = asyncio.Lock()
        if self._is_sqlite and self.url.database and not self.url.database.startswith("file:"):
            _make_folder(Path(self.url.database).parent)
        self.engine = _engine(self.url)
        if self._is_sqlite:
            event.listen(self.engine.sync_engine, "connect", _prepare_sqlite)
            event.listen(self.engine.sync_engine, "begin", _begin_sqlite)
            event.listen(self.engine.sync_engine, "invalidate", _roll_back_sqlite)

    @property
    def is_server(self) -> bool:
        """Whether it is a server that several processes can use at once, and not a file."""
        return not self._is_sqlite

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

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Let no other process do what is in such a block at the same time; each file has one process anyway."""
        if self._is_sqlite:
            yield
            return
        async with self.engine.connect() as connection, connection.begin():
            await connection.execute(_TAKE_TURN)
            yield

    async def migrate(self) -> None:
        """Connect for the first time, and bring the schema up to date.

        Raises :class:`UnusableDatabaseError` if that fails.
        """
        try:
            async with self.alone(), self.engine.connect() as connection:
                await connection.execution_options(hexgrove_writes=True)
                await connection.run_sync(_upgrade)
                await connection.commit()
        except CommandError as error:
            raise UnusableDatabaseError(
                f"The database {_address(self.url)} was made by a newer version of Hexgrove. Install that version, "
                "or name another database."
            ) from error
        except Exception as error:  # drivers raise all kinds of exceptions
            raise UnusableDatabaseError(_describe(self.url, error)) from error

    async def close(self) -> None:
        await self.engine.dispose()


def _parse(text: str) -> URL:
    try:
        url = make_url(text)
        backend = url.get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise UnusableDatabaseError(f"DATABASE_URL is not the address of a database. {_EXAMPLES}") from error
    if backend not in _DRIVERS:
        raise UnusableDatabaseError(f"DATABASE_URL names a kind of database that Hexgrove cannot use. {_EXAMPLES}")
    return url


def _engine(url: URL) -> AsyncEngine:
    known = _DRIVERS[url.get_backend_name()]
    try:
        # No error message contains what users have typed.
        return create_async_engine(url, hide_parameters=True)
    except (ArgumentError, InvalidRequestError) as error:
        reason = f"The driver in DATABASE_URL cannot be used. Begin the address with {known}://…"
        raise UnusableDatabaseError(reason) from error
    except ImportError as error:
        reason = f"The driver in DATABASE_URL is not installed. Install it, or begin the address with {known}://…"
        raise UnusableDatabaseError(reason) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableDatabaseError(
            f"The folder {folder} of the database cannot be created: {error.strerror}."
        ) from error


def _address(url: URL) -> str:
    """The address without secrets."""
    return url.set(query={}).render_as_string(hide_password=True)


def _describe(url: URL, error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    told = cause.strerror if isinstance(cause, OSError) else str(cause)
    reason = (told or type(cause).__name__).splitlines()[0]
    for part, said in _REASONS.items():
        if part in reason:
            reason = said
    return f"The database {_address(url)} cannot be used: {reason.rstrip('.')}."


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    # SQLite opens a read-only file without complaint, and only refuses changes.
    connection.exec_driver_sql("UPDATE alembic_version SET version_num = version_num")


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver's own transaction handling is switched off: _begin_sqlite says how each one begins.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
    # SQLite's own lower() knows only ASCII letters.
    connection.create_function("lower", 1, lambda text: None if text is None else str(text).lower(), deterministic=True)


def _roll_back_sqlite(connection: Any, _record: object, _error: object) -> None:
    # A task that is cancelled in the middle of a change leaves a statement behind. With it, SQLite would keep the write
    # lock even after the connection is closed, until Python happens to collect the statement.
    connection.run_async(lambda driver: driver.rollback())


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("hexgrove_writes", False)
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
    # Every call of the driver is a hop to its thread and back, and a statement through SQLAlchemy takes three.
    connection.connection.run_async(lambda driver: driver.execute(begin))
