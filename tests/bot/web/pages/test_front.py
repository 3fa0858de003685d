"""The front page, the list of matches, and matches against the computer that start there."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image

import rules
from bot.domain.matches import Match
from bot.domain.places import Place
from bot.domain.players import computer
from bot.domain.preferences import Outside
from rules import GAMES
from rules.tasks import tasks
from tests.support.games import WHOLE_GAME
from tests.support.services.matches import ALICE, BOB, CAROL, DAN, start
from tests.support.thorough import on_databases
from tests.support.web.pages import PUBLIC, Browser, Seen, Site

#: How many of Alice's matches against the computer may be running.
MOST = 5


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    on_databases(metafunc)


def watched(page: Seen) -> list[str]:
    """The paths of the matches to watch."""
    return page.addresses(r'<a href="(/m/[^"]*)">')


async def running(site: Site) -> list[Match]:
    """Alice's running matches."""
    return [pending.match for pending in await site.services.history.running(player_id=ALICE.id)]


async def press(browser: Browser, page: Seen, label: str) -> Seen:
    """Press a button by its text, perhaps below a picture."""
    for form in re.findall(r"<form[^>]*>.*?</form>", page.html, re.DOTALL):
        for attributes, inner in re.findall(r"<button([^>]*)>(.*?)</button>", form, re.DOTALL):
            if re.sub(r"<[^>]*>", "", inner).strip() == label:
                action = re.search(r'formaction="([^"]*)"', attributes) or re.search(r'action="([^"]*)"', form)
                fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
                assert action is not None
                return await browser.post(action[1], **fields)
    raise AssertionError(f"the page has no button {label}")


async def test_the_front_page_shows_the_games_the_puzzle_of_the_day_and_public_matches(site: Site) -> None:
    match = await start(site.services.matches, place=Place(PUBLIC, 10), turns=("e5", "dark"))
    browser = await site.browser()
    page = await browser.get("/")
    assert all(f'href="/learn/{game}"' in page.html for game in GAMES)
    assert "Puzzle of the day" in page.text
    assert watched(page) == [await site.path(match)]
    assert "Alice vs Bob" in page.text
    pictures = page.addresses(r'src="([^"]*png[^"]*)"')
    assert len(pictures) == 7
    for address in pictures:
        width, height = Image.open(io.BytesIO(await browser.bytes_of(address))).size
        assert width == height
    assert "watching" in (await browser.get(watched(page)[0])).text


@pytest.mark.both_databases
async def test_only_matches_that_everybody_on_a_server_can_view_are_public(site: Site) -> None:
    services = site.services
    await services.settings.change_preferences(DAN, outside=Outside.HIDDEN)
    shown = [
        await start(services.matches, place=Place(PUBLIC, 10), turns=("e5", "dark")),
        await start(services.matches, place=Place(PUBLIC, 11), turns=WHOLE_GAME),
    ]
    await start(services.matches, place=Place(PUBLIC + 1, 12), turns=("e5", "dark"))  # in a hidden channel
    await start(services.matches, place=Place(None, 13), turns=("e5", "dark"))  # in a conversation
    await start(services.matches, first=CAROL, second=DAN, place=Place(PUBLIC, 14), turns=("e5", "dark"))
    await start(services.matches, place=Place(PUBLIC, 15))  # has not begun
    void = await start(services.matches, place=Place(PUBLIC, 16), turns=WHOLE_GAME)
    await services.matches.void(void.id, CAROL)
    page = await (await site.browser()).get("/")
    assert watched(page) == [await site.path(match) for match in shown], "running ones first"


async def test_all_visitors_share_the_front_page_for_a_minute(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    now, browser = 0.0, await site.browser()
    monkeypatch.setattr("bot.web.pages.front.time.monotonic", lambda: now)
    assert not watched(await browser.get("/"))
    await start(site.services.matches, place=Place(PUBLIC, 10), turns=("e5", "dark"))
    now = 59.0
    assert not watched(await (await site.browser()).get("/"))
    now = 60.0
    assert watched(await browser.get("/"))


@pytest.mark.both_databases
@pytest.mark.parametrize("game", ["dalen", "nadraz"])
async def test_one_press_on_the_list_starts_a_match_against_the_computer(site: Site, game: str) -> None:
    alice = await site.browser_of(ALICE)
    board = await press(alice, await alice.get("/"), GAMES[game].title)
    (match,) = await running(site)
    assert board.url.endswith(await site.path(match))
    assert (match.ruleset, match.rated) == (rules.ruleset(game, GAMES[game].sizes[0]), False)
    assert computer(1) in match.players
    delivery = await site.services.deliveries.get(match.id)
    assert delivery.home.direct, "its card is in the conversation with the bot"
    again = await press(alice, await alice.get("/"), GAMES[game].title)
    assert again.url == board.url, "a second press leads to the same match"


async def test_the_third_match_of_a_game_is_on_the_usual_board(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    for place in (10, 11):
        await start(site.services.matches, place=Place(PUBLIC, place))
    await press(alice, await alice.get("/play"), "Dalen")
    assert rules.ruleset("dalen") in [match.ruleset for match in await running(site)]


async def test_one_press_leads_from_the_end_of_a_course_from_each_lesson_and_from_a_lost_match_to_a_game(
    site: Site,
) -> None:
    alice = await site.browser_of(ALICE)
    over = await start(site.services.matches, turns=WHOLE_GAME)
    for path in ("/learn/dalen/done", "/learn/dalen", "/learn/dalen/1", await site.path(over)):
        board = await press(alice, await alice.get(path), "Play the computer")
        (match,) = await running(site)
        assert board.url.endswith(await site.path(match)), path
        await site.services.matches.resign(match.id, ALICE.id)


async def test_several_matches_are_played_in_the_conversation_and_no_more_than_on_discord(site: Site) -> None:
    alice = await site.browser_of(ALICE)
    page = await alice.get("/")
    for game in GAMES.values():
        board = await press(alice, page, game.title)
        assert "waits for a place" not in board.text
    assert len(await running(site)) == MOST == len(GAMES)
    match = next(match for match in await running(site) if match.ruleset.game.name == "hedu")
    await site.services.computer_games.change_level(match.id, ALICE, 2)
    refused = await press(alice, page, "Hedu")
    assert refused.status == 400
    assert "unfinished" in refused.text
    assert len(await running(site)) == MOST


async def test_a_stranger_starts_nothing(site: Site) -> None:
    over, stranger = await start(site.services.matches, turns=WHOLE_GAME), await site.browser()
    path = await site.path(over)
    for address in ("/play/dalen", f"{path}/computer", f"{path}/continue"):
        assert (await stranger.post(address, ply="3")).status == 401
        assert (await stranger.get(address)).status in (404, 405)
    for address in ("/", "/learn/dalen", "/learn/dalen/1", "/learn/dalen/done"):
        page = await stranger.get(address)
        assert 'action="/play' not in page.html
        assert 'href="/play"' in page.html
    assert "type /play" in (await stranger.get("/play")).text
    assert not await running(site)


async def test_a_match_goes_on_from_a_finished_one(site: Site) -> None:
    over, alice = await start(site.services.matches, turns=WHOLE_GAME), await site.browser_of(ALICE)
    path = await site.path(over)
    assert "Continue from here" not in (await alice.get(path)).text, "nothing is left to play"
    board = await alice.submit(await alice.get(f"{path}?ply=5"), "Continue from here")
    (match,) = await running(site)
    assert board.url.endswith(await site.path(match))
    started = await site.services.matches.game(match.id)
    assert str(started.position) == str(over.ruleset.replay(WHOLE_GAME[:5]))
    assert started.to_act is not None
    assert started.to_act.id == ALICE.id, "she was to play"
    await alice.submit(await alice.get(f"{path}?ply=4"), "Continue from here")
    again = next(each for each in await running(site) if each.id != match.id)
    awaited = (await site.services.matches.game(again.id)).to_act
    assert awaited is not None
    assert awaited.id != ALICE.id, "a player keeps the side"
    page = await alice.post(f"{path}/continue", ply=str(len(WHOLE_GAME)))
    assert "There is nothing left to play in this position." in page.text
    live = await start(site.services.matches, place=Place(PUBLIC, 30), turns=("e5", "dark"))
    assert "is still running" in (await alice.post(f"{await site.path(live)}/continue", ply="1")).text


async def test_finished_matches_are_listed_with_their_boards_and_in_pages(site: Site) -> None:
    for place in range(12):
        await start(site.services.matches, place=Place(PUBLIC, 40 + place), turns=WHOLE_GAME)
    alice = await site.browser_of(ALICE)
    page = await alice.get("/")
    boards = page.addresses(r'src="(/m/[^"]*board\.png[^"]*)"')
    assert len(boards) == 10
    assert Image.open(io.BytesIO(await alice.bytes_of(boards[0]))).width < 400
    assert re.search(r"(won against|lost to) Bob", page.text)
    assert len((await alice.get("/?finished=2")).addresses(r'src="(/m/[^"]*board\.png[^"]*)"')) == 2
    assert 'href="/?finished=2"' in page.html


@pytest.mark.both_databases
async def test_courses_show_what_the_visitor_has_solved(site: Site) -> None:
    alice, count = await site.browser_of(ALICE), len(tasks("dalen"))
    assert f"0/{count}" in (await alice.get("/learn")).text
    page = await alice.get("/learn/dalen/1")
    await alice.press(page, f"@{tasks('dalen')[0].solution}")
    page = await alice.get("/learn")
    assert f"1/{count}" in page.text
    assert 'href="/learn/dalen/2"' in page.html, "one goes on with the next task"
    for number in range(1, count):
        await site.services.settings.mark_solved(ALICE, "dalen", number)
    assert f"{count}/{count} ✓" in (await alice.get("/learn")).text
    assert "1 · Trees ✓" in (await alice.get("/learn/dalen")).text
    assert "/9" not in (await (await site.browser()).get("/learn")).text


async def test_names_outside_servers_do_not_replace_the_name_of_the_account(site: Site) -> None:
    await site.services.settings.change_preferences(ALICE, outside=Outside.HIDDEN)
    alice = await site.browser_of(ALICE)
    await press(alice, await alice.get("/"), "Dalen")
    await site.services.settings.change_preferences(BOB)
    async with site.services.matches.storage.read() as tx:
        (found,) = (await tx.players.by_ids([ALICE.id], None)).values()
    assert found.names is not None
    assert found.names.account == "Alice"
