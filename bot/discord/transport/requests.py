"""Requests to Discord: limited in number, the most urgent first, and repeated when connections break."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import aiohttp
import discord
import structlog

from bot.runtime import metrics
from bot.runtime.log import failure
from bot.runtime.token_bucket import TokenBucket

_LOG = structlog.get_logger(__name__)
_Result = TypeVar("_Result")
#: Discord allows 50 requests a second, besides answers to interactions. A few are kept in reserve.
REQUESTS_PER_SECOND = 45.0
#: Parts of paths: of follow-ups, and of all requests that Discord does not count.
_FOLLOW_UPS = "/webhooks/"
_EXEMPT = ("/interactions/", _FOLLOW_UPS)
#: From this status on, nobody knows whether the request has taken effect.
_FAILED = 500

#: The exceptions of requests that fail without a fault of the bot.
DISCORD_FAILURES = (discord.HTTPException, aiohttp.ClientError, OSError)

#: Seconds before each repetition of a request whose connection broke; discord.py repeats only answered requests. The
#: first pauses are empty: after a network failure, several connections in the pool are dead, and Discord waits only
#: three seconds for an acknowledgement.
_PAUSES = (0.0, 0.0, 0.5, 2.0)
#: The pauses for answers, which Discord accepts for 15 minutes.
PATIENT_PAUSES = (*_PAUSES, 5.0, 15.0)


async def persist(request: Callable[[], Awaitable[_Result]], pauses: Sequence[float] = _PAUSES) -> _Result:
    """Repeat a request when the connection breaks. It may take effect twice, which must do no harm."""
    for attempt, pause in enumerate(pauses, start=1):
        try:
            return await request()
        except (aiohttp.ClientError, OSError) as error:
            _LOG.info("connection_broke", attempt=attempt, reason=failure(error))
        await asyncio.sleep(pause)
    return await request()


class Connector(aiohttp.TCPConnector):
    """Connections to Discord. Requests to its API are counted, and wait while the budget is used up.

    The hooks of ``aiohttp.TraceConfig`` could do the same, at a higher cost for every request.
    """

    def __init__(self, budget: TokenBucket | None) -> None:
        super().__init__(limit=0)
        self._budget = budget

    async def connect(self, req: aiohttp.ClientRequest, *arguments: Any, **named: Any) -> Any:
        if self._budget is not None and _counts(req.url.path):
            begun = time.perf_counter()
            await self._budget.wait()
            metrics.REQUEST_WAIT.observe(time.perf_counter() - begun)
        req.response_class = _Response
        try:
            return await super().connect(req, *arguments, **named)
        except Exception:
            metrics.REQUESTS.labels(req.method, "none").inc()
            raise


class _Response(aiohttp.ClientResponse):
    """Discord's response to a request.

    A server error of a follow-up looks like a broken connection: discord.py would repeat the request, which may have
    taken effect.
    """

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        try:
            await super().start(connection)
        except Exception:
            metrics.REQUESTS.labels(self.method, "none").inc()
            raise
        metrics.REQUESTS.labels(self.method, str(self.status)).inc()
        if self.status >= _FAILED and self.method == "POST" and _FOLLOW_UPS in self.url.path:
            raise aiohttp.ClientConnectionError
        return self


def _counts(path: str) -> bool:
    return "/api/" in path and not any(exempt in path for exempt in _EXEMPT)
