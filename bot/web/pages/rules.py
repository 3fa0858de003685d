"""Rule pages, and the pictures of their examples."""

from __future__ import annotations

import asyncio
import textwrap
from functools import partial

from aiohttp import web
from markupsafe import Markup

from bot import texts
from bot.web.board.pictures import FOR_A_DAY
from bot.web.html import rule_pages
from bot.web.html.rule_pages import Figure, PageSection
from bot.web.http.answers import LinkPreview, answer_in_thread, answer_with_png
from bot.web.http.shared_cache import SharedCache
from bot.wording.sentence import gettext as _
from rules import GAMES

#: Bytes of cached pictures.
_PICTURES = 8_000_000
#: Maximum characters of a description.
_DESCRIBED = 200


class RuleRoutes:
    def __init__(self) -> None:
        self._pictures = SharedCache(_PICTURES)

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/rules", self.rules)
        router.add_get("/rules/{game:[a-z]+}", self.rules)
        router.add_get(r"/rules/{game:[a-z]+}/{number:\d{1,3}}.png", self.rule_picture)
        router.add_get(r"/rules/{number:\d{1,3}}.png", self.rule_picture)

    async def rules(self, request: web.Request) -> web.StreamResponse:
        """The rule page of a game, or of all games."""
        game = request.match_info.get("game", "")
        sections = await asyncio.to_thread(rule_pages.sections_of, _rule_page(game))
        shared = ("", _("All games"), rule_pages.ADDRESS)
        games = [shared, *((name, kind.title, f"{rule_pages.ADDRESS}/{name}") for name, kind in GAMES.items())]
        here = f"{rule_pages.ADDRESS}/{game}" if game else rule_pages.ADDRESS
        return await answer_in_thread(
            request,
            "rules.html",
            sections=sections,
            games=games,
            game=game,
            pictures=here,
            preview=_preview(sections, here),
        )

    async def rule_picture(self, request: web.Request) -> web.StreamResponse:
        return await self.example(request, _rule_page(request.match_info.get("game", "")))

    async def example(self, request: web.Request, page: str) -> web.StreamResponse:
        """The picture of an example on a rule page or a page of lessons."""
        theme, language = request.query.get("theme", ""), request.query.get("language", "")
        if language not in texts.LANGUAGES:
            raise web.HTTPNotFound
        shown = (page, int(request.match_info["number"]), theme, language)
        try:
            png = await self._pictures.get(shown, partial(asyncio.to_thread, rule_pages.picture, *shown))
        except ValueError:
            raise web.HTTPNotFound from None
        return answer_with_png(png, FOR_A_DAY)


def _preview(sections: list[PageSection], address: str) -> LinkPreview | None:
    """How other sites show a link to a rule page: with its first text and its first picture."""
    content = [item for section in sections for item in section.content]
    figure = next((item for item in content if isinstance(item, Figure)), None)
    if figure is None:
        return None
    text = next(item.striptags() for item in content if isinstance(item, Markup))
    image = f"{address}/{figure.number}.png?theme=dark&language={texts.current_language()}"
    return LinkPreview(
        sections[0].title.plain, textwrap.shorten(text, _DESCRIBED, placeholder="…"), image, figure.description
    )


def _rule_page(game: str) -> str:
    try:
        return rule_pages.page_of(game)
    except KeyError:
        raise web.HTTPNotFound from None
