"""The database: its address, transactions and migrations, and the differences between SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sqlite3
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import (
    URL,
    BigInteger,
    Connection,
    CursorResult,
    Table,
    cast,
    event,
    func,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.storage import failures, sqlite as sqlite_driver

_T = TypeVar("_T")
#: The result of any statement.
AnyResult: TypeAlias = CursorResult[*tuple[Any, ...]]
_MIGRATIONS = Path(__file__).parent / "migrations" / "versions"
#: The last revision before the first release; earlier ones were numbers.
_UNRELEASED = "0001_initial"
#: The supported databases, each with its driver.
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}
#: A number that no other lock uses.
_LOCK_ALL = text("SELECT pg_advisory_xact_lock(4867600, 0)")
_EXAMPLES = "Write sqlite+aiosqlite:///data/hexgrove.db or postgresql+asyncpg://user:password@host/name."
#: The oldest supported version of PostgreSQL.
_OLDEST_SERVER = 15
#: The beginning of a writing transaction on SQLite, which acquires the write lock immediately.
_WRITING = "BEGIN IMMEDIATE"
#: Maximum connections of a process to PostgreSQL. They are opened when needed, and kept.
_CONNECTIONS = 10
#: Maximum connections that write at the same time. While they wait for each other's locks, the others can read.
_WRITERS = 7
#: The seconds within which a server must answer a new connection.
_PATIENCE = 15
#: Maximum prepared statements of a connection.
_PREPARED = 400
#: Explanations of SQLite's messages, by excerpts.
_REASONS = {
    "file is not a database": "that file is not a database; name another one",
    "unable to open database file": "it cannot be opened; is it a folder, or does it belong to another user",
    "readonly database": "it is read-only; let this user write to the file and its folder",
    "database is locked": "another program keeps it locked; stop that one first",
}
_UNKNOWN_ARGUMENT = re.compile(r"'(\w+)' is an invalid keyword argument|unexpected keyword argument '(\w+)'")
#: Remedies for PostgreSQL's errors, by their codes.
_REMEDIES = {
    "25006": "name the server that takes changes",
    "3D000": "create it first",
    "42501": "let this user create tables there",
    "53300": "raise its max_connections, or stop another program",
    "57P03": "try again in a moment",
}


class UnusableDatabaseError(Exception):
    """The database cannot be used. The message says why, in a sentence for the operator."""


class Database:
    """A database, in transactions.

    SQLite lets one connection write at a time, and may refuse a write after a read. So its writers queue here, and
    acquire the write lock immediately (``BEGIN IMMEDIATE``). On PostgreSQL, several processes write at the same time,
    each under its ``client`` name, and lock the rows that they change. ``name`` is the operator's name for the address.
    """

    def __init__(self, url: str, *, client: str = "hexgrove", name: str = "DATABASE_URL") -> None:
        self.url = _parse(url, name)
        self._is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writing = asyncio.Semaphore(1 if self._is_sqlite else _WRITERS)
        if self._is_sqlite and self.url.database and not self.url.database.startswith("file:"):
            _make_folder(Path(self.url.database).parent)
        self.engine = _engine(self.url, client, name)
        #: The device and inode of the file, once it has its schema.
        self._inode: tuple[int, int] | None = None
        self._lock: sqlite3.Connection | None = None
        if self._is_sqlite:
            event.listen(self.engine.sync_engine, "do_connect", self._find_file)
            event.listen(self.engine.sync_engine, "connect", _prepare_sqlite)
            event.listen(self.engine.sync_engine, "invalidate", _roll_back_sqlite)
        else:
            event.listen(self.engine.sync_engine, "checkout", _check_open)

    @property
    def is_server(self) -> bool:
        """Whether the database is a server, which several processes may use, rather than a file."""
        return not self._is_sqlite

    @property
    def is_there(self) -> bool:
        """Whether the file exists; True for a server, since only connecting shows whether it is there."""
        return not self._is_sqlite or Path(self.url.database or "").is_file()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection that only reads; each query sees everything stored before it.

        On PostgreSQL, it has no transaction, which saves the round trips to begin and end one.
        """
        with failures.named():
            async with self._connect() as connection:
                if not self._is_sqlite:
                    _sync(connection).execution_options(isolation_level="AUTOCOMMIT")
                yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """A connection that only reads, and sees one state of the database."""
        with failures.named():
            async with self.engine.connect() as connection:
                if self._is_sqlite:
                    _driver(connection).begin("BEGIN")
                else:
                    await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed at the end of the block, rolled back if the block raises."""
        with failures.named():
            # A waiting writer holds no connection.
            async with self._writing, self._connect() as connection:
                if self._is_sqlite:
                    self._check_file()
                    _driver(connection).begin(_WRITING)
                _sync(connection).begin()  # no I/O yet
                yield connection
                with failures.named(committing=True):
                    await connection.commit()
        failures.note_write()

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[AsyncConnection]:
        """A connection for the block. SQLAlchemy's own context manager would start a task to return it."""
        with failures.named(connecting=True):
            connection = await self.engine.connect().start()
        try:
            yield connection
        except BaseException:
            await connection.__aexit__(None, None, None)
            raise
        await connection.close()  # after success, without waiting

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Run the block in one process at a time. A file has only one process anyway."""
        if self._is_sqlite:
            yield
            return
        async with self.engine.connect() as connection, connection.begin():
            await connection.execute(_LOCK_ALL)
            yield

    async def acquire(self) -> None:
        """Keep other processes from the file until :meth:`close`, or the end of this process.

        Raises :class:`UnusableDatabaseError` if another process uses it. On a server, locks of sessions do this.
        """
        if self._file is not None:
            self._lock = await asyncio.to_thread(_lock_beside, self._file)
            if self._lock is None:
                raise self._unusable("another process is using it; stop that one first")

    async def migrate(self) -> None:
        """Connect for the first time, and bring the schema up to date.

        Raises :class:`UnusableDatabaseError` if that fails.
        """
        with self.explaining():
            if not self._is_sqlite:
                await self._check_server()
            async with self.alone(), self.engine.connect() as connection:
                if self._is_sqlite:
                    _driver(connection).begin(_WRITING)
                await connection.run_sync(self._upgrade)
                await connection.commit()
        self._inode = self._identity()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Turn every failure in the block into an :class:`UnusableDatabaseError`."""
        try:
            yield
        except UnusableDatabaseError:
            raise
        except Exception as error:  # drivers raise exceptions of all kinds
            found = error.__cause__ if isinstance(error, failures.DatabaseFailedError) else error
            assert isinstance(found, Exception)
            raise self._unusable(_reason(self.url, found)) from error

    @property
    def address(self) -> str:
        """The address without secrets."""
        return self.url.set(query={}).render_as_string(hide_password=True)

    async def revision(self) -> tuple[str | None, str | None]:
        """The revision of the schema (None: no schema), and the newest revision."""
        async with self.read() as connection:
            return await connection.run_sync(self._revision), _newest_revision()

    async def back_up(self, file: Path) -> str:
        """Copy an SQLite database, even one in use, to a new file, and return the revision of its schema.

        If that fails, raises :class:`UnusableDatabaseError` and leaves no file.
        """
        if not self._is_sqlite:
            raise UnusableDatabaseError("This is for SQLite. Back PostgreSQL up with its own tools, such as pg_dump.")
        if not self.is_there:
            raise self._unusable("there is no such file")
        with self.explaining():
            return await asyncio.to_thread(_copy_file, Path(self.url.database or ""), file)

    async def close(self) -> None:
        await self.engine.dispose()
        if self._lock is not None:
            self._lock.close()

    @property
    def _file(self) -> Path | None:
        """The file of an SQLite database; None for a server, and for a database in memory."""
        name = self.url.database or ""
        return Path(name).absolute() if self._is_sqlite and name and not name.startswith((":", "file:")) else None

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = None if self._file is None else self._file.stat()
        except FileNotFoundError:
            return None
        return None if found is None else (found.st_dev, found.st_ino)

    def _check_file(self) -> None:
        """Raise :class:`failures.DatabaseFailedError` if the file was removed or replaced.

        SQLite would go on with the removed file and its write-ahead log, and everything would be lost at the end.
        """
        if self._inode is not None and self._identity() != self._inode:
            raise failures.DatabaseFailedError("SQLITE_READONLY_DBMOVED", certain=True)

    def _find_file(self, _dialect: object, _record: object, arguments: list[Any], options: dict[str, Any]) -> None:
        # If the file disappears from a running bot, SQLite must not put an empty one in its place.
        if self._inode is not None and self._file is not None:
            arguments[0], options["uri"] = f"{self._file.as_uri()}?mode=rw", True

    def _revision(self, connection: Connection) -> str | None:
        if not inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        if revision is not None and (revision.isdecimal() or revision == _UNRELEASED):
            raise UnusableDatabaseError(
                f"The database {self.address} was made by a version of Hexgrove before 1.0, and no release can open "
                "it. Name another database."
            )
        return revision

    def _upgrade(self, connection: Connection) -> None:
        if self._revision(connection) != _newest_revision():
            # Imported only when needed, because importing Alembic slows every start.
            from bot.storage import migrations

            try:
                migrations.upgrade(connection)
            except migrations.UnknownRevisionError as error:
                raise UnusableDatabaseError(
                    f"The database {self.address} was made by a newer version of Hexgrove. Install that version, or "
                    "name another database."
                ) from error
        # SQLite opens a read-only file without an error, and refuses changes only later.
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = version_num")

    async def _check_server(self) -> None:
        """Raise :class:`UnusableDatabaseError` unless the server has everything that the bot needs."""
        facts = text(
            "SELECT pg_backend_pid() AS process, current_setting('server_version_num')::int / 10000 AS version, "
            "current_setting('server_encoding') AS encoding"
        )
        async with self.read() as connection, self.read() as other:
            found = (await connection.execute(facts)).one()
            process = (await other.execute(facts)).one().process
        if found.version < _OLDEST_SERVER:
            raise self._unusable(f"it is PostgreSQL {found.version}, and {_OLDEST_SERVER} or newer is needed")
        if found.encoding != "UTF8":
            raise self._unusable(f"its encoding is {found.encoding}; create it with the encoding UTF8")
        if process == found.process:
            # Locks and notifications belong to a connection, but a pooler lends it to others after each transaction.
            raise self._unusable("a pooler shares its connections; let it pool sessions, or do without it")

    def _unusable(self, reason: str) -> UnusableDatabaseError:
        return UnusableDatabaseError(f"The database {self.address} cannot be used: {reason}.")


def _lock_beside(file: Path) -> sqlite3.Connection | None:
    """Lock a file beside a database until the connection is closed or this process ends; None if it is locked."""
    lock = sqlite3.connect(f"{file}-process", timeout=0, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            lock.close()
            return None
    return lock  # any other error will also stop the migration, which explains it


def _copy_file(database: Path, file: Path) -> str:
    """Copy an SQLite database, even one in use, and return its revision; the file has its name once it is complete."""
    if file.exists():
        raise UnusableDatabaseError(f"The file {file} exists already. Name another one.")
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with (
            closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(unfinished)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # otherwise there would be several files
            ((sound,),) = copy.execute("PRAGMA integrity_check(1)")
            if sound != "ok" or copy.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise UnusableDatabaseError(f"The database {database} is damaged ({sound}), so no backup was made.")
            ((revision,),) = copy.execute("SELECT version_num FROM alembic_version")
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.rename(file)
        return str(revision)
    finally:
        unfinished.unlink(missing_ok=True)


# For queries and tables


async def renumber(connection: AsyncConnection, tables: Iterable[Table]) -> None:
    """Number new rows after the highest number, once rows with numbers have been inserted."""
    if one_writer(connection):
        return  # SQLite continues on its own
    for table in tables:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            last = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
            await connection.execute(select(func.setval(cast(sequence, postgresql.REGCLASS), last, False)))


def one_writer(connection: AsyncConnection) -> bool:
    """Whether only one transaction writes at a time, so no locks are needed."""
    return connection.dialect.name == "sqlite"


def _sync(connection: AsyncConnection) -> Connection:
    assert connection.sync_connection is not None
    return connection.sync_connection


def _driver(connection: AsyncConnection) -> sqlite_driver.SqliteConnection:
    driver: Any = _sync(connection).connection.driver_connection
    assert isinstance(driver, sqlite_driver.SqliteConnection)
    return driver


async def lock(connection: AsyncConnection, key: int) -> None:
    """Keep others from acquiring the same lock until the end of the transaction."""
    if not one_writer(connection):
        await connection.execute(select(func.pg_advisory_xact_lock(cast(key, BigInteger))))


#: An insert that can update an existing row.
Upsert: TypeAlias = postgresql.Insert | sqlite.Insert


def insert_for(dialect: str, table: Table) -> Upsert:
    """An insert that can update an existing row."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


# Opening a database


def address_of(file: Path) -> str:
    """The address of an SQLite database in a file."""
    return f"{_DRIVERS['sqlite']}:///{file}"


def _parse(address: str, name: str) -> URL:
    try:
        url = make_url(address)
        backend = url.get_backend_name()
    except (ArgumentError, ValueError) as error:
        raise UnusableDatabaseError(f"{name} is not the address of a database. {_EXAMPLES}") from error
    if backend not in _DRIVERS:
        raise UnusableDatabaseError(f"{name} names a kind of database that Hexgrove cannot use. {_EXAMPLES}")
    if "@" in (url.host or ""):
        raise UnusableDatabaseError(f"{name} contains a second @. Write %40 for an @ in the password.")
    return url


def _engine(url: URL, client: str, name: str) -> AsyncEngine:
    known = _DRIVERS[url.get_backend_name()]
    options: dict[str, Any] = {"hide_parameters": True}  # keeps texts of users out of error messages
    if url.drivername == _DRIVERS["postgresql"]:
        options |= {
            "pool_size": _CONNECTIONS,
            "max_overflow": 0,
            "connect_args": {
                "timeout": _PATIENCE,
                "prepared_statement_cache_size": _PREPARED,
                "server_settings": {"application_name": client, "timezone": "UTC"},
            },
        }
    elif url.drivername == _DRIVERS["sqlite"]:
        # Every transaction ends where it begins.
        options |= {"connect_args": {"async_creator_fn": sqlite_driver.SqliteConnection}, "pool_reset_on_return": None}
    try:
        return create_async_engine(url, **options)
    except (ArgumentError, InvalidRequestError, TypeError) as error:
        reason = f"The driver in {name} cannot be used. Begin the address with {known}://…"
        raise UnusableDatabaseError(reason) from error
    except ImportError as error:
        reason = f"The driver in {name} is not installed. Install it, or begin the address with {known}://…"
        raise UnusableDatabaseError(reason) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableDatabaseError(
            f"The folder {folder} of the database cannot be created: {error.strerror}."
        ) from error


def _reason(url: URL, error: Exception) -> str:
    """Why a database cannot be used and, if known, the remedy."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    said = (str(cause) or type(cause).__name__).splitlines()[0].rstrip(".")
    match cause:
        case socket.gaierror():
            return f"the host {url.host} is not known"
        case TimeoutError():
            return f"the server does not answer within {_PATIENCE} seconds"
        case ssl.SSLError():
            return f"no safe connection: {cause.reason}"
        case OSError() if url.get_backend_name() == "postgresql":
            return "no server answers there; start PostgreSQL, or correct the address"
        case TypeError() if argument := _UNKNOWN_ARGUMENT.search(said):
            return f"the driver does not know “{argument[1] or argument[2]}” in the address"
    for excerpt, explanation in _REASONS.items():
        if excerpt in said:
            return explanation
    remedy = _REMEDIES.get(getattr(cause, "sqlstate", None) or "")
    return said if remedy is None else f"{said}; {remedy}"


def _newest_revision() -> str:
    return max(file.stem for file in _MIGRATIONS.glob("[0-9]*.py"))


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # Python's own handling of transactions is off: Database begins each one.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _roll_back_sqlite(connection: Any, _record: object, _error: object) -> None:
    # A task cancelled during a change leaves a statement behind. Until Python collects it, SQLite would keep the write
    # lock, even after the connection is closed.
    connection.run_async(lambda driver: driver.rollback())


def _check_open(connection: Any, _record: object, _proxy: object) -> None:
    # A connection that a restarted server has closed is replaced without a round trip.
    if connection.driver_connection.is_closed():
        raise DisconnectionError
