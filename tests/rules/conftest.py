"""What the tests of the rules share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules import GAMES
from tests.support.tern import Tern


@pytest.fixture(scope="module", autouse=True)
def _a_game_unlike_the_others() -> Iterator[None]:
    """The tests of any game include one that is not in this package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, Tern.name, Tern)
        yield
