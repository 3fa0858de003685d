"""Discord as an Activity sees it: the client around the frame, the proxy, and OAuth."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.domain.players import Player
from bot.storage import Database
from bot.web.pages.activity import Activity
from tests.support.services.matches import Clock
from tests.support.web.pages import Site, site_on

CLIENT_ID, SECRET = "123456789012345678", "secret"
#: A page that answers as Discord's client does, for the person named by its query.
_CLIENT = """
<!doctype html>
<iframe width="380" height="760" sandbox="allow-scripts %s" src="%s"></iframe>
<script>
const links = [];
addEventListener("message", async ({ source, data: [code, { cmd, args, nonce, client_id, frame_id }] }) => {
  const tell = (message) => source.postMessage([1, message], "*");
  if (code === 0 && client_id && frame_id) tell({ cmd: "DISPATCH", evt: "READY", data: { v: 1 } });
  if (cmd === "OPEN_EXTERNAL_LINK") links.push(args.url);
  if (cmd !== "AUTHORIZE") return;
  const given = await (await fetch("/code" + location.search)).text();
  tell(given ? { cmd, nonce, data: { code: given } } : { cmd, nonce, evt: "ERROR", data: { message: "no" } });
});
</script>
"""
_SCRIPT = re.compile(r'<script nonce="[^"]*">')


@dataclass
class FakeDiscord:
    """Discord's client, proxy and OAuth on loopback ports; ``people`` are its users."""

    people: dict[str, Player] = field(default_factory=dict)
    #: The valid codes, each with its person, and the tokens that were requested.
    codes: dict[str, str] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)
    frame: str = ""

    async def start(self, stack: AsyncExitStack) -> Activity:
        """Serve the client and OAuth, and return the settings of an application there."""
        made = web.Application()
        made.router.add_get("/", self._client)
        made.router.add_get("/code", self._code)
        made.router.add_post("/api/v10/oauth2/token", self._token)
        made.router.add_get("/api/v10/users/@me", self._me)
        server = await _serve(made, stack)
        self.stop, self.base = server.close, f"http://localhost:{server.port}"
        return Activity(CLIENT_ID, SECRET, str(server.make_url("/api/v10")), origins=(self.base,), around=self.base)

    async def stand_before(self, site: str, stack: AsyncExitStack) -> None:
        """Serve a proxy in front of a site."""
        self._site, self._session = site, aiohttp.ClientSession(auto_decompress=False)
        made = web.Application()
        made.on_shutdown.append(lambda _: self._session.close())
        made.router.add_route("*", "/{rest:.*}", self._pass_on)
        self.frame = str((await _serve(made, stack)).make_url("")).rstrip("/")

    def client(self, person: str, key: str = "", *, sandbox: str = "") -> str:
        """The address of a person's client with the Activity open, optionally by a link to a match."""
        return f"{self.base}/?{urlencode({'person': person, 'key': key, 'sandbox': sandbox})}"

    def authorize(self, person: str) -> str:
        """Make a code for a person."""
        code = f"code{len(self.codes)}of{person}"
        self.codes[code] = person
        return code

    async def _client(self, request: web.Request) -> web.Response:
        options = {"instance_id": "i", "frame_id": "f", "platform": "desktop", "channel_id": "1"}
        if request.query["key"]:
            options["custom_id"] = request.query["key"]
        page = _CLIENT % (request.query["sandbox"], f"{self.frame}/?{urlencode(options)}".replace("&", "&amp;"))
        return web.Response(text=page, content_type="text/html")

    async def _code(self, request: web.Request) -> web.Response:
        person = request.query["person"]
        return web.Response(text=self.authorize(person) if person in self.people else "")

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        if (form["client_id"], form["client_secret"]) != (CLIENT_ID, SECRET):
            return web.json_response({"error": "invalid_client"}, status=401)
        person = self.codes.pop(str(form["code"]), None)
        if person is None or form["grant_type"] != "authorization_code":
            return web.json_response({"error": "invalid_grant"}, status=400)
        self.tokens.append(person)
        return web.json_response({"access_token": f"token-{person}", "token_type": "Bearer", "scope": "identify"})

    async def _me(self, request: web.Request) -> web.Response:
        person = request.headers["Authorization"].removeprefix("Bearer token-")
        player = self.people[person]
        return web.json_response({"id": str(player.id), "username": person.lower(), "global_name": player.name})

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        """Forward a request. The answer gets Discord's policy, and inline scripts get its nonce.

        The site's stylesheets and pictures are refused, as in Discord's sandbox, where ``'self'`` means nothing.
        """
        headers = {name: value for name, value in request.headers.items() if name not in ("Host", "Accept-Encoding")}
        url, body = self._site + request.path_qs, await request.read()
        async with self._session.request(
            request.method, url, headers=headers, data=body or None, allow_redirects=False
        ) as answered:
            kept = {
                name: value
                for name, value in answered.headers.items()
                if name not in ("Content-Length", "Transfer-Encoding")
            }
            kept["Content-Security-Policy"] = (
                "script-src 'self' 'unsafe-eval' 'nonce-discord' blob:; style-src 'none'; img-src blob: data:; "
                f"connect-src {self.frame}/ data: blob:"
            )
            if answered.content_type == "text/html":
                text = _SCRIPT.sub('<script nonce="discord">', await answered.text())
                return web.Response(text=text, status=answered.status, headers=kept)
            answer = web.StreamResponse(status=answered.status, headers=kept)
            await answer.prepare(request)
            with suppress(aiohttp.ClientError, ConnectionError):
                async for part in answered.content.iter_any():
                    await answer.write(part)
            return answer


async def _serve(made: web.Application, stack: AsyncExitStack) -> TestServer:
    server = TestServer(made)
    await server.start_server()
    stack.push_async_callback(server.close)
    return server


@asynccontextmanager
async def activity_on(database: Database, clock: Clock, *people: Player) -> AsyncIterator[tuple[Site, FakeDiscord]]:
    """Serve a database's match pages as an Activity on a Discord with these people."""
    fake = FakeDiscord({player.name: player for player in people})
    async with AsyncExitStack() as stack:
        activity = await fake.start(stack)
        site = await stack.enter_async_context(site_on(database, clock, activity=activity))
        await fake.stand_before(site.base, stack)
        yield site, fake
