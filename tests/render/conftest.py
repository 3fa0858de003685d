"""What the tests of the pictures share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.render import coarse_drawing
from tests.support.sixth_game import register, register_face
from tests.support.tern import Tern


@pytest.fixture(scope="module", autouse=True)
def _a_game_unlike_the_others() -> Iterator[None]:
    """The tests of any game include one that is not in this package."""
    with pytest.MonkeyPatch.context() as patch:
        register(patch, Tern)
        register_face(patch, Tern)
        yield


@pytest.fixture(scope="module")
def coarse() -> Iterator[None]:
    """For tests of what a picture shows, and not of how smooth it looks."""
    with coarse_drawing():
        yield
