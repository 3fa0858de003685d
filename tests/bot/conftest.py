"""The fixtures of the bot's tests. No test may leave a failure or an unanswered interaction behind."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from discord import app_commands
from simcord import Env
from structlog.testing import capture_logs
from structlog.typing import EventDict

from bot.app import Application
from bot.config import Config
from bot.discord.gateway import lifecycle
from bot.domain.clocks import DAY
from bot.domain.preferences import BoardCards
from bot.storage import Database, Storage
from bot.storage.database import address_of
from tests.support.discord import known_puzzles
from tests.support.discord.club import Club, make_app
from tests.support.processes.postgres import Postgres
from tests.support.render import coarse_drawing
from tests.support.services.databases import new_file
from tests.support.services.house import House, NewHouse, house_fixture, opened
from tests.support.services.matches import Clock
from tests.support.services.random_search import RandomSearch

AnyCommand: TypeAlias = app_commands.Command[Any, ..., Any] | app_commands.Group
FAILURES = {
    "computer_failed",
    "review_failed",
    "database_failed",
    "interaction_failed",
    "timer_failed",
    "catching_up_failed",
    "autocomplete_failed",
    "past_cards_not_retired",
}


class _Complaints(logging.Handler):
    """Collects errors that libraries log, such as uncaught exceptions."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def log() -> Iterator[list[EventDict]]:
    """The events that the bot logs, with the cause of each failure."""
    with capture_logs([_trace]) as events:
        yield events


def _trace(_logger: object, _method: str, event: EventDict) -> EventDict:
    return {**event, "trace": traceback.format_exc()} if event.get("exc_info") is True else event


@pytest.fixture
def complaints() -> Iterator[list[logging.LogRecord]]:
    handler = _Complaints()
    loggers = [logging.getLogger(name) for name in ("discord", "asyncio", "sqlalchemy")]
    for logger in loggers:
        logger.addHandler(handler)
    yield handler.records
    for logger in loggers:
        logger.removeHandler(handler)


@pytest.fixture
def database_file(tmp_path: Path, empty_database: Path) -> Path:
    """The file of a database with empty tables."""
    return new_file(empty_database, tmp_path)


@pytest.fixture(scope="module")
def backend() -> str:
    """The kind of database; tests that need both kinds override this."""
    return "sqlite"


@pytest.fixture
def database_url(backend: str, request: pytest.FixtureRequest) -> str:
    """The address of a database with empty tables."""
    if backend == "sqlite":
        return address_of(request.getfixturevalue("database_file"))
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.empty()


@pytest.fixture
def config(database_url: str) -> Config:
    """The default settings, whatever the environment says."""
    return Config.model_construct(database_url=database_url)


@pytest.fixture
def clock() -> Clock:
    return Clock()


house = house_fixture(House)


@pytest.fixture(scope="module")
def new_house(backend: str, request: pytest.FixtureRequest) -> NewHouse:
    """Opens houses with nothing in them, for tests that need many."""
    if backend == "sqlite":
        empty: Path = request.getfixturevalue("empty_database")
        folders: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
        return lambda: opened_at(address_of(new_file(empty, folders.mktemp("house"))))
    postgres: Postgres = request.getfixturevalue("postgres")
    return lambda: opened_at(postgres.empty())


def opened_at(url: str) -> AbstractAsyncContextManager[House]:
    return opened(House(Config.model_construct(database_url=url), Clock()))


@pytest.fixture
def storage(house: House) -> Storage:
    return house.storage


@pytest.fixture
def database(storage: Storage) -> Database:
    return storage.database


@pytest.fixture
def hand_made_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the puzzles of the games by puzzles for tests."""
    known_puzzles.install(monkeypatch)


@pytest.fixture(scope="package", autouse=True)
def coarse_pictures() -> Iterator[None]:
    """Draw coarse pictures, because only the tests of render look at details."""
    with coarse_drawing():
        yield


@pytest.fixture(scope="package")
def starts(coarse_pictures: None) -> Iterator[None]:
    """A start that draws no pictures in advance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifecycle, "warm_up_pictures", partial(asyncio.sleep, 0))
        # Nobody else sets its timers or its clock, so it need not look every hour when weeks pass.
        patch.setattr("bot.runtime.timers._LONGEST_SLEEP", DAY.total_seconds())
        patch.setattr("bot.services.clocks.HEARTBEAT", DAY)
        yield


@pytest.fixture
def search() -> RandomSearch:
    """How the computer finds its turns."""
    return RandomSearch()


class World(Env):
    """A Discord on which a bot that starts has as long to settle as one that runs."""

    async def _settle_internal(self, **options: Any) -> None:
        # Env allows a start only five seconds; a bot that comes back after weeks needs more on a busy machine.
        timeout = max(options.pop("timeout", None) or 0, self.settle_timeout)
        await super()._settle_internal(timeout=timeout, **options)


@pytest.fixture
async def bot_on_discord(config: Config, search: RandomSearch, starts: None) -> AsyncIterator[tuple[Env, Application]]:
    """A Discord of its own, with the bot on it."""

    def clock() -> datetime:
        return world.now()

    app = make_app(config, clock, search)
    # The refusals that the bot answers in words count as errors for the simulation, so it does not check them.
    world = World(app.client, check_errors=False, settle_timeout=30)
    await world.start()
    yield world, app
    await world.shutdown()
    assert world.bot is not None
    await world.bot.close()


@pytest.fixture
def env(bot_on_discord: tuple[Env, Application]) -> Env:
    return bot_on_discord[0]


@pytest.fixture
def board_cards() -> BoardCards:
    """How the club shows its matches: a card for every turn, so that tests can tell the cards apart."""
    return BoardCards.EVERY_TURN


@pytest.fixture
async def club(
    bot_on_discord: tuple[Env, Application],
    config: Config,
    search: RandomSearch,
    log: list[EventDict],
    complaints: list[logging.LogRecord],
    board_cards: BoardCards,
) -> AsyncIterator[Club]:
    env, app = bot_on_discord
    club = Club(env, app, config, search, log)
    await app.settings.change_server_settings(club.guild.id, board_cards=board_cards)
    await env.settle()
    yield club
    await env.settle()
    failures = sorted(event["event"] for event in log if event["event"] in FAILURES)
    assert failures == sorted(club.expected_failures), [event for event in log if event["event"] in FAILURES]
    assert not complaints, [record.getMessage() for record in complaints]
    strange = [error for error in env.errors if not isinstance(error, app_commands.AppCommandError)]
    assert not strange
    silent = [interaction for interaction in env.backend.interactions.values() if not interaction.responded]
    assert len(silent) == club.expected_silence, "interactions without an answer"
