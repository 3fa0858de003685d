"""Odd requests are the visitor's fault: they are refused, and nothing is logged."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from urllib.parse import quote, urlencode

import pytest
from aiohttp.test_utils import unused_port
from structlog.typing import EventDict

from bot.storage import Database
from bot.web.http.visitors import Proxies
from bot.web.pages import activity
from rules.puzzles import puzzles
from tests.support.services.matches import ALICE, CAROL, Clock, start
from tests.support.thorough import THOROUGH, on_databases
from tests.support.web.pages import site_on
from tests.support.web.programs import connect, start as start_with_program

#: Odd requests for each address.
MANY = 300 if THOROUGH else 6
#: Bytes that are no text, or that parsers of numbers, names or addresses may not expect.
ODD = [
    *(b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x84\x80", "٣".encode(), "²".encode(), b"\x00", b"\x7f", b"'\"<>&;"),
    *(b"-1", b"9" * 30, b"9" * 5000, b"1e999", b"[", b"%", b"{}", b"../..", b""),
]


def each(before: bytes, *values: bytes) -> list[bytes]:
    """The values, each after the same bytes."""
    return [before + value for value in values]


HEADERS = [
    *(
        header
        for name in (b"Cookie: hexgrove=", b"Cookie", b"Origin", b"Part")
        for header in each(name + b": ", *ODD[:5])
    ),
    *(header for kind in (b"Bearer ", b"bearer ", b"") for header in each(b"Authorization: " + kind, *ODD[:5])),
    *each(b"Cookie: ", b'hexgrove="\\377\\000"', b"hexgrove=a; hexgrove=b; $Path=/; =; ;;"),
    *each(b"Origin: ", b"http://[", b"http://a]", b"http://\xe2\x84\x80.com", b"http://127.0.0.1:99999999", b"null"),
    *each(b"Sec-Fetch-Site: ", b"\xff", b"cross-site"),
    *(b"Accept-Language: \xff,;;,de-\xff,zh;q=\xff", b"Accept-Encoding: \xff"),
    *each(b"X-Forwarded-For: ", b"\xff", b"fe80::1%eth0", b"::ffff:1.2.3.4", b"1.2.3.4:5", b"[::1]", b","),
    *each(b"Content-Encoding: ", b"gzip", b"deflate", b"br", b"zstd", b"identity", b"\xff"),
    *each(b"Transfer-Encoding: ", b"chunked", b"gzip, chunked", b"\xff"),
    *each(b"Content-Length: ", b"-1", b"x", b"9" * 30, "٣".encode(), b"1000000"),
    *each(b"Expect: ", b"100-continue", b"\xff"),
    b"Upgrade: websocket\r\nConnection: Upgrade",
    b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: \xff",
    *(b"Range: bytes=\xff", b"If-Modified-Since: \xff"),
    *each(b"Host:", b" [", b" \xff", b" 127.0.0.1:99999999", b" a@b:c", b""),
    *(b"X" * 9000 + b": x", b"No-Colon", b" Folded: x", b"\xff: x", b"X: \x00"),
]
FORM, JSON = b"application/x-www-form-urlencoded", b"application/json"
MULTIPART = b"multipart/form-data"
PARTS = MULTIPART + b"; boundary=x"


def part(headers: bytes, content: bytes = b"x") -> bytes:
    return b"--x\r\n" + headers + b"\r\n\r\n" + content + b"\r\n--x--\r\n"


DISPOSITION = b"Content-Disposition: "
NAMED = DISPOSITION + b'form-data; name="press"'
CHARSET = DISPOSITION + b'form-data; name="_charset_"'
#: The content types and contents of bodies.
BODIES = [
    *(
        (kind, b"press=%ff")
        for kind in each(FORM + b"; charset=", b"x", b"hex", b"idna", b"undefined", b"utf-16", b"\xff")
    ),
    *(
        (FORM, body)
        for body in (b"press=%ff&step=%ed%a0%80&=&&==&" + b"a=1&" * 2000, b"\xff\x00=\xff\x00", b"x" * 40_000)
    ),
    *((kind, b"press=1") for kind in (b"", b"\xff/\xff; =")),
    *((MULTIPART + kind, part(NAMED)) for kind in (b"", *each(b"; boundary=", b"", b"x" * 200, b"\xff"))),
    *((PARTS, body) for body in (part(NAMED)[:-10], b"--y--\r\n")),
    *((PARTS, part(header)) for header in (DISPOSITION + b"form-data", DISPOSITION + b"\xff; name=\xff", b"")),
    (PARTS, part(NAMED + b'; filename="a"')),
    (PARTS, part(NAMED + b"\r\nContent-Type: multipart/mixed; boundary=z", b"--z--")),
    *((PARTS, part(CHARSET, charset)) for charset in (b"x", b"\xff" * 100)),
    *(
        (PARTS, part(NAMED + encoding, b"\xff=="))
        for encoding in each(
            b"\r\nContent-Transfer-Encoding: ", b"x", b"base64", b"quoted-printable", b"binary", b"\xff"
        )
    ),
    *((PARTS, part(NAMED + encoding)) for encoding in each(b"\r\nContent-Encoding: ", b"gzip", b"deflate", b"x")),
    *((PARTS, part(NAMED + kind)) for kind in each(b"\r\nContent-Type: text/plain; charset=", b"x", b"hex", b"\xff")),
    *((JSON, body) for body in (b"", b"\xff", b"null", b"[" * 10_000, b'{"answer": "\\ud800"}', b'{"answer": {}}')),
    *((JSON, b'{"step": 1, "turn": "%s"}' % turn) for turn in (b"\\ud800", b"\\u0000")),
    *((JSON, b'{"step": %s, "turn": "e5"}' % step) for step in (b"1e999", b"9" * 30, b"9" * 6000)),
    *((kind, b'{"answer": "accept"}') for kind in each(JSON + b"; charset=", b"x", b"hex", b"utf-16", b"\xff")),
]
#: The names of the fields of all forms, and of all queries.
FIELDS = (
    *("step", "draft", "begun", "press", "near", "cell", "kind", "proposal", "answer", "left", "level", "note", "seen"),
    *("at", "ply", "tried", "found", "game", "code", "confirmation", "key", "delete", "marks", "on", "over", "better"),
    *("language", "theme", "orientation", "coordinates", "page", "wait", "legal", "frame_id", "large", "refused"),
)
HOST = b" HTTP/1.1\r\nHost: 127.0.0.1\r\n"
#: Requests that are no valid HTTP.
INVALID = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    *each(b"GET", b"\r\n\r\n", b" / HTTP/9.9\r\n\r\n", b" /\r\n\r\n", b" /m/\xff HTTP/1.0\r\n\r\n"),
    *(
        line + HOST + b"\r\n"
        for line in (
            *each(b"GET ", b"http://[", b"http://127.0.0.1:99999999/", b"//[", b"/\xff\xed\xa0\x80?\xff=\xff#\xff"),
            *(b"OPTIONS *", b"CONNECT a:b", b"CONNECT 127.0.0.1:99999999", b"\xff\xff /"),
        )
    ),
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n",
    b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
    b"POST /out" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\xff",
    *(b"\r\n\r\n\r\n", b"\x00" * 1000),
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    on_databases(metafunc)


@pytest.fixture
def libraries() -> Iterator[list[str]]:
    """What libraries log above the level of debugging."""
    logged, root, handler = list[str](), logging.getLogger(), logging.Handler(logging.INFO)
    handler.emit = lambda record: logged.append(logging.Formatter().format(record))  # type: ignore[method-assign]
    root.addHandler(handler)
    yield logged
    root.removeHandler(handler)


@dataclass
class Server:
    """The pages on a port, and the secrets of a player and a program."""

    port: int
    #: The methods of all routes, with addresses of existing things.
    routes: list[tuple[str, str]]
    cookie: bytes
    bearer: bytes

    async def send(self, request: bytes) -> bytes:
        """The status line of the answer to a request; empty if the connection is closed instead."""
        async with asyncio.timeout(20):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            line = b""
            with suppress(ConnectionError):
                writer.write(request)
                reading = asyncio.create_task(reader.readline())
                if not (await asyncio.wait([reading], timeout=1))[0]:  # it waits for the rest
                    writer.write_eof()
                line = await reading
            writer.transport.abort()
            return line

    async def send_all(self, requests: list[bytes]) -> None:
        """Send requests; none may fail."""
        for first in range(0, len(requests), 10):
            some = requests[first : first + 10]
            for request, line in zip(some, await asyncio.gather(*map(self.send, some)), strict=True):
                assert line == b"" or re.match(rb"HTTP/\d\.\d [1-4]\d\d ", line), (request[:3000], line)


@pytest.fixture
async def server(database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    async def unknown(_self: activity.Activity, _code: str) -> None:
        raise activity.UnknownCodeError

    monkeypatch.setattr(activity.Activity, "player", unknown)
    monkeypatch.setattr("bot.web.http.live.POLL", 0.01)
    for limit in ("http.middleware._AT_ONCE", "http.live._OF_ONE", "api.routes._PER_MINUTE"):
        monkeypatch.setattr(f"bot.web.{limit}", 10**6)
    discord = activity.Activity("1", "secret", "http://127.0.0.1:1", origins=(), around="'none'")
    async with site_on(database, clock, activity=discord) as site:
        program = await connect(site)
        site.pages.proxies = Proxies((ip_network("127.0.0.1"), ip_network("10.0.0.0/24")))
        match = await start(site.services.matches, ALICE, CAROL, turns=("e5", "dark"))
        secret, _ = await site.services.doors.enter(await site.services.doors.invite(ALICE))
        names = {
            "game": "dalen",
            "puzzle": puzzles("dalen")[0].key,
            "stamp": "0" * 12,
            "token": "x",
            "name": "x",
            "state": "paused",
        }
        numbers = {"number": 1, "id": 1, "size": 8, "orientation": 0, "around": ""}
        keys = (await site.path(match)).removeprefix("/m/"), await start_with_program(site, program)
        routes = []
        for route in site.pages.application().router.routes():
            assert route.resource is not None
            pattern = route.resource.get_info().get("formatter") or route.resource.canonical
            routes.append((route.method, pattern.format(key=keys[pattern.startswith("/api/")], **names, **numbers)))
        port = unused_port()
        async with site.pages.serving("127.0.0.1", port):
            cookie, bearer = f"Cookie: hexgrove={secret}", f"Authorization: Bearer {program.token}"
            yield Server(port, routes, cookie.encode(), bearer.encode())


def odd_requests(server: Server, chance: random.Random, method: str, path: str, many: int) -> Iterator[bytes]:
    """Yield requests for an address with an odd path, query, header or body, by all kinds of visitors."""
    cookie, bearer = server.cookie, server.bearer
    for _ in range(many):
        target, headers, body = path, [b"Host: 127.0.0.1", b"Connection: close"], b""
        headers += chance.choice([[], [cookie, b"Sec-Fetch-Site: same-origin"], [bearer], [cookie, bearer]])
        what = chance.randrange(4)
        if what == 0:
            pieces = target.split("/")
            pieces[chance.randrange(1, len(pieces))] = quote(chance.choice(ODD)[:2000])
            target = "/".join(pieces)
        raw = target.encode()
        if what in (0, 1):
            values = {name: chance.choice(ODD)[:3500] for name in chance.sample(FIELDS, 3)}
            raw += b"?" + urlencode(values).encode()[:6000] + chance.choice([b"", b"&\xff=\xff", b"&=%", b"&step=1"])
        if what in (2, 3):
            odd = chance.choice(HEADERS)
            headers = [header for header in headers if header.split(b":")[0] != odd.split(b":")[0]] + [odd]
        if method == "POST" or what == 3:
            kind, body = chance.choice(BODIES)
            if chance.random() < 0.4:
                form = {name: chance.choice(ODD) for name in FIELDS if chance.random() < 0.7}
                kind, body = FORM, urlencode(form).encode()[:30_000]
            headers += [b"Content-Type: " + kind]
            if not any(header.startswith((b"Content-Length", b"Transfer-Encoding")) for header in headers):
                headers += [b"Content-Length: %d" % len(body)]
        verb = method.encode()
        if chance.random() < 0.1:
            verb = chance.choice([b"PUT", b"HEAD", b"OPTIONS", b"get", b"X-\xff"])
        yield verb + b" " + raw + b" HTTP/1.1\r\n" + b"\r\n".join(headers) + b"\r\n\r\n" + body


@pytest.mark.both_databases
async def test_odd_requests_are_refused_without_a_failure_or_log(
    server: Server, log: list[EventDict], libraries: list[str]
) -> None:
    chance = random.Random(1)
    for method, path in server.routes:
        await server.send_all(list(odd_requests(server, chance, method, path, MANY)))
    await server.send_all(INVALID)
    common = HOST + b"Connection: close\r\nSec-Fetch-Site: same-origin\r\n"
    await server.send_all([b"GET /puzzle" + common + header + b"\r\n\r\n" for header in HEADERS])
    note = next(path for method, path in server.routes if method == "POST" and path.endswith("/note"))
    for kind, body in BODIES:
        for encoding in (b"", b"Content-Encoding: gzip\r\n"):
            rest = b"\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s" % (kind, len(body), encoding, body)
            await server.send_all([b"POST " + note.encode() + common + server.cookie + rest])
    assert [event for event in log if event["log_level"] != "debug"] == []
    assert libraries == []
