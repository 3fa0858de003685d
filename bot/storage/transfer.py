"""Copying a whole database to another one."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import RowMapping, Table, exists, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.matches import Step, mainline
from bot.domain.shards import Shards
from bot.storage.database import Database, UnusableDatabaseError, renumber
from bot.storage.repositories.matches import MatchRepository
from bot.storage.tables import matches, metadata
from rules import Ruleset, ruleset_by_id

#: Rows to read and write together.
_BATCH = 1000
#: The numbers of latest matches to replay, and to load together.
_REPLAYED, _TOGETHER = 1000, 100


@dataclass(frozen=True)
class CopyReport:
    """The numbers of copied tables and rows, and of replayed matches."""

    tables: int
    rows: int
    replays: int


async def copy(source: Database, target: Database, watch: Callable[[str, int], None]) -> CopyReport:
    """Copy everything into an empty database, and compare the two.

    ``watch`` is called with a table's name and the number of rows copied so far. The copy is one transaction: if
    anything fails, the target stays empty, and :class:`UnusableDatabaseError` is raised.
    """
    await _check_source(source)
    await target.migrate()
    tables = metadata.sorted_tables
    copied = 0
    async with source.snapshot() as old, target.write() as new:
        for table in tables:
            if await new.scalar(select(exists().select_from(table))):
                raise UnusableDatabaseError(f"The database {target.address} is not empty. Name one that is.")
        for table in tables:
            with target.explaining():
                expected = await _copy_table(old, new, table, partial(watch, table.name))
            found = _Digest()
            async for rows in _batches(new, table):
                await asyncio.to_thread(found.add, rows)
            if found != expected:
                raise UnusableDatabaseError(f"The rows of {table.name} came out differently, so nothing was copied.")
            copied += found.count
        await renumber(new, tables)
        replayed = await _replay(new)
    return CopyReport(len(tables), copied, replayed)


class _Digest:
    """A fingerprint of rows that does not depend on their order, because databases sort text differently."""

    def __init__(self) -> None:
        self.count = self._sum = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Digest) and (self.count, self._sum) == (other.count, other._sum)

    def __hash__(self) -> int:
        return hash((self.count, self._sum))

    def add(self, rows: list[RowMapping]) -> None:
        for row in rows:
            self.count += 1
            self._sum += int.from_bytes(hashlib.sha256(repr(sorted(row.items())).encode()).digest())


async def _check_source(source: Database) -> None:
    if not source.is_there:
        raise UnusableDatabaseError(f"There is no database {source.address}.")
    with source.explaining():
        found, newest = await source.revision()
    if found != newest:
        raise UnusableDatabaseError(
            f"The database {source.address} was not made by this version of Hexgrove. Start the bot with it once."
        )


async def _copy_table(
    old: AsyncConnection, new: AsyncConnection, table: Table, watch: Callable[[int], None]
) -> _Digest:
    digest = _Digest()
    async for rows in _batches(old, table):
        await new.execute(insert(table), [dict[str, Any](row) for row in rows])
        await asyncio.to_thread(digest.add, rows)
        watch(digest.count)
    return digest


async def _batches(connection: AsyncConnection, table: Table) -> AsyncIterator[list[RowMapping]]:
    """The rows of a table in the order of its key, because a rematch must follow its match."""
    found = await connection.stream(select(table).order_by(*table.primary_key.columns))
    async for rows in found.mappings().partitions(_BATCH):
        yield list(rows)


async def _replay(connection: AsyncConnection) -> int:
    """Replay the latest matches, and return their number."""
    query = select(matches.c.id, matches.c.ruleset).order_by(matches.c.id.desc()).limit(_REPLAYED)
    latest = (await connection.execute(query)).all()
    repository = MatchRepository(connection, Shards(), [], set())
    for first in range(0, len(latest), _TOGETHER):
        some = latest[first : first + _TOGETHER]
        steps = await repository.steps_of([row.id for row in some])
        for row in some:
            try:
                await asyncio.to_thread(_play, ruleset_by_id(row.ruleset), steps[row.id])
            except ValueError as error:
                raise UnusableDatabaseError(f"Match {row.id} cannot be replayed, so nothing was copied.") from error
    return len(latest)


def _play(ruleset: Ruleset, steps: tuple[Step, ...]) -> None:
    ruleset.replay([step.turn for step in mainline(steps) if step.turn is not None])
