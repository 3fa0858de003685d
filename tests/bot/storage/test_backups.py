"""Backups of SQLite databases, which the bot goes on to use meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.storage import Database, Storage, UnusableDatabaseError
from tests.support.services.stored import get_memo, set_memo


@pytest.fixture(scope="module")
def backend() -> str:
    return "sqlite"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_backup_is_made_while_others_write_and_can_be_used_as_it_is(storage: Storage, tmp_path: Path) -> None:
    database, file = storage.database, tmp_path / "backup.db"

    async def write() -> None:
        for number in range(200):
            await set_memo(storage, "number", str(number))

    await set_memo(storage, "before", "the backup")
    writing = asyncio.create_task(write())
    revision = await database.back_up(file)
    await writing
    assert [name for name in names(tmp_path) if name.startswith(("backup", "."))] == ["backup.db"]
    assert (revision, revision) == await database.revision()
    restored = Database(f"sqlite+aiosqlite:///{file}")
    await restored.migrate()
    assert await get_memo(Storage(restored), "before") == "the backup"
    await restored.close()


async def test_a_backup_replaces_no_file_and_leaves_none_when_it_fails(database_file: Path, tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{database_file}")
    kept = tmp_path / "kept.db"
    kept.write_text("earlier")
    with pytest.raises(UnusableDatabaseError, match=r"kept\.db exists already"):
        await database.back_up(kept)
    assert kept.read_text() == "earlier"
    with closing(sqlite3.connect(database_file)) as connection, connection:
        connection.execute("INSERT INTO known_games VALUES (404, 'dalen')")  # of nobody
    with pytest.raises(UnusableDatabaseError, match="is damaged"):
        await database.back_up(tmp_path / "backup.db")
    await database.close()
    missing = Database(f"sqlite+aiosqlite:///{tmp_path / 'missing.db'}")
    with pytest.raises(UnusableDatabaseError, match="there is no such file"):
        await missing.back_up(tmp_path / "backup.db")
    assert [name for name in names(tmp_path) if "-" not in name] == ["hexgrove.db", "kept.db"]


def test_the_command_says_what_it_has_made_and_leaves_postgresql_alone(
    database_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["backup", "backup.db"]
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{database_file}")
    assert main(command) == 0
    assert capsys.readouterr().out.startswith("backup.db is a complete and sound backup")
    assert main(command) == 1
    monkeypatch.setenv("DATABASE_URL", "postgresql+asyncpg://hex@localhost/games")
    assert main(command) == 1
    assert "such as pg_dump" in capsys.readouterr().err
