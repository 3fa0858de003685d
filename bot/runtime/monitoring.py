"""The HTTP endpoints for monitoring: metrics, health and readiness."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot.runtime import metrics
from bot.runtime.listening import listening

#: Seconds between two measurements of the event loop.
_MEASURED_EVERY = 1.0
#: Seconds after which a check counts as failed.
_PATIENCE = 5.0
#: Seconds for which an answer is kept.
_LIFETIME = 1.0
_T = TypeVar("_T")


@dataclass
class _BriefCache(Generic[_T]):
    """A costly answer, shared by all requests within a second."""

    answer: Callable[[], Awaitable[_T]]

    def __post_init__(self) -> None:
        self._latest: asyncio.Task[_T] | None = None
        self._expires_at = 0.0

    async def get(self) -> _T:
        if self._latest is None or (self._latest.done() and asyncio.get_running_loop().time() >= self._expires_at):
            self._latest = asyncio.create_task(self._renew())
        return await asyncio.shield(self._latest)

    async def _renew(self) -> _T:
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self.answer()
        finally:
            self._expires_at = asyncio.get_running_loop().time() + _LIFETIME


@asynccontextmanager
async def serving(
    host: str, port: int | None, *, is_ready: Callable[[], Awaitable[bool]], measure: Callable[[], Awaitable[None]]
) -> AsyncIterator[None]:
    """Answer on a port of the address ``host`` during the block; without a port, do nothing.

    ``/metrics`` first calls ``measure`` for values that are not counted as they change, ``/ready`` calls ``is_ready``,
    and ``/health`` shows that the event loop runs. Raises :class:`~bot.runtime.listening.CannotListenError`.
    """
    if port is None:
        yield
        return

    async def measurements() -> bytes:
        await measure()
        return await asyncio.to_thread(generate_latest)

    latest, ready = _BriefCache(measurements), _BriefCache(is_ready)

    async def show_metrics(_request: web.Request) -> web.Response:
        return web.Response(body=await latest.get(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def show_health(_request: web.Request) -> web.Response:
        return web.Response(text="alive\n")

    async def show_readiness(_request: web.Request) -> web.Response:
        with suppress(Exception):
            if await ready.get():
                return web.Response(text="ready\n")
        return web.Response(status=503, text="not ready\n")

    application = web.Application()
    application.router.add_get("/metrics", show_metrics)
    application.router.add_get("/health", show_health)
    application.router.add_get("/ready", show_readiness)
    async with listening(application, host, port, "METRICS"):
        measuring = asyncio.create_task(_measure_loop())
        try:
            yield
        finally:
            measuring.cancel()
            with suppress(asyncio.CancelledError):
                await measuring


async def _measure_loop() -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _MEASURED_EVERY
        await asyncio.sleep(_MEASURED_EVERY)
        metrics.LOOP_LAG.observe(max(0.0, loop.time() - due))
