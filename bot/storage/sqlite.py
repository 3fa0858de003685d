"""A connection to SQLite that needs one hop to its thread for a statement; aiosqlite needs four."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

import aiosqlite

#: Maximum rows read in the hop that executes a statement.
_AT_ONCE = 500


class SqliteConnection(aiosqlite.Connection):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(lambda: sqlite3.connect(*arguments, **named), iter_chunk_size=_AT_ONCE)
        self._thread.daemon = True
        self._begin = ""
        self._begun = False

    def cursor(self) -> Cursor:  # type: ignore[override]
        return Cursor(self)

    def begin(self, statement: str) -> None:
        """Begin a transaction in the hop of the next statement."""
        self._begin = statement

    async def run(self, function: str, cursor: Cursor, *arguments: Any) -> None:
        """Execute a statement; at the beginning of a transaction, begin it in the same hop."""
        begin, self._begin = self._begin, ""
        self._begun = self._begun or bool(begin)
        await self._execute(self._run, begin, function, cursor, *arguments)  # type: ignore[no-untyped-call]

    def _run(self, begin: str, function: str, cursor: Cursor, *arguments: Any) -> None:
        if begin:
            self._conn.execute(begin)
        opened = self._conn.cursor()
        try:
            getattr(opened, function)(*arguments)
            cursor.fill(opened, opened.fetchmany(_AT_ONCE) if opened.description else [])
        except sqlite3.Error:
            opened.close()  # otherwise the error would keep the file open
            raise

    async def commit(self) -> None:
        self._begin = ""
        if self._begun:
            await super().commit()
            self._begun = False

    async def rollback(self) -> None:
        self._begin = ""
        if self._begun:
            await super().rollback()
            self._begun = False


class Cursor(aiosqlite.Cursor):
    """A cursor that gets its first rows, usually all of them, in the hop that executes its statement."""

    _conn: SqliteConnection
    _cursor: sqlite3.Cursor

    def __init__(self, connection: SqliteConnection) -> None:
        self.iter_chunk_size = _AT_ONCE
        self._conn = connection
        self._rows: list[Any] = []
        #: Whether SQLite may have more rows.
        self._reads = False

    def fill(self, cursor: sqlite3.Cursor, rows: list[Any]) -> None:
        self._cursor, self._rows, self._reads = cursor, rows, len(rows) == _AT_ONCE

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> Cursor:
        await self._conn.run("execute", self, sql, parameters or ())
        return self

    async def executemany(self, sql: str, parameters: Iterable[Iterable[Any]]) -> Cursor:
        await self._conn.run("executemany", self, sql, parameters)
        return self

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        size = size or _AT_ONCE
        rows, self._rows = self._rows[:size], self._rows[size:]
        if rows or not self._reads:
            return rows
        rows = list(await super().fetchmany(size))
        self._reads = len(rows) == size
        return rows

    async def fetchone(self) -> Any:
        return next(iter(await self.fetchmany(1)), None)

    async def fetchall(self) -> list[Any]:
        rows, self._rows = self._rows, []
        if self._reads:
            rows += await super().fetchall()
            self._reads = False
        return rows

    async def close(self) -> None:
        if self._reads:
            await super().close()
