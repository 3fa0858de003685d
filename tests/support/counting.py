"""Counts what the bot asks of the database, and of the rules, meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import Connection, event

from bot.app import Application
from rules import GAMES, Position

#: Methods of positions that read or play what was typed; one may call another.
_METHODS = {"parse", "play", "draft"}


@dataclass
class Counts:
    """Statements besides ``BEGIN`` and ``COMMIT``, and transactions; and each turn that was read or played."""

    statements: list[str] = field(default_factory=list)
    reads: int = 0
    writes: int = 0
    turns: list[str] = field(default_factory=list)
    #: The same, as far as it was done on the thread of the event loop.
    turns_on_the_loop: list[str] = field(default_factory=list)


@contextmanager
def counting(app: Application) -> Iterator[Counts]:
    counts = Counts()

    def note_statement(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        counts.statements.append(statement)

    def note_transaction(connection: Connection) -> None:
        if connection.get_execution_options().get("hexgrove_begin") == "BEGIN IMMEDIATE":
            counts.writes += 1
        else:
            counts.reads += 1

    engine = app.database.engine.sync_engine
    listeners = (("before_cursor_execute", note_statement), ("begin", note_transaction))
    for name, listener in listeners:
        event.listen(engine, name, listener)
    try:
        with _watching_rules(counts):
            yield counts
    finally:
        for name, listener in listeners:
            event.remove(engine, name, listener)


@contextmanager
def _watching_rules(counts: Counts) -> Iterator[None]:
    inside, loop = threading.local(), threading.get_ident()

    def watched(method: Any) -> Any:
        def call(position: Position, text: str = "") -> Any:
            if getattr(inside, "busy", False) or not text:
                return method(position, text)
            counts.turns.append(text)
            if threading.get_ident() == loop:
                counts.turns_on_the_loop.append(text)
            inside.busy = True
            try:
                return method(position, text)
            finally:
                inside.busy = False

        return call

    kinds = {base for game in GAMES.values() for base in game.__mro__ if issubclass(base, Position)}
    with pytest.MonkeyPatch.context() as patch:
        for kind in kinds:
            for name in _METHODS & vars(kind).keys():
                patch.setattr(kind, name, watched(vars(kind)[name]))
        yield
