"""Signing in, and what visitors cannot do from outside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

import rules
from bot.domain.doors import SESSION_LIFETIME, TOKEN_LIFETIME
from bot.domain.matches import ProposalKind
from bot.services.study.imports import Imports
from bot.web.http.visitors import Visitors
from tests.support.services.matches import ALICE, BOB, CAROL, DALEN, Clock
from tests.support.thorough import on_databases
from tests.support.web.pages import Site

#: The script that presses the button of a personal link.
ENTERS = "document.forms[0].submit()"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    on_databases(metafunc)


@pytest.mark.both_databases
async def test_a_link_works_once_and_looking_at_it_does_not_use_it_up(site: Site) -> None:
    token, browser = await site.services.doors.invite(ALICE), await site.browser()
    for _ in range(3):
        page = await (await site.browser()).get(f"/in/{token}")
        assert page.status == 200
        assert "Continue as Alice" in page.text
        assert ENTERS in page.html, "the browser presses the button"
        (nonce,) = page.addresses('<script nonce="([^"]+)"')
        assert f"'nonce-{nonce}'" in page.headers["Content-Security-Policy"]
        assert "Set-Cookie" not in page.headers
    assert (await browser.post(f"/in/{token}")).status == 200
    assert "Your matches" in (await browser.get("/")).text
    late = await site.browser()
    assert (await late.get(f"/in/{token}")).status == 410
    assert (await late.post(f"/in/{token}")).status == 410
    assert "Sign out" not in (await late.get("/")).text
    assert len(await site.services.doors.sessions(ALICE.id)) == 1


async def test_a_link_leads_its_player_straight_to_the_match_where_the_browser_knows_them(site: Site) -> None:
    table = await site.table("e5", "dark")
    token = await site.services.doors.invite(ALICE, table.match.id)
    page = await table.alice.get(f"/in/{token}")
    assert (page.url, page.title[:11]) == (site.base + table.path, "● Your turn")
    assert "You play as Alice." in page.text
    assert "You play here?" not in page.text
    await table.alice.submit(page, "Sign out")
    assert "You play here?" in (await table.alice.get(table.path)).text


async def test_a_browser_that_knows_somebody_else_asks_before_it_follows_a_link(site: Site) -> None:
    table = await site.table("e5", "dark")
    token = await site.services.doors.invite(ALICE, table.match.id)
    page = await table.bob.get(f"/in/{token}")
    assert "Continue as Alice? This browser knows you as Bob." in page.text
    assert ENTERS not in page.html
    assert "● Your turn" in (await table.bob.submit(page, "Continue as Alice")).title
    assert await site.services.doors.sessions(BOB.id) == []


async def test_a_link_is_valid_for_ten_minutes(site: Site, clock: Clock) -> None:
    token = await site.services.doors.invite(ALICE)
    clock.now += TOKEN_LIFETIME
    assert (await (await site.browser()).post(f"/in/{token}")).status == 410


@pytest.mark.both_databases
async def test_a_session_ends_a_month_after_its_last_use(site: Site, clock: Clock) -> None:
    browser = await site.browser_of(ALICE)
    for _ in range(3):
        clock.now += SESSION_LIFETIME - timedelta(days=1)
        page = await browser.get("/")
        assert "Sign out" in page.text
        cookie = page.headers["Set-Cookie"]
        assert all(part in cookie for part in ("Max-Age=2592000", "HttpOnly", "SameSite=Lax"))
    clock.now += SESSION_LIFETIME + timedelta(hours=2)
    assert "Sign out" not in (await browser.get("/")).text


@pytest.mark.both_databases
async def test_secrets_are_stored_only_as_hashes(site: Site) -> None:
    token = await site.services.doors.invite(ALICE)
    secret, _invitation = await site.services.doors.enter(await site.services.doors.invite(ALICE))
    async with site.services.matches.storage.database.read() as connection:
        rows = [
            str(row)
            for table in ("web_tokens", "web_sessions")
            for row in await connection.exec_driver_sql(f"SELECT * FROM {table}")  # noqa: S608
        ]
    assert rows
    assert not any(text in row for text in (token, secret) for row in rows)
    assert len(token) >= 43


async def test_keys_cannot_be_guessed(site: Site) -> None:
    table, other = await site.table(), await site.table()
    (key, wrong), browser = (path.removeprefix("/m/") for path in (table.path, other.path)), await site.browser()
    number, _dash, digest = key.partition("-")
    assert len(digest) == 22
    for guess in (number, f"{number}-", f"{number}-{wrong.partition('-')[2]}", key[:-1], f"0{key}", f"{key}A"):
        for path in ("", "/board.png", "/record.txt", "/live"):
            assert (await browser.get(f"/m/{guess}{path}")).status == 404
    assert (await browser.get(table.path)).status == 200


async def test_only_the_player_to_act_plays(site: Site) -> None:
    table = await site.table("e5", "dark")
    stranger, carol = await site.browser(), await site.browser_of(CAROL)
    proposal = await site.services.proposals.propose(table.match.id, ALICE.id, ProposalKind.ABANDON)
    turn = {"step": "2", "draft": "", "begun": "", "press": "@d4"}
    assert "not yours." in (await table.bob.post(f"{table.path}/turn", **turn)).text
    for browser, status in ((stranger, 401), (carol, 409)):
        assert not (await browser.get(table.path)).buttons
        for action, form in (
            ("turn", turn),
            ("resign", {"step": "2"}),
            ("propose", {"step": "2", "kind": "abandon"}),
            ("answer", {"proposal": str(proposal.id), "answer": "accept"}),
        ):
            page = await browser.post(f"{table.path}/{action}", **form)
            assert page.status == status, action
            assert status == 401 or "You are not playing in match" in page.text
    game = await table.game()
    assert (game.match.result, game.ply) == (None, 2)


async def test_forms_of_other_sites_are_refused(site: Site) -> None:
    table = await site.table("e5", "dark")
    for headers in (
        *({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "none")),
        *({"Origin": origin} for origin in ("https://example.org", "null")),
        {},
    ):
        table.alice.headers = headers
        assert (await table.alice.post(f"{table.path}/resign", step="2")).status == 403, headers
    assert (await table.game()).match.result is None
    table.alice.headers = {"Origin": site.base}
    assert (await table.alice.post(f"{table.path}/resign", step="2")).status == 200


async def test_requests_for_another_host_are_refused(site: Site) -> None:
    assert (await (await site.browser()).get("/", Host="evil.example")).status == 421


async def test_signing_in_again_ends_the_previous_session(site: Site) -> None:
    browser = await site.browser_of(ALICE)
    await browser.post(f"/in/{await site.services.doors.invite(BOB)}")
    assert await site.services.doors.sessions(ALICE.id) == []
    assert len(await site.services.doors.sessions(BOB.id)) == 1


def test_over_https_the_cookie_is_bound_to_the_host(site: Site) -> None:
    services, response = site.services, web.Response()
    visitors = Visitors(services.doors, services.programs, services.settings, True, site.pages.proxies)
    visitors.set_cookie(response, "secret")
    cookie = response.cookies["__Host-hexgrove"]
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, True, "Lax", "/")
    assert not cookie["domain"]


@pytest.mark.both_databases
async def test_signing_out_ends_the_session(site: Site) -> None:
    browser = await site.browser_of(ALICE)
    await browser.post("/out")
    assert await site.services.doors.sessions(ALICE.id) == []
    assert "Sign out" not in (await browser.get("/")).text


async def test_deleted_players_are_signed_out(site: Site, clock: Clock) -> None:
    table = await site.table("e5", "dark")
    token = await site.services.doors.invite(ALICE)
    await site.services.privacy.delete(ALICE.id)
    assert (await table.alice.post(f"/in/{token}")).status == 410
    page = await table.alice.get(table.path)
    assert "watching" in page.text
    assert "Alice" not in page.text


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.7", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.7", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.7", "nonsense", "10.0.0.7"),
        ("10.0.1.7", "203.0.113.9", "10.0.1.7"),
        ("::ffff:10.0.0.7", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "203.0.113.9", "127.0.0.1"),
        ("10.0.0.7", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "", "2001:db8:1:2::/64"),
    ],
)
def test_only_trusted_proxies_name_the_client(peer: str, forwarded: str, client: str, site: Site) -> None:
    request = make_mocked_request("GET", "/", {"X-Forwarded-For": forwarded}).clone(remote=peer)
    assert site.pages.proxies.client_of(request) == client


async def test_slow_and_overlong_forms_are_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.http.requests.PATIENCE", 0.05)
    table = await site.table("e5", "dark")

    async def slowly() -> AsyncIterator[bytes]:
        yield b"step="
        await asyncio.sleep(30)

    headers = {**table.alice.headers, "Content-Type": "application/x-www-form-urlencoded"}
    for body, status in ((slowly(), 408), (b"step=2&press=" + b"a" * 40_000, 413)):
        async with table.alice.session.post(f"{site.base}{table.path}/resign", data=body, headers=headers) as answer:
            assert answer.status == status
    assert (await table.game()).match.result is None


async def test_only_its_owner_sees_an_imported_record(site: Site, clock: Clock) -> None:
    record = rules.Record(DALEN, ("e5", "light", "d4", "a1"), "1-0", {"Dark": "Magnus"})
    (imported,), _ = await Imports(site.services.matches.storage, clock).add(ALICE, str(record))
    assert imported.match is not None
    path, owner = await site.path(imported.match), await site.browser_of(ALICE)
    page = await owner.get(path)
    assert "Magnus" in page.text
    assert "imported" in page.text
    for below in ("/record.txt", "/try", "/review", "/note"):
        assert (await owner.get(path + below)).status == 200, below
    assert (await owner.bytes_of(page.pictures[0])).startswith(b"\x89PNG")
    form = {"step": "4", "kind": "rematch", "note": "Mine", "level": "1", "left": "1"}
    read = ("", "/record.txt", "/try", "/review", "/note", "/live", "/board.png?step=4&over=1")
    written = ("/turn", "/hint", "/resign", "/propose", "/note", "/review", "/try", "/level", "/time", "/claim")
    for other in (await site.browser_of(BOB), await site.browser()):
        answers = [await other.get(path + below) for below in read]
        answers += [await other.post(path + below, **form) for below in written]
        for answer in answers:
            assert answer.status in (401, 403, 404), answer.url
            assert "Magnus" not in answer.html, answer.url
