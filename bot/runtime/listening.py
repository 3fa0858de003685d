"""Listening for HTTP on a port, with limits on connections."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, cast

from aiohttp import web
from aiohttp.http import HttpProcessingError

_LOG = logging.getLogger(__name__)
_Handler: TypeAlias = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
# Unreadable requests and bodies are answered, but not logged, because addresses contain keys, and anybody could fill
# the log.
_UNREADABLE = HttpProcessingError, web.RequestPayloadError
_LOG.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], _UNREADABLE)))
#: Seconds in which running requests can finish when the server stops.
_GRACE = 5.0
#: Seconds within which a connection's first request must arrive, and after which an idle connection is closed. Proxies
#: close their connections earlier, so no request arrives on a connection that is just being closed.
PATIENCE, _IDLE = 20.0, 150.0
#: Maximum connections from one address, and in total.
FROM_ONE, _MOST = 100, 4000


def _most() -> int:
    """Maximum connections in total: half of the files that the process may open, but at most :data:`_MOST`."""
    if sys.platform == "win32":
        return _MOST
    import resource

    return min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


class CannotListenError(OSError):
    """An address or port cannot be used. The message says why, in a sentence for the operator."""


@dataclass
class OpenConnections:
    """The open connections: up to ``from_one`` from an address that is no proxy, and up to ``most`` in total."""

    is_proxy: Callable[[str], bool] = lambda _address: False
    from_one: int = FROM_ONE
    most: int = field(default_factory=_most)
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        self._from: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._from.total()

    def enter(self, address: str) -> bool:
        """Count a connection; False if there are too many."""
        self._from[address] += 1
        return len(self) <= self.most and (self._from[address] <= self.from_one or self.is_proxy(address))

    def leave(self, address: str) -> None:
        self._from[address] -= 1
        if not self._from[address]:
            del self._from[address]


class _Connection(asyncio.Protocol):
    """A connection, which is cut if there are too many connections or its first request does not arrive in time."""

    def __init__(self, server: web.Server, connections: OpenConnections) -> None:
        self._inner, self._connections = server(), connections
        self._address, self._tail = "", b""
        self._cutoff: asyncio.TimerHandle | None = None
        #: Set as soon as the other side closes the connection, without waiting for a write to fail.
        self.closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast("asyncio.Transport", transport)  # uvloop's transports are not subclasses
        peer = transport.get_extra_info("peername")  # None if the other side has already reset the connection
        self._address = peer[0] if peer else ""
        self._inner.connection_made(transport)
        if self._connections.enter(self._address):
            self._cutoff = asyncio.get_running_loop().call_later(self._connections.patience, transport.abort)
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._cutoff is not None:
            if b"\r\n\r\n" in self._tail + data:
                self._cancel_cutoff()
            self._tail = (self._tail + data)[-3:]
        self._inner.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()
        self._cancel_cutoff()
        self._connections.leave(self._address)
        self._inner.connection_lost(exc)

    def eof_received(self) -> None:
        self.closed.set()
        self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def _cancel_cutoff(self) -> None:
        if self._cutoff is not None:
            self._cutoff.cancel()
            self._cutoff = None


async def heard(request: web.Request, event: asyncio.Event, seconds: float) -> None:
    """Wait for an event for at most ``seconds``, as long as the connection of a request lasts.

    Raises ``ConnectionResetError`` as soon as the connection is closed; otherwise, only a write would reveal this.
    """
    transport = request.transport
    if transport is None:  # the connection was closed before
        raise ConnectionResetError
    connection = transport.get_protocol()
    ends = [event, *([connection.closed] if isinstance(connection, _Connection) else [])]
    waits = [asyncio.ensure_future(end.wait()) for end in ends]
    try:
        await asyncio.wait(waits, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    if transport.is_closing():
        raise ConnectionResetError


def _quiet(handle: _Handler) -> _Handler:
    """Answer failures that are the client's fault; aiohttp would log them as errors."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.headers.get("Expect", "").lower() not in ("", "100-continue"):
            return web.Response(status=417)  # aiohttp would quote the header, and fail if it is not text
        try:
            return await handle(request)
        except ConnectionError:  # the client is gone
            return web.Response(status=400)

    return answer


@asynccontextmanager
async def listening(
    application: web.Application, host: str, port: int, name: str, connections: OpenConnections | None = None
) -> AsyncIterator[None]:
    """Serve an application on a port of the address ``host`` during the block. Raises :class:`CannotListenError`.

    ``name`` is the prefix of the port's and the host's variables, such as ``METRICS``.
    """
    runner = web.AppRunner(application, access_log=None, logger=_LOG, shutdown_timeout=_GRACE, keepalive_timeout=_IDLE)
    await runner.setup()
    assert runner.server is not None
    runner.server.request_handler = _quiet(runner.server.request_handler)
    connect = partial(_Connection, runner.server, OpenConnections() if connections is None else connections)
    try:
        server = await asyncio.get_running_loop().create_server(connect, host, port, backlog=128)
    except OSError as error:
        await runner.cleanup()
        raise CannotListenError(
            f"{name}_PORT {port} cannot be used on {name}_HOST {host}: {error.strerror}. Choose another port or host."
        ) from error
    try:
        yield
    finally:
        server.close()
        await runner.cleanup()
