"""Fixtures of the tests of the rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules import GAMES
from rules.__main__ import main
from tests.support.command_line import CommandLine
from tests.support.tern import Tern


@pytest.fixture(scope="module", autouse=True)
def _a_game_unlike_the_others() -> Iterator[None]:
    """Include a game that is not in this package in the tests of any game."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, Tern.name, Tern)
        yield


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """``python -m rules``."""
    return CommandLine(main, capsys, monkeypatch)
