"""Databases of tests: copies of one that is migrated and has nothing in it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import event

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
