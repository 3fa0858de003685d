"""What is stored is tested on each kind of database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from bot.storage import Database
from tests.support.processes.postgres import Postgres


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def new_blank(
    backend: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[[], AbstractAsyncContextManager[Database]]:
    """Makes databases without tables."""
    numbers = count()

    @asynccontextmanager
    async def make() -> AsyncIterator[Database]:
        if backend == "sqlite":
            database = Database(f"sqlite+aiosqlite:///{tmp_path / f'blank-{next(numbers)}.db'}")
            yield database
            await database.close()
            return
        postgres: Postgres = request.getfixturevalue("postgres")
        async with postgres.database(migrated=False) as url:
            database = Database(url)
            yield database
            await database.close()

    return make


@pytest.fixture
async def blank(new_blank: Callable[[], AbstractAsyncContextManager[Database]]) -> AsyncIterator[Database]:
    """A database without tables."""
    async with new_blank() as database:
        yield database
