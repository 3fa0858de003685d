"""What the tests of the pictures share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.render import coarse_drawing


@pytest.fixture(scope="module")
def coarse() -> Iterator[None]:
    """For tests of what a picture shows, and not of how smooth it looks."""
    with coarse_drawing():
        yield
