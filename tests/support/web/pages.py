"""The pages of matches over real requests, and browsers that look at them."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, partial
from html import unescape
from ipaddress import ip_network
from itertools import count
from typing import Any

import aiohttp
from aiohttp.test_utils import TestServer

import render
import rules
from bot import texts
from bot.domain.clocks import TimeControl
from bot.domain.computer import SearchRequest, SearchResult
from bot.domain.matches import Game, Match
from bot.domain.places import Place
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
from tests.support.services.matches import ALICE, BOB, Clock, start

#: The server on which everybody can view all channels.
PUBLIC = 1
#: Games with boards that have no coarse cells.
SMALLEST = [(name, game.sizes[0]) for name, game in rules.GAMES.items()]
_INPUT = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_PRESS = re.compile(r'<button name="press" value="([^"]*)"([^>]*)>([^<]*)</button>')
_FORM = re.compile(r'<form[^>]* action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True)
class Button:
    """A button of the turn form: a cell, or a button of the bar."""

    press: str
    label: str
    attributes: str

    @property
    def open(self) -> bool:
        return " open" in self.attributes


@dataclass(frozen=True)
class Seen:
    """A page in a browser without script."""

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
        """The hidden fields of the turn form."""
        form = self.html[self.html.index('<form class="play"') :]
        return {name: unescape(value) for name, value in _INPUT.findall(form[: form.index("</form>")])}

    @cached_property
    def buttons(self) -> list[Button]:
        return [Button(unescape(press), unescape(label), rest) for press, rest, label in _PRESS.findall(self.html)]

    @property
    def cells(self) -> list[str]:
        """The names of the cells that can be chosen."""
        return [button.press[1:] for button in self.buttons if button.press.startswith("@") and button.open]

    @property
    def choices(self) -> dict[str, str]:
        """The presses of the bar by label."""
        return {button.label: button.press for button in self.buttons if not button.press.startswith("@")}

    @property
    def pictures(self) -> list[str]:
        """The addresses of the board's picture for light and for dark pages on small screens."""
        return self.addresses(r'(?:srcset|src)="(/[^" ]*board\.png[^" ]*)"')

    def addresses(self, pattern: str) -> list[str]:
        """The addresses that match the group of a pattern."""
        return [unescape(address) for address in re.findall(pattern, self.html)]


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
        """Press the button with this label in any form."""
        for action, inner in _FORM.findall(page.html):
            found = re.search(rf"<button([^>]*)>{re.escape(label)}</button>", inner)
            if found is not None:
                button = {name: unescape(value) for name, value in re.findall(r' (\w+)="([^"]*)"', found[1])}
                fields = {name: unescape(value) for name, value in _INPUT.findall(inner)}
                if "name" in button:
                    fields[button["name"]] = button["value"]
                return await self.post(unescape(button.get("formaction", action)), **fields)
        raise AssertionError(f"the page has no button {label}")

    async def press(self, page: Seen, press: str) -> Seen:
        """Press a button of the turn form."""
        path = re.search('<form class="play" method="post" action="([^"]*)"', page.html)
        assert path is not None
        return await self.post(unescape(path[1]), **page.fields, press=press)

    async def play(self, path: str, cell: str) -> Seen:
        """Open a page, choose a cell, and play it."""
        return await self.submit(await self.press(await self.get(path), f"@{cell}"), "Play it")


@dataclass
class Site:
    """The pages on a loopback port, with the services behind them."""

    pages: Pages
    services: Services
    server: TestServer
    stack: AsyncExitStack
    #: The players for whom turns were searched.
    searchers: list[int]
    _channels: Iterator[int] = field(default_factory=partial(count, 1000))

    @property
    def base(self) -> str:
        return str(self.server.make_url("")).rstrip("/")

    async def browser(self) -> Browser:
        """A browser without a session."""
        jar = aiohttp.CookieJar(unsafe=True)
        session = await self.stack.enter_async_context(aiohttp.ClientSession(cookie_jar=jar))
        return Browser(session, self.base)

    async def browser_of(self, player: Player, match: Match | None = None) -> Browser:
        """The browser of a player who has entered from Discord."""
        browser = await self.browser()
        token = await self.services.doors.invite(player, None if match is None else match.id)
        assert (await browser.post(f"/in/{token}")).status == 200
        return browser

    async def path(self, match: Match) -> str:
        return f"/m/{await self.services.doors.key(match.id)}"

    async def table(self, *turns: str, game: str = "dalen", size: int = 5, control: TimeControl | None = None) -> Table:
        """Start a match of Alice and Bob, in its own channel, with these turns."""
        place, ruleset = Place(1, next(self._channels)), rules.ruleset(game, size)
        match = await start(self.services.matches, place=place, turns=turns, ruleset=ruleset, control=control)
        return Table(self, match, await self.path(match), await self.browser_of(ALICE), await self.browser_of(BOB))


@dataclass
class Table:
    """A match, the path of its page, and the browsers of Alice and Bob."""

    site: Site
    match: Match
    path: str
    alice: Browser
    bob: Browser

    async def game(self) -> Game:
        return await self.site.services.matches.game(self.match.id)


@asynccontextmanager
async def site_on(database: Database, clock: Clock, activity: Activity | None = None) -> AsyncIterator[Site]:
    """Serve the pages of the matches in a database, perhaps as an Activity. Hints and reviews are random."""
    searchers: list[int] = []

    async def think(player_id: int, request: SearchRequest, **_options: object) -> SearchResult:
        searchers.append(player_id)
        chance = random.Random(len(request.turns))
        return SearchResult(chance.choice(request.ruleset.replay(request.turns).legal_turns), chance.random())

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

    async def conversation(player_id: int) -> Place:
        return Place(None, 10_000 + player_id, direct=True)

    pages = Pages(
        services,
        lambda: True,
        "http://127.0.0.1",
        proxies,
        conversation,
        lambda delivery: delivery.home.guild_id == PUBLIC,
        activity,
    )
    server = TestServer(pages.application())
    await server.start_server()
    async with AsyncExitStack() as stack:
        try:
            yield Site(pages, services, server, stack, searchers)
        finally:
            await stack.aclose()
            await server.close()


async def store_review(site: Site, match: Match, ply: int) -> None:
    """Store a review of a finished match with one turning point, the turn with this number."""
    game = await site.services.matches.game(match.id)
    legal = match.ruleset.replay(game.turns[: ply - 1]).legal_turns
    better = next(turn for turn in legal if turn != game.turns[ply - 1])
    found = {at: SearchResult(better, 0.7) for at in range(match.ruleset.plies_before_play, game.ply)}
    review = review_of(game, found, {ply - 1: found[ply - 1], ply: SearchResult(game.turns[ply], 0.7)})
    async with site.services.matches.storage.transaction() as tx:
        await tx.reviews.set(match.id, site.services.reviews.version, review)
