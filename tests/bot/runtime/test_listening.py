"""Connections from outside: too many, too slow, unreadable, and on a port in use."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp import web
from aiohttp.test_utils import unused_port

from bot.runtime.listening import CannotListenError, OpenConnections, listening

SECONDS = 20
HOST = "127.0.0.1"


@asynccontextmanager
async def served(connections: OpenConnections) -> AsyncIterator[Caller]:
    async def answer(request: web.Request) -> web.Response:
        await asyncio.sleep(float(request.query.get("after", "0")))
        return web.Response(text="well")

    application = web.Application()
    application.router.add_get("/", answer)
    port = unused_port()
    async with listening(application, HOST, port, "WEB", connections):
        caller = Caller(port)
        try:
            yield caller
        finally:
            await caller.close()


class Caller:
    """Opens connections from this machine."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def ask(self, *parts: bytes) -> asyncio.StreamReader:
        """Send the parts of a request."""
        reader, writer = await asyncio.open_connection(HOST, self.port)
        self._writers.append(writer)
        for part in parts:
            writer.write(part)
            await writer.drain()
        return reader

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


async def first_line(reader: asyncio.StreamReader) -> bytes:
    """The first line of the answer; empty if the connection is closed instead."""
    async with asyncio.timeout(SECONDS):
        try:
            return await reader.readline()
        except ConnectionError:
            return b""


async def test_a_connection_without_a_complete_request_is_closed() -> None:
    connections = OpenConnections(patience=0.05)
    async with served(connections) as caller:
        silent, slow = await caller.ask(), await caller.ask(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert [await first_line(reader) for reader in (silent, slow)] == [b"", b""]
        assert len(connections) == 0


def test_a_connection_that_is_reset_at_once_is_not_counted() -> None:
    uvloop = pytest.importorskip("uvloop")  # whose connections have no address then
    failures = list[dict[str, object]]()

    async def connect() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: failures.append(context))
        connections = OpenConnections()
        async with served(connections) as caller:
            for _ in range(3):
                with socket.create_connection((HOST, caller.port)) as gone:
                    gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes by a reset
            assert b"200 OK" in await first_line(await caller.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
            assert len(connections) == 1

    uvloop.run(connect())
    assert failures == []


async def test_an_answer_may_take_longer_than_a_request() -> None:
    async with served(OpenConnections(patience=0.05)) as caller:
        answer = await caller.ask(b"GET /?after=0.2 HTTP/1.1\r\nHost: x\r", b"\n\r", b"\n")
        assert b"200 OK" in await first_line(answer)


@pytest.mark.parametrize(("proxy", "answered"), [(False, 3), (True, 5)])
async def test_connections_of_an_address_are_limited(*, proxy: bool, answered: int) -> None:
    async with served(OpenConnections(lambda _address: proxy, from_one=3, most=5)) as caller:
        answers = [await caller.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(7)]
        lines = [await first_line(answer) for answer in answers]
        assert [b"200 OK" in line for line in lines] == [number < answered for number in range(7)]


@pytest.mark.parametrize("request_line", ["ODD /m/1-key HTTP/1.1", "GET /m/1-key HTTP/9", "GET /m/1-key\x00 HTTP/1.1"])
async def test_unreadable_requests_are_not_logged(request_line: str) -> None:
    logged, root = list[str](), logging.getLogger()
    handler = logging.Handler()
    handler.emit = lambda record: logged.append(logging.Formatter().format(record))  # type: ignore[method-assign]
    root.addHandler(handler)
    try:
        async with served(OpenConnections()) as caller:
            answer = await caller.ask(f"{request_line}\r\nHost: x\r\n\r\n".encode())
            assert b"400 Bad Request" in await first_line(answer)
    finally:
        root.removeHandler(handler)
    assert "1-key" not in "".join(logged)


async def test_a_port_in_use_is_named() -> None:
    async with served(OpenConnections()) as caller:
        with pytest.raises(CannotListenError, match=f"WEB_PORT {caller.port}"):
            async with listening(web.Application(), HOST, caller.port, "WEB"):
                raise AssertionError
