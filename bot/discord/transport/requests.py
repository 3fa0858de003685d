"""The budget of requests to Discord: a limited number a second, and those that people wait for first."""

from __future__ import annotations

import time

import aiohttp

from bot import metrics
from bot.services.token_bucket import TokenBucket

#: Discord allows a bot 50 requests a second in all, besides answers to interactions; some are kept in reserve.
REQUESTS_PER_SECOND = 45.0
#: Parts of the paths that Discord does not count.
_FOLLOW_UPS = "/webhooks/"
_EXEMPT = ("/interactions/", _FOLLOW_UPS)
#: From this status on, it is unknown whether a request has taken effect.
_FAILED = 500


def tracing(budget: TokenBucket | None) -> aiohttp.TraceConfig:
    """Hold requests to Discord's API back until the budget, if any, has room for them, and count them.

    When Discord fails, a follow-up fails like a broken connection: the library would repeat it, although it may have
    taken effect.
    """
    trace = aiohttp.TraceConfig()

    async def on_start(_session: object, _context: object, request: aiohttp.TraceRequestStartParams) -> None:
        if budget is None or not _counts(request.url.path):
            return
        begun = time.perf_counter()
        await budget.wait()
        metrics.REQUEST_WAIT.observe(time.perf_counter() - begun)

    async def on_end(_session: object, _context: object, request: aiohttp.TraceRequestEndParams) -> None:
        metrics.REQUESTS.labels(request.method, str(request.response.status)).inc()
        follows = request.method == "POST" and _FOLLOW_UPS in request.url.path
        if follows and request.response.status >= _FAILED:
            request.response.close()
            raise aiohttp.ClientConnectionError

    async def on_failure(_session: object, _context: object, request: aiohttp.TraceRequestExceptionParams) -> None:
        metrics.REQUESTS.labels(request.method, "none").inc()

    trace.on_request_start.append(on_start)
    trace.on_request_exception.append(on_failure)
    trace.on_request_end.append(on_end)
    return trace


def _counts(path: str) -> bool:
    return "/api/" in path and not any(each in path for each in _EXEMPT)
