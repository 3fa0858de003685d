"""What the pages say and keep to themselves, and what they allow browsers to do."""

from __future__ import annotations

import gzip
import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest

import rules
from bot import web
from bot.domain.places import Place
from bot.domain.players import Names, Player
from bot.domain.preferences import Outside
from bot.web.board.boards import Sheet
from tests.support.each import for_each
from tests.support.failures import full_disk, patch_storage
from tests.support.games import WHOLE_GAME
from tests.support.pages import Site
from tests.support.programs import connect
from tests.support.programs import start as start_with_program
from tests.support.render import opened
from tests.support.services import ALICE, BOB, Clock, start
from tests.support.thorough import sample

LARGEST = [(name, game.sizes[-1]) for name, game in rules.GAMES.items()]


@pytest.mark.parametrize("path", ["/", "/m/1-x", "/in/x", "/nothing", "/rules/dalen"])
async def test_every_answer_forbids_what_pages_do_not_need(site: Site, path: str) -> None:
    page = await (await site.browser()).get(path)
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'nonce-")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert " style=" not in page.html
    assert "onclick" not in page.html


async def test_the_script_is_small_and_has_the_nonce_of_its_page(site: Site) -> None:
    match = await start(site.services.matches)
    browser, path = await site.browser(), await site.path(match)
    pages = [await browser.get(path) for _ in range(2)]
    nonces = {page.headers["Content-Security-Policy"].partition("nonce-")[2].partition("'")[0] for page in pages}
    assert len(nonces) == 2
    assert all(any(f'<script nonce="{nonce}">' in page.html for page in pages) for nonce in nonces)
    script = pages[0].html.partition("<script")[2].partition("</script>")[0]
    assert len(script.encode()) <= 12_000


@pytest.mark.parametrize(("game", "size"), sample(LARGEST[::-1], 3))
async def test_the_first_view_is_light(site: Site, game: str, size: int) -> None:
    match = await start(site.services.matches, ruleset=rules.ruleset(game, size))
    alice = await site.browser_of(ALICE, match)
    page = await alice.get(await site.path(match))
    links = [each.partition('"')[0] for each in page.html.split('<link rel="stylesheet" href="')[1:]]
    parts = [page.html.encode(), *[await alice.bytes_of(each) for each in links]]
    assert sum(len(gzip.compress(part)) for part in parts) <= 40_000


async def test_a_picture_for_large_screens_is_twice_as_wide(site: Site) -> None:
    browser = await site.browser()
    page = await browser.get(await site.path(await start(site.services.matches, turns=("e5", "dark"))))
    assert all(f"{small} 900w, {small}&large=1 1800w" in unescape(page.html) for small in page.pictures)
    small = page.pictures[0]
    usual, large = [opened(await browser.bytes_of(each)) for each in (small, f"{small}&large=1")]
    assert large.size == (2 * usual.width, 2 * usual.height)


async def test_pictures_and_stylesheets_are_kept_for_ever(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    browser, path = await site.browser(), await site.path(match)
    page = await browser.get(path)
    assert "no-store" in page.headers["Cache-Control"]
    for each in (*page.pictures, Sheet(5).address, Sheet(9, 3, 5).address):
        assert "immutable" in (await browser.get(each)).headers["Cache-Control"], each
    light, dark = [await browser.bytes_of(each) for each in page.pictures]
    assert light.startswith(b"\x89PNG")
    assert light != dark


@pytest.mark.parametrize("after", [".", ",", ")", ").", ">", "%3E", "*", "/", "”", "…", ".”", "。"])
async def test_a_link_in_a_text_leads_where_it_should_whatever_follows_it(site: Site, after: str) -> None:
    match = await start(site.services.matches)
    token = await site.services.doors.invite(ALICE, match.id)
    browser = await site.browser()
    for path in (
        await site.path(match),
        f"/in/{token}",
        "/learn/hedu/1",
        "/learn/hedu/done",
        "/rules/dalen",
        "/puzzle",
    ):
        page = await browser.get(path + after)
        assert (page.status, page.url) == (200, site.base + path)
    page = await browser.get(f"/nothing{after}")
    assert (page.status, page.url) == (404, f"{site.base}/nothing")
    async with browser.session.get(f"{site.base}//example.org/x{after}", allow_redirects=False) as answer:
        assert answer.status == 404


async def test_watchers_see_nobody_under_the_nickname_of_a_server(site: Site) -> None:
    alice = Player(101, "Ally", Names("Alice", "alice", 1, "Ally"))
    match = await start(site.services.matches, first=alice, turns=("e5", "dark", "d4"))
    path = await site.path(match)
    page = await (await site.browser()).get(path)
    assert "Alice" in page.text
    assert "Ally" not in page.html
    assert "Ally" not in (await (await site.browser()).get(f"{path}/record.txt")).html
    assert "Ally" in (await (await site.browser_of(BOB)).get(path)).text
    await site.services.settings.change_preferences(alice, outside=Outside.HIDDEN)
    page = await (await site.browser()).get(path)
    assert "Alice" not in page.html
    assert "Anonymous player" in page.text


async def test_names_are_no_markup(site: Site) -> None:
    villain = Player(101, "<img src=x onerror=1>**b**")
    match = await start(site.services.matches, first=villain, turns=("e5", "dark", "d4"))
    page = await (await site.browser()).get(await site.path(match))
    assert "<img src=x" not in page.html
    assert "<strong>b</strong>" not in page.html
    assert "<img src=x onerror=1>**b**" in page.title


async def test_only_players_see_a_turn_that_is_put_together(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice, bob, path = await site.browser_of(ALICE), await site.browser_of(BOB), await site.path(match)
    page = await alice.press(await alice.get(path), "@d4")
    draft = next(each for each in page.pictures if "draft=d4" in each)
    assert (await alice.get(draft)).status == 200
    assert (await (await site.browser()).get(draft)).status == 404
    assert "d4" not in (await bob.get(path)).fields.get("draft", "")


async def test_looking_back_shows_each_position(site: Site) -> None:
    match = await start(site.services.matches, turns=WHOLE_GAME)
    browser, path = await site.browser(), await site.path(match)
    now = await browser.get(path)
    pictures = {await browser.bytes_of(now.pictures[-1])}
    for ply in (0, 1, 20, len(WHOLE_GAME) - 1):
        page = await browser.get(f"{path}?ply={ply}")
        assert page.status == 200
        assert "To the current board" in page.text
        pictures.add(await browser.bytes_of(page.pictures[-1]))
    assert len(pictures) == 5


async def test_marks_come_with_their_legend(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    browser, path = await site.browser(), await site.path(match)
    page = await browser.get(f"{path}?marks=legal")
    assert await browser.bytes_of(page.pictures[0]) != await browser.bytes_of((await browser.get(path)).pictures[0])


@pytest.mark.parametrize(
    ("query", "status"),
    [("step=99", 404), ("step=-1", 404), ("marks=nothing", 404), ("near=z99", 404), ("theme=neon", 404), ("", 200)],
)
async def test_pictures_of_what_there_is_not(site: Site, query: str, status: int) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    address = "step=2&language=en&theme=dark" if not query else f"step=2&language=en&theme=dark&{query}"
    if query.startswith(("step", "theme")):
        address = f"language=en&theme=dark&step=2&{query}".replace("step=2&step", "step")
        address = address.replace("theme=dark&", "") if "neon" in query else address
    assert (await (await site.browser()).get(f"{await site.path(match)}/board.png?{address}")).status == status


@pytest.mark.parametrize(("language", "word"), [("de-AT,de", "zuschauen"), ("es", "mirando"), ("fr", "watching")])
async def test_pages_speak_the_language_of_the_browser(site: Site, language: str, word: str) -> None:
    match = await start(site.services.matches)
    page = await (await site.browser()).get(await site.path(match), **{"Accept-Language": language})
    assert word in page.text


TEMPLATES = sorted((Path(web.__file__).parent / "templates").iterdir())


@for_each("template", TEMPLATES)
def test_all_words_of_a_template_are_translated(template: Path) -> None:
    text = re.sub(r"{%.*?%}|{#.*?#}", "", template.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"{{.*?}}", "", text, flags=re.DOTALL)
    spoken = re.findall(r'(?:aria-label|alt|title|placeholder)="([^"]*)"', text)
    seen = re.sub(r"<!?[^>]*>", " ", re.sub(r"<style.*?</style>|<script.*?</script>", "", text, flags=re.DOTALL))
    assert set(re.findall(r"[A-Za-z]{2,}", " ".join([seen, *spoken]))) <= {"Hexgrove"}


async def test_a_refused_form_is_explained_in_the_language_of_the_browser(site: Site) -> None:
    stranger = await site.browser()
    stranger.headers = {"Sec-Fetch-Site": "cross-site", "Accept-Language": "de"}
    page = await stranger.post("/out")
    assert page.status == 403
    assert '<html lang="de">' in page.html
    assert "von einer anderen Website" in page.text


async def test_next_game_leads_through_all_boards_that_wait(site: Site, clock: Clock) -> None:
    matches = []
    for channel in range(4):
        clock.now += timedelta(minutes=1)
        matches.append(await start(site.services.matches, place=Place(1, 100 + channel)))
    nowhere = await start(site.services.matches, place=Place(1, 100))  # waits for its channel
    alice = await site.browser_of(ALICE)
    home = await alice.get("/")
    assert home.title.startswith("(4)")
    assert home.text.count("Your turn") == 4
    path, seen = await site.path(matches[2]), list[str]()
    while path not in seen:
        page = await alice.press(await alice.get(path), "@e5")
        page = await alice.press(page, page.choices["Play it"])
        found = re.search('href="([^"]*)">Next game', page.html)
        seen.append(path)
        path = path if found is None else found[1]
    assert seen == [await site.path(matches[each]) for each in (2, 0, 1, 3)]
    assert await site.path(nowhere) not in seen


async def test_a_full_disk_is_told_to_people_and_programs(
    site: Site, monkeypatch: pytest.MonkeyPatch, log: list[dict[str, object]]
) -> None:
    match = await start(site.services.matches)
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    program = await connect(site)
    key = await start_with_program(site, program)
    patch_storage(monkeypatch, "MatchRepository.end", full_disk)
    page = await alice.post(f"{path}/resign")
    assert page.status == 500
    assert "The database cannot be used at the moment, so nothing was stored. Please try again" in page.text
    answer = await program.post(f"/matches/{key}/resign")
    assert (answer.status, answer.value["code"], answer.headers["Retry-After"]) == (503, "not_stored", "10")
    assert [each["database"] for each in log if each["event"] == "database_failed"] == ["SQLITE_FULL"] * 2
    assert (await site.services.matches.match(match.id)).result is None


async def test_a_failure_of_ours_tells_nothing_but_a_code(
    site: Site, monkeypatch: pytest.MonkeyPatch, log: list[dict[str, object]]
) -> None:
    match = await start(site.services.matches)
    path = await site.path(match)

    async def fail(*_arguments: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(site.services.readers, "view", fail)
    page = await (await site.browser()).get(path)
    assert page.status == 500
    assert "secret" not in page.html
    (event,) = [each for each in log if each["event"] == "page_failed"]
    assert str(event["code"]) in page.text
    assert path not in str(event)
