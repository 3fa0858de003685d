"""Counts the bot's use of the database, the rules and the font."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import pytest
from sqlalchemy import Connection, event

from bot.storage import Database
from bot.wording import quoting, words
from rules import GAMES, Position

#: Methods of positions that read or play typed turns. They may call each other.
_METHODS = {"parse", "play", "draft"}
#: Functions of discord.py that send or edit a message.
_SENDING = {"send_message", "edit_message", "execute_webhook", "edit_webhook_message"}


@dataclass
class Counts:
    """Statements (without ``BEGIN`` and ``COMMIT``), transactions, and each turn that was read or played.

    ``modules`` are the bot's modules that run on the event loop's thread until a message in a channel is sent or
    edited. Comprehensions and class bodies do not count.
    """

    statements: list[str] = field(default_factory=list)
    reads: int = 0
    writes: int = 0
    turns: list[str] = field(default_factory=list)
    #: Turns that were read or played on the event loop's thread.
    turns_on_the_loop: list[str] = field(default_factory=list)
    #: Names that were looked up in the font, letter by letter, on that thread.
    names_on_the_loop: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)


@contextmanager
def counting(database: Database) -> Iterator[Counts]:
    counts = Counts()

    def note_transaction(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        if connection.dialect.name == "postgresql":
            writes = "isolation_level" not in connection.get_execution_options()
        else:
            writes = driver._begin == "BEGIN IMMEDIATE"  # sent with the next statement
        counts.writes += writes
        counts.reads += not writes

    engine = database.engine.sync_engine
    event.listen(engine, "begin", note_transaction)
    try:
        with (
            statements_on(database) as counts.statements,
            _watching_rules(counts),
            _watching_names(counts),
            _following(counts.modules),
        ):
            yield counts
    finally:
        event.remove(engine, "begin", note_transaction)


@contextmanager
def statements_on(database: Database) -> Iterator[list[str]]:
    """Collect the statements on a database during the block, without ``BEGIN`` and ``COMMIT``."""
    statements, engine = list[str](), database.engine.sync_engine

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)


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


@contextmanager
def _watching_names(counts: Counts) -> Iterator[None]:
    loop, as_drawable = threading.get_ident(), quoting.as_drawable

    def watched(text: str) -> str:
        if threading.get_ident() == loop:
            counts.names_on_the_loop.append(text)
        return as_drawable(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "as_drawable", watched)
        yield


@contextmanager
def _following(modules: set[str]) -> Iterator[None]:
    def follow(frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        module = frame.f_globals.get("__name__", "")
        if module.startswith("discord.") and frame.f_code.co_name in _SENDING:
            sys.setprofile(None)
        elif module.startswith("bot."):
            modules.add(module)

    sys.setprofile(follow)
    try:
        yield
    finally:
        sys.setprofile(None)
