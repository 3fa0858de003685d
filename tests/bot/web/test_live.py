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
from tests.support.services.counts import statements_on
from tests.support.services.matches import ALICE, BOB, CAROL, play_turn, start
from tests.support.waiting import until
from tests.support.web.pages import Browser, Seen, Site


@asynccontextmanager
async def stream(browser: Browser, path: str) -> AsyncIterator[aiohttp.StreamReader]:
    async with browser.session.get(f"{browser.base}{path}/live") as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("application/x-ndjson")
        yield answer.content


async def news(lines: aiohttp.StreamReader) -> dict[str, str]:
    """The next line in a stream that is no beat."""
    while True:
        line = await asyncio.wait_for(lines.readline(), 30)
        assert line, "the stream has ended"
        if line.strip():
            found: dict[str, str] = json.loads(line)
            return found


async def version(lines: aiohttp.StreamReader) -> str:
    return (await news(lines))["version"]


async def test_watchers_hear_of_every_change(site: Site) -> None:
    table, watcher = await site.table("e5", "dark"), await site.browser()
    async with stream(watcher, table.path) as lines:
        heard = [await version(lines)]
        for change in (
            play_turn(site.services.matches, table.match.id, ALICE.id, "d4"),
            site.services.proposals.propose(table.match.id, ALICE.id, ProposalKind.ABANDON),
            site.services.matches.resign(table.match.id, BOB.id),
        ):
            await change
            heard.append(await version(lines))
    assert len(set(heard)) == 4
    assert heard[-1] == version_of((await table.game()).match)
    assert f'data-version="{heard[-1]}"' in (await watcher.get(table.path)).html


async def test_a_slow_watcher_gets_only_the_newest_state(site: Site) -> None:
    table = await site.table("e5", "dark")
    async with stream(await site.browser(), table.path) as lines:
        await version(lines)
        for player, turn in ((ALICE, "d4"), (BOB, "c3"), (ALICE, "b2")):
            await play_turn(site.services.matches, table.match.id, player.id, turn)
        last = version_of((await table.game()).match)
        while await version(lines) != last:
            pass


async def test_a_long_poll_waits_for_another_version(site: Site) -> None:
    table, browser = await site.table("e5", "dark"), await site.browser()
    seen, live = version_of(table.match), f"{table.path}/live?seen="
    assert json.loads((await browser.get(f"{live}another")).html)["version"] == seen
    waiting = asyncio.create_task(browser.get(live + seen))
    await until(lambda: len(site.services.watching) == 1)
    await play_turn(site.services.matches, table.match.id, ALICE.id, "d4")
    now, part = version_of((await table.game()).match), (await browser.get(table.path, Part="1")).html
    assert json.loads((await waiting).html) == {"version": now, "part": part}
    site.pages.live.poll = 0.01
    assert json.loads((await browser.get(live + now)).html) == {"version": now}


async def test_watchers_get_the_new_part_of_the_page_and_players_only_its_version(site: Site) -> None:
    alice = Player(ALICE.id, "Ally", Names("Alice", "alice", 1, "Ally"))
    match = await start(site.services.matches, first=alice, turns=("e5", "dark"))
    path, guest, carol = await site.path(match), await site.browser(), await site.browser_of(CAROL)
    await site.services.settings.change_preferences(CAROL, language="de")
    async with AsyncExitStack() as streams:
        browsers = guest, carol, await site.browser_of(BOB)
        opened = [await streams.enter_async_context(stream(browser, path)) for browser in browsers]
        assert all([list(await news(lines)) == ["version"] for lines in opened])
        await play_turn(site.services.matches, match.id, alice.id, "d4")
        parts = [(await news(lines)).get("part", "") for lines in opened]
    assert parts[:2] == [(await browser.get(path, Part="1")).html for browser in (guest, carol)]
    assert "s turn (" in parts[0]
    assert "ist am Zug." in parts[1]
    assert "Ally" not in parts[0] + parts[1]
    assert not parts[2]


async def test_a_turn_needs_no_more_statements_for_more_watchers(site: Site, database: Database) -> None:
    table, browser, counted = await site.table("e5", "dark"), await site.browser(), list[int]()
    async with AsyncExitStack() as streams:
        opened = list[aiohttp.StreamReader]()
        for player, turn, more in ((ALICE, "d4", 1), (BOB, "c3", 4)):
            for _ in range(more):
                opened.append(await streams.enter_async_context(stream(browser, table.path)))
                await news(opened[-1])
            with statements_on(database) as statements:
                await play_turn(site.services.matches, table.match.id, player.id, turn)
                parts = [Seen(200, table.path, (await news(lines))["part"], {}) for lines in opened]
                await asyncio.gather(*(browser.bytes_of(picture) for part in parts for picture in part.pictures))
            counted.append(len(statements))
    assert len(opened) == 5
    assert counted[0] == counted[1]


async def test_a_beat_reveals_watchers_who_have_left(site: Site, complaints: list[object]) -> None:
    site.pages.live.beat = 0.01
    async with stream(await site.browser(), (await site.table()).path) as lines:
        await version(lines)
        assert len(site.pages.live) == 1
    await until(lambda: len(site.pages.live) == 0)
    await until(lambda: len(site.services.watching) == 0)
    assert not complaints


@pytest.mark.parametrize("ending", ["abort", "close", "write_eof"])
@pytest.mark.parametrize("query", ["", "?seen={seen}"], ids=["stream", "poll"])
async def test_a_closed_connection_frees_its_place_at_once(site: Site, ending: str, query: str) -> None:
    table, port = await site.table("e5", "dark"), unused_port()
    site.pages.live.watchers.each = 3
    site.pages.live.beat = site.pages.live.poll = 1000
    address = f"{table.path}/live{query.format(seen=version_of(table.match))}"
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


async def test_watchers_have_limits_of_their_own(site: Site) -> None:
    path, browser = (await site.table()).path, await site.browser()
    async with AsyncExitStack() as streams:
        for _ in range(15):
            await version(await streams.enter_async_context(stream(browser, path)))
        assert (await browser.get(path)).status == 200
        site.pages.live.watchers.each = 15
        late = await browser.get(f"{path}/live")
        assert late.status == 429
        assert late.headers["Retry-After"]


async def test_a_stop_ends_streams(site: Site) -> None:
    async with stream(await site.browser(), (await site.table()).path) as lines:
        await version(lines)
        await site.pages.live.stop()
        while await lines.readline():
            pass


async def test_a_stop_ends_streams_that_are_being_opened(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    path, browser = (await site.table()).path, await site.browser()
    loading, newest_game = asyncio.Event(), site.pages.live.newest_game

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
