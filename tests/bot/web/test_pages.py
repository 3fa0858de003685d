"""What pages show and hide, and what they allow browsers to do."""

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
from tests.support.games import WHOLE_GAME
from tests.support.render import opened
from tests.support.services.failures import full_disk, patch_storage
from tests.support.services.matches import ALICE, Clock, start
from tests.support.thorough import sample
from tests.support.web.pages import Site
from tests.support.web.programs import connect, start as start_with_program

LARGEST = [(name, game.sizes[-1]) for name, game in rules.GAMES.items()]
TEMPLATES = sorted((Path(web.__file__).parent / "templates").rglob("*.html"))


async def test_every_answer_forbids_what_pages_do_not_need(site: Site) -> None:
    browser = await site.browser()
    for path in ("/", "/m/1-x", "/in/x", "/nothing", "/rules/dalen"):
        page = await browser.get(path)
        policy = page.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'nonce-")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert " style=" not in page.html
        assert "onclick" not in page.html


async def test_the_script_is_small_and_has_the_nonce_of_its_page(site: Site) -> None:
    browser, path = await site.browser(), (await site.table()).path
    pages = [await browser.get(path) for _ in range(2)]
    nonces = [page.headers["Content-Security-Policy"].partition("nonce-")[2].partition("'")[0] for page in pages]
    assert len(set(nonces)) == 2
    for nonce, page in zip(nonces, pages, strict=True):
        script = page.html.partition(f'<script nonce="{nonce}">')[2].partition("</script>")[0]
        assert 0 < len(script.encode()) <= 13_000


@pytest.mark.parametrize(("game", "size"), sample(LARGEST[::-1], 3))
async def test_the_first_view_is_light(site: Site, game: str, size: int) -> None:
    table = await site.table(game=game, size=size)
    page = await table.alice.get(table.path)
    sheets = [await table.alice.bytes_of(sheet) for sheet in page.addresses('<link rel="stylesheet" href="([^"]*)')]
    assert sum(len(gzip.compress(part)) for part in (page.html.encode(), *sheets)) <= 40_000


async def test_pictures_and_stylesheets_are_cached_for_ever(site: Site) -> None:
    browser = await site.browser()
    page = await browser.get((await site.table("e5", "dark")).path)
    assert "no-store" in page.headers["Cache-Control"]
    for address in (*page.pictures, Sheet(5).address, Sheet(9, 3, 5).address):
        assert "immutable" in (await browser.get(address)).headers["Cache-Control"], address
    pictures = *page.pictures, f"{page.pictures[0]}&large=1"
    light, dark, large = [await browser.bytes_of(picture) for picture in pictures]
    assert light.startswith(b"\x89PNG")
    assert light != dark
    assert all(f"{small} 900w, {small}&large=1 1800w" in unescape(page.html) for small in page.pictures)
    assert opened(large).size == tuple(2 * length for length in opened(light).size)


@pytest.mark.parametrize("after", [".", ",", ")", ").", ">", "%3E", "*", "/", "”", "…", ".”", "。"])
async def test_punctuation_after_a_link_does_no_harm(site: Site, after: str) -> None:
    match = await start(site.services.matches)
    match_path, token = await site.path(match), await site.services.doors.invite(ALICE, match.id)
    browser = await site.browser()
    for path in (match_path, f"/in/{token}", "/learn/hedu/1", "/learn/hedu/done", "/rules/dalen", "/puzzle"):
        page = await browser.get(path + after)
        assert (page.status, page.url) == (200, site.base + path)
    page = await browser.get(f"/nothing{after}")
    assert (page.status, page.url) == (404, f"{site.base}/nothing")
    async with browser.session.get(f"{site.base}//example.org/x{after}", allow_redirects=False) as answer:
        assert answer.status == 404


async def test_watchers_do_not_see_the_nicknames_of_a_server(site: Site) -> None:
    alice = Player(ALICE.id, "Ally", Names("Alice", "alice", 1, "Ally"))
    match = await start(site.services.matches, first=alice, turns=("e5", "dark", "d4"))
    path, watcher = await site.path(match), await site.browser()
    page = await watcher.get(path)
    assert "Alice" in page.text
    assert "Ally" not in page.html
    assert "Ally" not in (await watcher.get(f"{path}/record.txt")).html
    assert "Ally" in (await (await site.browser_of(match.second)).get(path)).text
    await site.services.settings.change_preferences(alice, outside=Outside.HIDDEN)
    page = await watcher.get(path)
    assert "Alice" not in page.html
    assert "Anonymous player" in page.text


async def test_names_are_not_markup(site: Site) -> None:
    villain = Player(ALICE.id, "<img src=x onerror=1>**b**")
    match = await start(site.services.matches, first=villain, turns=("e5", "dark", "d4"))
    page = await (await site.browser()).get(await site.path(match))
    assert "<img src=x" not in page.html
    assert "<strong>b</strong>" not in page.html
    assert "<img src=x onerror=1>**b**" in page.title


async def test_a_player_reads_on_the_page_of_their_first_match_of_a_game_how_it_is_won(site: Site) -> None:
    table = await site.table()
    goal, first = "You win when all stones are yours.", "Your first Dalen?"
    page = await table.alice.get(table.path)
    assert first in page.text
    assert goal in page.text
    assert "Learn in 3 minutes" in page.text
    assert first in (await table.bob.get(table.path)).text
    assert goal not in (await (await site.browser()).get(table.path)).text, "a watcher"
    again, hedu = await site.table(), await site.table(game="hedu")
    assert first in (await table.alice.get(table.path)).text, "it still is the first one"
    assert first not in (await again.alice.get(again.path)).text
    assert "Your first Hedu?" in (await hedu.alice.get(hedu.path)).text
    await site.services.matches.resign(table.match.id, ALICE.id)
    assert first not in (await table.alice.get(table.path)).text, "it is over"


async def test_only_its_player_sees_an_unfinished_turn(site: Site) -> None:
    table = await site.table("e5", "dark")
    page = await table.alice.press(await table.alice.get(table.path), "@d4")
    draft = next(picture for picture in page.pictures if "draft=d4" in picture)
    assert (await table.alice.get(draft)).status == 200
    assert (await (await site.browser()).get(draft)).status == 404
    assert "d4" not in (await table.bob.get(table.path)).fields.get("draft", "")


async def test_looking_back_shows_each_position(site: Site) -> None:
    browser, path = await site.browser(), (await site.table(*WHOLE_GAME)).path
    pictures = {await browser.bytes_of((await browser.get(path)).pictures[-1])}
    for ply in (0, 1, 20, len(WHOLE_GAME) - 1):
        page = await browser.get(f"{path}?ply={ply}")
        assert page.status == 200
        assert "To the current board" in page.text
        pictures.add(await browser.bytes_of(page.pictures[-1]))
    assert len(pictures) == 5


async def test_only_existing_pictures_are_drawn(site: Site) -> None:
    browser, picture = await site.browser(), f"{(await site.table('e5', 'dark')).path}/board.png"
    assert (await browser.get(f"{picture}?language=en&theme=dark&step=2")).status == 200
    for query in ("dark&step=99", "dark&step=-1", "dark&step=2&marks=nothing", "dark&step=2&near=z99", "neon&step=2"):
        assert (await browser.get(f"{picture}?language=en&theme={query}")).status == 404, query


@pytest.mark.parametrize(("language", "word"), [("de-AT,de", "du schaust zu"), ("es", "mirando"), ("fr", "watching")])
async def test_pages_use_the_language_of_the_browser(site: Site, language: str, word: str) -> None:
    page = await (await site.browser()).get((await site.table()).path, **{"Accept-Language": language})
    assert word in page.text


@for_each("template", TEMPLATES)
def test_all_words_of_a_template_are_translated(template: Path) -> None:
    text = re.sub(r"{%.*?%}|{#.*?#}|{{.*?}}", "", template.read_text(encoding="utf-8"), flags=re.DOTALL)
    attributes = re.findall(r'(?:aria-label|alt|title|placeholder)="([^"]*)"', text)
    seen = re.sub(r"<style.*?</style>|<script.*?</script>|<!?[^>]*>", " ", text, flags=re.DOTALL)
    assert set(re.findall(r"[A-Za-z]{2,}", " ".join([seen, *attributes]))) <= {"Hexgrove"}


async def test_a_refused_form_is_explained_in_the_language_of_the_browser(site: Site) -> None:
    stranger = await site.browser()
    stranger.headers = {"Sec-Fetch-Site": "cross-site", "Accept-Language": "de"}
    page = await stranger.post("/out")
    assert page.status == 403
    assert '<html lang="de">' in page.html
    assert "von einer anderen Website" in page.text


async def test_next_game_leads_through_all_matches_that_wait(site: Site, clock: Clock) -> None:
    paths = []
    for channel in range(4):
        clock.now += timedelta(minutes=1)
        paths.append(await site.path(await start(site.services.matches, place=Place(1, 100 + channel))))
    await start(site.services.matches, place=Place(1, 100))  # waits for its channel
    alice = await site.browser_of(ALICE)
    home = await alice.get("/")
    assert home.title.startswith("(4)")
    assert home.text.count("Your turn") == 4
    played = [paths[2]]
    while following := (await alice.play(played[-1], "e5")).addresses('href="([^"]*)">Next match'):
        played += following
    assert played == [paths[index] for index in (2, 0, 1, 3)]


async def test_a_full_disk_is_reported_to_people_and_programs(
    site: Site, monkeypatch: pytest.MonkeyPatch, log: list[dict[str, object]]
) -> None:
    table, program = await site.table(), await connect(site)
    key = await start_with_program(site, program)
    patch_storage(monkeypatch, "MatchRepository.end", full_disk)
    page = await table.alice.post(f"{table.path}/resign")
    assert page.status == 500
    assert "The database cannot be used at the moment, so nothing was stored. Please try again" in page.text
    answer = await program.post(f"/matches/{key}/resign")
    assert (answer.status, answer.value["code"], answer.headers["Retry-After"]) == (503, "not_stored", "10")
    assert [event["database"] for event in log if event["event"] == "database_failed"] == ["SQLITE_FULL"] * 2
    assert (await table.game()).match.result is None


async def test_an_unexpected_failure_reveals_only_a_code(
    site: Site, monkeypatch: pytest.MonkeyPatch, log: list[dict[str, object]]
) -> None:
    path = (await site.table()).path

    async def fail(*_arguments: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(site.services.readers, "view", fail)
    page = await (await site.browser()).get(path)
    assert page.status == 500
    assert "secret" not in page.html
    (event,) = [event for event in log if event["event"] == "page_failed"]
    assert str(event["code"]) in page.text
    assert path not in str(event)
