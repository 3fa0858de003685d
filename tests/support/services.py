"""Matches on a database without Discord, and the people who play them."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import aiosqlite
from sqlalchemy import Dialect, event

import rules
from bot.domain.challenges import First
from bot.domain.clocks import TimeControl
from bot.domain.matches import Game, Match
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.proposals import ProposalKind
from bot.services.challenges import Challenges
from bot.services.matches import Matches
from bot.services.privacy import Privacy
from bot.services.proposals import Proposals
from bot.services.ratings import Ratings
from bot.services.tournaments import Tournaments
from bot.storage import Database, Storage
from bot.storage import sqlite as sqlite_driver
from tests.support.postgres import Postgres, keep_connections

PLACE = Place(1, 10)
ALICE, BOB, CAROL = Player(101, "Alice"), Player(102, "Bob"), Player(103, "Carol")
DALEN = rules.ruleset("dalen", 5)
#: A running match of Alice and Bob, for what needs no database.
MATCH = Match(
    id=7,
    challenge_id=1,
    ruleset=DALEN,
    guild_id=PLACE.guild_id,
    first=ALICE,
    second=BOB,
    ply=0,
    step=3,
    result=None,
    started_at=datetime(2026, 1, 1, tzinfo=UTC),
    moved_at=datetime(2026, 1, 1, tzinfo=UTC),
)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def service(storage: Storage, clock: Clock) -> Matches:
    return Matches(storage, Ratings(storage, clock=clock), clock=clock)


def challenging(matches: Matches) -> Challenges:
    """The challenges on the same database, at the same time."""
    return Challenges(matches.storage, clock=matches.clock, lifetime=timedelta(days=1), chance=random.Random(1))


def privacy_service(storage: Storage, matches: Matches, clock: Callable[[], datetime]) -> Privacy:
    return Privacy(storage, matches, Tournaments(storage, matches, clock=clock), clock=clock)


async def play_turn(
    matches: Matches, match_id: int, player_id: int, text: str, *, seen_step: int | None = None
) -> Game:
    """Play a turn that a player has typed, and return the game after it."""
    game = (await matches.turn(match_id, player_id, seen_step)).game
    turn = await asyncio.to_thread(lambda: game.position.draft(game.position.parse(text)))
    return (await matches.play(game, turn, game.match.player(player_id))).game


async def start(
    matches: Matches,
    first: Player = ALICE,
    second: Player = BOB,
    place: Place = PLACE,
    turns: tuple[str, ...] = (),
    ruleset: rules.Ruleset = DALEN,
    control: TimeControl | None = None,
) -> Match:
    challenges = challenging(matches)
    challenge = await challenges.challenge(place, first, second, ruleset, First.CHALLENGER, control=control)
    match = await challenges.accept(challenge.id, second)
    for turn in turns:
        game = await matches.game(match.id)
        assert game.to_act is not None
        await play_turn(matches, match.id, game.to_act.id, turn)
    return await matches.match(match.id)


async def agree(proposals: Proposals, match: Match, kind: ProposalKind) -> None:
    """Let both players propose the same, which puts it into effect."""
    for player in match.players:
        await proposals.propose(match.id, player.id, kind)


async def outcomes(*calls: Awaitable[Any]) -> Counter[str]:
    """How often each kind of result came back from calls that ran at the same time."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    return Counter(type(result).__name__ for result in results)


#: What SQLAlchemy has compiled, and the dialect that it compiled it for.
_COMPILED: dict[Any, Any] = {}
_DIALECTS: dict[str, Dialect] = {}


def hurry(database: Database) -> None:
    """Do not wait for the disk, as no test cuts the power, and compile each statement once for all databases.

    SQLite runs on the event loop, because a hop to its thread and back takes longer than most statements.
    """
    engine = database.engine.sync_engine
    if engine.dialect.name == "sqlite":
        event.listen(engine, "do_connect", _connect_at_once)
        event.listen(engine, "connect", _leave_unsafe)
    known = _DIALECTS.setdefault(engine.dialect.name, engine.dialect)
    if known.server_version_info is None:  # the database that it was made for has never been connected to
        _DIALECTS[engine.dialect.name] = known = engine.dialect
    engine.dialect = known
    engine.update_execution_options(compiled_cache=_COMPILED)


def fast_database(url: str) -> Database:
    """A database that is faster than it is safe; it is made in the loop of its test."""
    database = Database(url)
    hurry(database)
    keep_connections(database)
    return database


class _AtOnce:
    """Takes the place of the queue to a connection's thread."""

    def put_nowait(self, work: tuple[asyncio.Future[Any], Callable[[], Any]]) -> None:
        future, function = work
        try:
            future.set_result(function())
        except Exception as error:
            future.set_exception(error)


class _Connection(sqlite_driver.Connection):
    """A connection without a thread, but for the time in which it waits for another one."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._tx: Any = _AtOnce()

    def __await__(self) -> Generator[Any, None, aiosqlite.Connection]:
        return self._connect().__await__()

    async def together(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self.inside:
            return await work
        try:
            if begin := self._take_begin():
                await self._execute(self._conn.execute, begin)
            else:
                await asyncio.sleep(0)
        except BaseException:
            work.close()  # of a task that ends here
            raise
        return self._complete(work)

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(0)  # let other tasks go on, as they do while the thread is at work
        if "BEGIN IMMEDIATE" in args:
            try:
                return fn(*args)
            except sqlite3.OperationalError:
                if self._conn.in_transaction:
                    raise
            self._conn.execute("PRAGMA busy_timeout=5000").close()
            try:  # another connection writes
                return await asyncio.to_thread(fn, *args)
            finally:
                self._conn.execute("PRAGMA busy_timeout=0").close()
        result = fn(*args, **kwargs)
        if fn == self._conn.commit:
            await asyncio.sleep(0)  # others may read what is stored before this task goes on
        return result


def _connect_at_once(_dialect: Dialect, _record: object, _arguments: object, named: dict[str, Any]) -> None:
    named["async_creator_fn"] = _Connection


def _leave_unsafe(connection: Any, _record: object) -> None:
    for pragma in ("synchronous=OFF", "busy_timeout=0"):
        connection.execute(f"PRAGMA {pragma}").close()


@asynccontextmanager
async def storage_in_file(empty_database: Path) -> AsyncIterator[Storage]:
    with tempfile.TemporaryDirectory() as folder:
        async with _storage(f"sqlite+aiosqlite:///{shutil.copy(empty_database, folder)}") as storage:
            yield storage


@asynccontextmanager
async def storage_on_server(postgres: Postgres) -> AsyncIterator[Storage]:
    async with _storage(postgres.empty()) as storage:
        yield storage


@asynccontextmanager
async def _storage(url: str) -> AsyncIterator[Storage]:
    database = fast_database(url)
    try:
        yield Storage(database)
    finally:
        await database.close()


NewStorage: TypeAlias = Callable[[], AbstractAsyncContextManager[Storage]]
