"""A connection to SQLite with one hop to its thread for one statement or several; aiosqlite needs four for each."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

import aiosqlite
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
)
from sqlalchemy.util import await_only

#: The most rows read in the hop that executes a statement.
_AT_ONCE = 500
_Result = TypeVar("_Result")


class Connection(aiosqlite.Connection):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(lambda: sqlite3.connect(*arguments, **named), iter_chunk_size=_AT_ONCE)
        self._thread.daemon = True
        self._begin = ""
        self._begun = False
        #: Whether the thread is executing several statements together.
        self.inside = False

    def cursor(self) -> Cursor:  # type: ignore[override]
        return Cursor(self)

    def begin(self, statement: str) -> None:
        """Begin a transaction in the hop of the next statement."""
        self._begin = statement

    async def together(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Do work that waits only for statements on this connection, in one hop."""
        if self.inside:
            return await work
        done: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._tx.put_nowait((done, partial(copy_context().run, self._complete, work)))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            while not done.done():  # until then, the thread uses the connection
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([done])
            raise

    def _complete(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        self.inside = True
        try:
            return complete(work)
        finally:
            self.inside = False

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self.inside:
            return fn(*args, **kwargs)
        return await super()._execute(fn, *args, **kwargs)  # type: ignore[no-untyped-call]

    async def run(self, function: str, cursor: Cursor, *arguments: Any) -> None:
        """Execute a statement, after the statement that begins its transaction, if any."""
        await self._execute(self._run, self._take_begin(), function, cursor, *arguments)

    def _take_begin(self) -> str:
        begin, self._begin = self._begin, ""
        self._begun = self._begun or bool(begin)
        return begin

    def _run(self, begin: str, function: str, cursor: Cursor, *arguments: Any) -> None:
        if begin:
            self._conn.execute(begin)
        opened = self._conn.cursor()
        try:
            getattr(opened, function)(*arguments)
            cursor.take(opened, opened.fetchmany(_AT_ONCE) if opened.description else [])
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
    """A cursor that receives its first rows, usually all of them, together with the execution of its statement."""

    _conn: Connection
    _cursor: sqlite3.Cursor

    def __init__(self, connection: Connection) -> None:
        self.iter_chunk_size = _AT_ONCE
        self._conn = connection
        self._rows: list[Any] = []
        #: Whether SQLite may have more rows to read.
        self._reads = False

    def take(self, cursor: sqlite3.Cursor, rows: list[Any]) -> None:
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


class AdaptedCursor(AsyncAdapt_aiosqlite_cursor):
    """A cursor as SQLAlchemy uses it, either on the event loop or in the thread."""

    __slots__ = ()
    _connection: Any

    def _aenter_cursor(self, cursor: Any) -> Any:
        return cursor

    def execute(self, operation: Any, parameters: Any = None) -> Any:
        if self._connection.inside:
            return complete(self._execute_async(operation, parameters))
        return super().execute(operation, parameters)

    def executemany(self, operation: Any, seq_of_parameters: Any) -> Any:
        if self._connection.inside:
            return complete(self._executemany_async(operation, seq_of_parameters))
        return super().executemany(operation, seq_of_parameters)


class AdaptedConnection(AsyncAdapt_aiosqlite_connection):
    __slots__ = ()
    _connection: Any
    _cursor_cls = AdaptedCursor

    def run_async(self, fn: Callable[[Any], Any]) -> Any:
        return complete(fn(self._connection)) if self._connection.inside else super().run_async(fn)


class Driver(AsyncAdapt_aiosqlite_dbapi):
    """The driver that gives SQLAlchemy these connections."""

    def __init__(self) -> None:
        super().__init__(aiosqlite, sqlite3)

    def connect(self, *arguments: Any, **named: Any) -> AdaptedConnection:
        connect: Callable[..., Any] = named.pop("async_creator_fn", Connection)
        return AdaptedConnection(self, await_only(connect(*arguments, **named)))


def complete(work: Coroutine[Any, Any, _Result]) -> _Result:
    """The result of work that never waits for I/O."""
    try:
        while work.send(None) is None:
            pass
    except StopIteration as end:
        result: _Result = end.value
        return result
    work.close()
    raise AssertionError("work in the thread waits for something else than statements")
