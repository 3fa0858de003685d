"""How other sites show links to pages, as the Open Graph protocol describes."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

import pytest

import rules
from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from tests.support.discord import known_puzzles
from tests.support.render import opened
from tests.support.services.matches import ALICE, BOB, start
from tests.support.web.pages import Seen, Site


def preview_of(page: Seen) -> dict[str, str]:
    """The properties that describe a page to other sites."""
    found = re.findall(r'<meta (?:property="og:|name="twitter:)([^"]+)" content="([^"]*)">', page.html)
    return {name: unescape(value) for name, value in found}


async def picture_of(site: Site, page: Seen) -> bytes:
    """The picture at the absolute address in a page's preview, for a stranger."""
    address = preview_of(page)["image"]
    path = urlsplit(address)
    assert address.startswith(f"{site.pages.url}/")
    return await (await site.browser()).bytes_of(f"{path.path}?{path.query}")


async def test_a_match_unfolds_with_its_current_board(site: Site) -> None:
    table = await site.table("e5", "dark", "d4")
    stranger = await site.browser()
    page = await stranger.get(table.path)
    shown = preview_of(page)
    assert (shown["url"], shown["card"]) == (site.pages.url + table.path, "summary_large_image")
    assert '<meta name="robots" content="noindex">' in page.html
    assert all(name in shown["title"] for name in ("Dalen", "Alice", "Bob"))
    assert "d4" in shown["description"]
    assert "Dark" in shown["image:alt"]
    before = await picture_of(site, page)
    assert opened(before).size[0] >= 600
    await site.services.matches.resign(table.match.id, BOB.id)
    page = await stranger.get(table.path)
    shown = preview_of(page)
    assert "Bob resigned" in shown["title"]
    assert "Bob resigned" not in shown["description"], "the title is beside it"
    assert await picture_of(site, page) != before


async def test_a_preview_shows_what_watchers_may_see(site: Site) -> None:
    villain = Player(ALICE.id, 'Ally "><b>', Names('Alice "><b>', "alice", 1, "Ally"))
    match = await start(site.services.matches, first=villain, turns=("e5", "dark"))
    path, stranger = await site.path(match), await site.browser()
    page = await stranger.get(path)
    assert 'Alice "><b>' in preview_of(page)["title"]
    assert "Ally" not in page.html
    assert "<b>" not in page.html
    await site.services.settings.change_preferences(villain, outside=Outside.HIDDEN)
    assert "Anonymous player" in preview_of(await stranger.get(path))["title"]
    assert not preview_of(await (await site.browser_of(ALICE)).get(path))


@pytest.mark.parametrize("path", ["/rules", *(f"/rules/{game}" for game in rules.GAMES)])
async def test_a_rule_page_unfolds_with_its_first_picture(site: Site, path: str) -> None:
    page = await (await site.browser()).get(path, **{"Accept-Language": "de"})
    shown = preview_of(page)
    assert shown["title"] in page.text
    assert 20 < len(shown["description"]) <= 200
    assert "*" not in shown["description"]
    opened(await picture_of(site, page))


async def test_the_puzzle_of_the_day_unfolds_without_its_solution(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    known_puzzles.install(monkeypatch)
    stranger = await site.browser()
    today = await site.services.puzzles.today()
    assert today is not None
    for path in ("/puzzle", f"/puzzle/{today.key}"):
        page = await stranger.get(path)
        shown = preview_of(page)
        assert today.ruleset.game.title in shown["title"]
        assert "to play: find" in shown["description"]
        assert today.solution[0] not in shown["description"].split()
        opened(await picture_of(site, page))
    assert await site.services.puzzles.first_try(ALICE.id, today) is None
