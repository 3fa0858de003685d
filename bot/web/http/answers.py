"""Answers with pages, and their caching and security policy."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass

from aiohttp import web

from bot import texts
from bot.web.html import templates
from bot.web.http.requests import NONCE, VISITOR

#: The caching of content that never changes, but that only the player's browser may keep.
FOR_ONE = "private, max-age=31536000, immutable"
#: The caching of content that never changes.
FOR_EVER = "public, max-age=31536000, immutable"


#: The public address of the pages.
ORIGIN = web.AppKey("origin", str)


@dataclass(frozen=True, slots=True)
class LinkPreview:
    """How other sites show a link to a page: in words, and with the picture at ``image``, which ``alt`` describes.

    It follows the Open Graph protocol (https://ogp.me).
    """

    title: str
    description: str
    image: str
    alt: str


def nonce_of(request: web.Request) -> str:
    """The nonce of the script in the answer to a request."""
    if NONCE not in request:
        request[NONCE] = secrets.token_urlsafe(16)
    return request[NONCE]


def policy(nonce: str, *, pictures: str = "'self'", around: str = "'none'") -> str:
    """The Content-Security-Policy of a page with a nonce for its script; the sites ``around`` may frame it."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self'; img-src {pictures}; connect-src 'self'; "
        f"form-action 'self'; base-uri 'none'; frame-ancestors {around}"
    )


def answer_with_png(png: bytes, caching: str) -> web.Response:
    return web.Response(body=png, content_type="image/png", headers={"Cache-Control": caching})


def answer(request: web.Request, template: str, *, status: int = 200, **values: object) -> web.Response:
    """A page in the visitor's language, perhaps with a ``preview`` of links to it."""
    shared = {"nonce": nonce_of(request), "visitor": request[VISITOR], "preview": None}
    addresses = {"origin": request.app[ORIGIN], "path": request.path}
    with texts.in_language(request[VISITOR].language):
        text = templates.render(template, **{**shared, **addresses, **values})
    return web.Response(text=text, content_type="text/html", status=status)


async def answer_in_thread(request: web.Request, template: str, *, status: int = 200, **values: object) -> web.Response:
    """A page in the visitor's language, rendered in a thread because it is long."""
    return await asyncio.to_thread(answer, request, template, status=status, **values)
