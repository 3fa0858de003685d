"""The way from Discord to the page of a match, and back."""

from __future__ import annotations

import discord
import pytest
from pydantic import SecretStr
from simcord import MemberActor
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


async def link(club: Club, who: MemberActor, label: str = "Tap the board") -> str:
    """The address in the private answer to *Tap the board* on the card."""
    answer = await club.press(who, "Tap the board")
    assert answer.messages[0].private
    return answer.messages[0].buttons[label]


async def test_a_player_goes_from_the_card_to_the_board_by_one_press_and_a_link(club: Club, browser: Browser) -> None:
    await club.match(game="dalen", size=5)
    club.card().says("open with **Tap the board** or ")
    assert club.card().labels == (
        "Tap the board",
        "Without the page",
        "Type it",
        "More…",
        "Watch",
        "Learn in 3 minutes",
    )
    address = await link(club, club.alice)
    assert address.startswith(f"{URL}/in/")
    page = await browser.post(address.removeprefix(URL))
    assert page.title.startswith("● Your turn")
    page = await browser.press(page, "@e5")
    page = await browser.press(page, page.choices["Play it"])
    await club.until_shown()
    club.card().says("Alice opened with", "choose your side")
    assert club.card().labels[:5] == ("Play Dark", "Play Light", "Tap the board", "More…", "Watch")
    await club.press(club.bob, "Play Dark")
    club.card().says("'s turn (Light): press **Tap the board**, or type ")
    assert "● Your turn" in (await browser.get(page.url.removeprefix(browser.base))).title


async def test_whoever_has_entered_plays_by_one_press_on_the_card(club: Club, browser: Browser) -> None:
    await club.match(game="dalen", size=5)
    await browser.post((await link(club, club.alice)).removeprefix(URL))
    watched = await browser.get(club.card().buttons["Watch"].removeprefix(URL))
    again = await browser.get((await link(club, club.alice)).removeprefix(URL))
    for page in (watched, again):
        assert page.title.startswith("● Your turn")
        assert "e5" in page.cells


async def test_a_link_takes_the_place_of_earlier_links_and_keys(club: Club) -> None:
    await club.match(game="dalen", size=5)
    shown = club.env.backend.messages[club.channel.id]
    before = len(shown)
    for label in ("Tap the board", "Without the page", "Tap the board", "Tap the board"):
        await club.press(club.alice, label)
    assert len(shown) == before + 1


async def test_spectators_and_players_get_different_links(club: Club, browser: Browser) -> None:
    await club.match(game="dalen", size=5)
    page = await browser.get(club.card().buttons["Watch"].removeprefix(URL))
    assert page.status == 200, "everybody views the channel"
    assert "watching" in page.text
    card = f"https://discord.com/channels/{club.guild.id}/{club.channel.id}/{club.last_card().id}"
    assert f'Press <em>Tap the board</em> on <a href="{card}">Discord</a>.' in page.html
    assert "/m/" in await link(club, club.carol, "Watch")
    key = await club.app.doors.key(1)
    assert await link(club, club.alice, "Here on Discord") == f"https://discord.com/activities/123?custom_id={key}"
    club.app.doors.activity = None
    (message,) = (await club.press(club.alice, "Tap the board")).messages
    assert "Here on Discord" not in message.buttons


async def test_in_a_private_channel_only_players_get_a_link(club: Club, browser: Browser) -> None:
    view = discord.Permissions(view_channel=True).value
    hidden = Overwrite(target_id=club.guild.id, type=OverwriteType.ROLE, allow=0, deny=view)
    club.env.backend.set_overwrite(club.channel.id, hidden)
    for each in (club.alice.id, club.bob.id, club.env.backend.bot_user.id):
        seen = Overwrite(target_id=each, type=OverwriteType.MEMBER, allow=view, deny=0)
        club.env.backend.set_overwrite(club.channel.id, seen)
    await club.match(game="dalen", size=5)
    assert "Watch" not in club.card().labels
    await club.move(club.alice, "e5")
    assert "/m/" not in (await browser.get("/")).html, "nor does the front page show it to anybody"
    assert "/in/" in await link(club, club.alice)


async def test_buttons_of_older_cards_still_lead_to_the_board_and_to_the_keys(club: Club) -> None:
    await club.match(game="dalen", size=5)
    for pressed, offered in (
        ("hexgrove:page:1", "Here on Discord"),
        ("hexgrove:play:1:0:0", "b4"),
        ("hexgrove:play:1:0:-", "g–i"),
    ):
        assert offered in (await club.forge(club.alice, pressed)).messages[0].labels


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
    await browser.post((await link(club, club.alice)).removeprefix(URL))
    assert "Your matches" in (await browser.get("/")).text
    await club.app.doors.admit(Player(club.alice.id, "Alice"))
    settings = await club.open(club.alice, "settings", "Privacy")
    assert "on Discord, since" in club.seen(settings).text
    await club.press(club.alice, "Forget my browsers", on=settings)
    assert "Sign out" not in (await browser.get("/")).text
