"""What all tests share."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Look for garbage less often: the modules and tests stay to the end, and each search would walk them all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
