"""Answers with a page that has a board to tap."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import Protocol

from aiohttp import web

from bot import texts
from bot.web.board.pictures import PictureRequest
from bot.web.board.turn_board import TurnBoard
from bot.web.html import templates
from bot.web.http.answers import LinkPreview, answer, answer_with_png
from bot.web.http.requests import VISITOR, wants_part
from bot.web.http.shared_cache import SharedCache
from bot.wording.sentence import Sentence
from rules import TurnError


class BoardPage(Protocol):
    """A page with a board to tap."""

    @property
    def title(self) -> str: ...

    @property
    def turn_board(self) -> TurnBoard: ...


async def answer_with_board(
    request: web.Request,
    template: str,
    page: BoardPage,
    *,
    status: int = 200,
    again: int | None = None,
    described: Sentence | None = None,
) -> web.Response:
    """A page with a board in the visitor's language, or only the part that its script replaces.

    Browsers without script reload it after ``again`` seconds. If the page is ``described``, links to it are shown with
    the board.
    """
    language = request[VISITOR].language

    def render() -> tuple[str, str, str, LinkPreview | None]:
        with texts.in_language(language):
            preview = preview_of(page, described) if described else None
            return templates.render(template, page=page), page.title, page.turn_board.here, preview

    part, title, here, preview = await asyncio.to_thread(render)
    if wants_part(request):
        return web.Response(text=part, content_type="text/html", status=status)
    shared = {"part": part, "title": title, "here": here, "again": again}
    return answer(request, "tapping.html", status=status, preview=preview, **shared)


def preview_of(page: BoardPage, described: Sentence) -> LinkPreview:
    """How other sites show a link to a page with a board."""
    picture = page.turn_board.picture
    return LinkPreview(page.title, described.plain, picture.dark, picture.description)


async def answer_with_picture(
    request: web.Request, cache: SharedCache, key: Hashable, draw: Callable[[PictureRequest], bytes]
) -> web.Response:
    """The requested picture, drawn in a thread. The ``cache`` keeps it under the ``key`` unless it is private."""
    try:
        picture_request = PictureRequest.read(request.query)
        drawing = partial(asyncio.to_thread, partial(draw, picture_request))
        png = await (drawing() if picture_request.is_private else cache.get((key, picture_request), drawing))
    except (ValueError, TurnError):
        raise web.HTTPNotFound from None
    return answer_with_png(png, picture_request.for_a_day)
