"""The pages as an Activity of Discord: who comes in, what a session there can do, and what no other site can."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import aiohttp
import pytest

from bot.domain.doors import ACTIVITY_LIFETIME, MOST_SESSIONS
from bot.domain.players import Names, Player
from bot.storage import Database
from tests.support.activity import FakeDiscord, activity_on
from tests.support.pages import Browser, Site
from tests.support.services import ALICE, BOB, Clock, start

#: What a browser sends along from a frame without an origin.
FRAME = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}
SHELL = "/?frame_id=f&instance_id=i&platform=mobile"


@pytest.fixture
async def on_discord(database: Database, clock: Clock) -> AsyncIterator[tuple[Site, FakeDiscord]]:
    """The pages as an Activity, and a Discord that knows Alice and Bob."""
    await database.migrate()
    async with activity_on(database, clock, ALICE, BOB) as both:
        yield both


async def activity_of(person: str, site: Site, fake: FakeDiscord) -> Browser:
    """The frame of a person who has come in."""
    frame = await site.browser()
    frame.headers = FRAME
    told = await frame.post("/activity", code=fake.authorize(person))
    assert told.status == 200
    assert told.headers["Access-Control-Allow-Origin"] == "null"
    frame.session.headers["Authorization"] = f"Bearer {told.html}"
    return frame


async def test_without_an_application_there_is_no_activity(site: Site) -> None:
    browser = await site.browser()
    assert "frame-ancestors 'none'" in (await browser.get(SHELL)).headers["Content-Security-Policy"]
    assert (await browser.post("/activity", code="x")).status == 404
    secret, _invitation = await site.services.doors.enter(await site.services.doors.invite(ALICE))
    page = await browser.get("/", Authorization=f"Bearer {secret}")
    assert "My games" not in page.text
    assert "Access-Control-Allow-Origin" not in page.headers


async def test_only_discord_may_show_the_document_in_a_frame(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    browser = await site.browser()
    shell = await browser.get(SHELL)
    policy = shell.headers["Content-Security-Policy"]
    assert policy.endswith(f"frame-ancestors {fake.base}")
    assert "unsafe" not in policy
    assert not [each for each in ("<link", "<img", " src=", " style=", "Set-Cookie") if each in shell.html]
    script = shell.html.rpartition("<script nonce=")[2].partition("</script>")[0]
    assert len(script.encode()) <= 12_000
    for path in ("/", "/rules"):
        assert "frame-ancestors 'none'" in (await browser.get(path)).headers["Content-Security-Policy"]


async def test_a_player_whom_discord_names_plays_a_turn(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice, path = await activity_of("Alice", site, fake), await site.path(match)
    page = await alice.press(await alice.get(path, **FRAME), "@d4")
    page = await alice.press(page, page.choices["Play it"])
    assert "played d4" in page.text
    assert page.headers["Access-Control-Allow-Origin"] == "null"
    assert "Access-Control-Allow-Credentials" not in page.headers
    assert "Set-Cookie" not in page.headers
    assert "Forget me" not in (await alice.get("/")).text
    async with alice.session.get(f"{alice.base}{path}/live") as stream:
        assert stream.headers["Access-Control-Allow-Origin"] == "null"
    assert fake.tokens == ["Alice"]


async def test_the_names_are_those_that_discord_tells(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    alice = Player(ALICE.id, "Ally", Names("Alice", "alice", 1, "Ally"))
    match = await start(site.services.matches, first=alice, turns=("e5", "dark"))
    fake.people["Alice"] = Player(ALICE.id, "Alice Liddell")
    await activity_of("Alice", site, fake)
    async with site.services.matches.storage.read() as tx:
        assert (await tx.players.by_ids([ALICE.id], 1))[ALICE.id].name == "Ally"
        assert (await tx.players.by_ids([ALICE.id], None))[ALICE.id].name == "Alice Liddell"
    assert (await site.services.matches.match(match.id)).first.id == ALICE.id


@pytest.mark.parametrize("code", ["", "wrong", "used", "a" * 5000])
async def test_who_has_no_code_stays_outside(
    on_discord: tuple[Site, FakeDiscord], code: str, log: list[dict[str, object]]
) -> None:
    site, fake = on_discord
    if code == "used":
        code = fake.authorize("Bob")
        await site.pages.activity.player(code)  # type: ignore[union-attr]
    browser = await site.browser()
    assert (await browser.post("/activity", code=code)).status == 403
    assert await site.services.doors.sessions(BOB.id) == []
    (event,) = [each for each in log if each["event"] == "activity_not_entered"]
    assert event["status"] == 400
    assert "code" not in event


async def test_discord_out_of_reach_lets_nobody_in(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    code = fake.authorize("Alice")
    await fake.stop()
    assert (await (await site.browser()).post("/activity", code=code)).status == 403


async def test_a_session_ends_half_a_day_after_its_last_use(on_discord: tuple[Site, FakeDiscord], clock: Clock) -> None:
    site, fake = on_discord
    alice = await activity_of("Alice", site, fake)
    for _ in range(2):
        clock.now += ACTIVITY_LIFETIME - timedelta(hours=1)
        assert (await alice.get("/")).status == 200
    assert [each.in_activity for each in await site.services.doors.sessions(ALICE.id)] == [True]
    clock.now += ACTIVITY_LIFETIME + timedelta(hours=2)
    assert (await alice.get("/")).status == 401
    assert await site.services.doors.sessions(ALICE.id) == []


async def test_settings_end_the_session(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    alice = await activity_of("Alice", site, fake)
    await site.services.doors.end_sessions(ALICE.id)
    assert (await alice.get("/")).status == 401


async def test_the_secret_of_one_kind_of_session_opens_no_other(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    browser, frame = await site.browser_of(ALICE), await activity_of("Alice", site, fake)
    (cookie,) = browser.session.cookie_jar
    bearer = frame.session.headers["Authorization"].removeprefix("Bearer ")
    assert (await (await site.browser()).get("/", Authorization=f"Bearer {cookie.value}")).status == 401
    page = await (await site.browser()).get("/", Cookie=f"hexgrove={bearer}")
    assert "My games" not in page.text


async def test_cookies_do_not_count_beside_a_bearer(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, _fake = on_discord
    match = await start(site.services.matches, turns=("e5", "dark"))
    alice = await site.browser_of(ALICE)
    alice.headers = {**FRAME, "Authorization": "Bearer guessed"}
    assert (await alice.post(f"{await site.path(match)}/resign", step="2")).status == 401
    alice.headers = FRAME
    assert (await alice.post(f"{await site.path(match)}/resign", step="2")).status == 403
    assert (await site.services.matches.match(match.id)).result is None


async def test_other_sites_read_nothing(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, _fake = on_discord
    match = await start(site.services.matches)
    alice = await site.browser_of(ALICE)
    page = await alice.get(await site.path(match), Origin="null")
    assert "Access-Control-Allow-Origin" not in page.headers
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    async with aiohttp.ClientSession() as session, session.options(f"{site.base}/settings", headers=asked) as allowed:
        assert allowed.headers["Access-Control-Allow-Origin"] == "null"
        assert "Access-Control-Allow-Credentials" not in allowed.headers


async def test_frames_do_not_push_browsers_out(on_discord: tuple[Site, FakeDiscord], clock: Clock) -> None:
    site, _fake = on_discord
    browser = await site.browser_of(ALICE)
    for _ in range(MOST_SESSIONS + 1):
        clock.now += timedelta(seconds=1)
        await site.services.doors.admit(ALICE)
    assert len(await site.services.doors.sessions(ALICE.id)) == MOST_SESSIONS + 1
    assert "Forget me" in (await browser.get("/")).text
