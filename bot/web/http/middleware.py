"""The common part of all requests: host, origin, limits, headers, language, and the answer to every failure."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import structlog
from aiohttp import web
from markupsafe import Markup

from bot import texts
from bot.domain.doors import UnusableTokenError
from bot.domain.matches import MovedOnError, NotAPlayerError, UnknownMatchError
from bot.domain.refusals import DomainError
from bot.runtime.at_once import AtOnce
from bot.storage.failures import DatabaseFailedError, watch_writes
from bot.texts import gettext as _
from bot.web.html.markup import html
from bot.web.html.sentences import sentence
from bot.web.http.answers import answer, policy
from bot.web.http.requests import ADMISSION, EVENTS, NONCE, STREAM, VISITOR, Handler, SignInError, is_text
from bot.web.http.visitors import Visitors, is_for_programs
from bot.wording.looks import draw_for

_LOG = structlog.get_logger(__name__)

#: Maximum simultaneous requests of a person (or an address, without a session), and in total.
_AT_ONCE, _OF_ALL = 12, 400
#: Punctuation after a link, as it is or as browsers encode it, and the maximum characters of it.
_AFTER_LINK = re.compile(
    r"(?:[.,;:!?()<>{}|*'\"`/\]\[\\]|%(?:2[127-9AC]|3[ABCEF]|5[BD]|60|7[B-D]|C2%BB|E2%80%(?:9[89CD]|A6)|E3%80%8[1-2]))+$",
    re.IGNORECASE,
)
_LONGEST_AFTER = 30
#: Names by which a machine refers to itself.
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_STATUSES: dict[type[DomainError], int] = {
    UnknownMatchError: 404,
    UnusableTokenError: 410,
    MovedOnError: 409,
    NotAPlayerError: 403,
}
_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: The Content-Security-Policy of everything except pages, such as pictures and stylesheets.
_NO_PAGE = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
#: Headers for Activities, whose frames have no origin. Browsers remember these permissions for two hours.
_FOR_ACTIVITIES = {"Access-Control-Allow-Origin": "null"}
_CROSS_ORIGIN = {
    "Access-Control-Allow-Headers": "Authorization, Part",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Max-Age": "7200",
    **_FOR_ACTIVITIES,
}


@dataclass
class Middleware:
    """Handles what all requests share. ``url`` is the public address of the pages, shown once the bot ``is_ready``.

    Programs get ``api_failure``, made of an error and the function that logs it.
    """

    visitors: Visitors
    url: str
    is_ready: Callable[[], bool]
    api_failure: Callable[[Exception, Callable[[Exception], str]], web.Response]

    def __post_init__(self) -> None:
        too_many = partial(web.HTTPTooManyRequests, headers={"Retry-After": "2"})
        self._requests = AtOnce(_AT_ONCE, _OF_ALL, too_many)

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request, or refuse it; every failure gets a page."""
        watch_writes()
        stranger = request[VISITOR] = self.visitors.stranger(request)
        texts.set_language(stranger.language)
        try:
            self._check_text(request)
            response = await self._answer(request, handler)
        except ConnectionError:
            raise
        except Exception as error:
            response = self._failure(request, error)
        return response

    async def protect(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add the headers that every answer has."""
        response.headers.update(_HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        nonce = request.get(NONCE)
        response.headers.setdefault("Content-Security-Policy", _NO_PAGE if nonce is None else policy(nonce))
        if self._is_from_activity(request):
            response.headers.update(_FOR_ACTIVITIES)

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self._check_host(request)
        if request.method == "OPTIONS" and self.visitors.activities:
            return web.Response(status=204, headers=_CROSS_ORIGIN)
        if request.method not in ("GET", "HEAD") and not self._proves_itself(request):
            self._check_origin(request)
        if not self.is_ready():
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "2"})
        visitor = request[VISITOR] = await self.visitors.visitor(request, request[VISITOR])
        texts.set_language(visitor.language)
        if visitor.in_activity and visitor.player_id is None:
            raise SignInError
        draw_for(visitor.person)
        resource = request.match_info.route.resource
        if resource is not None and resource.canonical.endswith((STREAM, EVENTS)):
            return await handler(request)  # it can last for hours, and has limits of its own
        with self._requests.room(visitor.person):
            response = await handler(request)
        if visitor.player_id is not None and response.content_type == "text/html":
            self.visitors.renew(request, response)
        return response

    def _check_text(self, request: web.Request) -> None:
        """Refuse a request whose address, or a header that says who sends it, is no text."""
        named = request.headers.get("Authorization", ""), request.headers.get("Origin", "")
        asked = [part for pair in request.query.items() for part in pair]
        if not all(map(is_text, (request.path, self.visitors.secret(request) or "", *named, *asked))):
            raise web.HTTPBadRequest

    def _check_host(self, request: web.Request) -> None:
        """Refuse a request for another host, such as a foreign name that leads to this machine."""
        expected = urlsplit(self.url).netloc
        host = request.host
        if host != expected and not (_is_loopback(expected) and _is_loopback(host)):
            raise web.HTTPMisdirectedRequest

    def _proves_itself(self, request: web.Request) -> bool:
        """Whether a request carries a secret that no other site can send, so its origin does not matter."""
        return is_for_programs(request) or self._is_from_activity(request)

    def _is_from_activity(self, request: web.Request) -> bool:
        coming_in = self.visitors.activities and request.path == ADMISSION
        return coming_in or self.visitors.in_activity(request)

    def _check_origin(self, request: web.Request) -> None:
        """Refuse a form from another site.

        Forms of a page without referrers have the origin ``null``; then only ``Sec-Fetch-Site`` counts.
        """
        site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin", "null")
        try:
            ours = urlsplit(origin).netloc == request.host
        except ValueError:
            ours = False
        if site not in (None, "same-origin") or not (ours or (origin == "null" and site is not None)):
            raise web.HTTPForbidden

    def _failure(self, request: web.Request, error: Exception) -> web.StreamResponse:
        """The page about a failure, in the visitor's language; JSON for programs."""
        if isinstance(error, DatabaseFailedError):
            _LOG.error("database_failed", database=error.database_code)
        if is_for_programs(request):
            return self.api_failure(error, _log)
        if isinstance(error, web.HTTPException):
            if error.status < 400:
                return web.Response(status=error.status, headers={"Location": error.headers["Location"]})
            status, text = error.status, Markup.escape(_reason(error.status))
        elif isinstance(error, SignInError):
            status, text = 401, html(_("Press *On the board* on Discord to play here."))
        elif isinstance(error, DomainError):
            status = next((code for kind, code in _STATUSES.items() if isinstance(error, kind)), 400)
            text = sentence(error)
        elif isinstance(error, DatabaseFailedError):
            status, text = 500, sentence(error)
        else:
            code = _log(error)
            said = _(
                "Something went wrong on my side. Please try again. If it keeps happening, report the code `{code}`."
            )
            text = html(said.format(code=code))
            status = 500
        meant = _meant(request.path_qs) if status in (404, 410) and request.method == "GET" else None
        if meant is not None:
            return web.Response(status=302, headers={"Location": meant})
        response = answer(request, "failure.html", status=status, text=text)
        if isinstance(error, web.HTTPException) and "Retry-After" in error.headers:
            response.headers["Retry-After"] = error.headers["Retry-After"]
        return response


def _log(error: Exception) -> str:
    """Log an unexpected error, and return the code to find it by."""
    code = secrets.token_hex(4)
    _LOG.error("page_failed", code=code, exc_info=error)
    return code


def _meant(address: str) -> str | None:
    """The address without what followed the link in a text, such as a full stop; None if nothing did."""
    found = _AFTER_LINK.search(address, max(len(address) - _LONGEST_AFTER, 1))
    # Addresses with such beginnings would lead to another host.
    return None if found is None or address.startswith(("//", "/%5C")) else address[: found.start()]


def _is_loopback(netloc: str) -> bool:
    host = netloc.rpartition(":")[0] if netloc.rpartition(":")[2].isdecimal() else netloc
    return host in _LOOPBACK or host.endswith(".localhost")


def _reason(status: int) -> str:
    match status:
        case 404 | 405:
            return _("There is nothing at this address. The link may be incomplete.")
        case 429:
            return _("That was a lot at once. Wait a moment and try again.")
        case 503:
            return _("Hexgrove is just starting. Try again in a moment.")
        case 403:
            return _("This request came from another site, so nothing was done.")
    return _("I could not read this request.")
