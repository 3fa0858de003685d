"""What is stored is tested on each kind of database."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)
