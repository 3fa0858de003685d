"""The pages as a Discord Activity: sign-in, the power of its sessions, and what other sites cannot do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import aiohttp
import pytest

from bot.domain.doors import ACTIVITY_LIFETIME, MOST_SESSIONS
from bot.domain.players import Names, Player
from bot.storage import Database
from tests.support.services.matches import ALICE, BOB, Clock, start
from tests.support.web.activity import FakeDiscord, activity_on
from tests.support.web.pages import Browser, Site

#: Headers of requests from a frame without an origin.
FRAME = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}
DOCUMENT = "/?frame_id=f&instance_id=i&platform=mobile"


@pytest.fixture
async def on_discord(database: Database, clock: Clock) -> AsyncIterator[tuple[Site, FakeDiscord]]:
    """The pages as an Activity, and a Discord that knows Alice and Bob."""
    async with activity_on(database, clock, ALICE, BOB) as both:
        yield both


async def activity_of(person: str, site: Site, fake: FakeDiscord) -> Browser:
    """The frame of a person who has signed in."""
    frame = await site.browser()
    frame.headers = FRAME
    answer = await frame.post("/activity", code=fake.authorize(person))
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "null"
    frame.session.headers["Authorization"] = f"Bearer {answer.html}"
    return frame


async def test_without_an_application_there_is_no_activity(site: Site) -> None:
    browser = await site.browser()
    assert "frame-ancestors 'none'" in (await browser.get(DOCUMENT)).headers["Content-Security-Policy"]
    assert (await browser.post("/activity", code="x")).status == 404
    secret, _invitation = await site.services.doors.enter(await site.services.doors.invite(ALICE))
    page = await browser.get("/", Authorization=f"Bearer {secret}")
    assert "Your matches" not in page.text
    assert "Access-Control-Allow-Origin" not in page.headers


async def test_only_discord_may_show_the_document_in_a_frame(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    browser = await site.browser()
    document = await browser.get(DOCUMENT)
    policy = document.headers["Content-Security-Policy"]
    assert policy.endswith(f"frame-ancestors {fake.base}")
    assert "unsafe" not in policy
    assert not [text for text in ("<link", "<img", " src=", " style=", "Set-Cookie") if text in document.html]
    script = document.html.rpartition("<script nonce=")[2].partition("</script>")[0]
    assert len(script.encode()) <= 12_000
    for path in ("/", "/rules"):
        assert "frame-ancestors 'none'" in (await browser.get(path)).headers["Content-Security-Policy"]


async def test_a_player_identified_by_discord_plays_a_turn(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    path = await site.path(await start(site.services.matches, turns=("e5", "dark")))
    alice = await activity_of("Alice", site, fake)
    page = await alice.play(path, "d4")
    assert "played d4" in page.text
    assert page.headers["Access-Control-Allow-Origin"] == "null"
    assert "Access-Control-Allow-Credentials" not in page.headers
    assert "Set-Cookie" not in page.headers
    assert "Sign out" not in (await alice.get("/")).text
    async with alice.session.get(f"{alice.base}{path}/live") as stream:
        assert stream.headers["Access-Control-Allow-Origin"] == "null"
    assert fake.tokens == ["Alice"]


async def test_players_have_the_name_that_discord_gives(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    alice = Player(ALICE.id, "Ally", Names("Alice", "alice", 1, "Ally"))
    match = await start(site.services.matches, first=alice, turns=("e5", "dark"))
    fake.people["Alice"] = Player(ALICE.id, "Alice Liddell")
    await activity_of("Alice", site, fake)
    async with site.services.matches.storage.read() as tx:
        names = [(await tx.players.by_ids([ALICE.id], guild))[ALICE.id].name for guild in (1, None)]
    assert names == ["Ally", "Alice Liddell"]
    assert (await site.services.matches.match(match.id)).first.id == ALICE.id


@pytest.mark.parametrize("code", ["", "wrong", "used", "a" * 5000])
async def test_a_wrong_code_begins_no_session(
    on_discord: tuple[Site, FakeDiscord], code: str, log: list[dict[str, object]]
) -> None:
    site, fake = on_discord
    if code == "used":
        code = fake.authorize("Bob")
        assert site.pages.activity is not None
        await site.pages.activity.player(code)
    assert (await (await site.browser()).post("/activity", code=code)).status == 403
    assert await site.services.doors.sessions(BOB.id) == []
    (event,) = [event for event in log if event["event"] == "activity_not_entered"]
    assert event["status"] == 400
    assert "code" not in event


async def test_no_session_begins_while_discord_is_unreachable(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    code = fake.authorize("Alice")
    await fake.stop()
    assert (await (await site.browser()).post("/activity", code=code)).status == 403


async def test_a_session_ends_half_a_day_after_its_last_use_or_in_the_settings(
    on_discord: tuple[Site, FakeDiscord], clock: Clock
) -> None:
    site, fake = on_discord
    alice = await activity_of("Alice", site, fake)
    for _ in range(2):
        clock.now += ACTIVITY_LIFETIME - timedelta(hours=1)
        assert (await alice.get("/")).status == 200
    assert [session.in_activity for session in await site.services.doors.sessions(ALICE.id)] == [True]
    clock.now += ACTIVITY_LIFETIME + timedelta(hours=2)
    assert (await alice.get("/")).status == 401
    assert await site.services.doors.sessions(ALICE.id) == []
    alice = await activity_of("Alice", site, fake)
    await site.services.doors.end_sessions(ALICE.id)
    assert (await alice.get("/")).status == 401


async def test_browsers_and_activities_do_not_share_secrets(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, fake = on_discord
    browser, frame = await site.browser_of(ALICE), await activity_of("Alice", site, fake)
    (cookie,) = browser.session.cookie_jar
    bearer = frame.session.headers["Authorization"].removeprefix("Bearer ")
    assert (await (await site.browser()).get("/", Authorization=f"Bearer {cookie.value}")).status == 401
    assert "Your matches" not in (await (await site.browser()).get("/", Cookie=f"hexgrove={bearer}")).text


async def test_other_sites_can_neither_read_nor_act(on_discord: tuple[Site, FakeDiscord]) -> None:
    site, _fake = on_discord
    table = await site.table("e5", "dark")
    page = await table.alice.get(table.path, Origin="null")
    assert "Access-Control-Allow-Origin" not in page.headers
    for headers, status in (({**FRAME, "Authorization": "Bearer guessed"}, 401), (FRAME, 403)):
        table.alice.headers = headers
        assert (await table.alice.post(f"{table.path}/resign", step="2")).status == status
    assert (await table.game()).match.result is None
    preflight = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    async with (
        aiohttp.ClientSession() as session,
        session.options(f"{site.base}/settings", headers=preflight) as answer,
    ):
        assert answer.headers["Access-Control-Allow-Origin"] == "null"
        assert "Access-Control-Allow-Credentials" not in answer.headers


async def test_activities_do_not_push_out_the_sessions_of_browsers(
    on_discord: tuple[Site, FakeDiscord], clock: Clock
) -> None:
    site, _fake = on_discord
    browser = await site.browser_of(ALICE)
    for _ in range(MOST_SESSIONS + 1):
        clock.now += timedelta(seconds=1)
        await site.services.doors.admit(ALICE)
    assert len(await site.services.doors.sessions(ALICE.id)) == MOST_SESSIONS + 1
    assert "Sign out" in (await browser.get("/")).text
