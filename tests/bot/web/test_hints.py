"""Hints on the page of a match and on the board for trying turns."""

from __future__ import annotations

import pytest

from bot.domain.challenges import First
from tests.support.services.matches import ALICE, DALEN, PLACE
from tests.support.web.pages import Site


async def test_a_hint_is_chosen_and_explained(site: Site) -> None:
    match = await site.services.computer_games.start(PLACE, ALICE, 1, DALEN, First.CHALLENGER)
    alice, path = await site.browser_of(ALICE), await site.path(match)
    page = await alice.press(await alice.get(f"{path}/try"), "@a1")
    assert "Hint" in page.text
    page = await alice.post(f"{path}/try/hint", **page.fields)
    assert "I would play" in page.text
    await alice.submit(page, "Try it")
    line = await site.services.lines.get(match.id, ALICE.id)
    assert line is not None
    assert (line.turns[0], len(line.turns)) == ("a1", 2)
    assert (await site.services.matches.game(match.id)).ply == 0
    assert "Hint" in (await alice.get(path)).text
    page = await alice.post(f"{path}/hint", step="0")
    assert "I would play" in page.text
    await alice.submit(page, "Play it")
    assert (await site.services.matches.game(match.id)).ply == 1


@pytest.mark.parametrize("page", ["", "/try"])
async def test_there_are_no_hints_against_people(site: Site, page: str) -> None:
    table = await site.table("e5", "dark")
    assert "Hint" not in (await table.alice.get(table.path + page)).text
    assert (await table.alice.post(f"{table.path}{page}/hint", step="2", ply="2")).status == 409
    assert await site.services.matches.draft(table.match, ALICE.id) == ""
    assert await site.services.lines.get(table.match.id, ALICE.id) is None
    assert site.searchers == []
