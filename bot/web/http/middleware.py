"""The common part of all requests: host, origin, limits, headers, language, and answers to failures."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import structlog
from aiohttp import web

from bot import texts
from bot.domain.doors import UnusableTokenError
from bot.domain.matches import MovedOnError, NotAPlayerError, UnknownMatchError
from bot.domain.refusals import DomainError
from bot.pictures import draw_for
from bot.runtime.at_once import AtOnce
from bot.storage.failures import DatabaseFailedError, watch_writes
from bot.web.html.sentences import sentence
from bot.web.http.answers import answer, policy
from bot.web.http.requests import ADMISSION, EVENTS, NONCE, STREAM, VISITOR, Handler, SignInError, is_text
from bot.web.http.visitors import Visitors, is_for_programs
from bot.wording.sentence import gettext as _

_LOG = structlog.get_logger(__name__)

#: Maximum simultaneous requests of a person (or an address, without a session), and in total.
_AT_ONCE, _OF_ALL = 12, 400
#: Punctuation after a link, raw or as browsers encode it, and its maximum length.
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
    """Handles what all requests share. Pages have the public address ``url`` and are shown once the bot ``is_ready``.

    ``api_failure`` makes the answer to a program from an error and the function that logs it.
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
        """Answer a request. Every failure gets a page, too."""
        watch_writes()
        request[VISITOR] = self.visitors.anonymous(request)
        texts.set_language(request[VISITOR].language)
        try:
            self._check_text(request)
            return await self._answer(request, handler)
        except ConnectionError:
            raise
        except Exception as error:
            return self._failure(request, error)

    async def protect(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add the headers of every answer."""
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
        if request.method not in ("GET", "HEAD") and not self._has_bearer(request):
            self._check_origin(request)
        if not self.is_ready():
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "2"})
        visitor = request[VISITOR] = await self.visitors.visitor(request)
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
            self.visitors.renew_cookie(request, response)
        return response

    def _check_text(self, request: web.Request) -> None:
        """Refuse a request whose address or identifying headers are no valid text."""
        identifying = request.headers.get("Authorization", ""), request.headers.get("Origin", "")
        query = [text for pair in request.query.items() for text in pair]
        if not all(map(is_text, (request.path, self.visitors.secret(request) or "", *identifying, *query))):
            raise web.HTTPBadRequest

    def _check_host(self, request: web.Request) -> None:
        """Refuse a request for another host, such as a foreign domain that resolves to this machine."""
        expected = urlsplit(self.url).netloc
        host = request.host
        if host != expected and not (_is_loopback(expected) and _is_loopback(host)):
            raise web.HTTPMisdirectedRequest

    def _has_bearer(self, request: web.Request) -> bool:
        """Whether a secret in the request, which no other site can send, makes its origin irrelevant."""
        return is_for_programs(request) or self._is_from_activity(request)

    def _is_from_activity(self, request: web.Request) -> bool:
        begins_session = self.visitors.activities and request.path == ADMISSION
        return begins_session or self.visitors.in_activity(request)

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
        """A page about a failure in the visitor's language; JSON for programs."""
        if isinstance(error, DatabaseFailedError):
            _LOG.error("database_failed", database=error.database_code)
        if is_for_programs(request):
            return self.api_failure(error, _log)
        if isinstance(error, web.HTTPException):
            if error.status < 400:
                return web.Response(status=error.status, headers={"Location": error.headers["Location"]})
            status, text = error.status, _reason(error.status)
        elif isinstance(error, SignInError):
            status, text = 401, _("Press *Tap the board* on Discord to play here.")
        elif isinstance(error, DomainError):
            status = next((code for kind, code in _STATUSES.items() if isinstance(error, kind)), 400)
            text = sentence(error)
        elif isinstance(error, DatabaseFailedError):
            status, text = 500, sentence(error)
        else:
            code = _log(error)
            report = _(
                "Something went wrong on my side. Please try again. If it keeps happening, report the code `{code}`."
            )
            text = report.format(code=code)
            status = 500
        link = _without_punctuation(request.path_qs) if status in (404, 410) and request.method == "GET" else None
        if link is not None:
            return web.Response(status=302, headers={"Location": link})
        response = answer(request, "failure.html", status=status, text=text)
        if isinstance(error, web.HTTPException) and "Retry-After" in error.headers:
            response.headers["Retry-After"] = error.headers["Retry-After"]
        return response


def _log(error: Exception) -> str:
    """Log an unexpected error, and return a code that identifies it."""
    code = secrets.token_hex(4)
    _LOG.error("page_failed", code=code, exc_info=error)
    return code


def _without_punctuation(address: str) -> str | None:
    """The address without punctuation that followed the link in a text; None if there was none."""
    found = _AFTER_LINK.search(address, max(len(address) - _LONGEST_AFTER, 1))
    # Addresses that begin like this lead to another host.
    return None if found is None or address.startswith(("//", "/%5C")) else address[: found.start()]


def _is_loopback(netloc: str) -> bool:
    host = netloc.rpartition(":")[0] if netloc.rpartition(":")[2].isdecimal() else netloc
    return host in _LOOPBACK or host.endswith(".localhost")


def _reason(status: int) -> str:
    match status:
        case 404 | 405:
            return _("There is nothing at this address. The link may be incomplete.")
        case 429:
            return _("That was too much at once. Wait a moment and try again.")
        case 503:
            return _("Hexgrove is just starting. Try again in a moment.")
        case 403:
            return _("This request came from another site, so nothing was done.")
    return _("I could not read this request.")
