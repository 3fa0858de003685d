"""Hints on the page, in matches against the computer."""

from __future__ import annotations

import random

from bot.domain.challenges import First
from bot.domain.computer import SearchRequest, SearchResult
from bot.storage import Database
from tests.support.pages import Site, site_on
from tests.support.services import ALICE, DALEN, PLACE, Clock, start


async def think(_player_id: int, request: SearchRequest) -> SearchResult:
    return SearchResult(random.Random(1).choice(request.ruleset.replay(request.turns).legal_turns), 0.6)


async def test_a_hint_is_chosen_and_explained(database: Database, clock: Clock) -> None:
    await database.migrate()
    async with site_on(database, clock, think) as site:
        match = await site.services.computer_games.start(PLACE, ALICE, 1, DALEN, First.CHALLENGER)
        alice, path = await site.browser_of(ALICE, match), await site.path(match)
        assert "Hint" in (await alice.get(path)).text
        page = await alice.post(f"{path}/hint", step="0")
        assert "I would play" in page.text
        assert page.choices["Play it"]
        await alice.press(page, page.choices["Play it"])
        assert (await site.services.matches.game(match.id)).ply == 1


async def test_there_are_no_hints_against_people(site: Site) -> None:
    match = await start(site.services.matches)
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    assert "Hint" not in (await alice.get(path)).text
    page = await alice.post(f"{path}/hint", step="0")
    assert page.status == 409
    assert await site.services.matches.draft(match, ALICE.id) == ""


async def test_a_hint_for_a_tried_position_begins_the_turn_there(database: Database, clock: Clock) -> None:
    await database.migrate()
    async with site_on(database, clock, think) as site:
        match = await site.services.computer_games.start(PLACE, ALICE, 1, DALEN, First.CHALLENGER)
        alice, path = await site.browser_of(ALICE, match), f"{await site.path(match)}/try"
        page = await alice.press(await alice.get(path), "@a1")
        assert "Hint" in page.text
        page = await alice.post(f"{path}/hint", **page.fields)
        assert "I would play" in page.text
        page = await alice.press(page, page.choices["Try it"])
        line = await site.services.lines.get(match.id, ALICE.id)
        assert line is not None
        assert line.turns[0] == "a1"
        assert len(line.turns) == 2
        assert (await site.services.matches.game(match.id)).ply == 0


async def test_there_are_no_hints_for_positions_of_a_match_with_a_person(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice, path = await site.browser_of(ALICE, match), f"{await site.path(match)}/try"
    assert "Hint" not in (await alice.get(path)).text
    assert (await alice.post(f"{path}/hint", step="2", ply="2")).status == 409
    assert await site.services.lines.get(match.id, ALICE.id) is None
