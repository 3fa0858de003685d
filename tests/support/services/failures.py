"""Failures of the storage, and the death of the bot."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Never

import pytest
from sqlalchemy import event

from bot.storage import Storage
from bot.storage.repository import Repository


def patch_storage(patch: pytest.MonkeyPatch, name: str, method: Callable[..., Awaitable[object]]) -> None:
    """Replace a method of a repository, such as ``MatchRepository.add_step``."""
    repository, _, own = name.partition(".")
    (kind,) = (subclass for subclass in Repository.__subclasses__() if subclass.__name__ == repository)
    patch.setattr(kind, own, method)


async def full_disk(*_: object, **__: object) -> Never:
    """SQLite's error when the disk is full."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_FULL, "SQLITE_FULL"
    raise error


@contextmanager
def dying_at(storage: Storage, number: int) -> Iterator[list[str]]:
    """Let the bot die before its statement with that number."""
    statements: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)
        if len(statements) == number:
            raise KeyboardInterrupt

    engine = storage.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", count)
