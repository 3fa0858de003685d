"""The page of a match for everybody: the board, its picture, the record, and news."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from aiohttp import web
from markupsafe import Markup

import render
from bot import texts
from bot.domain.matches import Game, Match, UnknownMatchError
from bot.domain.study.imports import record_of
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.readers import Readers, ReaderView
from bot.web import boards, live, pages, pictures
from bot.web.live import Live, version_of
from bot.web.match_page import MatchPage, Request
from bot.web.pictures import Shot
from bot.web.shared_cache import SharedCache
from bot.web.shell import VISITOR, answer_with_board, number_in, wants_part
from bot.web.turn_board import NOTHING, CellRefusal, with_query
from bot.web.visitors import Visitor
from rules import TurnError

#: How many bytes of pictures, and of news for watchers, are kept.
_PICTURES, _NEWS = 24_000_000, 4_000_000
#: The caching of pictures for a single player: they never change, but only the player's browser may keep them.
FOR_ONE = "private, max-age=31536000, immutable"
#: Seconds after which browsers without script look for news.
_ASKED_AGAIN = 60
#: Seconds for which all watchers of a match get the same news.
_NEWS_LIFETIME = 2


@dataclass
class MatchRoutes:
    matches: Matches
    readers: Readers
    doors: Doors
    live: Live

    def __post_init__(self) -> None:
        self._pictures = SharedCache(_PICTURES)
        self._news = SharedCache(_NEWS)

    async def match(self, request: web.Request) -> web.StreamResponse:
        return await self.show(request, request.match_info["key"])

    async def show(
        self,
        request: web.Request,
        key: str,
        *,
        note: Markup = NOTHING,
        status: int = 200,
        near: str = "",
        cell: str = "",
        refused: str = "",
    ) -> web.Response:
        """The page of a match, or only the part that its script replaces.

        The ``note`` may be about a ``refused`` cell.
        """
        query = request.query if request.method == "GET" else {**_marks_in(request), "near": near, "cell": cell}
        page = await self._page(request[VISITOR], key, query)
        if boards.cell_name(page.now.position.board, refused):
            page = replace(page, request=replace(page.request, refusal=CellRefusal(refused, note)))
        else:
            page = replace(page, request=replace(page.request, note=note))
        return await answer_with_board(request, "part.html", page, status=status, again=_ASKED_AGAIN)

    async def _page(self, visitor: Visitor, key: str, query: Mapping[str, str]) -> MatchPage:
        """The page of a match for a visitor, who may have asked for a past position, a window or marks."""
        view = await self.readers.view(await self.doors.match_of(key), visitor.player_id)
        return await self._page_of(view, visitor, key, query)

    async def _page_of(self, view: ReaderView, visitor: Visitor, key: str, query: Mapping[str, str]) -> MatchPage:
        now, match = view.game, view.game.match
        ply = number_in(query.get("ply"))
        game = now if ply is None or ply >= now.ply else await self.matches.game_at(match, ply)
        wanted = Request(
            key=key,
            near=boards.cell_name(now.position.board, query.get("near")),
            cell=boards.cell_name(now.position.board, query.get("cell")),
            marks=_marks(now, query.get("marks")),
            on=boards.cell_name(now.position.board, query.get("on")),
            chooses="choose" in query,
        )
        return MatchPage(
            wanted,
            visitor,
            now,
            replace(game, match=match),
            draft=view.draft,
            next_key="" if view.next_id is None else await self.doors.key(view.next_id),
            to_play=view.to_play,
            rematch_key="" if match.rematch_id is None else await self.doors.key(match.rematch_id),
            version=version_of(match),
            clock=view.clock,
            suggested_level=view.suggested_level,
        )

    async def game_for(self, visitor: Visitor, key: str) -> Game:
        """A match as a visitor sees it: watchers see the players' names outside servers."""
        match = await self._match(visitor, key)
        return await (self.matches.game_of(match) if visitor.plays(match) else self.live.game_for_watchers(match))

    async def _match(self, visitor: Visitor, key: str) -> Match:
        """The match of a key; only the owner sees an imported record. Raises :class:`UnknownMatchError`."""
        match = await self.matches.match(await self.doors.match_of(key))
        if match.imported is not None and not visitor.owns(match):
            raise UnknownMatchError
        return match

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """The picture of a position, which never changes."""
        try:
            png = await self._png(request)
        except (ValueError, TurnError):
            raise web.HTTPNotFound from None
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": FOR_ONE})

    async def _png(self, request: web.Request) -> bytes:
        visitor, shot, key = request[VISITOR], Shot.read(request.query), request.match_info["key"]
        now = self.live.game(await self.doors.match_of(key))
        # While a match has watchers, its game is in memory, so their pictures need no statement.
        if now is None or visitor.plays(now.match) or not _was(shot, now.match):
            now = await self.game_for(visitor, key)
        match = now.match
        plays = visitor.plays(match)
        if shot.outside is plays:
            shot = replace(shot, outside=not plays)
        game = await self._game_of(now, shot, plays=plays)
        names = tuple(player.name for player in match.players)
        name, current = (match.id, shot, names), shot.step == match.step and shot.ply is None
        if not shot.is_private and (current or match.result is not None):
            drawing = partial(asyncio.to_thread, pictures.draw, game, shot, public=True)
            return await self._pictures.get(name, drawing)
        # A past board may still be kept from when it was new, but looking back at it must leave no trace for others.
        kept = self._pictures.kept(name)
        return await asyncio.to_thread(pictures.draw, game, shot) if kept is None else kept

    async def _game_of(self, now: Game, shot: Shot, *, plays: bool) -> Game:
        """The game that a picture shows. Raises ``ValueError`` if there was no such position."""
        match = now.match
        if not _was(shot, match) or (shot.draft and not (plays or shot.over)):
            raise ValueError("there is no such picture")
        game = now if shot.step == match.step else await self.matches.past_game(match, shot.step)
        if shot.ply is None or shot.ply >= game.ply:
            return game
        return replace(await self.matches.game_at(game.match, shot.ply), match=replace(match, result=None))

    async def record(self, request: web.Request) -> web.StreamResponse:
        """The record of a match, for other programs to read."""
        game = await self.game_for(request[VISITOR], request.match_info["key"])
        return web.Response(text=str(await asyncio.to_thread(record_of, game)))

    async def times(self, request: web.Request) -> web.StreamResponse:
        """The part of the page with the clocks; empty without one."""
        page = await self._page(request[VISITOR], request.match_info["key"], {})
        return web.Response(text=pages.render("clocks.html", page=page), content_type="text/html")

    async def watch(self, request: web.Request) -> web.StreamResponse:
        key, visitor = request.match_info["key"], request[VISITOR]
        match = await self._match(visitor, key)

        async def news(now: Game) -> bytes:
            version = version_of(now.match)
            if visitor.plays(now.match):
                return live.line(version)
            alike = replace(visitor, address="", player_id=None), visitor.player_id is None
            # The part also contains the time left on the clock.
            name = key, version, *alike, int(time.time() / _NEWS_LIFETIME)
            return await self._news.get(name, partial(self._news_for_watchers, now, visitor, key))

        return await self.live.answer(request, match.id, visitor.person, news)

    async def _news_for_watchers(self, now: Game, visitor: Visitor, key: str) -> bytes:
        """The news of a game for all watchers with the same language and look."""
        page = await self._page_of(await self.readers.for_watchers(now), visitor, key, {})

        def render() -> bytes:
            with texts.in_language(visitor.language):
                return live.line(page.version, pages.render("part.html", page=page))

        return await asyncio.to_thread(render)

    async def after(self, request: web.Request, key: str, *, near: str = "", cell: str = "") -> web.StreamResponse:
        """The response to a form: the page for the script, a redirect to it for browsers without script."""
        if wants_part(request):
            return await self.show(request, key, near=near, cell=cell)
        where = with_query(f"/m/{key}", {**_marks_in(request), "near": near, "cell": cell})
        return web.Response(status=303, headers={"Location": where})


def _was(shot: Shot, match: Match) -> bool:
    """Whether the match has been at the step of a shot, over or not as the shot says."""
    return (shot.step, shot.over) == (match.step, match.result is not None) or (
        shot.step < match.step and not shot.over
    )


def _marks_in(request: web.Request) -> dict[str, str]:
    """The marks on the board of the page that has sent a form."""
    return {name: request.query.get(name, "") for name in ("marks", "on")}


def _marks(game: Game, name: str | None) -> str:
    """``name`` if it is an overlay of the game, otherwise empty."""
    return name if name and name in render.overlays_of(game.match.ruleset.game) else ""
