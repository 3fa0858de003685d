"""The review on the page: the curve, the turns' verdicts, better turns, and who may see them."""

from __future__ import annotations

import asyncio
import random
import re
from html import unescape

from bot.domain.computer import SearchRequest, SearchResult
from bot.domain.matches import Match
from bot.services.study.reviews import PendingReview
from bot.storage import Database
from tests.support.games import WHOLE_GAME
from tests.support.pages import Seen, Site, site_on, store_review
from tests.support.services import ALICE, BOB, CAROL, Clock, start
from tests.support.thorough import sample

#: The turns before the first one with a verdict.
FIRST_PLY = 2
#: The turning point of the stored review.
PLY = 7


async def think(_player_id: int, request: SearchRequest) -> SearchResult:
    chance = random.Random(len(request.turns))
    return SearchResult(chance.choice(request.ruleset.replay(request.turns).legal_turns), chance.random())


async def reviewed(site: Site) -> tuple[Match, str]:
    """A finished match with a stored review, and the address of that."""
    match = await start(site.services.matches, turns=WHOLE_GAME)
    await store_review(site, match, PLY)
    return match, f"{await site.path(match)}/review"


def links(page: Seen) -> list[str]:
    return [unescape(each) for each in re.findall(r'href="(/m/[^"]*/review\?[^"]*)"', page.html)]


async def test_the_curve_leads_to_every_turn_and_its_verdict(site: Site) -> None:
    match, path = await reviewed(site)
    alice = await site.browser_of(ALICE, match)
    page = await alice.get(path)
    curve = re.findall(r'src="([^"]*curve\.png[^"]*)"', page.html)
    assert (await alice.bytes_of(unescape(curve[0]))).startswith(b"\x89PNG")
    spans = re.search(r'class="spans".*?</nav>', page.html, re.DOTALL)
    assert spans is not None
    assert 2 <= spans[0].count("<a ") <= 12
    assert {f"{path}?ply={ply}" for ply in range(len(WHOLE_GAME))} <= set(links(page))
    for ply in sample(range(FIRST_PLY + 1, len(WHOLE_GAME)), every=6):
        page = await alice.get(f"{path}?ply={ply}")
        assert f"played {WHOLE_GAME[ply - 1]}" in page.text or "passed" in page.text
        assert "chance of winning" in page.text
    assert (await alice.bytes_of(page.pictures[0])).startswith(b"\x89PNG")


async def test_a_turning_point_shows_its_chances_and_the_better_turn(site: Site) -> None:
    match, path = await reviewed(site)
    alice = await site.browser_of(ALICE, match)
    page = await alice.get(f"{path}?ply={PLY}")
    told = "Light's chance of winning: 70% before, 30% after."
    assert page.text.count(told) == page.text.count("chance of winning:") == 2, "below the board and in the list"
    assert "The best answer:" in page.text
    assert f"{path}?ply={PLY}&better=1" in links(page)
    better = await alice.get(f"{path}?ply={PLY}&better=1")
    assert "Better:" in better.text
    assert (await alice.bytes_of(better.pictures[0])) != await alice.bytes_of(page.pictures[0])
    assert f"/try?ply={PLY - 1}" in better.html


async def test_a_review_is_begun_by_a_press_and_then_kept(database: Database, clock: Clock) -> None:
    await database.migrate()
    async with site_on(database, clock, think) as site:
        match = await start(site.services.matches, turns=WHOLE_GAME)
        path = f"{await site.path(match)}/review"
        carol = await site.browser_of(CAROL)
        page = await carol.get(path)
        assert "Review this match" in page.text
        page = await carol.post(path, press="begin")
        assert "I am thinking about match" in page.text
        assert 'data-again="3"' in page.html
        assert 'http-equiv="refresh"' in page.html
        found = await site.services.reviews.find(await site.services.matches.game(match.id), CAROL.id)
        if isinstance(found, PendingReview):
            assert found.task is not None
            await asyncio.wait_for(found.task, 20)
        page = await carol.get(path)
        assert "Turns on the curve" in page.html
        assert "data-again" not in page.html.partition("<script")[0]


async def test_there_is_no_review_of_a_running_match(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark", "d4"))
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    assert f"{path}/review" not in (await alice.get(path)).html
    for page in (await alice.get(f"{path}/review"), await alice.post(f"{path}/review")):
        assert page.status == 400
        assert "still running" in page.text


async def test_nobody_unknown_sees_a_review(site: Site) -> None:
    match, path = await reviewed(site)
    stranger = await site.browser()
    for address in (path, f"{path}?ply={PLY}", f"{path}/curve.png?theme=dark&language=en"):
        assert (await stranger.get(address)).status == 401
    assert (await stranger.post(path)).status == 401
    assert "/review" not in (await stranger.get(await site.path(match))).html


async def test_no_better_turn_helps_against_a_person(site: Site) -> None:
    _match, path = await reviewed(site)
    await start(site.services.matches, BOB, ALICE, turns=WHOLE_GAME[: PLY - 1])
    page = await (await site.browser_of(ALICE)).get(f"{path}?ply={PLY}&better=1")
    assert page.status == 409
    assert "Better:" not in page.text
    assert "The best answer" not in page.text
    assert "Better:" in (await (await site.browser_of(CAROL)).get(f"{path}?ply={PLY}&better=1")).text
