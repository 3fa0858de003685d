"""Asking to play anyone on the page."""

from __future__ import annotations

import re

from bot.domain.competitions.strangers import Pace, RequestState
from tests.support.services.matches import ALICE, BOB
from tests.support.web.pages import Site


async def test_a_request_is_made_changed_and_paused_on_the_page(site: Site) -> None:
    browser = await site.browser_of(ALICE)
    page = await browser.get("/anyone")
    assert "not your server" in page.text
    assert (await browser.post("/anyone", games="dalen", at_once="2", pace="days", near="1")).url.endswith("/anyone")
    own = (await site.services.standing_requests.lobby(ALICE.id)).own
    assert own is not None
    assert (own.games, own.at_once, own.pace, own.near) == (frozenset({"dalen"}), 2, Pace.DAYS, True)
    assert own.home.direct
    page = await browser.get("/anyone")
    assert "You started looking for an opponent" in page.text
    paused = await browser.submit(page, "Pause")
    for shown in (paused, await browser.get("/")):
        assert "Your request is paused." in shown.text
    assert "Waiting" not in (await (await site.browser_of(BOB)).get("/anyone")).text
    await browser.submit(paused, "Go on")
    assert "Waiting for an opponent: Dalen 1" in (await (await site.browser_of(BOB)).get("/anyone")).text
    await browser.submit(await browser.get("/anyone"), "Stop")
    own = (await site.services.standing_requests.lobby(ALICE.id)).own
    assert own is not None
    assert own.state is RequestState.ENDED


async def test_bad_input_is_refused_in_words_and_nothing_is_stored(site: Site) -> None:
    browser = await site.browser_of(ALICE)
    for values in ({}, {"games": "chess"}, {"games": "dalen", "at_once": "999999999999", "pace": "x", "near": "y"}):
        page = await browser.post("/anyone", **values)
        assert page.status in (200, 409)
    refused = await browser.post("/anyone", at_once="3", pace="days", near="1")
    assert "Choose at least one game." in refused.text
    assert re.findall('value="([^"]+)" selected', refused.html) == ["3", "days", "1"], "the form keeps what was chosen"
    assert " checked" not in refused.html
    own = (await site.services.standing_requests.lobby(ALICE.id)).own
    assert own is not None
    assert (own.at_once, own.pace, own.near) == (1, Pace.WEEK, False)
    stranger = await site.browser()
    assert (await stranger.get("/anyone")).status == 401
    assert (await stranger.post("/anyone", games="dalen")).status == 401


async def test_the_page_of_a_match_says_when_the_first_turn_is_due(site: Site) -> None:
    await (await site.browser_of(ALICE)).post("/anyone", games="dalen")
    page = await (await site.browser_of(BOB)).post("/anyone", games="dalen")
    assert "You play as many matches as you asked for." in page.text, "the match has begun at once"
    match = await site.services.matches.match(1)
    for key in match.card_keys:
        await site.services.deliveries.assign_channel(key, 100 + key.seat)
    await site.services.deliveries.begin(match.id)
    page = await (await site.browser_of(match.first)).get(await site.path(match))
    assert f"{match.first.name}'s first turn is due" in page.text
    assert "otherwise the match is called off" in page.text
