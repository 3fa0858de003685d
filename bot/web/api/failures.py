"""Failures as answers to programs: a code, an English sentence, and a status."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from aiohttp import web

from bot.domain.challenges import NotYourChallengeError, OwnChallengeError, UnknownChallengeError
from bot.domain.limits import TooManyError
from bot.domain.matches import NotAPlayerError, UnknownMatchError
from bot.domain.players import TokenError
from bot.domain.proposals import DuplicateProposalError, UnknownProposalError
from bot.domain.refusals import DomainError
from bot.storage.failures import DatabaseFailedError
from bot.web.api.values import Json
from bot.web.html.sentences import plain
from rules import TurnError

_STATUSES: dict[type[DomainError], int] = {
    TokenError: 401,
    UnknownChallengeError: 404,
    NotYourChallengeError: 404,
    OwnChallengeError: 404,
    UnknownMatchError: 404,
    NotAPlayerError: 404,
    UnknownProposalError: 404,
    TooManyError: 429,
}
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not take such requests.",
    408: "The body of the request took too long.",
    413: "The body of the request is too long.",
    421: "This server has another address.",
    429: "That was too much at once. Wait a moment and try again.",
    503: "Hexgrove is just starting. Try again in a moment.",
}
#: Codes that programs know by the former names of errors.
_FORMER_CODES: dict[type[DomainError], str] = {DuplicateProposalError: "proposal_stands"}
#: Seconds after which programs may try again when the database has failed.
_DATABASE_PATIENCE = 10
_CODES = {404: "not_found", 413: "too_large", 429: "too_many_requests", 503: "starting"}


class UnreadableError(Exception):
    """A request does not match the API document; the message says why."""


def failure(error: Exception, logged: Callable[[Exception], str] = repr) -> web.Response:
    """The answer to a failed request. ``logged`` logs an unexpected error and returns its code."""
    headers = dict[str, str]()
    match error:
        case web.HTTPException():
            status = error.status
            name = _CODES.get(status, f"status_{status}")
            body = _body(name, _SENTENCES.get(status, "This request could not be read."))
            headers = {name: error.headers[name] for name in ("Retry-After", "Allow") if name in error.headers}
        case UnreadableError():
            status, body = 422, _body("unreadable", str(error))
        case TurnError():
            status, body = 422, _body("illegal_turn", plain(error))
        case DomainError():
            status = next((code for kind, code in _STATUSES.items() if isinstance(error, kind)), 409)
            body = _body("unauthorized" if status == 401 else _code(error), plain(error))
            if isinstance(error, TooManyError):
                left = (error.again_at - datetime.now(UTC)).total_seconds()
                headers = {"Retry-After": str(max(1, round(left)))}
        case DatabaseFailedError():
            status, headers = 503, {"Retry-After": str(_DATABASE_PATIENCE)}
            body = _body("not_stored" if error.nothing_stored else "perhaps_stored", plain(error))
        case _:
            status = 500
            body = _body("failed", f"Something went wrong on this side. Please report the code {logged(error)}.")
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return web.json_response(body, status=status, headers=headers)


def _body(code: str, message: str) -> Json:
    return {"code": code, "message": message}


def _code(error: DomainError) -> str:
    """The class name of an error in snake case, such as ``not_your_turn``, or the code that programs know already."""
    name = re.sub("(?<!^)(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()
    return _FORMER_CODES.get(type(error), name)
