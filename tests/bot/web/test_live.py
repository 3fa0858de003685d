"""News of a match: streams, long polls, and watchers who come and go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest
from aiohttp.test_utils import unused_port

from bot.domain.matches import Game, ProposalKind
from bot.domain.players import Names, Player
from bot.storage import Database
from bot.web.http.live import version_of
from tests.support.counts import statements_on
from tests.support.pages import Browser, Seen, Site
from tests.support.services import ALICE, BOB, CAROL, play_turn, start
from tests.support.waiting import until


@asynccontextmanager
async def stream(browser: Browser, path: str) -> AsyncIterator[aiohttp.StreamReader]:
    async with browser.session.get(f"{browser.base}{path}/live") as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("application/x-ndjson")
        yield answer.content


async def news(lines: aiohttp.StreamReader) -> dict[str, str]:
    """The next line in a stream; beats are skipped."""
    while True:
        line = await asyncio.wait_for(lines.readline(), 30)
        assert line, "the stream has ended"
        if line.strip():
            found: dict[str, str] = json.loads(line)
            return found


async def version(lines: aiohttp.StreamReader) -> str:
    """The next version in a stream; beats are skipped."""
    return (await news(lines))["version"]


async def test_watchers_hear_of_every_change(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    path = await site.path(match)
    async with stream(await site.browser(), path) as lines:
        heard = [await version(lines)]
        await play_turn(site.services.matches, match.id, ALICE.id, "d4")
        heard.append(await version(lines))
        await site.services.proposals.propose(match.id, ALICE.id, ProposalKind.DRAW)
        heard.append(await version(lines))
        await site.services.matches.resign(match.id, BOB.id)
        heard.append(await version(lines))
    assert len(set(heard)) == 4
    assert heard[-1] == version_of(await site.services.matches.match(match.id))
    assert f'data-version="{heard[-1]}"' in (await (await site.browser()).get(path)).html


async def test_a_slow_watcher_gets_the_newest_state_only(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    async with stream(await site.browser(), await site.path(match)) as lines:
        await version(lines)
        await asyncio.gather(*(site.services.matches.match(match.id) for _ in range(3)))
        for player, turn in ((ALICE, "d4"), (BOB, "c3"), (ALICE, "b2")):
            await play_turn(site.services.matches, match.id, player.id, turn)
        last = version_of(await site.services.matches.match(match.id))
        while await version(lines) != last:
            pass


async def test_a_long_poll_waits_for_another_version(site: Site) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    browser, path = await site.browser(), await site.path(match)
    seen = version_of(match)
    assert json.loads((await browser.get(f"{path}/live?seen=another")).html)["version"] == seen
    waiting = asyncio.create_task(browser.get(f"{path}/live?seen={seen}"))
    await until(lambda: len(site.services.watching) == 1)
    await play_turn(site.services.matches, match.id, ALICE.id, "d4")
    now = version_of(await site.services.matches.match(match.id))
    assert json.loads((await waiting).html) == {"version": now, "part": (await browser.get(path, Part="1")).html}
    site.pages.live.poll = 0.01
    assert json.loads((await browser.get(f"{path}/live?seen={now}")).html) == {"version": now}


async def test_watchers_get_the_page_with_the_news_and_players_their_own(site: Site) -> None:
    alice = Player(101, "Ally", Names("Alice", "alice", 1, "Ally"))
    match = await start(site.services.matches, first=alice, turns=("e5", "dark"))
    path, guest, carol = await site.path(match), await site.browser(), await site.browser_of(CAROL)
    await site.services.settings.change_preferences(CAROL, language="de")
    browsers = guest, carol, await site.browser_of(BOB)
    async with AsyncExitStack() as streams:
        heard = [await streams.enter_async_context(stream(each, path)) for each in browsers]
        assert all([list(await news(each)) == ["version"] for each in heard])
        await play_turn(site.services.matches, match.id, alice.id, "d4")
        parts = [(await news(each)).get("part", "") for each in heard]
    assert parts[:2] == [(await each.get(path, Part="1")).html for each in (guest, carol)]
    assert "to play." in parts[0]
    assert "ist am Zug." in parts[1]
    assert "Ally" not in parts[0] + parts[1]
    assert not parts[2]


async def test_a_turn_needs_no_more_statements_for_many_watchers(site: Site, database: Database) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    path, browser, counted = await site.path(match), await site.browser(), list[int]()
    async with AsyncExitStack() as streams:
        heard = list[aiohttp.StreamReader]()
        for player, turn, more in ((ALICE, "d4", 1), (BOB, "c3", 4)):
            for _ in range(more):
                heard.append(await streams.enter_async_context(stream(browser, path)))
                await news(heard[-1])
            with statements_on(database) as statements:
                await play_turn(site.services.matches, match.id, player.id, turn)
                parts = [(await news(each))["part"] for each in heard]
                pictures = [Seen(200, path, part, {}).pictures for part in parts]
                await asyncio.gather(*(browser.bytes_of(each) for some in pictures for each in some))
            counted.append(len(statements))
    assert len(heard) == 5
    assert counted[0] == counted[1]


async def test_a_watcher_who_left_is_noticed_at_a_beat(site: Site, complaints: list[object]) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    site.pages.live.beat = 0.01
    async with stream(await site.browser(), await site.path(match)) as lines:
        await version(lines)
        assert len(site.pages.live) == 1
    await until(lambda: len(site.pages.live) == 0)
    assert len(site.services.watching) == 0
    assert not complaints


@pytest.mark.parametrize("ending", ["abort", "close", "write_eof"])
@pytest.mark.parametrize("query", ["", "?seen={seen}"], ids=["stream", "poll"])
async def test_a_closed_connection_leaves_its_place_at_once(site: Site, ending: str, query: str) -> None:
    match = await start(site.services.matches, turns=("e5", "dark"))
    site.pages.live.watchers.each = 3
    address, port = f"{await site.path(match)}/live{query.format(seen=version_of(match))}", unused_port()
    site.pages.live.beat = site.pages.live.poll = 1000
    async with site.pages.serving("127.0.0.1", port):
        for _ in range(3):
            writers = []
            for _ in range(3):
                _reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                writers.append(writer)
            await until(lambda: len(site.pages.live) == 3)
            for writer in writers:
                getattr(writer.transport, ending)()
            await until(lambda: len(site.pages.live) == 0)
            for writer in writers:
                writer.transport.abort()


async def test_nobody_takes_all_the_places_of_watchers(site: Site) -> None:
    site.pages.live.watchers.each = 1
    match = await start(site.services.matches)
    browser, path = await site.browser(), await site.path(match)
    async with stream(browser, path) as lines:
        await version(lines)
        late = await browser.get(f"{path}/live")
        assert late.status == 429
        assert late.headers["Retry-After"]


async def test_watching_leaves_room_for_everything_else(site: Site) -> None:
    match = await start(site.services.matches)
    browser, path = await site.browser(), await site.path(match)
    async with AsyncExitStack() as streams:
        for _ in range(15):
            await version(await streams.enter_async_context(stream(browser, path)))
        assert (await browser.get(path)).status == 200


async def test_at_a_stop_the_streams_end_first(site: Site) -> None:
    match = await start(site.services.matches)
    async with stream(await site.browser(), await site.path(match)) as lines:
        await version(lines)
        await site.pages.live.stop()
        while await lines.readline():
            pass


async def test_a_stream_that_opens_at_a_stop_ends_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    path = await site.path(await start(site.services.matches))
    browser, loading, newest_game = await site.browser(), asyncio.Event(), site.pages.live.newest_game

    async def slow(match_id: int) -> Game:
        loading.set()
        await asyncio.Event().wait()
        return await newest_game(match_id)

    monkeypatch.setattr(site.pages.live, "newest_game", slow)
    opening = asyncio.create_task(browser.get(f"{path}/live?seen=1"))
    await loading.wait()
    await site.pages.live.stop()
    assert (await asyncio.wait_for(opening, 30)).status == 503
    assert (await browser.get(f"{path}/live")).status == 503
    assert not len(site.pages.live)
