"""Fixtures of the tests of pictures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.render import coarse_drawing
from tests.support.sixth_game import register, register_face
from tests.support.tern import Tern


@pytest.fixture(scope="module", autouse=True)
def _a_game_unlike_the_others() -> Iterator[None]:
    """Include a game that is not in this package in the tests of any game."""
    with pytest.MonkeyPatch.context() as patch:
        register(patch, Tern)
        register_face(patch, Tern)
        yield


@pytest.fixture(scope="module")
def coarse() -> Iterator[None]:
    """Draw coarsely, for tests of what pictures show rather than how smooth they look."""
    with coarse_drawing():
        yield
