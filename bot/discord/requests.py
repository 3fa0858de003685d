"""The budget of requests to Discord: at most so many a second, and what people wait for comes first."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import aiohttp

from bot import metrics

#: Discord allows a bot 50 requests a second in all, besides answers to interactions; some are kept in reserve.
REQUESTS_PER_SECOND = 45.0
#: Parts of the paths that Discord does not count.
_EXEMPT = ("/interactions/", "/webhooks/")

_patient: ContextVar[bool] = ContextVar("patient", default=False)


@contextmanager
def patiently() -> Iterator[None]:
    """Let the requests of this block wait until no others do: nobody is waiting for them."""
    token = _patient.set(True)
    try:
        yield
    finally:
        _patient.reset(token)


class RequestBudget:
    """A token bucket that holds the requests of one second.

    Requests pass in their order, but patient ones only when no others wait.
    """

    def __init__(self, per_second: float = REQUESTS_PER_SECOND) -> None:
        self.per_second = per_second
        #: When the bucket was, or will be, empty of requests, as the event loop's time.
        self._empty_at = 0.0
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._alarm: asyncio.TimerHandle | None = None

    async def wait(self) -> None:
        """Wait until a request may be sent."""
        if not self._waiting and self._take():
            return
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (_patient.get(), next(self._numbers), place))
        self._set_alarm()
        await place

    def _take(self) -> bool:
        """Count a request, if there is room for it in the current second."""
        now = asyncio.get_running_loop().time()
        empty_at = max(self._empty_at, now) + 1 / self.per_second
        if empty_at > now + 1:
            return False
        self._empty_at = empty_at
        return True

    def _set_alarm(self) -> None:
        if self._alarm is None and self._waiting:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_at(self._empty_at + 1 / self.per_second - 1, self._call_next)

    def _call_next(self) -> None:
        self._alarm = None
        while self._waiting:
            place = self._waiting[0][-1]
            if not place.done():  # otherwise its request was cancelled
                if not self._take():
                    break
                place.set_result(None)
            heapq.heappop(self._waiting)
        self._set_alarm()


def tracing(budget: RequestBudget | None) -> aiohttp.TraceConfig:
    """Hold requests to Discord's API back until the budget, if any, allows them, and count them."""
    trace = aiohttp.TraceConfig()

    async def on_start(_session: object, _context: object, request: aiohttp.TraceRequestStartParams) -> None:
        if budget is None or not _counts(request.url.path):
            return
        begun = time.perf_counter()
        await budget.wait()
        metrics.REQUEST_WAIT.observe(time.perf_counter() - begun)

    async def on_end(_session: object, _context: object, request: aiohttp.TraceRequestEndParams) -> None:
        metrics.REQUESTS.labels(request.method, str(request.response.status)).inc()

    async def on_failure(_session: object, _context: object, request: aiohttp.TraceRequestExceptionParams) -> None:
        metrics.REQUESTS.labels(request.method, "none").inc()

    trace.on_request_start.append(on_start)
    trace.on_request_exception.append(on_failure)
    trace.on_request_end.append(on_end)
    return trace


def _counts(path: str) -> bool:
    return "/api/" in path and not any(part in path for part in _EXEMPT)
