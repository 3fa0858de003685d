"""Pages of matches while processes of the bot start, stop and are killed."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import aiohttp
from aiohttp import web
from aiohttp.test_utils import unused_port

from bot.discord.ui.actions import OpenPage
from tests.support.processes.bot_process import LoggedProcess, running_bot
from tests.support.processes.loopback import (
    ALICE,
    GUILD,
    Loopback,
    buttons,
    challenge_and_accept,
    guild_on,
    newest,
    texts,
)
from tests.support.processes.postgres import Postgres
from tests.support.web.pages import Browser

_OPENED = "opened with `e5`"


def settings(port: int) -> dict[str, str]:
    return {"WEB_PORT": str(port), "WEB_URL": f"http://127.0.0.1:{port}"}


@asynccontextmanager
async def browser(port: int) -> AsyncIterator[Browser]:
    """A browser for the pages of the process on this port."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield Browser(session, f"http://127.0.0.1:{port}")


async def enter(server: Loopback, visitor: Browser, guild: int = GUILD) -> str:
    """Let Alice enter the page of her match from Discord, and return its path."""
    answered = len(server.answers)
    await server.press_id(ALICE, OpenPage(1).custom_id, guild)

    def doors() -> list[str]:
        messages = (buttons(answer.get("components") or []) for answer in server.answers[answered:])
        return [button["url"] for some in messages for button in some if button.get("url")]

    await server.until(lambda: bool(doors()))
    (door,) = doors()
    page = await visitor.post("/in/" + door.partition("/in/")[2])
    assert page.status == 200
    assert "● Your turn" in page.title
    return page.url.removeprefix(visitor.base)


async def test_a_turn_of_a_page_survives_the_process_that_stored_it(folder: Path) -> None:
    port = unused_port()
    async with Loopback() as server, browser(port) as alice:
        async with running_bot(server, folder, None, **settings(port)) as process:
            await challenge_and_accept(server)
            path = await enter(server, alice)
            chosen = await alice.press(await alice.get(path), "@d4")
            process.kill()
            await process.wait()
        async with running_bot(server, folder, None, **settings(port)) as process:
            after = await alice.get(path)
            assert after.fields == chosen.fields, "the turn does not continue where it was"

            def die() -> None:
                process.kill()
                raise web.HTTPServiceUnavailable

            server.before_message = die
            with suppress(aiohttp.ClientError):  # the process may die before it answers
                await alice.play(path, "e5")
            await process.wait()
            server.before_message = lambda: None
            assert not any(_OPENED in texts(message) for message in server.messages.values())
        async with running_bot(server, folder, None, **settings(port)):
            await server.until(lambda: _OPENED in texts(newest(server)))
            assert "bob is choosing a side" in (await alice.get(path)).text
        assert sum(_OPENED in texts(message) for message in server.messages.values()) == 1


async def test_any_process_serves_any_page(postgres: Postgres, tmp_path: Path) -> None:
    guilds = (GUILD, guild_on(1))
    async with (
        postgres.database(migrated=True) as url,
        Loopback(2, guilds=guilds) as server,
        AsyncExitStack() as stack,
    ):

        async def start(number: int) -> tuple[LoggedProcess, Browser]:
            port, log = unused_port(), tmp_path / f"log-{number}"
            bot = running_bot(server, tmp_path, log, DATABASE_URL=url, SHARDS="2", **settings(port))
            process = LoggedProcess(await stack.enter_async_context(bot), log)
            return process, await stack.enter_async_context(browser(port))

        (one, alice), (other, bob) = await start(0), await start(1)
        async with asyncio.timeout(90):
            while len(one.held) != 1 or len(other.held) != 1 or server.connected != [0, 1]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # until the logs say so
        (shard,) = other.held
        await challenge_and_accept(server, guilds[shard])
        path = await enter(server, alice, guilds[shard])
        streams = [
            await stack.enter_async_context(reader.session.get(f"{reader.base}{path}/live")) for reader in (alice, bob)
        ]
        before = [json.loads(await live.content.readline())["version"] for live in streams]
        assert "with e5" in (await alice.play(path, "e5")).text  # stored by the process that does not hold the shard
        heard = [json.loads(await live.content.readline())["version"] for live in streams]
        assert heard[0] == heard[1] not in before
        await server.until(lambda: _OPENED in texts(newest(server)))
        assert sum(_OPENED in texts(message) for message in server.messages.values()) == 1
        for process, stream in zip((one, other), streams, strict=True):
            process.running.send_signal(signal.SIGTERM)
            assert await stream.content.read() == b"", "streams end first"
            assert await process.running.wait() == 0
            assert "Traceback" not in process.log.read_text()
