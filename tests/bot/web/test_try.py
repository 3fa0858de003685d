"""Turns that are tried on the page: for both sides, back and in branches, for one person's eyes."""

from __future__ import annotations

import asyncio
import random

import pytest

import rules
from bot.domain.matches import Match
from bot.domain.study.lines import MOST_TURNS, Line
from rules import Record
from tests.support.games import WHOLE_GAME
from tests.support.pages import SMALLEST, Seen, Site
from tests.support.services import ALICE, BOB, CAROL, start
from tests.support.thorough import fewer, sample

BACK = "Back"


async def line_of(site: Site, match: Match, player_id: int = ALICE.id) -> Line | None:
    return await site.services.lines.get(match.id, player_id)


def choose(page: Seen, chance: random.Random) -> str:
    """A press that goes on or, once the game is over, back."""
    choices = [press for label, press in page.choices.items() if label not in (BACK, "Cancel")]
    cells = [f"@{each}" for each in page.cells]
    if not cells and not choices:
        return page.choices[BACK]
    return chance.choice(cells if cells and (not choices or chance.random() < 0.7) else choices)


@pytest.mark.parametrize(("game", "size"), sample(SMALLEST, every=2))
async def test_turns_of_both_sides_are_tried_by_pressing_cells(site: Site, game: str, size: int) -> None:
    match = await start(site.services.matches, ruleset=rules.ruleset(game, size))
    alice, chance = await site.browser_of(ALICE, match), random.Random(game)
    page = await alice.get(f"{await site.path(match)}/try")
    for _ in range(fewer(20, 5)):
        page = await alice.press(page, choose(page, chance))
        assert page.status == 200, page.text
        assert page.text.count("To the match") == 1
    line = await line_of(site, match)
    assert line is not None
    assert line.turns
    match.ruleset.replay(line.turns)
    for picture in page.pictures:
        assert (await alice.bytes_of(picture)).startswith(b"\x89PNG")
    record = Record.parse((await alice.get(f"{await site.path(match)}/try/record.txt")).html)
    assert record.turns == line.turns
    assert (await site.services.matches.game(match.id)).ply == 0


async def test_a_line_goes_on_where_discord_has_left_it(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    await site.services.lines.begin(match.id, ALICE, Line(2, 2, ("d4",)))
    alice, path = await site.browser_of(ALICE, match), f"{await site.path(match)}/try"
    page = await alice.press(await alice.get(path), "@c3")
    assert await line_of(site, match) == Line(2, 2, ("d4", "c3"))
    page = await alice.press(page, page.choices[BACK])
    assert await line_of(site, match) == Line(2, 2, ("d4",))
    assert "Alice (Light) played d4" in page.text


async def test_another_turn_from_the_middle_of_a_line_begins_a_branch(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    await site.services.lines.begin(match.id, ALICE, Line(2, 2, ("d4", "c3", "b2")))
    alice, path = await site.browser_of(ALICE, match), f"{await site.path(match)}/try"
    page = await alice.get(f"{path}?step=2&ply=2&at=1")
    assert await line_of(site, match) == Line(2, 2, ("d4", "c3", "b2"))
    await alice.press(page, "@c4")
    assert await line_of(site, match) == Line(2, 2, ("d4", "c4"))


async def test_a_line_begins_at_any_past_position_and_stays_there(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark", "d4"))
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    page = await alice.get(f"{path}?ply=2")
    assert f"{path}/try?ply=2" in page.html
    page = await alice.press(await alice.get(f"{path}/try?ply=2"), "@c3")
    assert await line_of(site, match) == Line(3, 2, ("c3",))
    assert (await site.services.matches.game(match.id)).turns == ("e5", "dark", "d4")


async def test_nobody_else_sees_what_is_tried(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    path = f"{await site.path(match)}/try"
    await site.services.lines.begin(match.id, ALICE, Line(2, 2, ("d4",)))
    for other in (BOB, CAROL):
        browser = await site.browser_of(other)
        page = await browser.get(path)
        assert page.status == 200
        assert "d4" not in page.text
        await browser.press(page, "@c3")
        assert "d4" not in (await browser.get(f"{path}/record.txt")).html
    assert await line_of(site, match) == Line(2, 2, ("d4",))
    stranger = await site.browser()
    for address in (path, f"{path}/record.txt", (await (await site.browser_of(ALICE)).get(path)).pictures[0]):
        assert (await stranger.get(address)).status == 401


async def test_of_two_presses_at_once_one_counts(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)
    path = f"{await site.path(match)}/try"
    page = await alice.get(path)
    await asyncio.gather(*(alice.press(page, f"@{cell}") for cell in ("d4", "c3", "b2")))
    line = await line_of(site, match)
    assert line is not None
    assert len(line.turns) == 1
    for stale in (await alice.press(page, "@a1"), await alice.post(f"{path}/plan", **page.fields)):
        assert stale.status == 409
        assert "You have tried something else since." in stale.text
    picture, _query, query = (await alice.get(path)).pictures[0].partition("?")
    assert await alice.bytes_of(f"{picture}?{query}")
    for number in ("step=-1&", "ply=-1&"):
        assert (await alice.get(f"{picture}?{number}{query}")).status == 404


async def test_equal_presses_are_one_press(site: Site) -> None:
    match = await start(site.services.matches, ruleset=rules.ruleset("nadraz", 6), turns=("e6,h8", "white"))
    alice = await site.browser_of(ALICE, match)
    page = await alice.get(f"{await site.path(match)}/try")
    for press in ("@e5", ".end", "@h7", "@h6", ".back"):
        pages = [await alice.press(page, press) for _ in range(3)]
        assert {each.status for each in pages} == {200}, (press, pages[-1].text)
        page = pages[0]
    line = await line_of(site, match)
    assert line is not None
    assert line.turns == ("e5",)


async def test_a_refused_cell_changes_nothing(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)
    page = await alice.press(await alice.get(f"{await site.path(match)}/try"), "@e5")
    assert page.status == 422
    assert "e5 is taken by a dark stone." in page.text
    assert await line_of(site, match) is None


async def test_the_first_turn_of_a_line_is_played_after_a_question(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    page = await alice.press(await alice.get(f"{path}/try"), "@d4")
    assert "Play the first turn" in page.text
    page = await alice.post(f"{path}/try/play", step=2, ply=2)
    assert "Play d4 ?" in page.text
    await alice.press(page, page.choices["Play it"])
    assert (await site.services.matches.game(match.id)).turns == ("e5", "dark", "d4")
    page = await alice.post(f"{path}/try/play", step=2, ply=2)
    assert page.status == 409
    assert "The board has moved on" in page.text


async def test_a_line_that_ends_the_game_or_is_full_only_goes_back(site: Site) -> None:
    match = await start(site.services.matches)
    alice, path = await site.browser_of(ALICE, match), f"{await site.path(match)}/try"
    await site.services.lines.begin(match.id, ALICE, Line(0, 0, WHOLE_GAME))
    page = await alice.get(path)
    assert page.choices == {BACK: ".back"}
    assert "wins" in page.text
    page = await alice.press(page, ".back")
    assert page.cells
    position = match.ruleset.start()
    turns: list[str] = []
    while len(turns) < MOST_TURNS:
        turns.append(position.legal_turns[0] if turns else "a1")
        position, _events = position.play(turns[-1])
        assert position.outcome is None
    await site.services.lines.begin(match.id, ALICE, Line(0, 0, tuple(turns)), restart=True)
    page = await alice.get(path)
    assert "A line has at most 40 turns." in page.text
    assert not page.cells


async def test_a_tried_answer_is_planned_and_nobody_else_finds_it(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "light"))
    path = await site.path(match)
    for player in (ALICE, BOB):
        await site.services.lines.begin(match.id, player, Line(2, 2, ("d4", "a1", "c3", "b2")))
    alice = await site.browser_of(ALICE, match)
    page = await alice.get(f"{path}/try")
    page = await alice.post(f"{path}/try/plan", **page.fields)
    assert "<li><code>d4</code> → <strong><code>a1</code></strong>" in page.html
    bob, carol = [await site.browser_of(player, match) for player in (BOB, CAROL)]
    for other in (bob, carol):
        for address in ("", "/try", "/record.txt", "/try/record.txt", "/try?step=2&ply=2&at=1"):
            found = await other.get(path + address)
            assert "Delete the plan" not in found.html
            assert "<strong><code>a1" not in found.html
    assert "Plan this" not in (await carol.get(f"{path}/try")).html
    await bob.press(await bob.get(path), "@d4")
    await bob.press(await bob.get(path), ".end")
    assert (await site.services.matches.game(match.id)).turns == ("e5", "light", "d4", "a1")
    assert "played a1 , as planned" in (await bob.get(path)).text
    page = await alice.get(f"{path}/try")
    assert "Came true: d4 → a1" in page.text
    stale = await alice.post(f"{path}/try/plan", **page.fields)
    assert stale.status == 409
    await alice.post(f"{path}/try/plan", delete="plan")
    assert await site.services.plans.get(match.id, ALICE.id) is None
