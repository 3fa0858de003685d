"""Streams and long polls that notify pages of changes in their match and send watchers the new content."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import structlog
from aiohttp import web

from bot.domain.matches import Game, Match
from bot.runtime.at_once import AtOnce
from bot.runtime.listening import heard
from bot.runtime.watching import Watching
from bot.services.history import History
from bot.services.matches import Matches

_LOG = structlog.get_logger(__name__)
#: Seconds between two lines of a stream, for a long poll, for a write, and between a failure and the next attempt.
BEAT, POLL, _PATIENCE, _RETRY = 15.0, 25.0, 10.0, 1.0
#: Seconds after which a match is read again even without a notification.
_RECHECKED = 30.0
#: Maximum watchers of a process, and of a person (an address, without a session).
_MOST, _OF_ONE = 2000, 40
#: Makes the line that tells a watcher of a new version of a game, perhaps with the part of the page that shows it.
News: TypeAlias = Callable[[Game], Awaitable[bytes]]


def version_of(match: Match) -> str:
    """A short hash of everything that the page of a match shows."""
    proposals = [proposal.id for proposal in match.proposals]
    shown = (match.step, match.result, proposals, match.rematch_id, match.clock, match.waiting)
    return hashlib.blake2s(repr(shown).encode(), digest_size=6).hexdigest()


def line(version: str, part: str | None = None) -> bytes:
    """A line of a stream, in JSON."""
    return json.dumps({"version": version} if part is None else {"version": version, "part": part}).encode() + b"\n"


class _Feed:
    """The newest game of a match as watchers see it, shared by all of them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.version = version_of(game.match)
        self.news = asyncio.Event()
        self.watchers = 0

    def publish(self, game: Game) -> None:
        version, self.game = version_of(game.match), game
        if version != self.version:
            self.version, before, self.news = version, self.news, asyncio.Event()
            before.set()


@dataclass
class Live:
    """Notifies pages of changes in their match. Slow watchers get only the newest version."""

    matches: Matches
    history: History
    watching: Watching
    beat: float = BEAT
    poll: float = POLL

    def __post_init__(self) -> None:
        self._feeds: dict[int, asyncio.Task[_Feed]] = {}
        self._following: dict[int, asyncio.Task[None]] = {}
        too_many = partial(web.HTTPTooManyRequests, headers={"Retry-After": "30"})
        self.watchers = AtOnce(_OF_ONE, _MOST, too_many)
        self._stopping = False

    def __len__(self) -> int:
        return len(self.watchers)

    def game(self, match_id: int) -> Game | None:
        """The newest game of a match as watchers see it; None without watchers."""
        feed = self._open_feed(match_id)
        return None if feed is None else feed.game

    async def game_for_watchers(self, match: Match) -> Game:
        """The game of a match with the players' names outside servers, as watchers see it."""
        return replace(await self.matches.game_of(match), match=await self.history.seen_outside(match))

    async def newest_game(self, match_id: int) -> Game:
        """The stored game of a match as watchers see it."""
        return await self.matches.game_of(await self.history.match_outside(match_id))

    async def answer(self, request: web.Request, match_id: int, person: int, news: News) -> web.StreamResponse:
        """Stream the ``news`` of a match, or wait for a version that the page has not ``seen``."""
        if self._stopping:
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "2"})
        with self.watchers.room(person):
            async with self._feed(match_id) as feed:
                if "seen" in request.query:
                    return await self._poll(request, feed, news)
                return await self._stream(request, feed, news)

    async def stop(self) -> None:
        """End all streams."""
        self._stopping = True
        for feed in filter(None, map(self._open_feed, self._feeds)):
            feed.news.set()
        for task in self._following.values():
            task.cancel()

    async def _poll(self, request: web.Request, feed: _Feed, news: News) -> web.Response:
        seen = request.query["seen"]
        if feed.version == seen and not self._stopping:
            await heard(request, feed.news, self.poll)
        body = line(seen) if feed.version == seen else await news(feed.game)
        return web.Response(body=body, content_type="application/json")

    async def _stream(self, request: web.Request, feed: _Feed, news: News) -> web.StreamResponse:
        headers = {"Content-Type": "application/x-ndjson", "X-Accel-Buffering": "no"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        sent = ""
        # A write, at the latest the next beat, reveals a watcher who has left without closing the connection.
        with suppress(ConnectionError, TimeoutError):
            while not self._stopping:
                written = b"\n"
                game, version = feed.game, feed.version
                if version != sent:
                    # The page has just been loaded, so it probably shows the newest version.
                    written = await news(game) if sent else line(version)
                    sent = version
                async with asyncio.timeout(_PATIENCE):
                    await response.write(written)
                if feed.version == sent:
                    await heard(request, feed.news, self.beat)
        return response

    def _open_feed(self, match_id: int) -> _Feed | None:
        """The feed of a match; None without watchers."""
        task = self._feeds.get(match_id)
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return None
        return task.result()

    @asynccontextmanager
    async def _feed(self, match_id: int) -> AsyncIterator[_Feed]:
        """Open the feed of a match, or share it with other watchers. It closes after the last one."""
        task = self._feeds.get(match_id)
        if task is None:
            task = self._feeds[match_id] = asyncio.create_task(self._open(match_id))
        try:
            feed = await asyncio.shield(task)
        except BaseException:
            if task.done():
                self._feeds.pop(match_id, None)
            raise
        feed.watchers += 1
        try:
            yield feed
        finally:
            feed.watchers -= 1
            if not feed.watchers:
                self._feeds.pop(match_id, None)
                following = self._following.pop(match_id, None)
                if following is not None:
                    following.cancel()

    async def _open(self, match_id: int) -> _Feed:
        opened: asyncio.Future[_Feed] = asyncio.get_running_loop().create_future()

        def give_up(_ended: asyncio.Task[None]) -> None:
            """End the wait if a stop has cancelled the task before it loaded the game."""
            if not opened.done():
                opened.set_exception(web.HTTPServiceUnavailable(headers={"Retry-After": "2"}))

        following = self._following[match_id] = asyncio.create_task(self._follow(match_id, opened))
        following.add_done_callback(give_up)
        return await opened

    async def _follow(self, match_id: int, opened: asyncio.Future[_Feed]) -> None:
        async with self.watching.watch(match_id) as changed:
            try:
                feed = _Feed(await self.newest_game(match_id))
            except Exception as error:
                opened.set_exception(error)
                return
            opened.set_result(feed)
            while True:
                # Read the match even without a notification, because one from another process can be lost.
                with suppress(TimeoutError):
                    async with asyncio.timeout(_RECHECKED):
                        await changed.wait()
                changed.clear()
                try:
                    feed.publish(await self.newest_game(match_id))
                except Exception:
                    _LOG.exception("watchers_not_told", match=match_id)
                    await asyncio.sleep(_RETRY)
                    changed.set()
