"""Fixtures of the tests on Discord."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from simcord import MemberActor

import render
from tests.support.discord.club import Club
from tests.support.web.pages import Browser


@pytest.fixture
def manager(club: Club) -> MemberActor:
    """Dora, who manages the server."""
    return club.join_as_moderator("Dora", "manage_guild")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards with a picture that takes no time to draw, for tests that do not look at it."""
    for draw in ("picture", "thumbnail", "board_thumbnail"):
        monkeypatch.setattr(render, draw, lambda *_args, **_options: b"png")


@pytest.fixture
async def browser(club: Club) -> AsyncIterator[Browser]:
    """A browser that reaches the pages of the bot."""
    assert club.app.pages is not None
    server = TestServer(club.app.pages.application())
    await server.start_server()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield Browser(session, str(server.make_url("")).rstrip("/"))
    await server.close()
