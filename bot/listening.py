"""Listening on a port for HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

#: Seconds that running requests have at a stop.
_GRACE = 5.0


class CannotListenError(Exception):
    """An address or port cannot be used; the message says why, in a sentence for the operator."""


@asynccontextmanager
async def listening(application: web.Application, host: str, port: int, name: str) -> AsyncIterator[None]:
    """Serve an application on a port of the address ``host`` during the block. Raises :class:`CannotListenError`.

    ``name`` begins the names of both settings, such as ``METRICS``.
    """
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_GRACE)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        await runner.cleanup()
        raise CannotListenError(
            f"{name}_PORT {port} cannot be used on {name}_HOST {host}: {error.strerror}. Choose another port or host."
        ) from error
    try:
        yield
    finally:
        await runner.cleanup()
