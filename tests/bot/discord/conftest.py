"""Fixtures of the tests on Discord."""

from __future__ import annotations

import pytest
from simcord import MemberActor

import render
from tests.support.discord.club import Club


@pytest.fixture
def manager(club: Club) -> MemberActor:
    """Dora, who manages the server."""
    return club.join_as_moderator("Dora", "manage_guild")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards with a picture that takes no time to draw, for tests that do not look at it."""
    for draw in ("picture", "thumbnail", "board_thumbnail"):
        monkeypatch.setattr(render, draw, lambda *_args, **_options: b"png")
