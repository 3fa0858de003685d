"""Lessons, tasks and puzzles on the tapped board."""

from __future__ import annotations

import re
from html import unescape

import pytest

import rules
from rules import PASS, TurnError, elements_of
from rules.tasks import tasks
from tests.support.known_puzzles import ONE_TURN, TWO_TURNS
from tests.support.pages import Browser, Seen, Site
from tests.support.services import ALICE, BOB
from tests.support.thorough import sample

pytestmark = pytest.mark.usefixtures("hand_made_puzzles")


async def tap(browser: Browser, page: Seen, turn: str) -> Seen:
    """Tap a turn, element by element, as far as the page lets one."""
    for element in elements_of(turn):
        begun = page.fields["draft"]
        if begun and turn.startswith(begun) and element in elements_of(begun):
            continue
        listed = element in page.choices.values()
        page = await browser.press(page, element if listed else f"@{element.lstrip('+*-')}")
        if page.status != 200 or not page.cells:
            break
    return page


@pytest.mark.parametrize("game", rules.GAMES)
async def test_tasks_judge_the_turns_that_they_offer(site: Site, game: str) -> None:
    browser = await site.browser()
    for number, task in sample(list(enumerate(tasks(game), 1)), every=10):
        address = f"/learn/{game}/{number}"
        page = await browser.get(address)
        assert page.status == 200
        assert task.title in page.text
        for turn in (task.solution, next((each for each in task.offered if not task.solved_by(each)), task.solution)):
            answer = await tap(browser, page, turn)
            if ".end" in answer.choices.values():
                answer = await browser.press(answer, ".end")
            try:
                verdict = task.verdict(turn)
            except TurnError:
                assert answer.status == 422 or answer.fields["draft"] == turn, (turn, answer.text)
            else:
                assert answer.status == 200
                assert ("✅" in answer.text) is verdict.solves, (turn, answer.text)
                assert (await browser.bytes_of(answer.pictures[0])).startswith(b"\x89PNG")


async def test_who_is_shown_all_tasks_is_no_newcomer_any_more(site: Site) -> None:
    alice, stranger = await site.browser_of(ALICE), await site.browser()
    last = len(tasks("hedu"))
    assert (await alice.get("/learn/hedu/done")).status == 200
    await alice.post(f"/learn/hedu/{last - 1}", press=".show")
    async with site.services.matches.storage.read() as tx:
        assert await tx.settings.known_games(ALICE.id) == set(), "to look at a page stores nothing"
    page = await alice.post(f"/learn/hedu/{last}", press=".show")
    assert "💡" in page.text
    assert "/learn/hedu/done" in page.html
    for browser in (alice, stranger):
        assert "Now you can play Hedu" in (await browser.get("/learn/hedu/done")).text
    async with site.services.matches.storage.read() as tx:
        assert await tx.settings.known_games(ALICE.id) == {"hedu"}


async def test_all_lessons_are_read_with_their_pictures(site: Site) -> None:
    browser = await site.browser()
    page = await browser.get("/learn")
    assert all(game.title in page.text for game in rules.GAMES.values())
    page = await browser.get("/learn/dalen", **{"Accept-Language": "de"})
    pictures = [unescape(each) for each in re.findall(r'src="(/learn/dalen/lessons/[^"]*)"', page.html)]
    assert len(pictures) >= 5
    assert (await browser.bytes_of(pictures[-1])).startswith(b"\x89PNG")
    for address in ("/learn/chess", "/learn/dalen/0", "/learn/dalen/99", "/learn/chess/1", "/puzzle/00000000"):
        assert (await browser.get(address)).status in (400, 404)


async def test_a_solved_puzzle_counts_once_and_as_on_discord(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    page = await alice.get(f"/puzzle/{ONE_TURN.key}")
    assert "Only your first try counts." in page.text
    page = await alice.press(page, "@f6")
    assert "Play f6 ?" in page.text
    solved = await alice.press(page, ".end")
    assert "Solved at the first try!" in solved.text
    assert (await site.services.puzzles.progress(ALICE.id)).solved == 1
    again = await alice.press(page, ".end")
    assert "It has counted already" in again.text
    assert (await site.services.puzzles.progress(ALICE.id)).tried == 1
    assert "You have solved this one before." in (await alice.get(f"/puzzle/{ONE_TURN.key}")).text


async def test_a_wrong_turn_counts_and_a_refused_one_does_not(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    page = await alice.get(f"/puzzle/{ONE_TURN.key}")
    page = await alice.press(page, "@e5")
    assert page.status == 422
    assert "That cost nothing: your first try is still to come." in page.text
    page = await alice.press(await alice.press(page, "@a1"), ".end")
    assert "is not the right turn" in page.text
    assert {"Why not?", "Show the solution"} <= page.choices.keys()
    progress = await site.services.puzzles.progress(ALICE.id)
    assert (progress.tried, progress.solved) == (1, 0)


async def test_a_puzzle_of_two_turns_goes_on_after_the_first(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    page = await alice.press(await alice.get(f"/puzzle/{TWO_TURNS.key}"), "@d4")
    page = await alice.press(page, ".end")
    assert "replies" in page.text
    assert page.fields["found"] == "d4"
    assert (await alice.bytes_of(page.pictures[0])).startswith(b"\x89PNG")
    page = await alice.press(await alice.press(page, "@c3"), ".end")
    assert "Solved at the first try!" in page.text


async def test_nobody_skips_the_first_turn_or_asks_about_others_before(site: Site) -> None:
    alice, path = await site.browser_of(ALICE), f"/puzzle/{TWO_TURNS.key}"
    page = await alice.get(path)
    for address in (f"{path}?ply=2", f"{path}?game=dalen&ply=2"):
        assert (await alice.get(address)).pictures == page.pictures
    for found in ("a1", "2", "d4+c3", "d4+d4+d4"):
        assert (await alice.get(f"{path}?found={found}")).status == 404
    begun, *_light = page.pictures
    assert await alice.bytes_of(f"{begun}&ply=2") == await alice.bytes_of(begun)
    assert (await alice.post(path, press=".why", tried="d4")).cells == page.cells
    assert (await site.services.puzzles.progress(ALICE.id)).tried == 0


async def test_the_solution_is_shown_after_a_question_and_to_known_people(site: Site) -> None:
    alice, stranger = await site.browser_of(ALICE), await site.browser()
    page = await alice.get(f"/puzzle/{TWO_TURNS.key}")
    page = await alice.press(page, ".show")
    assert "The puzzle then counts as not solved." in page.text
    assert ">Back</a>" in page.html
    page = await alice.press(page, ".sure")
    assert "💡" in page.text
    assert (await site.services.puzzles.progress(ALICE.id)).tried == 1
    page = await stranger.get(f"/puzzle/{TWO_TURNS.key}")
    assert "Show the solution" not in page.text
    for press in (".show", ".sure", ".why"):
        assert (await stranger.press(page, press)).status == 401


async def test_somebody_without_a_session_tries_puzzles_without_a_count(site: Site) -> None:
    stranger = await site.browser()
    page = await stranger.get("/puzzle/next?game=dalen")
    assert page.url.partition("?")[0].endswith(ONE_TURN.key)
    page = await stranger.press(await stranger.press(page, "@f6"), ".end")
    assert "is right" in page.text
    assert "rating" not in page.text.partition("More")[0].partition("is right")[2][:80]
    async with site.services.matches.storage.read() as tx:
        assert await tx.puzzles.attempts(0) == []


async def test_a_look_at_a_puzzle_stores_nothing_and_another_one_is_asked_for(site: Site) -> None:
    alice, storage = await site.browser_of(ALICE), site.services.matches.storage
    page = await alice.get(f"/puzzle/{ONE_TURN.key}")
    async with storage.read() as tx:
        assert await tx.puzzles.attempts(ALICE.id) == []
    page = await alice.submit(page, "Next puzzle")
    assert page.status == 200
    assert ONE_TURN.key not in page.url
    async with storage.read() as tx:
        assert [each.puzzle for each in await tx.puzzles.attempts(ALICE.id)] == [ONE_TURN.key]
    stranger = await site.browser()
    page = await stranger.press(await stranger.press(await stranger.get(f"/puzzle/{ONE_TURN.key}"), "@a1"), ".end")
    assert (await stranger.press(page, ".next")).status == 200


async def test_the_puzzle_of_the_day_is_the_one_of_all_servers(site: Site) -> None:
    today = await site.services.puzzles.today()
    assert today is not None
    assert f"/puzzle/{today.key}" in (await (await site.browser_of(BOB)).get("/puzzle")).html


async def test_the_only_element_without_a_cell_is_offered_in_the_bar(site: Site) -> None:
    browser = await site.browser()
    number = next(at for at, task in enumerate(tasks("fiodar"), 1) if PASS in task.offered)
    assert PASS in (await browser.get(f"/learn/fiodar/{number}")).choices.values()
