"""The review on the page: the curve, verdicts, better turns, and who may see them."""

from __future__ import annotations

import asyncio
import re

from bot.services.study.reviews import PendingReview
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import ALICE, BOB, CAROL, start
from tests.support.thorough import sample
from tests.support.web.pages import Seen, Site, Table, store_review

#: The turns before the first one with a verdict.
FIRST_PLY = 2
#: The turning point of the stored review.
PLY = 7


async def reviewed(site: Site) -> tuple[Table, str]:
    """A finished match with a stored review, and the address of the review."""
    table = await site.table(*WHOLE_GAME)
    await store_review(site, table.match, PLY)
    return table, f"{table.path}/review"


def links(page: Seen) -> list[str]:
    return page.addresses(r'href="(/m/[^"]*/review\?[^"]*)"')


async def test_the_curve_leads_to_every_turn_and_its_verdict(site: Site) -> None:
    table, path = await reviewed(site)
    page = await table.alice.get(path)
    curve = page.addresses(r'src="([^"]*curve\.png[^"]*)"')[0]
    assert (await table.alice.bytes_of(curve)).startswith(b"\x89PNG")
    spans = re.search(r'class="spans".*?</nav>', page.html, re.DOTALL)
    assert spans is not None
    assert 2 <= spans[0].count("<a ") <= 12
    assert "<path" not in page.html, "a line marks a turn before one is chosen"
    assert {f"{path}?ply={ply}" for ply in range(len(WHOLE_GAME))} <= set(links(page))
    for ply in sample(range(FIRST_PLY + 1, len(WHOLE_GAME)), every=6):
        page = await table.alice.get(f"{path}?ply={ply}")
        assert f"played {WHOLE_GAME[ply - 1]}" in page.text or "passed" in page.text
        assert "chance of winning" in page.text
        assert page.html.count('<path d="M') == 1
    assert (await table.alice.bytes_of(page.pictures[0])).startswith(b"\x89PNG")


async def test_a_turning_point_shows_its_chances_and_the_better_turn(site: Site) -> None:
    table, path = await reviewed(site)
    page = await table.alice.get(f"{path}?ply={PLY}")
    chances = "Light's chance of winning: 70% before, 30% after."
    assert page.text.count(chances) == page.text.count("chance of winning:") == 2, "below the board and in the list"
    assert "'s best reply:" in page.text
    assert f"{path}?ply={PLY}&better=1" in links(page)
    better = await table.alice.get(f"{path}?ply={PLY}&better=1")
    assert "Better:" in better.text
    assert (await table.alice.bytes_of(better.pictures[0])) != await table.alice.bytes_of(page.pictures[0])
    assert f"/try?ply={PLY - 1}" in better.html


async def test_a_review_begins_with_a_press_and_is_kept(site: Site) -> None:
    table, carol = await site.table(*WHOLE_GAME), await site.browser_of(CAROL)
    path = f"{table.path}/review"
    page = await carol.get(path)
    assert "Review this match" in page.text, "without script"
    assert 'data-begin="1"' in page.html, "with script"
    assert await site.services.reviews.find(await table.game(), CAROL.id) is None, "whatever fetches the page"
    page = await carol.post(path, press="begin")
    assert "data-begin" not in page.html.partition("<script")[0]
    assert "Reviewing match" in page.text
    assert 'data-again="3"' in page.html
    assert 'http-equiv="refresh"' in page.html
    found = await site.services.reviews.find(await table.game(), CAROL.id)
    if isinstance(found, PendingReview):
        assert found.task is not None
        await asyncio.wait_for(found.task, 20)
    page = await carol.get(path)
    assert "Turns on the curve" in page.html
    assert "data-again" not in page.html.partition("<script")[0]


async def test_running_matches_have_no_review(site: Site) -> None:
    table = await site.table("e5", "dark", "d4")
    path = f"{table.path}/review"
    assert path not in (await table.alice.get(table.path)).html
    for page in (await table.alice.get(path), await table.alice.post(path)):
        assert page.status == 400
        assert "still running" in page.text


async def test_reviews_need_a_session(site: Site) -> None:
    table, path = await reviewed(site)
    stranger = await site.browser()
    for address in (path, f"{path}?ply={PLY}", f"{path}/curve.png?theme=dark&language=en"):
        assert (await stranger.get(address)).status == 401
    assert (await stranger.post(path)).status == 401
    assert "/review" not in (await stranger.get(table.path)).html


async def test_better_turns_do_not_help_against_people(site: Site) -> None:
    table, path = await reviewed(site)
    await start(site.services.matches, BOB, ALICE, turns=WHOLE_GAME[: PLY - 1])
    page = await table.alice.get(f"{path}?ply={PLY}&better=1")
    assert page.status == 409
    assert "Better:" not in page.text
    assert "'s best reply" not in page.text
    assert "Better:" in (await (await site.browser_of(CAROL)).get(f"{path}?ply={PLY}&better=1")).text
