"""Pages with a board to tap, which answer requests."""

from __future__ import annotations

import asyncio
from typing import Protocol

from aiohttp import web

from bot import texts
from bot.web.board.turn_board import TurnBoard
from bot.web.html import templates
from bot.web.http.answers import answer
from bot.web.http.requests import VISITOR, wants_part


class BoardPage(Protocol):
    """A page with a board to tap."""

    @property
    def title(self) -> str: ...

    @property
    def board(self) -> TurnBoard: ...


async def answer_with_board(
    request: web.Request, template: str, page: BoardPage, *, status: int = 200, again: int | None = None
) -> web.Response:
    """A page with a board in the visitor's language, or only the part that its script replaces.

    Browsers without script reload the page after ``again`` seconds.
    """
    language = request[VISITOR].language

    def render() -> tuple[str, str, str]:
        with texts.in_language(language):
            return templates.render(template, page=page), page.title, page.board.here

    part, title, here = await asyncio.to_thread(render)
    if wants_part(request):
        return web.Response(text=part, content_type="text/html", status=status)
    return answer(request, "tapping.html", status=status, part=part, title=title, here=here, again=again)
