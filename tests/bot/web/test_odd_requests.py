"""Whatever a request contains is the asker's fault: it is refused, and nothing is logged."""

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
from aiohttp import web
from aiohttp.test_utils import unused_port
from structlog.typing import EventDict

from bot.storage import Database
from bot.web.http.visitors import Proxies
from bot.web.pages import activity
from rules.puzzles import puzzles
from tests.support.pages import site_on
from tests.support.programs import connect
from tests.support.programs import start as start_with_program
from tests.support.services import ALICE, CAROL, Clock, start
from tests.support.thorough import THOROUGH, on_databases

#: How many odd requests every address gets.
MANY = 300 if THOROUGH else 6
#: What no text may contain, and what some readers of numbers or names trip over.
ODD = [
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xe2\x84\x80",
    "٣".encode(),
    "²".encode(),
    b"\x00",
    b"\x7f",
    b"'\"<>&;",
    b"-1",
    b"9" * 30,
    b"9" * 5000,
    b"1e999",
    b"[",
    b"%",
    b"{}",
    b"../..",
    b"",
]
HEADERS = [
    *[name + b": " + value for name in (b"Cookie: hexgrove=", b"Cookie", b"Origin", b"Part") for value in ODD[:5]],
    *[b"Authorization: " + kind + value for kind in (b"Bearer ", b"bearer ", b"") for value in ODD[:5]],
    b'Cookie: hexgrove="\\377\\000"',
    b"Cookie: hexgrove=a; hexgrove=b; $Path=/; =; ;;",
    b"Origin: http://[",
    b"Origin: http://a]",
    b"Origin: http://\xe2\x84\x80.com",
    b"Origin: http://127.0.0.1:99999999",
    b"Origin: null",
    b"Sec-Fetch-Site: \xff",
    b"Sec-Fetch-Site: cross-site",
    b"Accept-Language: \xff,;;,de-\xff,zh;q=\xff",
    b"Accept-Encoding: \xff",
    *[
        b"X-Forwarded-For: " + each
        for each in (b"\xff", b"fe80::1%eth0", b"::ffff:1.2.3.4", b"1.2.3.4:5", b"[::1]", b",")
    ],
    *[b"Content-Encoding: " + each for each in (b"gzip", b"deflate", b"br", b"zstd", b"identity", b"\xff")],
    *[b"Transfer-Encoding: " + each for each in (b"chunked", b"gzip, chunked", b"\xff")],
    *[b"Content-Length: " + each for each in (b"-1", b"x", b"9" * 30, "٣".encode(), b"1000000")],
    *[b"Expect: " + each for each in (b"100-continue", b"\xff")],
    b"Upgrade: websocket\r\nConnection: Upgrade",
    b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: \xff",
    b"Range: bytes=\xff",
    b"If-Modified-Since: \xff",
    b"Host: [",
    b"Host: \xff",
    b"Host: 127.0.0.1:99999999",
    b"Host: a@b:c",
    b"Host:",
    b"X" * 9000 + b": x",
    b"No-Colon",
    b" Folded: x",
    b"\xff: x",
    b"X: \x00",
]
FORM = b"application/x-www-form-urlencoded"
PARTS = b"multipart/form-data; boundary=x"


def part(headers: bytes, content: bytes = b"x") -> bytes:
    return b"--x\r\n" + headers + b"\r\n\r\n" + content + b"\r\n--x--\r\n"


NAMED = b'Content-Disposition: form-data; name="press"'
BODIES = [
    *[
        (FORM + b"; charset=" + each, b"press=%ff")
        for each in (b"x", b"hex", b"idna", b"undefined", b"utf-16", b"\xff")
    ],
    (FORM, b"press=%ff&step=%ed%a0%80&=&&==&" + b"a=1&" * 2000),
    (FORM, b"\xff\x00=\xff\x00"),
    (FORM, b"x" * 40_000),
    (b"", b"press=1"),
    (b"\xff/\xff; =", b"press=1"),
    (b"multipart/form-data", part(NAMED)),
    (b"multipart/form-data; boundary=", part(NAMED)),
    (b"multipart/form-data; boundary=" + b"x" * 200, part(NAMED)),
    (b"multipart/form-data; boundary=\xff", part(NAMED)),
    (PARTS, part(NAMED)[:-10]),
    (PARTS, b"--y--\r\n"),
    (PARTS, part(b"Content-Disposition: form-data")),
    (PARTS, part(b"Content-Disposition: \xff; name=\xff")),
    (PARTS, part(b"")),
    (PARTS, part(NAMED + b'; filename="a"')),
    (PARTS, part(NAMED + b"\r\nContent-Type: multipart/mixed; boundary=z", b"--z--")),
    (PARTS, part(b'Content-Disposition: form-data; name="_charset_"', b"x")),
    (PARTS, part(b'Content-Disposition: form-data; name="_charset_"', b"\xff" * 100)),
    *[
        (PARTS, part(NAMED + b"\r\nContent-Transfer-Encoding: " + each, b"\xff=="))
        for each in (b"x", b"base64", b"quoted-printable", b"binary", b"\xff")
    ],
    *[(PARTS, part(NAMED + b"\r\nContent-Encoding: " + each)) for each in (b"gzip", b"deflate", b"x")],
    *[(PARTS, part(NAMED + b"\r\nContent-Type: text/plain; charset=" + each)) for each in (b"x", b"hex", b"\xff")],
    *[
        (b"application/json", each)
        for each in (
            b"",
            b"\xff",
            b"null",
            b"[" * 10_000,
            b'{"step": 1, "turn": "\\ud800"}',
            b'{"step": 1, "turn": "\\u0000"}',
            b'{"step": 1e999, "turn": ""}',
            b'{"step": %s, "turn": "e5"}' % (b"9" * 30),
            b'{"step": %s, "turn": "e5"}' % (b"9" * 6000),
            b'{"answer": "\\ud800"}',
            b'{"answer": {}}',
        )
    ],
    *[(b"application/json; charset=" + each, b'{"answer": "accept"}') for each in (b"x", b"hex", b"utf-16", b"\xff")],
]
#: The names of the fields of all forms, and of all queries.
FIELDS = (
    *("step", "draft", "begun", "press", "near", "cell", "kind", "proposal", "answer", "left", "level", "note", "seen"),
    *("at", "ply", "tried", "found", "game", "code", "confirmation", "key", "delete", "marks", "on", "over", "better"),
    *("language", "theme", "orientation", "coordinates", "page", "wait", "legal", "frame_id", "large", "refused"),
)
#: Nothing that HTTP knows.
STRANGE = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /\r\n\r\n",
    b"GET http://[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET http://127.0.0.1:99999999/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET //[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"CONNECT a:b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"CONNECT 127.0.0.1:99999999 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"\xff\xff / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /\xff\xed\xa0\x80?\xff=\xff#\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /m/\xff HTTP/1.0\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n",
    b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
    b"POST /out HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\xff",
    b"\r\n\r\n\r\n",
    b"\x00" * 1000,
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests that store odd texts, which are marked, on each kind of database."""
    on_databases(metafunc)


class _Loud(logging.Handler):
    """What the libraries log above the level of debugging."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(f"{record.name}: {record.getMessage()} {record.exc_info and record.exc_info[1]!r}")


@pytest.fixture
def libraries() -> Iterator[list[str]]:
    handler = _Loud()
    logging.getLogger().addHandler(handler)
    yield handler.said
    logging.getLogger().removeHandler(handler)


@dataclass
class Door:
    """The pages on a port, with everybody who has something there."""

    port: int
    #: The methods and addresses of all routes, for somebody with a match, a challenge or a program.
    routes: list[tuple[str, str]]
    cookie: str
    token: str

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
        """None of these requests may fail."""
        for first in range(0, len(requests), 10):
            some = requests[first : first + 10]
            for request, line in zip(some, await asyncio.gather(*map(self.send, some)), strict=True):
                assert line == b"" or re.match(rb"HTTP/\d\.\d [1-4]\d\d ", line), (request[:3000], line)


@pytest.fixture
async def door(database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Door]:
    async def nobody(_self: activity.Activity, _code: str) -> None:
        raise activity.UnknownCodeError

    monkeypatch.setattr(activity.Activity, "player", nobody)
    discord = activity.Activity("1", "secret", "http://127.0.0.1:1", origins=(), around="'none'")
    monkeypatch.setattr("bot.web.http.live.POLL", 0.01)
    monkeypatch.setattr("bot.web.http.middleware._AT_ONCE", 10**6)
    monkeypatch.setattr("bot.web.http.live._OF_ONE", 10**6)
    monkeypatch.setattr("bot.web.api.routes._PER_MINUTE", 10**6)
    async with site_on(database, clock, activity=discord) as site:
        program = await connect(site)
        site.pages.proxies = Proxies((ip_network("127.0.0.1"), ip_network("10.0.0.0/24")))
        match = await start(site.services.matches, ALICE, CAROL, turns=("e5", "dark"))
        secret, _ = await site.services.doors.enter(await site.services.doors.invite(ALICE))
        played = await start_with_program(site, program)
        named = {
            "key": (await site.path(match)).removeprefix("/m/"),
            "game": "dalen",
            "number": "1",
            "puzzle": puzzles("dalen")[0].key,
            "token": "x",
            "id": "1",
            "name": "x",
            "stamp": "0" * 12,
            "size": "8",
            "orientation": "0",
            "around": "",
        }
        port = unused_port()
        async with site.pages.serving("127.0.0.1", port):
            routes = list(_routes(site.pages.application(), named, str(played)))
            yield Door(port, routes, secret, program.token)


def _routes(application: web.Application, named: dict[str, str], played: str) -> Iterator[tuple[str, str]]:
    for route in application.router.routes():
        assert route.resource is not None
        pattern = route.resource.get_info().get("formatter") or route.resource.canonical
        values = {**named, "key": played} if pattern.startswith("/api/") else named
        yield route.method, pattern.format(**values)


def odd_requests(door: Door, chance: random.Random, method: str, path: str, many: int) -> Iterator[bytes]:
    """Requests for an address with something odd in their path, query, headers or body, for each kind of visitor."""
    host = b"Host: 127.0.0.1"
    cookie = b"Cookie: hexgrove=" + door.cookie.encode()
    bearer = b"Authorization: Bearer " + door.token.encode()
    for _ in range(many):
        target, headers, body = path, [host, b"Connection: close"], b""
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
            headers = [each for each in headers if each.split(b":")[0] != odd.split(b":")[0]] + [odd]
        if method == "POST" or what == 3:
            kind, body = chance.choice(BODIES)
            if chance.random() < 0.4:
                kind = FORM
                body = urlencode({name: chance.choice(ODD) for name in FIELDS if chance.random() < 0.7}).encode()[
                    :30_000
                ]
            headers += [b"Content-Type: " + kind]
            if not any(each.startswith((b"Content-Length", b"Transfer-Encoding")) for each in headers):
                headers += [b"Content-Length: %d" % len(body)]
        asked = (
            chance.choice([b"PUT", b"HEAD", b"OPTIONS", b"get", b"X-\xff"])
            if chance.random() < 0.1
            else method.encode()
        )
        yield asked + b" " + raw + b" HTTP/1.1\r\n" + b"\r\n".join(headers) + b"\r\n\r\n" + body


@pytest.mark.both_databases
async def test_no_odd_request_fails_or_is_logged(door: Door, log: list[EventDict], libraries: list[str]) -> None:
    chance = random.Random(1)
    host = b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nSec-Fetch-Site: same-origin\r\n"
    for method, path in door.routes:
        await door.send_all(list(odd_requests(door, chance, method, path, MANY)))
    await door.send_all(STRANGE)
    await door.send_all([b"GET /puzzle" + host + each + b"\r\n\r\n" for each in HEADERS])
    mine = host + b"Cookie: hexgrove=" + door.cookie.encode() + b"\r\n"
    for kind, body in BODIES:
        for encoding in (b"", b"Content-Encoding: gzip\r\n"):
            rest = b"Content-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s" % (kind, len(body), encoding, body)
            address = next(path for method, path in door.routes if method == "POST" and path.endswith("/note"))
            await door.send_all([b"POST " + address.encode() + mine + rest])
    assert [event for event in log if event["log_level"] != "debug"] == []
    assert libraries == []
