"""The way from Discord to the page of a match, and back again."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from bot.config import Config
from tests.support.club import Club
from tests.support.pages import Browser

URL = "http://127.0.0.1"


@pytest.fixture
def config(database_url: str) -> Config:
    """The bot has pages."""
    return Config.model_construct(database_url=database_url, web_url=URL)


@pytest.fixture
async def browser(club: Club) -> AsyncIterator[Browser]:
    """A browser that reaches the pages of the bot."""
    assert club.app.pages is not None
    server = TestServer(club.app.pages.application())
    await server.start_server()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield Browser(session, str(server.make_url("")).rstrip("/"))
    await server.close()


async def test_a_player_goes_from_the_card_to_the_board_and_back(club: Club, browser: Browser) -> None:
    await club.match(game="dalen", size=5)
    await club.press(club.alice, "Play")
    answer = await club.press(club.alice, "On the board", on=club.last_message())
    address = answer.messages[0].buttons["To the board"]
    assert address.startswith(f"{URL}/in/")
    assert answer.messages[0].private
    page = await browser.post(address.removeprefix(URL))
    assert page.title.startswith("● Your turn")
    page = await browser.press(page, "@e5")
    page = await browser.press(page, page.choices["Play it"])
    await club.env.settle()
    assert "Alice opened with" in club.card().text
    assert "Bob, choose your side" in club.card().text
    await club.press(club.bob, club.card().labels[0])
    assert "● Your turn" in (await browser.get(page.url.removeprefix(browser.base))).title
