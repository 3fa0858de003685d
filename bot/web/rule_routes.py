"""The rule pages, and the pictures of their examples."""

from __future__ import annotations

import asyncio
from functools import partial

from aiohttp import web

from bot import texts
from bot.texts import gettext as _
from bot.web import rule_pages
from bot.web.made_once import MadeOnce
from bot.web.shell import VISITOR, answer_in_thread
from rules import GAMES

#: The bytes of pictures that are kept, and how browsers keep them.
_PICTURES = 8_000_000
_FOR_A_DAY = "public, max-age=86400"


class RuleRoutes:
    def __init__(self) -> None:
        self._pictures = MadeOnce(_PICTURES)

    async def rules(self, request: web.Request) -> web.StreamResponse:
        """A rule page: that of a game, or the one about what all games share."""
        game = request.match_info.get("game", "")
        page = _rule_page(game)
        with texts.in_language(request[VISITOR].language):
            parts = await asyncio.to_thread(rule_pages.parts_of, page)
        shared = ("", _("What all games share"), rule_pages.ADDRESS)
        games = [shared, *((name, each.title, f"{rule_pages.ADDRESS}/{name}") for name, each in GAMES.items())]
        here = f"{rule_pages.ADDRESS}/{game}" if game else rule_pages.ADDRESS
        return await answer_in_thread(request, "rules.html", parts=parts, games=games, game=game, here=here)

    async def rule_picture(self, request: web.Request) -> web.StreamResponse:
        page = _rule_page(request.match_info.get("game", ""))
        theme, language = request.query.get("theme", ""), request.query.get("language", "")
        if language not in texts.LANGUAGES:
            raise web.HTTPNotFound
        shown = (page, int(request.match_info["number"]), theme, language)
        try:
            png = await self._pictures.get(shown, partial(asyncio.to_thread, rule_pages.picture, *shown))
        except ValueError:
            raise web.HTTPNotFound from None
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": _FOR_A_DAY})


def _rule_page(game: str) -> str:
    try:
        return rule_pages.page_of(game)
    except KeyError:
        raise web.HTTPNotFound from None
