"""A database that cannot be used is named in a sentence, without anything secret, and ends every program."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.storage import Database, UnusableDatabaseError

_REFUSED = b'SFATAL\0C28P01\0Mpassword authentication failed for user "hex"\0\0'
_SSL_REQUEST = 80877103


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
        ("postgresql+asyncpg://hex:secret@127.0.0.1:1/games", "hex:***@127.0.0.1:1/games cannot be used: Connect"),
        ("postgresql+asyncpg://hex@127.0.0.1:1/games?password=secret", "127.0.0.1:1/games cannot be used: Connect"),
    ],
)
async def test_a_wrong_address_is_named(
    address: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in await complaint(address)


async def test_a_wrong_password_is_named() -> None:
    async with server_that_refuses() as port:
        said = await complaint(f"postgresql+asyncpg://hex:secret@127.0.0.1:{port}/games")
    assert 'cannot be used: password authentication failed for user "hex".' in said


async def test_a_wrong_file_is_named(tmp_path: Path, database_file: Path) -> None:
    junk, plain, folder = (tmp_path / name for name in ("junk", "plain", "folder"))
    junk.write_text("These are no games. " * 200)
    plain.touch()
    folder.mkdir()
    assert "not a database" in await complaint(f"sqlite+aiosqlite:///{junk}")
    assert "is it a folder" in await complaint(f"sqlite+aiosqlite:///{folder}")
    assert "cannot be created" in await complaint(f"sqlite+aiosqlite:///{plain}/games.db")
    assert "read-only" in await complaint(f"sqlite+aiosqlite:///file:{database_file}?mode=ro&uri=true")
    with sqlite3.connect(database_file) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert "locked" in await complaint(f"sqlite+aiosqlite:///{database_file}?timeout=0.1")
    other.close()


async def test_a_database_of_a_newer_version_is_left_alone(database_file: Path) -> None:
    with sqlite3.connect(database_file) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "a newer version of Hexgrove" in await complaint(f"sqlite+aiosqlite:///{database_file}")
    with sqlite3.connect(database_file) as newer:
        assert newer.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]
    newer.close()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["bot"], 1), (["bot.ratings"], 2), (["bot.playground", "--data", "."], 1)],
    ids=["bot", "ratings", "playground"],
)
async def test_every_program_ends_with_a_sentence(tmp_path: Path, arguments: list[str], status: int) -> None:
    for name in ("games.db", "playground.db"):
        (tmp_path / name).write_text("These are no games. " * 200)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *arguments),
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[3]),
            "DISCORD_TOKEN": "a-token",
            "DATABASE_URL": "sqlite+aiosqlite:///games.db",
        },
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    (line,) = said.decode().splitlines()
    assert "that file is not a database" in line
    assert process.returncode == status
