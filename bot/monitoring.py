"""What monitoring asks a running bot, over HTTP: its metrics, whether it lives, and whether it is ready."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot import metrics

#: Seconds between two measurements of the event loop.
_MEASURED_EVERY = 1.0
#: Seconds after which a check counts as failed.
_PATIENCE = 5.0


class PortInUseError(Exception):
    """The port for monitoring cannot be used; the message says why, in a sentence for the operator."""


@asynccontextmanager
async def serving(
    port: int | None, *, is_ready: Callable[[], Awaitable[bool]], measure: Callable[[], Awaitable[None]]
) -> AsyncIterator[None]:
    """Answer on a port during the block; without a port, do nothing.

    ``/metrics`` first lets ``measure`` look at what nobody counts, ``/ready`` asks ``is_ready``, and ``/health`` shows
    that the event loop runs. Raises :class:`PortInUseError`.
    """
    if port is None:
        yield
        return

    async def show_metrics(_request: web.Request) -> web.Response:
        await asyncio.wait_for(measure(), _PATIENCE)
        return web.Response(
            body=await asyncio.to_thread(generate_latest), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    async def show_health(_request: web.Request) -> web.Response:
        return web.Response(text="alive\n")

    async def show_readiness(_request: web.Request) -> web.Response:
        try:
            ready = await asyncio.wait_for(is_ready(), _PATIENCE)
        except Exception:
            ready = False
        return web.Response(text="ready\n") if ready else web.Response(status=503, text="not ready\n")

    application = web.Application()
    application.router.add_get("/metrics", show_metrics)
    application.router.add_get("/health", show_health)
    application.router.add_get("/ready", show_readiness)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, port=port).start()
    except OSError as error:
        await runner.cleanup()
        raise PortInUseError(f"METRICS_PORT {port} cannot be used: {error.strerror}. Choose another port.") from error
    measuring = asyncio.create_task(_measure_loop())
    try:
        yield
    finally:
        measuring.cancel()
        with suppress(asyncio.CancelledError):
            await measuring
        await runner.cleanup()


async def _measure_loop() -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _MEASURED_EVERY
        await asyncio.sleep(_MEASURED_EVERY)
        metrics.LOOP_LAG.observe(max(0.0, loop.time() - due))
