"""The way from Discord to the page of a match, and back."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import discord
import pytest
from aiohttp.test_utils import TestServer
from pydantic import SecretStr
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.config import Config
from bot.domain.players import Player
from tests.support.discord.club import Club
from tests.support.web.pages import Browser

URL = "http://127.0.0.1"


@pytest.fixture
def config(database_url: str) -> Config:
    """A bot with pages, which Discord shows as its Activity."""
    return Config.model_construct(
        database_url=database_url, web_url=URL, discord_client_id="123", discord_client_secret=SecretStr("secret")
    )


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
    card = (await club.press(club.alice, "Play")).private_handle
    answer = await club.press(club.alice, "On the board", on=card)
    address = answer.messages[0].buttons["To the board"]
    assert address.startswith(f"{URL}/in/")
    assert answer.messages[0].private
    page = await browser.post(address.removeprefix(URL))
    assert page.title.startswith("● Your turn")
    page = await browser.press(page, "@e5")
    page = await browser.press(page, page.choices["Play it"])
    await club.until_shown()
    club.card().says("Alice opened with", "choose your side")
    await club.press(club.bob, club.card().labels[0])
    assert "● Your turn" in (await browser.get(page.url.removeprefix(browser.base))).title


async def test_spectators_and_players_get_different_links(club: Club, browser: Browser) -> None:
    await club.match(game="dalen", size=5)
    page = await browser.get(club.card().buttons["Board"].removeprefix(URL))
    assert page.status == 200, "everybody views the channel"
    assert "watching" in page.text
    menu = (await club.press(club.carol, "More…")).private_handle
    assert "/m/" in (await club.press(club.carol, "On the board", on=menu)).messages[0].buttons["To the board"]
    key = await club.app.doors.key(1)
    menu = (await club.press(club.alice, "More…")).private_handle
    message = (await club.press(club.alice, "On the board", on=menu)).card
    assert message.buttons["Here on Discord"] == f"https://discord.com/activities/123?custom_id={key}"
    club.app.doors.activity = None
    (message,) = (await club.press(club.alice, "On the board", on=menu)).messages
    assert "Here on Discord" not in message.buttons


async def test_in_a_private_channel_only_players_get_a_link(club: Club, browser: Browser) -> None:
    view = discord.Permissions(view_channel=True).value
    hidden = Overwrite(target_id=club.guild.id, type=OverwriteType.ROLE, allow=0, deny=view)
    club.env.backend.set_overwrite(club.channel.id, hidden)
    for each in (club.alice.id, club.bob.id, club.env.backend.bot_user.id):
        seen = Overwrite(target_id=each, type=OverwriteType.MEMBER, allow=view, deny=0)
        club.env.backend.set_overwrite(club.channel.id, seen)
    await club.match(game="dalen", size=5)
    assert "Board" not in club.card().labels
    await club.move(club.alice, "e5")
    assert "/m/" not in (await browser.get("/")).html, "nor does the front page show it to anybody"
    menu = (await club.press(club.alice, "More…")).private_handle
    answer = await club.press(club.alice, "On the board", on=menu)
    assert answer.messages[0].private
    assert "/in/" in answer.messages[0].buttons["To the board"]


async def test_the_front_page_shows_a_match_in_a_channel_that_everybody_views(club: Club, browser: Browser) -> None:
    await club.match(game="dalen", size=5, turns=["e5"])
    page = await browser.get("/")
    assert "Alice vs Bob" in page.text
    assert f'href="/m/{await club.app.doors.key(1)}"' in page.html


async def test_a_match_that_starts_on_a_page_has_its_card_in_the_conversation_with_the_bot(
    club: Club, browser: Browser
) -> None:
    await browser.post(f"/in/{await club.app.doors.invite(Player(club.alice.id, 'Alice'))}")
    for number, game in enumerate(("hedu", "dalen"), 1):
        page = await browser.post(f"/play/{game}")
        assert page.url.endswith(f"/m/{await club.app.doors.key(number)}")
        await club.until_shown()
    texts = [message.text for message in map(club.seen, club.alice.user.dm_channel.history())]
    assert any("Hedu" in text for text in texts)
    assert any("Dalen" in text for text in texts)
    assert not club.messages(), "nobody else sees it"


async def test_the_privacy_panel_lists_activities_and_browsers_and_ends_them(club: Club, browser: Browser) -> None:
    await club.match(game="dalen", size=5)
    card = (await club.press(club.alice, "Play")).private_handle
    answer = await club.press(club.alice, "On the board", on=card)
    await browser.post(answer.messages[0].buttons["To the board"].removeprefix(URL))
    assert "Your matches" in (await browser.get("/")).text
    await club.app.doors.admit(Player(club.alice.id, "Alice"))
    settings = await club.open(club.alice, "settings", "Privacy")
    assert "on Discord, since" in club.seen(settings).text
    await club.press(club.alice, "Forget my browsers", on=settings)
    assert "Sign out" not in (await browser.get("/")).text
