"""Databases of tests: copies of one that is migrated and has nothing in it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from bot.services.ratings import Ratings
from bot.storage import Database, Storage
from bot.storage.database import address_of
from tests.support.services.matches import Clock


def hurry(database: Database) -> None:
    """Do not wait for the disk, as no test cuts the power."""
    if not database.is_server:
        event.listen(database.engine.sync_engine, "connect", _do_not_sync)


def _do_not_sync(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=OFF")
    cursor.close()


class _CompiledStatements(dict[tuple[Any, ...], Any]):
    """The statements of all databases of a kind. Otherwise every test would compile them for its own database."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(_of_any_database(*key), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__(_of_any_database(*key), compiled)


def _of_any_database(dialect: object, *statement: Any) -> tuple[Any, ...]:
    return type(dialect), *statement


_COMPILED = _CompiledStatements()


@event.listens_for(Engine, "engine_connect")
def _share_compiled_statements(connection: Connection) -> None:
    connection.execution_options(compiled_cache=_COMPILED)


def make_empty(file: Path) -> None:
    """Make a database as the first start leaves it, with nothing in it."""

    async def make() -> None:
        database = Database(address_of(file))
        await database.migrate()
        await Ratings(Storage(database), now=Clock()).catch_up()
        await database.close()

    asyncio.run(make())


def new_file(empty_database: Path, folder: Path) -> Path:
    """A database with nothing in it."""
    return Path(shutil.copy(empty_database, folder / "hexgrove.db"))
