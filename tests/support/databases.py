"""Databases of tests, in which SQLite and SQLAlchemy prepare no statement twice."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from itertools import compress, count
from pathlib import Path
from typing import Any, TypeAlias

import aiosqlite
from sqlalchemy import AsyncAdaptedQueuePool, Dialect, event

from bot.services.ratings import Ratings
from bot.storage import Database, Storage
from bot.storage import sqlite as sqlite_driver
from bot.storage.database import address_of
from bot.storage.tables import metadata
from tests.support.postgres import Postgres, keep_connections
from tests.support.services import Clock

#: What SQLAlchemy has compiled, and the dialect that it compiled it for.
_COMPILED: dict[Any, Any] = {}
_DIALECTS: dict[str, Dialect] = {}
#: The statements that a connection keeps prepared, which are all that there are.
_PREPARED = 5000


def hurry(database: Database) -> None:
    """Do not wait for the disk, as no test cuts the power, and compile each statement once for all databases.

    SQLite runs on the event loop, because a hop to its thread and back takes longer than most statements.
    """
    engine = database.engine.sync_engine
    dialect = engine.dialect
    if dialect.name == "sqlite":
        event.listen(engine, "do_connect", _connect_at_once)
        event.listen(engine, "connect", _leave_unsafe)
        if file := _FILES.get(database.url.database or ""):
            dialect = file.share(database)
    known = _DIALECTS.setdefault(dialect.name, dialect)
    if known.server_version_info is None:  # the database that it was made for has never been connected to
        _DIALECTS[dialect.name] = known = dialect
    engine.dialect = known
    engine.update_execution_options(compiled_cache=_COMPILED)


def fast_database(url: str) -> Database:
    """A database that is faster than it is safe; it is made in the loop of its test."""
    database = Database(url)
    hurry(database)
    keep_connections(database)
    return database


class _AtOnce:
    """Takes the place of the queue to a connection's thread."""

    def put_nowait(self, work: tuple[asyncio.Future[Any], Callable[[], Any]]) -> None:
        future, function = work
        try:
            future.set_result(function())
        except Exception as error:
            future.set_exception(error)


class _Connection(sqlite_driver.Connection):
    """A connection without a thread, but for the time in which it waits for another one."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, cached_statements=_PREPARED, **named)
        self._tx: Any = _AtOnce()

    def __await__(self) -> Generator[Any, None, aiosqlite.Connection]:
        return self._connect().__await__()

    def close_now(self) -> None:
        """Close the connection when there is no event loop any more."""
        self._conn.close()
        self._connection = None

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(0)  # let other tasks go on, as they do while the thread is at work
        if "BEGIN IMMEDIATE" in args:
            try:
                return fn(*args)
            except sqlite3.OperationalError:
                if self._conn.in_transaction:
                    raise
            self._conn.execute("PRAGMA busy_timeout=5000").close()
            try:  # another connection writes
                return await asyncio.to_thread(fn, *args)
            finally:
                self._conn.execute("PRAGMA busy_timeout=0").close()
        result = fn(*args, **kwargs)
        if fn == self._conn.commit:
            await asyncio.sleep(0)  # others may read what is stored before this task goes on
        return result


def _connect_at_once(_dialect: Dialect, _record: object, _arguments: object, named: dict[str, Any]) -> None:
    named["async_creator_fn"] = _Connection


def _leave_unsafe(connection: Any, _record: object) -> None:
    for pragma in ("synchronous=OFF", "busy_timeout=0"):
        connection.execute(f"PRAGMA {pragma}").close()


class _Pool(AsyncAdaptedQueuePool):
    """The connections to a file, which stay open when a bot stops: the next one goes on with them."""

    def dispose(self) -> None:
        pass

    def recreate(self) -> _Pool:
        return self

    def is_as_new(self) -> bool:
        """Whether nothing has been left behind: a connection in use, or the event loop on which somebody waited."""
        queue: Any = self._pool
        return not self.checkedout() and queue._queue._loop is None

    def close(self) -> None:
        while self.checkedin():
            connection: Any = self._do_get().driver_connection
            if connection is not None:
                connection.close_now()


class _File:
    """A database that is as new after each test, with the connections of its bots."""

    _numbers = count(1)

    def __init__(self, empty: Path) -> None:
        self.path = empty.with_name(f"{next(self._numbers)}.db")
        shutil.copy(empty, self.path)
        self._connection = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        self._connection.execute("PRAGMA synchronous=OFF")
        self._schema = self._schema_version()
        self._rows = [
            (f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608
            for table in metadata.tables | {"alembic_version": None}
            if (rows := self._connection.execute(f"SELECT * FROM {table}").fetchall())  # noqa: S608
        ]
        self._pool: _Pool | None = None
        self._dialect: Dialect | None = None

    def share(self, database: Database) -> Dialect:
        """Give a database the connections of the one before, and return the dialect that they know."""
        engine = database.engine.sync_engine
        if self._pool is None or self._dialect is None:
            engine.pool.__class__ = _Pool  # with what happens whenever it connects
            assert isinstance(engine.pool, _Pool)
            self._pool, self._dialect = engine.pool, engine.dialect
        engine.pool = self._pool
        return self._dialect

    def wipe(self) -> bool:
        """Delete what a test has stored. That fails after tests that have used the file in unusual ways."""
        try:
            if self._pool is not None and not self._pool.is_as_new():
                return False
            self._connection.execute("BEGIN IMMEDIATE")
            (used,) = self._connection.execute(_USED)
            for table in (*compress(metadata.tables, used), "alembic_version"):
                self._connection.execute(f"DELETE FROM {table}")  # noqa: S608
            for statement, rows in self._rows:
                self._connection.executemany(statement, rows)
            self._connection.execute("COMMIT")
            return self._schema_version() == self._schema
        except sqlite3.Error:
            return False

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
        self._connection.close()

    def _schema_version(self) -> int:
        version: int = self._connection.execute("PRAGMA schema_version").fetchone()[0]
        return version


#: Which tables have rows: one question takes a fraction of the time that it takes to empty them all.
_USED = f"SELECT {', '.join(f'EXISTS (SELECT * FROM {table})' for table in metadata.tables)}"  # noqa: S608

#: The files in use, by their paths, and the free ones.
_FILES: dict[str, _File] = {}
_FREE: list[_File] = []


def make_empty(file: Path) -> None:
    """Make a database as the first start leaves it, with nothing in it."""

    async def make() -> None:
        database = Database(address_of(file))
        await database.migrate()
        await Ratings(Storage(database), clock=Clock()).catch_up()
        await database.close()

    asyncio.run(make())


@contextmanager
def file_for_a_test(empty_database: Path) -> Iterator[Path]:
    """A database with nothing in it, in a file that other tests have used before."""
    file = _FREE.pop() if _FREE else _File(empty_database)
    _FILES[str(file.path)] = file
    try:
        yield file.path
    finally:
        del _FILES[str(file.path)]
        if file.wipe():
            _FREE.append(file)
        else:
            file.close()


def close_files() -> None:
    """Close what is kept for tests that do not come any more."""
    while _FREE:
        _FREE.pop().close()


@asynccontextmanager
async def storage_in_file(empty_database: Path) -> AsyncIterator[Storage]:
    with file_for_a_test(empty_database) as file:
        async with _storage(address_of(file)) as storage:
            yield storage


@asynccontextmanager
async def storage_on_server(postgres: Postgres) -> AsyncIterator[Storage]:
    async with _storage(postgres.empty()) as storage:
        yield storage


@asynccontextmanager
async def _storage(url: str) -> AsyncIterator[Storage]:
    database = fast_database(url)
    try:
        yield Storage(database)
    finally:
        await database.close()


NewStorage: TypeAlias = Callable[[], AbstractAsyncContextManager[Storage]]
