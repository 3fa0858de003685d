"""All pages that links and forms lead to: they exist, have the part that the script fetches, and show no Markdown."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from bot.storage import Database
from bot.texts import LANGUAGES
from tests.support.discord import known_puzzles
from tests.support.services.matches import ALICE, Clock
from tests.support.thorough import fewer, sample
from tests.support.web.crawl import NOWHERE, PART, Reader, Target, furnish
from tests.support.web.pages import Browser, Seen, site_on

#: Discord's syntax for mentions, times, emphasis, links and small lines.
_SYNTAX = re.compile(r"</\S|<[@#]|<a?:\w|<t:|\*\*|__|~~|\|\||`|\]\(|^-# |^#+ ", re.MULTILINE)
#: The ends of addresses of actions that can end a match, and so come last.
_ENDS = ("/resign", "/answer", "/claim", "/propose", "/level")


async def crawl(browser: Browser, addresses: list[str], most: int) -> list[tuple[Target, Seen]]:
    """Follow links and forms, at most so many of each kind, and return them with the answers."""
    seen, found = Counter[str](), list[tuple[Target, Seen]]()
    waiting = [Target(address, part=False) for address in addresses]
    while waiting:
        waiting.sort(key=lambda target: (target.fields is not None) + target.address.endswith(_ENDS))
        target = waiting.pop(0)
        headers = {"Part": "1"} if target.part else {}
        if target.fields is None:
            page = await browser.get(target.address, **headers)
        else:
            browser.headers = {"Sec-Fetch-Site": "same-origin", **headers}
            page = await browser.post(target.address, **target.fields)
        found.append((target, page))
        if not page.headers["Content-Type"].startswith("text/html"):
            continue
        for link in Reader(page.html).targets:
            if link.address.startswith("/") and link.address != "/out" and seen[link.kind] < most:
                seen[link.kind] += 1
                waiting.append(link)
    return found


@pytest.mark.parametrize("language", sample([*LANGUAGES], every=3))
async def test_every_link_and_form_leads_to_a_page_without_markdown(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    known_puzzles.install(monkeypatch)
    async with site_on(database, clock) as site:
        addresses = await furnish(site)
        await site.services.settings.change_preferences(ALICE, language=language)
        stranger = await site.browser()
        stranger.session.headers["Accept-Language"] = language
        pages = await crawl(await site.browser_of(ALICE), addresses, fewer(4, 4))
        pages += await crawl(stranger, addresses, 1)
    raw = dict[str, str]()
    for target, page in pages:
        if target.fields is None and target.address not in NOWHERE:
            assert page.status in (200, 401), (target, page.text)
        if page.headers["Content-Type"].startswith("text/html"):
            assert PART in page.html or not target.part, target
            for line in Reader(page.html).text.split("\n"):
                if _SYNTAX.search(line):
                    raw.setdefault(line, target.address)
    assert not raw
