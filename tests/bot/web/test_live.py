"""News of a match: streams, long polls, and watchers who come and go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest

from bot.domain.proposals import ProposalKind
from bot.web.live import version_of
from tests.support.loops import until
from tests.support.pages import Browser, Site
from tests.support.services import ALICE, BOB, play_turn, start


@asynccontextmanager
async def stream(browser: Browser, path: str) -> AsyncIterator[aiohttp.StreamReader]:
    async with browser.session.get(f"{browser.base}{path}/live") as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("application/x-ndjson")
        yield answer.content


async def version(lines: aiohttp.StreamReader) -> str:
    """The next version in a stream; beats are skipped."""
    while True:
        line = await asyncio.wait_for(lines.readline(), 30)
        assert line, "the stream has ended"
        if line.strip():
            found: str = json.loads(line)["version"]
            return found


async def test_watchers_hear_of_every_change(site: Site) -> None:
    match = await start(site.pages.matches, turns=("e5", "dark"))
    path = await site.path(match)
    async with stream(await site.browser(), path) as lines:
        heard = [await version(lines)]
        await play_turn(site.pages.matches, match.id, ALICE.id, "d4")
        heard.append(await version(lines))
        await site.pages.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
        heard.append(await version(lines))
        await site.pages.matches.resign(match.id, BOB.id)
        heard.append(await version(lines))
    assert len(set(heard)) == 4
    assert heard[-1] == version_of(await site.pages.matches.match(match.id))
    assert f'data-version="{heard[-1]}"' in (await (await site.browser()).get(path)).html


async def test_a_slow_watcher_gets_the_newest_state_only(site: Site) -> None:
    match = await start(site.pages.matches, turns=("e5", "dark"))
    async with stream(await site.browser(), await site.path(match)) as lines:
        await version(lines)
        await asyncio.gather(*(site.pages.matches.match(match.id) for _ in range(3)))
        for player, turn in ((ALICE, "d4"), (BOB, "c3"), (ALICE, "b2")):
            await play_turn(site.pages.matches, match.id, player.id, turn)
        last = version_of(await site.pages.matches.match(match.id))
        while await version(lines) != last:
            pass


async def test_a_long_poll_waits_for_another_version(site: Site) -> None:
    match = await start(site.pages.matches, turns=("e5", "dark"))
    browser, path = await site.browser(), await site.path(match)
    seen = version_of(match)
    assert json.loads((await browser.get(f"{path}/live?seen=another")).html) == {"version": seen}
    waiting = asyncio.create_task(browser.get(f"{path}/live?seen={seen}"))
    await until(lambda: len(site.pages.watching) == 1)
    await play_turn(site.pages.matches, match.id, ALICE.id, "d4")
    now = version_of(await site.pages.matches.match(match.id))
    assert json.loads((await waiting).html) == {"version": now}
    site.pages.live.poll = 0.01
    assert json.loads((await browser.get(f"{path}/live?seen={now}")).html) == {"version": now}


async def test_a_watcher_who_left_is_noticed_at_a_beat(site: Site, complaints: list[object]) -> None:
    match = await start(site.pages.matches, turns=("e5", "dark"))
    site.pages.live.beat = 0.01
    async with stream(await site.browser(), await site.path(match)) as lines:
        await version(lines)
        assert len(site.pages.live) == 1
    await until(lambda: len(site.pages.live) == 0)
    assert len(site.pages.watching) == 0
    assert not complaints


async def test_nobody_takes_all_the_places_of_watchers(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.live._OF_ONE", 1)
    match = await start(site.pages.matches)
    browser, path = await site.browser(), await site.path(match)
    async with stream(browser, path) as lines:
        await version(lines)
        late = await browser.get(f"{path}/live")
        assert late.status == 429
        assert late.headers["Retry-After"]


async def test_watching_leaves_room_for_everything_else(site: Site) -> None:
    match = await start(site.pages.matches)
    browser, path = await site.browser(), await site.path(match)
    async with AsyncExitStack() as streams:
        for _ in range(15):
            await version(await streams.enter_async_context(stream(browser, path)))
        assert (await browser.get(path)).status == 200


async def test_at_a_stop_the_streams_end_first(site: Site) -> None:
    match = await start(site.pages.matches)
    async with stream(await site.browser(), await site.path(match)) as lines:
        await version(lines)
        await site.pages.live.stop()
        while await lines.readline():
            pass
