"""The doors of the pages, tried from outside."""

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
from tests.support.pages import Site
from tests.support.services import ALICE, BOB, CAROL, DALEN, Clock, start
from tests.support.thorough import on_databases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests that use a statement of their own, which are marked, on each kind of database."""
    on_databases(metafunc)


async def test_looking_at_a_link_does_not_use_it_up(site: Site) -> None:
    token = await site.services.doors.invite(ALICE)
    for _ in range(3):
        page = await (await site.browser()).get(f"/in/{token}")
        assert page.status == 200
        assert "Continue as Alice" in page.text
        assert "Set-Cookie" not in page.headers
    browser = await site.browser()
    assert (await browser.post(f"/in/{token}")).status == 200
    assert "My games" in (await browser.get("/")).text


@pytest.mark.both_databases
async def test_a_link_works_once(site: Site) -> None:
    token = await site.services.doors.invite(ALICE)
    assert (await (await site.browser()).post(f"/in/{token}")).status == 200
    for late in (await site.browser(), await site.browser()):
        assert (await late.get(f"/in/{token}")).status == 410
        assert (await late.post(f"/in/{token}")).status == 410
        assert "Forget me" not in (await late.get("/")).text
    assert len(await site.services.doors.sessions(ALICE.id)) == 1


async def test_a_link_is_good_for_ten_minutes(site: Site, clock: Clock) -> None:
    token = await site.services.doors.invite(ALICE)
    clock.now += TOKEN_LIFETIME
    assert (await (await site.browser()).post(f"/in/{token}")).status == 410


@pytest.mark.both_databases
async def test_a_session_ends_a_month_after_its_last_use(site: Site, clock: Clock) -> None:
    browser = await site.browser_of(ALICE)
    for _ in range(3):
        clock.now += SESSION_LIFETIME - timedelta(days=1)
        page = await browser.get("/")
        assert "Forget me" in page.text
        assert "Max-Age=2592000" in page.headers["Set-Cookie"]
        assert "HttpOnly" in page.headers["Set-Cookie"]
        assert "SameSite=Lax" in page.headers["Set-Cookie"]
    clock.now += SESSION_LIFETIME + timedelta(hours=2)
    assert "Forget me" not in (await browser.get("/")).text


@pytest.mark.both_databases
async def test_secrets_are_not_stored_as_they_are(site: Site) -> None:
    token = await site.services.doors.invite(ALICE)
    secret, _invitation = await site.services.doors.enter(await site.services.doors.invite(ALICE))
    async with site.services.matches.storage.database.read() as connection:
        rows = [
            str(row)
            for table in ("web_tokens", "web_sessions")
            for row in await connection.exec_driver_sql(f"SELECT * FROM {table}")  # noqa: S608
        ]
    assert rows
    assert not any(each in row for each in (token, secret) for row in rows)
    assert len(token) >= 43


async def test_keys_cannot_be_guessed(site: Site) -> None:
    match, other = await start(site.services.matches), await start(site.services.matches)
    key, wrong = await site.services.doors.key(match.id), await site.services.doors.key(other.id)
    assert len(key.partition("-")[2]) == 22
    browser = await site.browser()
    swapped = f"{match.id}-{wrong.partition('-')[2]}"
    for guess in (f"{match.id}", f"{match.id}-", swapped, key[:-1], f"0{key}", key + "A"):
        for path in ("", "/board.png", "/record.txt", "/live"):
            assert (await browser.get(f"/m/{guess}{path}")).status == 404
    assert (await browser.get(f"/m/{key}")).status == 200


async def test_with_the_key_alone_one_only_watches(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    path, stranger = await site.path(match), await site.browser()
    page = await stranger.get(path)
    assert not page.buttons
    for what, values in (
        ("turn", {"step": "2", "draft": "", "begun": "", "press": "@d4"}),
        ("resign", {"step": "2"}),
        ("propose", {"step": "2", "kind": "draw"}),
        ("answer", {"proposal": "1", "answer": "accept"}),
    ):
        assert (await stranger.post(f"{path}/{what}", **values)).status == 401
    assert (await site.services.matches.game(match.id)).ply == 2


async def test_another_persons_session_plays_nothing_here(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    path, carol = await site.path(match), await site.browser_of(CAROL)
    assert not (await carol.get(path)).buttons
    page = await carol.post(f"{path}/turn", step="2", draft="", begun="", press="@d4")
    assert page.status == 409
    assert "You are not playing in match" in page.text
    assert (await carol.post(f"{path}/resign", step="2")).status == 409
    await site.services.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
    proposal = (await site.services.matches.match(match.id)).proposals[0]
    assert (await carol.post(f"{path}/answer", proposal=str(proposal.id), answer="accept")).status == 409
    bob = await site.browser_of(BOB)
    page = await bob.post(f"{path}/turn", step="2", draft="", begun="", press="@d4")
    assert "It is not your turn" in page.text
    game = await site.services.matches.game(match.id)
    assert game.match.result is None
    assert game.ply == 2


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://example.org"},
        {"Origin": "null"},
        {},
    ],
)
async def test_forms_of_other_sites_are_refused(site: Site, headers: dict[str, str]) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)
    alice.headers = headers
    assert (await alice.post(f"{await site.path(match)}/resign", step="2")).status == 403
    assert (await site.services.matches.match(match.id)).result is None


async def test_a_form_of_this_site_is_known_by_its_origin_too(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)
    alice.headers = {"Origin": site.base}
    assert (await alice.post(f"{await site.path(match)}/resign", step="2")).status == 200


async def test_requests_for_another_host_are_refused(site: Site) -> None:
    assert (await (await site.browser()).get("/", Host="evil.example")).status == 421


async def test_whoever_comes_in_again_leaves_the_session_before(site: Site) -> None:
    browser = await site.browser_of(ALICE)
    token = await site.services.doors.invite(BOB)
    await browser.post(f"/in/{token}")
    assert await site.services.doors.sessions(ALICE.id) == []
    assert len(await site.services.doors.sessions(BOB.id)) == 1


def test_over_https_the_cookie_is_bound_to_the_host(site: Site) -> None:
    services, response = site.services, web.Response()
    visitors = Visitors(services.doors, services.programs, services.settings, True, site.pages.proxies)
    visitors.remember(response, "secret")
    cookie = response.cookies["__Host-hexgrove"]
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, True, "Lax", "/")
    assert not cookie["domain"]


async def test_who_is_blocked_proposes_nothing(site: Site, clock: Clock) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    await site.services.privacy.set_blocked(BOB, [ALICE.id])
    alice, path = await site.browser_of(ALICE, match), await site.path(match)
    page = await alice.post(f"{path}/propose", step="2", kind="draw")
    assert page.status == 409
    assert "Bob" in page.text
    assert (await site.services.matches.match(match.id)).proposals == ()


@pytest.mark.both_databases
async def test_leaving_ends_the_session(site: Site) -> None:
    browser = await site.browser_of(ALICE)
    await browser.post("/out")
    assert await site.services.doors.sessions(ALICE.id) == []
    assert "Forget me" not in (await browser.get("/")).text


async def test_deleted_people_are_out(site: Site, clock: Clock) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)
    token = await site.services.doors.invite(ALICE)
    privacy = site.services.privacy
    await privacy.delete(ALICE.id)
    assert (await alice.post(f"/in/{token}")).status == 410
    page = await alice.get(await site.path(match))
    assert "watching" in page.text
    assert "Alice" not in page.text


async def test_an_overlong_body_is_refused(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)
    page = await alice.post(f"{await site.path(match)}/turn", step="2", press="@" + "a" * 40_000)
    assert page.status == 413


@pytest.mark.parametrize(
    ("near", "told", "believed"),
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
def test_only_a_proxy_names_the_visitor(near: str, told: str, believed: str, site: Site) -> None:
    request = make_mocked_request("GET", "/", {"X-Forwarded-For": told}).clone(remote=near)
    assert site.pages.proxies.visitor_of(request) == believed


async def test_a_form_that_does_not_come_is_not_awaited(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.http.requests.PATIENCE", 0.05)
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)

    async def slowly() -> AsyncIterator[bytes]:
        yield b"step="
        await asyncio.sleep(30)

    headers = {**alice.headers, "Content-Type": "application/x-www-form-urlencoded"}
    address = f"{site.base}{await site.path(match)}/resign"
    async with alice.session.post(address, data=slowly(), headers=headers) as answer:
        assert answer.status == 408
    assert (await site.services.matches.match(match.id)).result is None


@pytest.mark.parametrize(("body", "charset"), [(b"step=2", "nonsense"), (b"step=\xff", "utf-8"), (b"step=2", "idna")])
async def test_a_form_that_cannot_be_read_is_refused(site: Site, body: bytes, charset: str) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE, match)
    headers = {**alice.headers, "Content-Type": f"application/x-www-form-urlencoded; charset={charset}"}
    address = f"{site.base}{await site.path(match)}/turn"
    async with alice.session.post(address, data=body, headers=headers) as answer:
        assert answer.status < 500


async def test_an_imported_record_is_there_for_its_owner_alone(site: Site, clock: Clock) -> None:
    record = rules.Record(DALEN, ("e5", "light", "d4", "a1"), "1-0", {"Dark": "Magnus"})
    (taken,), _ = await Imports(site.services.matches.storage, clock).add(ALICE, str(record))
    assert taken.match is not None
    path = await site.path(taken.match)
    owner = await site.browser_of(ALICE)
    page = await owner.get(path)
    assert "Magnus" in page.text
    assert "imported" in page.text
    for below in ("/record.txt", "/try", "/review", "/note"):
        assert (await owner.get(path + below)).status == 200, below
    assert (await owner.bytes_of(page.pictures[0])).startswith(b"\x89PNG")
    for other in (await site.browser_of(BOB), await site.browser()):
        for below in ("", "/record.txt", "/try", "/review", "/note", "/live", "/board.png?step=4&over=1"):
            seen = await other.get(path + below)
            assert seen.status in (401, 403, 404), below
            assert "Magnus" not in seen.html, below
        for below in ("/turn", "/hint", "/resign", "/propose", "/note", "/review", "/try", "/level", "/time", "/claim"):
            seen = await other.post(path + below, step="4", kind="rematch", note="Mine", level="1", left="1")
            assert seen.status in (401, 403, 404), below
            assert "Magnus" not in seen.html, below
