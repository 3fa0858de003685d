"""The pages of matches over real requests, and the browsers of those who look at them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from html import unescape
from ipaddress import ip_network
from typing import Any

import aiohttp
from aiohttp.test_utils import TestServer

import render
import rules
from bot import texts
from bot.domain.computer import SearchRequest, SearchResult
from bot.domain.matches import Match
from bot.domain.players import Player
from bot.domain.shards import Shards
from bot.domain.study.reviews import review_of
from bot.runtime.watching import Watching
from bot.services.people.doors import Doors
from bot.services.services import Services
from bot.storage import Database, Storage
from bot.web.http.visitors import Proxies
from bot.web.pages.activity import Activity
from bot.web.server import Pages
from tests.support.services import Clock

#: Games with boards that have no coarse cells.
SMALLEST = [(name, game.sizes[0]) for name, game in rules.GAMES.items()]
_INPUT = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_PRESS = re.compile(r'<button name="press" value="([^"]*)"([^>]*)>([^<]*)</button>')
_FORM = re.compile(r'<form[^>]* action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True)
class Button:
    """A button of the form of a turn: a cell, or one of the bar."""

    press: str
    label: str
    attributes: str

    @property
    def open(self) -> bool:
        return " open" in self.attributes


@dataclass(frozen=True)
class Seen:
    """A page as a browser without script shows it."""

    status: int
    url: str
    html: str
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        return " ".join(unescape(_TAG.sub(" ", self.html.partition("<script")[0])).split())

    @property
    def title(self) -> str:
        found = re.search("<title>([^<]*)</title>", self.html)
        return "" if found is None else unescape(found[1])

    @property
    def fields(self) -> dict[str, str]:
        """The hidden fields of the form of a turn."""
        form = self.html[self.html.index('<form class="play"') :]
        return {name: unescape(value) for name, value in _INPUT.findall(form[: form.index("</form>")])}

    @cached_property
    def buttons(self) -> list[Button]:
        return [Button(unescape(press), unescape(label), rest) for press, rest, label in _PRESS.findall(self.html)]

    @property
    def cells(self) -> list[str]:
        """The names of the cells that can be chosen."""
        return [each.press[1:] for each in self.buttons if each.press.startswith("@") and each.open]

    @property
    def choices(self) -> dict[str, str]:
        """The presses of the bar, by their labels."""
        return {each.label: each.press for each in self.buttons if not each.press.startswith("@")}

    @property
    def pictures(self) -> list[str]:
        """The addresses of the picture of the board, for light and for dark pages on small screens."""
        return [unescape(each) for each in re.findall(r'(?:srcset|src)="(/[^" ]*board\.png[^" ]*)"', self.html)]


@dataclass
class Browser:
    """A browser without script, with the cookies of one person."""

    session: aiohttp.ClientSession
    base: str
    headers: dict[str, str] = field(default_factory=lambda: {"Sec-Fetch-Site": "same-origin"})

    async def get(self, path: str, **headers: str) -> Seen:
        async with self.session.get(self.base + path, headers=headers) as answer:
            return Seen(answer.status, str(answer.url), await answer.text(errors="replace"), dict(answer.headers))

    async def post(self, path: str, **values: Any) -> Seen:
        async with self.session.post(self.base + path, data=values, headers=self.headers) as answer:
            return Seen(answer.status, str(answer.url), await answer.text(), dict(answer.headers))

    async def bytes_of(self, path: str) -> bytes:
        async with self.session.get(self.base + path) as answer:
            assert answer.status == 200, answer.status
            return await answer.read()

    async def submit(self, page: Seen, label: str) -> Seen:
        """Press the button of any form that has this label."""
        for action, inner in _FORM.findall(page.html):
            found = re.search(rf"<button([^>]*)>{re.escape(label)}</button>", inner)
            if found is not None:
                told = {name: unescape(value) for name, value in re.findall(r' (\w+)="([^"]*)"', found[1])}
                fields = {name: unescape(value) for name, value in _INPUT.findall(inner)}
                if "name" in told:
                    fields[told["name"]] = told["value"]
                return await self.post(unescape(told.get("formaction", action)), **fields)
        raise AssertionError(f"the page has no button {label}")

    async def press(self, page: Seen, press: str) -> Seen:
        """Press a button of the form of a turn."""
        path = re.search('<form class="play" method="post" action="([^"]*)"', page.html)
        assert path is not None
        return await self.post(unescape(path[1]), **page.fields, press=press)


@dataclass
class Site:
    """The pages on a loopback port, with the services behind them."""

    pages: Pages
    services: Services
    server: TestServer
    stack: AsyncExitStack

    @property
    def base(self) -> str:
        return str(self.server.make_url("")).rstrip("/")

    async def browser(self) -> Browser:
        """A browser of somebody whom nobody knows."""
        jar = aiohttp.CookieJar(unsafe=True)
        session = await self.stack.enter_async_context(aiohttp.ClientSession(cookie_jar=jar))
        return Browser(session, self.base)

    async def browser_of(self, player: Player, match: Match | None = None) -> Browser:
        """The browser of a player who has come from Discord."""
        browser = await self.browser()
        token = await self.services.doors.invite(player, None if match is None else match.id)
        assert (await browser.post(f"/in/{token}")).status == 200
        return browser

    async def path(self, match: Match) -> str:
        return f"/m/{await self.services.doors.key(match.id)}"


async def _think_nothing(_player_id: int, _request: SearchRequest) -> SearchResult:
    raise AssertionError("nobody has asked for a hint")


@asynccontextmanager
async def site_on(
    database: Database,
    clock: Clock,
    thinking: Callable[[int, SearchRequest], Awaitable[SearchResult]] | None = None,
    activity: Activity | None = None,
) -> AsyncIterator[Site]:
    """Serve the pages of the matches in a database, perhaps as an Activity; ``thinking`` finds what hints say."""

    async def think(player_id: int, request: SearchRequest, *, searches: int = 1) -> SearchResult:
        assert searches
        return await (thinking or _think_nothing)(player_id, request)

    watching = Watching()
    storage = Storage(database, on_changed=watching.wake)
    services = Services(
        storage,
        Shards(),
        clock,
        doors=Doors(storage, "http://127.0.0.1", clock, None if activity is None else activity.client_id),
        watching=watching,
        challenge_lifetime=timedelta(days=1),
        themes=render.THEME_NAMES,
        languages=texts.LANGUAGES,
        think=think,
        used_by=lambda _player_id: 0.0,
        ahead_of=lambda _player_id, _level: 0,
        going_on=lambda: (),
        has_room=lambda *_: True,
    )
    proxies = Proxies((ip_network("10.0.0.0/24"),))
    pages = Pages(services, lambda: True, "http://127.0.0.1", proxies, activity)
    server = TestServer(pages.application())
    await server.start_server()
    async with AsyncExitStack() as stack:
        try:
            yield Site(pages, services, server, stack)
        finally:
            await stack.aclose()
            await server.close()


async def store_review(site: Site, match: Match, ply: int) -> None:
    """Store some review of a finished match, in which the turn of that number was a turning point."""
    game = await site.services.matches.game(match.id)
    legal = match.ruleset.replay(game.turns[: ply - 1]).legal_turns
    better = next(each for each in legal if each != game.turns[ply - 1])
    found = {at: SearchResult(better, 0.7) for at in range(match.ruleset.plies_before_play, game.ply)}
    review = review_of(game, found, {ply - 1: found[ply - 1], ply: SearchResult(game.turns[ply], 0.7)})
    async with site.services.matches.storage.transaction() as tx:
        await tx.reviews.set(match.id, site.services.reviews.version, review)
