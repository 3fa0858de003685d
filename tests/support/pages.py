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
from typing import Any, TypeAlias

import aiohttp
from aiohttp.test_utils import TestServer

import render
import rules
from bot import texts
from bot.domain.computer import SearchRequest, SearchResult
from bot.domain.matches import Match
from bot.domain.players import Player
from bot.domain.study.reviews import review_of
from bot.runtime.watching import Watching
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks
from bot.services.computer_games import ComputerGames
from bot.services.fair_play import FairPlay
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.services.people.programs import Programs
from bot.services.people.settings import Settings
from bot.services.plans import Plans
from bot.services.proposals import Proposals
from bot.services.readers import Readers
from bot.services.study.lines import Lines
from bot.services.study.notes import Notes
from bot.services.study.puzzles import Puzzles
from bot.services.study.reviews import Hints, Reviews
from bot.services.study.reviews import Think as ThinkInARow
from bot.storage import Database, Storage
from bot.web.http.visitors import Proxies
from bot.web.pages.activity import Activity
from bot.web.server import Pages
from tests.support.services import Clock, service

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
        token = await self.pages.doors.invite(player, None if match is None else match.id)
        assert (await browser.post(f"/in/{token}")).status == 200
        return browser

    async def path(self, match: Match) -> str:
        return f"/m/{await self.pages.doors.key(match.id)}"


Think: TypeAlias = Callable[[int, SearchRequest], Awaitable[SearchResult]]


async def _think_nothing(_player_id: int, _request: SearchRequest) -> SearchResult:
    raise AssertionError("nobody has asked for a hint")


def _one_of(think: Think) -> ThinkInARow:
    """Think once, as the first of several times in a row."""

    async def thinking(player_id: int, request: SearchRequest, *, searches: int) -> SearchResult:
        assert searches
        return await think(player_id, request)

    return thinking


@asynccontextmanager
async def site_on(
    database: Database, clock: Clock, thinking: Think | None = None, activity: Activity | None = None
) -> AsyncIterator[Site]:
    """Serve the pages of the matches in a database, perhaps as an Activity; ``thinking`` finds what hints say."""
    watching = Watching()
    storage = Storage(database, on_changed=watching.wake)
    matches = service(storage, clock)
    proposals = Proposals(storage, matches, clock=clock)
    fair_play = FairPlay(storage, matches)
    pages = Pages(
        matches=matches,
        challenges=Challenges(storage, clock, timedelta(days=1)),
        programs=Programs(storage, matches, clock=clock),
        proposals=proposals,
        clocks=Clocks(storage, matches, clock=clock),
        computer_games=ComputerGames(storage, matches, proposals, fair_play, lambda: (), lambda *_: True, clock=clock),
        history=History(storage, matches),
        readers=Readers(storage, matches, clock=clock),
        lines=Lines(storage, matches, clock=clock),
        plans=Plans(storage, matches),
        notes=Notes(storage),
        hints=Hints(thinking or _think_nothing, lambda _player_id, _level: 0),
        puzzles=Puzzles(storage, clock=clock),
        reviews=Reviews(storage, fair_play, _one_of(thinking or _think_nothing), lambda _player_id: 0.0),
        fair_play=fair_play,
        settings=Settings(storage, themes=render.THEME_NAMES, languages=texts.LANGUAGES),
        doors=Doors(storage, "http://127.0.0.1", clock, None if activity is None else activity.client_id),
        watching=watching,
        is_ready=lambda: True,
        url="http://127.0.0.1",
        proxies=Proxies((ip_network("10.0.0.0/24"),)),
        activity=activity,
    )
    server = TestServer(pages.application())
    await server.start_server()
    async with AsyncExitStack() as stack:
        try:
            yield Site(pages, server, stack)
        finally:
            await stack.aclose()
            await server.close()


async def store_review(site: Site, match: Match, ply: int) -> None:
    """Store some review of a finished match, in which the turn of that number was a turning point."""
    game = await site.pages.matches.game(match.id)
    legal = match.ruleset.replay(game.turns[: ply - 1]).legal_turns
    better = next(each for each in legal if each != game.turns[ply - 1])
    found = {at: SearchResult(better, 0.7) for at in range(match.ruleset.plies_before_play, game.ply)}
    review = review_of(game, found, {ply - 1: found[ply - 1], ply: SearchResult(game.turns[ply], 0.7)})
    async with site.pages.matches.storage.transaction() as tx:
        await tx.reviews.set(match.id, site.pages.reviews.version, review)
