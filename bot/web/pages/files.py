"""Stylesheets of boards, and static files."""

from __future__ import annotations

import asyncio

from aiohttp import web

from bot.web.board import boards
from bot.web.board.boards import Sheet
from bot.web.html import templates
from bot.web.http.answers import FOR_EVER, FOR_ONE


class FileRoutes:
    def add_to(self, router: web.UrlDispatcher) -> None:
        sheet = r"/boards/{stamp:[0-9a-f]{12}}/{size:\d+}-{orientation:\d+}{around:(-[a-z]{1,2}\d+)?}.css"
        router.add_get(sheet, _stylesheet)
        router.add_get("/static/{name}", _static)


async def _stylesheet(request: web.Request) -> web.StreamResponse:
    found = request.match_info
    try:
        around = found["around"].removeprefix("-")
        sheet = Sheet.parse(int(found["size"]), int(found["orientation"]), around)
    except ValueError:
        raise web.HTTPNotFound from None
    text = await asyncio.to_thread(boards.stylesheet, sheet)
    # A process of another version may have sent the page.
    # A window reveals where its reader looks, so proxies must not keep it.
    caching = FOR_ONE if around else FOR_EVER
    kept = {"Cache-Control": caching} if found["stamp"] == await asyncio.to_thread(boards.stamp) else {}
    return web.Response(text=text, content_type="text/css", headers=kept)


async def _static(request: web.Request) -> web.StreamResponse:
    found = templates.static_files().get(request.match_info["name"])
    if found is None:
        raise web.HTTPNotFound
    kind, content = found
    return web.Response(body=content, content_type=kind, headers={"Cache-Control": FOR_EVER})
