"""A database that cannot be used is named in a sentence, without anything secret, and ends every program."""

from __future__ import annotations

import asyncio
import re
import socket
import sqlite3
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from bot import __main__ as program, playground
from bot.storage import Database, UnusableDatabaseError
from bot.storage.database import address_of
from bot.storage.session import DatabaseSession
from tests.support.processes.postgres import Postgres

_REFUSED = b'SFATAL\0C28P01\0Mpassword authentication failed for user "hex"\0\0'
_SSL_REQUEST = 80877103
_READY = b"Z\0\0\0\5I"


async def complaint(address: str) -> str:
    """What is said when the database is opened."""

    async def use() -> None:
        database = Database(address)
        try:
            await database.migrate()
        finally:
            await database.close()

    with pytest.raises(UnusableDatabaseError) as refused:
        await use()
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert "secret" not in sentence
    return sentence


@asynccontextmanager
async def server_that_refuses() -> AsyncIterator[int]:
    """The port of a PostgreSQL that takes no password."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length, code = struct.unpack("!II", await reader.readexactly(8))
        if code == _SSL_REQUEST:
            writer.write(b"N")
            length, _ = struct.unpack("!II", await reader.readexactly(8))
        await reader.readexactly(length - 8)
        writer.write(b"E" + struct.pack("!I", len(_REFUSED) + 4) + _REFUSED)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "not the address of a database"),
        ("secret", "not the address of a database"),
        ("postgresql+asyncpg://hex:secret@host:port/games", "not the address of a database"),
        ("oracle://hex:secret@host/games", "a kind of database that Hexgrove cannot use"),
        ("sqlite:///secret.db", "Begin the address with sqlite+aiosqlite://"),
        ("sqlite+secret:///games.db", "Begin the address with sqlite+aiosqlite://"),
        ("postgresql+psycopg_async://hex:secret@host/games", "is not installed"),
        ("postgresql+asyncpg://hex:my@secret@host/games", "Write %40 for an @ in the password."),
        ("postgresql+asyncpg://hex:secret@127.0.0.1:1/games", "hex:***@127.0.0.1:1/games cannot be used: no server"),
        ("postgresql+asyncpg://hex@127.0.0.1:1/games?password=secret", "127.0.0.1:1/games cannot be used: no server"),
        ("postgresql+asyncpg://hex@127.0.0.1:1/games?sslmode=require", "the driver does not know “sslmode”"),
    ],
)
async def test_a_wrong_address_is_named(
    address: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in await complaint(address)


async def test_a_host_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(*_arguments: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", find)
    said = await complaint("postgresql+asyncpg://hex:secret@nowhere/games")
    assert said.endswith("hex:***@nowhere/games cannot be used: the host nowhere is not known.")


async def test_a_wrong_password_is_named() -> None:
    async with server_that_refuses() as port:
        said = await complaint(f"postgresql+asyncpg://hex:secret@127.0.0.1:{port}/games")
    assert 'cannot be used: password authentication failed for user "hex".' in said


@pytest.mark.parametrize(
    ("change", "changes", "said"),
    [
        ((), {"database": "nowhere"}, 'database "nowhere" does not exist; create it first'),
        (
            ("CREATE ROLE guest LOGIN",),
            {"username": "guest"},
            "permission denied for schema public; let this user create tables there",
        ),
        (
            ("CREATE ROLE nobody LOGIN CONNECTION LIMIT 0",),
            {"username": "nobody"},
            'too many connections for role "nobody"; raise its max_connections, or stop another program',
        ),
        (
            ('ALTER DATABASE "{name}" SET default_transaction_read_only = on',),
            {},
            "cannot execute CREATE TABLE in a read-only transaction; name the server that takes changes",
        ),
        (
            ("CREATE DATABASE latin ENCODING LATIN1 LOCALE 'C' TEMPLATE template0",),
            {"database": "latin"},
            "its encoding is LATIN1; create it with the encoding UTF8",
        ),
        (("CREATE TABLE players (id int)",), {}, 'relation "players" already exists'),
    ],
)
async def test_the_complaint_of_a_server_is_named(
    postgres: Postgres, change: tuple[str, ...], changes: dict[str, Any], said: str
) -> None:
    async with postgres.database(migrated=False) as address:
        url = make_url(address)
        await execute(address, *(statement.format(name=url.database) for statement in change))
        complained = await complaint(url.set(**changes).render_as_string(hide_password=False))
        assert complained.endswith(f"cannot be used: {said}.")
        await execute(
            url.set(database="postgres").render_as_string(hide_password=False),
            "DROP DATABASE IF EXISTS latin",
            "DROP ROLE IF EXISTS guest, nobody",
        )


async def test_a_server_that_is_too_old_is_named(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.storage.database._OLDEST_SERVER", 99)
    async with postgres.database(migrated=False) as address:
        assert re.search(r"it is PostgreSQL \d+, and 99 or newer is needed", await complaint(address))


async def test_a_pooler_that_shares_connections_is_named(postgres: Postgres) -> None:
    async with postgres.database(migrated=False) as address, pooler(address) as pooled:
        assert "a pooler shares its connections" in await complaint(pooled)


async def execute(address: str, *statements: str) -> None:
    engine = create_async_engine(address, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


@asynccontextmanager
async def pooler(address: str) -> AsyncIterator[str]:
    """The address of a pooler whose clients all have one connection to the server, as long as one waits for another."""
    url = make_url(address)
    server, to_server = await asyncio.open_unix_connection(f"{url.query['host']}/.s.PGSQL.5432")
    greeting, asking = bytearray(), list[asyncio.StreamWriter]()

    async def answer() -> None:
        while said := await server.read(10_000):
            asking[-1].write(said)
        for client in asking:
            client.close()

    async def serve(client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        length, code = struct.unpack("!II", await client.readexactly(8))
        if code == _SSL_REQUEST:
            to_client.write(b"N")
            length, code = struct.unpack("!II", await client.readexactly(8))
        start = await client.readexactly(length - 8)
        if not greeting:
            to_server.write(struct.pack("!II", length, code) + start)
            while not greeting.endswith(_READY):
                greeting.extend(await server.read(1000))
            answering.append(asyncio.create_task(answer()))
        to_client.write(greeting)
        while asked := await client.read(1000):
            asking.append(to_client)
            to_server.write(asked)

    answering = list[asyncio.Task[None]]()
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        yield url.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)
    to_server.close()
    await asyncio.gather(*answering)


async def test_a_wrong_file_is_named(tmp_path: Path, database_file: Path) -> None:
    junk, plain, folder = (tmp_path / name for name in ("junk", "plain", "folder"))
    junk.write_text("These are no games. " * 200)
    plain.touch()
    folder.mkdir()
    assert "not a database" in await complaint(address_of(junk))
    assert "is it a folder" in await complaint(address_of(folder))
    assert "cannot be created" in await complaint(f"sqlite+aiosqlite:///{plain}/games.db")
    assert "read-only" in await complaint(f"sqlite+aiosqlite:///file:{database_file}?mode=ro&uri=true")
    with sqlite3.connect(database_file) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert "locked" in await complaint(f"sqlite+aiosqlite:///{database_file}?timeout=0.1")
    other.close()


async def test_several_processes_need_a_server(database_file: Path) -> None:
    database = Database(address_of(database_file))
    with pytest.raises(UnusableDatabaseError, match=r"^SHARDS is for several processes, which need PostgreSQL\. Set "):
        DatabaseSession(database)
    await database.close()


BEFORE_1_0 = "was made by a version of Hexgrove before 1.0, and no release can open it. Name another database."


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("9999_later", "a newer version of Hexgrove"),
        ("0001", BEFORE_1_0),
        ("0022", BEFORE_1_0),
        ("0001_initial", BEFORE_1_0),
    ],
)
async def test_a_database_of_another_version_is_named_and_left_alone(
    database_file: Path, revision: str, said: str
) -> None:
    with closing(sqlite3.connect(database_file)) as connection:
        with connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
        assert said in await complaint(address_of(database_file))
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(revision,)]


@pytest.mark.parametrize(
    ("main", "arguments", "status"),
    [(lambda: program.main(["ratings"]), [], 2), (playground.main, ["--data", "."], 1)],
    ids=["ratings", "playground"],
)
def test_every_other_program_ends_with_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    main: Callable[[], int],
    arguments: list[str],
    status: int,
) -> None:
    for name in ("games.db", "playground.db"):
        (tmp_path / name).write_text("These are no games. " * 200)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "sqlite+aiosqlite:///games.db")
    monkeypatch.setattr("sys.argv", ["program", *arguments])
    monkeypatch.setattr("bot.runtime.log.configure", lambda _config: None)  # which would outlast the test
    assert main() == status
    (line,) = capsys.readouterr().err.splitlines()
    assert "that file is not a database" in line
