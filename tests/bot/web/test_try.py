"""Turns tried on the page: by both sides, taken back, in branches, and private."""

from __future__ import annotations

import asyncio
import random

import pytest

from bot.domain.study.lines import MOST_TURNS, Line
from rules import Record
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import ALICE, BOB, CAROL
from tests.support.thorough import fewer, sample
from tests.support.web.pages import SMALLEST, Seen, Site, Table

BACK = "Back"


async def line_of(table: Table) -> Line | None:
    """The line that Alice tries."""
    return await table.site.services.lines.get(table.match.id, ALICE.id)


async def table_with_line(site: Site, *turns: str) -> Table:
    """A match in which Alice has tried these turns."""
    table = await site.table("e5", "dark")
    await site.services.lines.begin(table.match.id, ALICE, Line(2, 2, turns))
    return table


def choose(page: Seen, chance: random.Random) -> str:
    """A press that goes on or, once the game is over, back."""
    choices = [press for label, press in page.choices.items() if label not in (BACK, "Cancel")]
    cells = [f"@{cell}" for cell in page.cells]
    if not cells and not choices:
        return page.choices[BACK]
    return chance.choice(cells if cells and (not choices or chance.random() < 0.7) else choices)


@pytest.mark.parametrize(("game", "size"), sample(SMALLEST, every=2))
async def test_turns_of_both_sides_are_tried(site: Site, game: str, size: int) -> None:
    table, chance = await site.table(game=game, size=size), random.Random(game)
    page = await table.alice.get(f"{table.path}/try")
    for _ in range(fewer(20, 5)):
        page = await table.alice.press(page, choose(page, chance))
        assert page.status == 200, page.text
        assert page.text.count("To the match") == 1
    line = await line_of(table)
    assert line is not None
    assert line.turns
    table.match.ruleset.replay(line.turns)
    for picture in page.pictures:
        assert (await table.alice.bytes_of(picture)).startswith(b"\x89PNG")
    record = Record.parse((await table.alice.get(f"{table.path}/try/record.txt")).html)
    assert record.turns == line.turns
    assert (await table.game()).ply == 0


async def test_a_stored_line_is_continued_taken_back_and_branched(site: Site) -> None:
    table = await table_with_line(site, "d4")
    page = await table.alice.press(await table.alice.get(f"{table.path}/try"), "@c3")
    assert await line_of(table) == Line(2, 2, ("d4", "c3"))
    page = await table.alice.get(f"{table.path}/try?step=2&ply=2&at=1")
    assert await line_of(table) == Line(2, 2, ("d4", "c3"))
    page = await table.alice.press(page, "@c4")
    assert await line_of(table) == Line(2, 2, ("d4", "c4"))
    page = await table.alice.submit(page, BACK)
    assert await line_of(table) == Line(2, 2, ("d4",))
    assert "Alice (Light) played d4" in page.text


async def test_a_line_begins_at_a_past_position_and_stays_there(site: Site) -> None:
    table = await site.table("e5", "dark", "d4")
    assert f"{table.path}/try?ply=2" in (await table.alice.get(f"{table.path}?ply=2")).html
    await table.alice.press(await table.alice.get(f"{table.path}/try?ply=2"), "@c3")
    assert await line_of(table) == Line(3, 2, ("c3",))
    assert (await table.game()).turns == ("e5", "dark", "d4")


async def test_lines_are_private(site: Site) -> None:
    table = await table_with_line(site, "d4")
    path = f"{table.path}/try"
    for browser in (table.bob, await site.browser_of(CAROL)):
        page = await browser.get(path)
        assert page.status == 200
        assert "d4" not in page.text
        await browser.press(page, "@c3")
        assert "d4" not in (await browser.get(f"{path}/record.txt")).html
    assert await line_of(table) == Line(2, 2, ("d4",))
    stranger = await site.browser()
    for address in (path, f"{path}/record.txt", (await table.alice.get(path)).pictures[0]):
        assert (await stranger.get(address)).status == 401


async def test_one_of_several_simultaneous_presses_counts(site: Site) -> None:
    table = await site.table("e5", "dark")
    path = f"{table.path}/try"
    page = await table.alice.get(path)
    await asyncio.gather(*(table.alice.press(page, f"@{cell}") for cell in ("d4", "c3", "b2")))
    line = await line_of(table)
    assert line is not None
    assert len(line.turns) == 1
    for stale in (await table.alice.press(page, "@a1"), await table.alice.post(f"{path}/plan", **page.fields)):
        assert stale.status == 409
        assert "You have tried something else since." in stale.text
    picture, _query, query = (await table.alice.get(path)).pictures[0].partition("?")
    assert await table.alice.bytes_of(f"{picture}?{query}")
    for number in ("step=-1&", "ply=-1&"):
        assert (await table.alice.get(f"{picture}?{number}{query}")).status == 404


async def test_a_repeated_press_counts_once(site: Site) -> None:
    table = await site.table("e6,h8", "white", game="nadraz", size=6)
    page = await table.alice.get(f"{table.path}/try")
    for press in ("@e5", ".end", "@h7", "@h6", ".back"):
        pages = [await table.alice.press(page, press) for _ in range(3)]
        assert {page.status for page in pages} == {200}, (press, pages[-1].text)
        page = pages[0]
    line = await line_of(table)
    assert line is not None
    assert line.turns == ("e5",)


async def test_a_refused_cell_changes_nothing(site: Site) -> None:
    table = await site.table("e5", "dark")
    page = await table.alice.press(await table.alice.get(f"{table.path}/try"), "@e5")
    assert page.status == 422
    assert "e5 is taken by a dark stone." in page.text
    assert await line_of(table) is None


async def test_the_first_turn_of_a_line_is_played_after_a_question(site: Site) -> None:
    table = await site.table("e5", "dark")
    page = await table.alice.press(await table.alice.get(f"{table.path}/try"), "@d4")
    assert "Use d4" in page.text
    page = await table.alice.post(f"{table.path}/try/play", step=2, ply=2)
    assert "Play d4 ?" in page.text
    await table.alice.submit(page, "Play it")
    assert (await table.game()).turns == ("e5", "dark", "d4")
    page = await table.alice.post(f"{table.path}/try/play", step=2, ply=2)
    assert page.status == 409
    assert "The board has moved on" in page.text


async def test_a_line_that_is_full_or_ends_the_game_only_goes_back(site: Site) -> None:
    table = await site.table()
    lines, path = site.services.lines, f"{table.path}/try"
    await lines.begin(table.match.id, ALICE, Line(0, 0, WHOLE_GAME))
    page = await table.alice.get(path)
    assert page.choices == {BACK: ".back"}
    assert "wins" in page.text
    assert (await table.alice.press(page, ".back")).cells
    position, turns = table.match.ruleset.start(), list[str]()
    while len(turns) < MOST_TURNS:
        turns.append(position.legal_turns[0] if turns else "a1")
        position, _events = position.play(turns[-1])
        assert position.outcome is None
    await lines.begin(table.match.id, ALICE, Line(0, 0, tuple(turns)), restart=True)
    page = await table.alice.get(path)
    assert "A line has at most 40 turns." in page.text
    assert not page.cells


async def test_a_tried_answer_becomes_a_private_plan(site: Site) -> None:
    table, carol = await site.table("e5", "light"), await site.browser_of(CAROL)
    path = f"{table.path}/try"
    for player in (ALICE, BOB):
        await site.services.lines.begin(table.match.id, player, Line(2, 2, ("d4", "a1", "c3", "b2")))
    page = await table.alice.post(f"{path}/plan", **(await table.alice.get(path)).fields)
    assert "Planned: if Bob plays d4 , you play a1 ; if Bob plays c3 , you play b2 ." in page.text
    for other in (table.bob, carol):
        for address in ("", "/try", "/record.txt", "/try/record.txt", "/try?step=2&ply=2&at=1"):
            found = await other.get(table.path + address)
            assert "Delete the plan" not in found.html
            assert "Planned" not in found.html
    assert "Plan this" not in (await carol.get(path)).html
    page = await table.bob.play(table.path, "d4")
    assert (await table.game()).turns == ("e5", "light", "d4", "a1")
    assert "played a1 , as planned" in page.text
    page = await table.alice.get(path)
    assert "Came true: d4 → a1" in page.text
    assert (await table.alice.post(f"{path}/plan", **page.fields)).status == 409
    await table.alice.post(f"{path}/plan", delete="plan")
    assert await site.services.plans.get(table.match.id, ALICE.id) is None
