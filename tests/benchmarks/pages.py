"""``python -m tests.benchmarks.pages``: measure how soon watchers of pages see turns, and how soon boards reach Discord
with and without watchers.

People play on Discord, and browsers watch: each receives the match's part of the page by its stream, and then loads
the picture. Everything runs on this machine, in a process each: the bot, Discord with its players, and the browsers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import multiprocessing
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

import aiohttp
import uvloop
from aiohttp.test_utils import unused_port

from bot.storage.database import address_of
from tests.benchmarks.bot import Discord, Running, Table, percentiles, running, tables
from tests.support.processes.loopback import buttons, guild_on

_STEP = re.compile(r'name="step" value="(\d+)"')
_PICTURE = re.compile(r'<img src="(/m/[^"]+)" alt')
_PROCESSES = multiprocessing.get_context("spawn")
#: A match, and the times at which a watcher had each step's page and picture.
Had: TypeAlias = tuple[int, dict[int, float], dict[int, float]]
#: Seconds to wait for pages and pictures after the last turn.
_LATE = 3
_PATIENCE = aiohttp.ClientTimeout(total=None, sock_read=60)
_HEADINGS = (
    "watchers  turns/s  CPU ms/turn    Discord p50    p95    p99    page p50    p95    p99    picture p50    p95    p99"
)


@dataclass
class Watcher:
    """A browser that watches a match from its own ``address``."""

    browser: aiohttp.ClientSession
    base: str
    path: str
    address: str
    #: The newest line of the stream that has not been read yet.
    newest: bytes = b""
    #: When the watcher had each step's page and picture.
    pages: dict[int, float] = field(default_factory=dict)
    pictures: dict[int, float] = field(default_factory=dict)

    @property
    def match(self) -> int:
        return int(self.path.removeprefix("/m/").partition("-")[0])

    async def watch(self) -> None:
        """Watch the match until the task is cancelled."""
        async with self.browser.get(f"{self.base}{self.path}/live", headers=self._headers) as stream:
            assert stream.status == 200, stream.status
            looking = None
            async for line in stream.content:
                self.newest = line.strip() or self.newest
                if self.newest and (looking is None or looking.done()):
                    looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        while self.newest:
            news, self.newest = json.loads(self.newest), b""
            part = news.get("part") or (await self._get(self.path)).decode()
            step = int((_STEP.search(part) or [0, 0])[1])
            self.pages.setdefault(step, time.perf_counter())
            picture = _PICTURE.search(part)
            assert picture is not None
            await self._get(unescape(picture[1]))
            self.pictures.setdefault(step, time.perf_counter())

    async def _get(self, path: str) -> bytes:
        async with self.browser.get(self.base + path, headers=self._headers | {"Part": "1"}) as answer:
            assert answer.status == 200, answer.status
            return await answer.read()

    @property
    def _headers(self) -> dict[str, str]:
        return {"X-Forwarded-For": self.address}


def _paths(server: Discord) -> list[str]:
    """The addresses of the pages that the newest cards link, one for each match."""
    links = (button.get("url", "") for message in server.messages.values() for button in buttons(message["components"]))
    return sorted({"/m/" + link.partition("/m/")[2] for link in links if "/m/" in link})


async def _play(tables: Sequence[Table], rate: float, seconds: float) -> list[float]:
    """Play at all tables, ``rate`` turns a second in total, and return each board's latency."""
    pace = len(tables) / rate
    playing = (table.play(seconds, pace, number / rate) for number, table in enumerate(tables))
    return [took for boards in await asyncio.gather(*playing) for took in boards]


async def _watch(base: str, paths: Sequence[str], count: int, pipe: Connection) -> None:
    """Run watchers, shared equally among the matches, until a message to stop; then send what they had and when."""
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_reader(pipe.fileno(), stopped.set)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=_PATIENCE) as browser:
        watchers = _watchers(browser, base, paths, count)
        tasks = [asyncio.create_task(watcher.watch()) for watcher in watchers]
        async with asyncio.timeout(60):
            while not all(watcher.pictures for watcher in watchers):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        pipe.send("watching")
        await stopped.wait()
        asyncio.get_running_loop().remove_reader(pipe.fileno())
        await asyncio.sleep(_LATE)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        pipe.send([(watcher.match, watcher.pages, watcher.pictures) for watcher in watchers])


def _watchers(browser: aiohttp.ClientSession, base: str, paths: Sequence[str], count: int) -> list[Watcher]:
    return [
        Watcher(browser, base, paths[number % len(paths)], f"198.51.{number // 200}.{number % 200 + 1}")
        for number in range(count)
    ]


def _watch_in(*arguments: Any) -> None:
    uvloop.run(_watch(*arguments))


async def _bench(options: argparse.Namespace, folder: Path) -> None:
    guilds = [guild_on(number) for number in range(options.matches)]
    port, log = unused_port(), folder / "log"
    base = f"http://127.0.0.1:{port}"
    settings = {"WEB_PORT": str(port), "WEB_URL": base}
    address = address_of(folder / "bench.db")
    async with Discord(guilds) as server, running(server, address, log, limited=False, **settings) as bot:
        playing = await tables(server, guilds)
        await _play(playing, options.rate, options.seconds / 4)  # the first pictures are slower
        alone = await _measure(bot, playing, options)
        pipe, other_end = _PROCESSES.Pipe()
        arguments = base, _paths(server), options.watchers, other_end
        browsers = _PROCESSES.Process(target=_watch_in, args=arguments, daemon=True)
        browsers.start()
        await asyncio.to_thread(pipe.recv)
        beside = await _measure(bot, playing, options)
        pipe.send("stop")
        watchers = await asyncio.to_thread(pipe.recv)
        browsers.join()
    print(_HEADINGS)
    print(f"{0:>8}", alone.figures)
    stored = {turn: at for turn, at in bot.stored.items() if beside.begun < at < beside.ended}
    print(f"{len(watchers):>8}", beside.figures, *map(percentiles, _latencies(watchers, stored)), sep="     ")
    print(f"{log.read_text().count('Traceback')} tracebacks in the log")


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one run."""

    begun: float
    ended: float
    cpu: float
    took: list[float]

    @property
    def figures(self) -> str:
        passed = self.ended - self.begun
        cpu = f"{self.cpu / passed:>4.0%} {self.cpu * 1000 / len(self.took):>7.1f}"
        return f"{len(self.took) / passed:>8.1f} {cpu}     {percentiles(self.took)}"


async def _measure(bot: Running, tables: Sequence[Table], options: argparse.Namespace) -> Measured:
    begun, cpu = time.perf_counter(), bot.cpu
    took = await _play(tables, options.rate, options.seconds)
    await asyncio.sleep(begun + options.seconds - time.perf_counter())
    return Measured(begun, time.perf_counter(), bot.cpu - cpu, took)


def _latencies(watchers: Sequence[Had], stored: dict[tuple[int, int], float]) -> tuple[list[float], list[float]]:
    """The delays from storing each turn until each watcher had its page (or a later one), and its picture."""
    pages, pictures = list[float](), list[float]()
    for watched, *times in watchers:
        for (match, step), at in stored.items():
            if match == watched:
                for had, took in zip(times, (pages, pictures), strict=True):
                    took.append(min((when for seen, when in had.items() if seen >= step), default=math.inf) - at)
    return pages, pictures


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.pages", description="Measure pages of matches, and Discord beside them."
    )
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--rate", type=float, default=20, help="turns a second, of all matches together")
    parser.add_argument("--matches", type=int, default=20, help="servers with a game each, at most 20")
    parser.add_argument("--seconds", type=float, default=20, help="of each part; more would outlast a game")
    with tempfile.TemporaryDirectory() as folder:
        uvloop.run(_bench(parser.parse_args(), Path(folder)))


if __name__ == "__main__":
    main()
