"""All pages that a reader can reach: what the script fetches as a part of a page, and what the pages say."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from bot.domain.computer import SearchRequest, SearchResult
from bot.storage import Database
from bot.texts import LANGUAGES
from tests.support import known_puzzles
from tests.support.crawl import NOWHERE, PART, Reader, Target, furnish
from tests.support.pages import Browser, Seen, site_on
from tests.support.services import ALICE, Clock
from tests.support.thorough import fewer

#: What Discord reads as a mention, a time, an emphasis, a link or a small line.
_SYNTAX = re.compile(r"</\S|<[@#]|<a?:\w|<t:|\*\*|__|~~|\|\||`|\]\(|^-# |^#+ ", re.MULTILINE)
#: What ends a match comes last.
_ENDS = ("/resign", "/answer", "/claim", "/propose", "/level")


async def think(_player_id: int, request: SearchRequest) -> SearchResult:
    return SearchResult(random.Random(1).choice(request.ruleset.replay(request.turns).legal_turns), 0.6)


async def crawl(browser: Browser, addresses: list[str], most: int) -> list[tuple[Target, Seen]]:
    """Everything that can be reached, at most so many of each kind, with the pages that answer."""
    seen, found = Counter[str](), list[tuple[Target, Seen]]()
    waiting = [Target(each, part=False) for each in addresses]
    while waiting:
        waiting.sort(key=lambda each: (each.fields is not None) + each.address.endswith(_ENDS))
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
        for each in Reader(page.html).targets:
            if each.address.startswith("/") and each.address != "/out" and seen[each.kind] < most:
                seen[each.kind] += 1
                waiting.append(each)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_link_and_form_is_answered_by_what_the_script_shows(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    known_puzzles.install(monkeypatch)
    await database.migrate()
    async with site_on(database, clock, think) as site:
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
