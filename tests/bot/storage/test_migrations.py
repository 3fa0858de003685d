"""The tables that a start makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from bot.storage import Database, Storage
from bot.storage.tables import metadata
from tests.support.services.stored import get_memo, set_memo


async def test_the_migrations_make_exactly_the_tables_that_the_code_names(database: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return list(compare_metadata(context, metadata))

    async with database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_partial_indexes_and_checks_are_in_the_database_as_in_the_code(
    database: Database, new_blank: Callable[[], AbstractAsyncContextManager[Database]]
) -> None:
    """These are what the comparison of tables does not look at."""
    async with new_blank() as expected:
        async with expected.write() as connection:
            await connection.run_sync(metadata.create_all)
        wanted = await schema(expected)
    created = await schema(database)
    assert {name: said for name, said in created.items() if name in wanted} == wanted
    assert {name for name in created if "alembic" not in name} == wanted.keys()


async def schema(database: Database) -> dict[str, str]:
    """Indexes and checks by name, and with PostgreSQL other constraints too."""
    found: dict[str, str] = {}
    async with database.read() as connection:
        if connection.dialect.name == "postgresql":
            for query in (
                "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
                "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE connamespace = 'public'::regnamespace AND contype <> 'n'",
            ):
                found.update((await connection.execute(text(query))).all())
            return found
        for name, said in await connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")):
            if said.startswith("CREATE TABLE"):
                found |= dict.fromkeys(re.findall(r"CHECK \(.*\)", said), "")
                found[name] = "in the order of its key" * said.endswith("WITHOUT ROWID")
            else:
                found[name] = " ".join(said.split())
    return found


async def test_migrating_again_changes_nothing(database: Database, storage: Storage) -> None:
    before = await schema(database)
    await set_memo(storage, "name", "value")
    await database.migrate()
    assert await schema(database) == before
    assert await get_memo(storage, "name") == "value"
