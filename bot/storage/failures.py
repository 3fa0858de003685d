"""Failures of the database itself, such as a full disk, with the database's code and a sentence for people."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlalchemy import exc

from rules.text import Text, gettext_noop

_NOTHING = gettext_noop(
    "The database cannot be used at the moment, so nothing was stored. Please try again in a few minutes."
)
_UNKNOWN = gettext_noop(
    "The database failed just now, so I do not know whether this was stored. Please look before you try again."
)
#: SQLite's codes for failures: busy, locked, out of memory, read-only, I/O error, corrupt, full, cannot open,
#: protocol, and no database.
_SQLITE = {5, 6, 7, 8, 10, 11, 13, 14, 15, 26}
_SQLITE_IO = 10
#: The classes of PostgreSQL's codes for failures: connections, read-only transactions, rollbacks, resources, locks,
#: operators, the system, and internal errors.
_POSTGRESQL = ("08", "25006", "40", "53", "55", "57", "58", "XX")
#: An entry for each transaction that the current interaction or request has committed; None in the background.
_written: ContextVar[list[None] | None] = ContextVar("written", default=None)


class DatabaseFailedError(Exception):
    """The database failed: ``database_code`` is its own code, and ``text`` tells people the consequence."""

    def __init__(self, code: str, *, certain: bool) -> None:
        super().__init__(code)
        self.database_code = code
        #: Whether it is certain that the interaction or request has stored nothing.
        self.nothing_stored = certain and _written.get() == []
        self.text = Text(_NOTHING if self.nothing_stored else _UNKNOWN)


def watch_writes() -> None:
    """Begin an interaction or a request in its own task: it has stored nothing yet."""
    _written.set([])


def note_write() -> None:
    """Record the commit of a transaction."""
    written = _written.get()
    if written is not None:
        written.append(None)


@contextmanager
def named(*, connecting: bool = False, committing: bool = False) -> Iterator[None]:
    """Turn failures of the database in the block into :class:`DatabaseFailedError`."""
    try:
        yield
    except Exception as error:
        failed = _failure(error, committing)
        if failed is None and connecting and isinstance(error, OSError):
            failed = DatabaseFailedError(type(error).__name__, certain=True)
        if failed is None:
            raise
        raise failed from error


def _failure(error: Exception, committing: bool) -> DatabaseFailedError | None:
    if isinstance(error.__context__, DatabaseFailedError):  # the rollback failed, too, but the first failure says more
        return error.__context__
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig is not None else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if code in _SQLITE:  # a failed write may still have reached the disk
            return DatabaseFailedError(cause.sqlite_errorname, certain=not (committing and code == _SQLITE_IO))
        return None
    state = getattr(cause, "sqlstate", None)
    if state is not None:
        # After an ordinary error, the server has undone everything. If it stopped, the commit may have succeeded.
        severity = getattr(cause.__cause__, "severity_en", None) or getattr(cause.__cause__, "severity", None)
        certain = not committing or (severity == "ERROR" and not state.startswith("08"))
        return DatabaseFailedError(state, certain=certain) if state.startswith(_POSTGRESQL) else None
    lost = isinstance(error, exc.DBAPIError) and error.connection_invalidated
    if lost or isinstance(error, ConnectionError | TimeoutError | exc.TimeoutError | exc.DisconnectionError):
        return DatabaseFailedError(type(cause.__cause__ or cause).__name__, certain=not committing)
    return None
