"""Reading requests: the visitor, forms and numbers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from bot.domain.players import Player
from bot.services.people.doors import Doors
from bot.web.http.visitors import Visitor

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

#: The visitor of a request, and the nonce for the script if the answer is a page.
VISITOR = web.RequestKey("visitor", Visitor)
NONCE = web.RequestKey("nonce", str)
#: Seconds in which the body of a request must arrive.
PATIENCE = 20.0
#: The ends of the addresses of streams, for pages and for programs.
STREAM, EVENTS = "/live", "/events"
#: The address at which Discord Activities begin a session.
ADMISSION = "/activity"
#: Maximum characters of a form field.
_LONGEST = 3000


class SignInError(Exception):
    """The request needs a session."""


def require_player_id(request: web.Request) -> int:
    """The player who sends a request. Raises :class:`SignInError` without a session."""
    found = request[VISITOR].player_id
    if found is None:
        raise SignInError
    return found


async def known_player(request: web.Request, doors: Doors) -> Player:
    """The player who sends a request, with their name. Raises :class:`SignInError` without a session."""
    found = await doors.player(require_player_id(request))
    if found is None:
        raise SignInError
    return found


@asynccontextmanager
async def reading() -> AsyncIterator[None]:
    """Read a request's body in the block. Errors in it, such as a wrong encoding, are the visitor's fault."""
    try:
        async with asyncio.timeout(PATIENCE):
            yield
    except TimeoutError:
        raise web.HTTPRequestTimeout from None
    except web.HTTPException:
        raise
    except Exception:  # codecs and aiohttp raise exceptions of all kinds
        raise web.HTTPBadRequest from None


def is_text(value: str) -> bool:
    """Whether a value from outside can be stored and sent. Python decodes invalid bytes as lone surrogates."""
    return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)


async def form_of(request: web.Request) -> dict[str, str]:
    """The fields of a form, without files and overlong values."""
    async with reading():
        form = await request.post()
    if not all(map(is_text, [text for pair in form.items() for text in pair if isinstance(text, str)])):
        raise web.HTTPBadRequest
    return {name: value for name, value in form.items() if isinstance(value, str) and len(value) <= _LONGEST}


def number_in(text: str | None, maximum: int = 10**9) -> int | None:
    """The number in a text; None if it is no number from 0 to ``maximum``."""
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 10:
        return None
    return int(text) if int(text) <= maximum else None


def wants_part(request: web.Request) -> bool:
    """Whether the page's script sends the request, and needs only the part of the page that it replaces."""
    return request.headers.get("Part") == "1"
