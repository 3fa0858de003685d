"""Lessons, tasks and puzzles on the board to tap."""

from __future__ import annotations

import re

import pytest

import rules
from rules import PASS, TurnError, elements_of
from rules.tasks import tasks
from tests.support.discord.known_puzzles import ALL, ONE_TURN, TWO_TURNS
from tests.support.services.matches import ALICE
from tests.support.thorough import sample
from tests.support.web.pages import Browser, Seen, Site

pytestmark = pytest.mark.usefixtures("hand_made_puzzles")


async def tap(browser: Browser, page: Seen, turn: str) -> Seen:
    """Tap a turn, element by element, as far as the page allows."""
    for element in elements_of(turn):
        begun = page.fields["draft"]
        if begun and turn.startswith(begun) and element in elements_of(begun):
            continue
        listed = element in page.choices.values()
        page = await browser.press(page, element if listed else f"@{element.lstrip('+*-')}")
        if page.status != 200 or not page.cells:
            break
    return page


async def solve(browser: Browser, page: Seen, cell: str) -> Seen:
    """Answer a puzzle with a turn of one cell."""
    return await browser.press(await browser.press(page, f"@{cell}"), ".end")


async def attempts(site: Site, player_id: int) -> list[str]:
    """The puzzles that a player has tried or seen."""
    async with site.services.matches.storage.read() as tx:
        return [attempt.puzzle for attempt in await tx.puzzles.attempts(player_id)]


@pytest.mark.parametrize("game", rules.GAMES)
async def test_tasks_judge_the_turns_that_they_offer(site: Site, game: str) -> None:
    browser = await site.browser()
    for number, task in sample(list(enumerate(tasks(game), 1)), every=10):
        page = await browser.get(f"/learn/{game}/{number}")
        assert page.status == 200
        assert task.title in page.text
        for turn in (task.solution, next((turn for turn in task.offered if not task.solved_by(turn)), task.solution)):
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


async def test_the_last_task_makes_a_player_no_newcomer(site: Site) -> None:
    alice, last = await site.browser_of(ALICE), len(tasks("hedu"))

    async def known_games() -> set[str]:
        async with site.services.matches.storage.read() as tx:
            return set(await tx.settings.known_games(ALICE.id))

    await alice.post(f"/learn/hedu/{last - 1}", press=".show")
    for browser in (alice, await site.browser()):
        assert "Now you can play Hedu" in (await browser.get("/learn/hedu/done")).text
    assert await known_games() == set(), "looking at a page stores nothing"
    page = await alice.post(f"/learn/hedu/{last}", press=".show")
    assert "💡" in page.text
    assert "/learn/hedu/done" in page.html
    assert await known_games() == {"hedu"}


async def test_lessons_have_pictures(site: Site) -> None:
    browser = await site.browser()
    page = await browser.get("/learn")
    assert all(game.title in page.text for game in rules.GAMES.values())
    page = await browser.get("/learn/dalen", **{"Accept-Language": "de"})
    pictures = page.addresses(r'src="(/learn/dalen/lessons/[^"]*)"')
    assert len(pictures) >= 5
    assert (await browser.bytes_of(pictures[-1])).startswith(b"\x89PNG")
    for address in ("/learn/chess", "/learn/dalen/0", "/learn/dalen/99", "/learn/chess/1", "/puzzle/00000000"):
        assert (await browser.get(address)).status in (400, 404)


async def test_a_solved_puzzle_counts_once(site: Site) -> None:
    alice, path = await site.browser_of(ALICE), f"/puzzle/{ONE_TURN.key}"
    page = await alice.get(path)
    assert "Only your first try counts." in page.text
    page = await alice.press(page, "@f6")
    assert "Play f6 ?" in page.text
    for message in ("Solved at the first try!", "This puzzle had already counted"):
        assert message in (await alice.press(page, ".end")).text
    progress = await site.services.puzzles.progress(ALICE.id)
    assert (progress.tried, progress.solved) == (1, 1)
    assert "You have solved this one before." in (await alice.get(path)).text


async def test_a_wrong_turn_counts_but_a_refused_turn_does_not(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    page = await alice.press(await alice.get(f"/puzzle/{ONE_TURN.key}"), "@e5")
    assert page.status == 422
    assert "That did not count: you still have your first try." in page.text
    page = await solve(alice, page, "a1")
    assert "is not the right turn" in page.text
    assert {"Why not?", "Show the solution"} <= page.choices.keys()
    progress = await site.services.puzzles.progress(ALICE.id)
    assert (progress.tried, progress.solved) == (1, 0)


async def test_a_puzzle_of_two_turns_goes_on_after_the_first(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    page = await solve(alice, await alice.get(f"/puzzle/{TWO_TURNS.key}"), "d4")
    assert "replies" in page.text
    assert page.fields["found"] == "d4"
    assert (await alice.bytes_of(page.pictures[0])).startswith(b"\x89PNG")
    assert "Solved at the first try!" in (await solve(alice, page, "c3")).text


async def test_addresses_do_not_skip_the_first_turn_or_reveal_replies(site: Site) -> None:
    alice, path = await site.browser_of(ALICE), f"/puzzle/{TWO_TURNS.key}"
    page = await alice.get(path)
    for query in ("?ply=2", "?game=dalen&ply=2"):
        assert (await alice.get(path + query)).pictures == page.pictures
    for found in ("a1", "2", "d4+c3", "d4+d4+d4"):
        assert (await alice.get(f"{path}?found={found}")).status == 404
    picture = page.pictures[0]
    assert await alice.bytes_of(f"{picture}&ply=2") == await alice.bytes_of(picture)
    assert (await alice.post(path, press=".why", tried="d4")).cells == page.cells
    assert await attempts(site, ALICE.id) == []


async def test_the_solution_is_shown_to_players_after_a_question(site: Site) -> None:
    alice, stranger, path = await site.browser_of(ALICE), await site.browser(), f"/puzzle/{TWO_TURNS.key}"
    page = await alice.press(await alice.get(path), ".show")
    assert "The puzzle then counts as not solved." in page.text
    assert ">Back</a>" in page.html
    page = await alice.press(page, ".sure")
    for step, turn in enumerate(TWO_TURNS.solution):
        (shown,) = (each for each in TWO_TURNS.solution if f" {each} ." in page.text)
        assert shown == turn
        assert f"tried={'+'.join(TWO_TURNS.solution[: step + 1])}&" in page.pictures[0]
        assert ("disabled>▶</button>" in page.html) is (turn == TWO_TURNS.solution[-1])
        page = await alice.press(page, f".sure{step + 1}")
    assert " c3 ." in page.text, "there is no turn after the last one"
    assert (await site.services.puzzles.progress(ALICE.id)).tried == 1
    page = await stranger.get(path)
    assert "Show the solution" not in page.text
    for press in (".show", ".sure", ".why"):
        assert (await stranger.press(page, press)).status == 401


async def test_tries_without_a_session_do_not_count(site: Site) -> None:
    stranger = await site.browser()
    page = await stranger.get("/puzzle/next?game=dalen")
    assert page.url.partition("?")[0].endswith(ONE_TURN.key)
    wrong = await solve(stranger, page, "a1")
    assert (await stranger.press(wrong, ".next")).status == 200
    text = (await solve(stranger, page, "f6")).text
    assert "is right" in text
    assert "rating" not in text.partition("More")[0].partition("is right")[2][:80]
    assert await attempts(site, 0) == []


async def test_a_puzzle_counts_as_seen_with_the_next_one(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    page = await alice.get(f"/puzzle/{ONE_TURN.key}")
    assert await attempts(site, ALICE.id) == []
    page = await alice.submit(page, "Next puzzle")
    assert page.status == 200
    assert ONE_TURN.key not in page.url
    assert await attempts(site, ALICE.id) == [ONE_TURN.key]


async def test_pages_and_servers_have_the_same_puzzle_of_the_day(site: Site) -> None:
    today = await site.services.puzzles.today()
    assert today is not None
    assert f"/puzzle/{today.key}" in (await (await site.browser()).get("/puzzle")).html


async def test_the_result_of_todays_puzzle_can_be_copied(site: Site) -> None:
    today = await site.services.puzzles.today()
    assert today is not None
    alice, path = await site.browser_of(ALICE), f"/puzzle/{today.key}"
    page = await alice.press(await alice.get(path), ".sure")
    result = re.search(r"<textarea[^>]*>(.*?)</textarea>", page.html, re.DOTALL)
    assert result is not None
    title, squares, address = result[1].split("\n")
    assert f"{today.ruleset.game.title} ★" in title
    assert (squares, address.endswith(path)) == ("⬛", True)
    assert not any(turn in title for turn in today.solution)
    assert result[1] in (await alice.get(path)).html, "also later"
    other = next(puzzle for puzzle in ALL if puzzle is not today)
    assert "<textarea" not in (await alice.press(await alice.get(f"/puzzle/{other.key}"), ".sure")).html


async def test_the_bar_offers_a_pass(site: Site) -> None:
    number = next(number for number, task in enumerate(tasks("fiodar"), 1) if PASS in task.offered)
    assert PASS in (await (await site.browser()).get(f"/learn/fiodar/{number}")).choices.values()
