"""The pages as a Discord Activity: its document, and sign-in with a code from Discord."""

from __future__ import annotations

from dataclasses import dataclass

import aiohttp
import structlog
from aiohttp import web

from bot.domain.players import Names, Player
from bot.runtime.fair_queue import FairQueue
from bot.services.people.doors import Doors
from bot.web.html import templates
from bot.web.http.answers import answer, nonce_of, policy
from bot.web.http.requests import ADMISSION, VISITOR, form_of

_LOG = structlog.get_logger(__name__)
#: Discord's API.
API = "https://discord.com/api/v10"
#: The origins of Discord's clients, as in Discord's own library; phone apps can have the origin ``null``.
_ORIGINS = (
    *(f"https://{client}{host}" for client in ("", "ptb.", "canary.") for host in ("discord.com", "discordapp.com")),
    "null",
)
#: The sites on which Discord shows an Activity in a frame.
_AROUND = "https://discord.com https://*.discord.com"
#: Maximum codes checked with Discord at once. Limits on requests bound the queue.
_AT_ONCE = 4
#: The timeout of Discord's answers.
_PATIENCE = aiohttp.ClientTimeout(total=10)


class UnknownCodeError(Exception):
    """Discord does not say to whom a code belongs."""


@dataclass(frozen=True)
class Activity:
    """The application whose Activity shows the pages.

    ``api`` is the address of Discord's API, ``origins`` are the origins of its clients, and the sites ``around`` may
    show the pages in a frame.
    """

    client_id: str
    secret: str
    api: str = API
    origins: tuple[str, ...] = _ORIGINS
    around: str = _AROUND

    async def player(self, code: str) -> Player:
        """The player to whom Discord gave a code. Raises :class:`UnknownCodeError`.

        Only Discord's answer counts, not the page's claim. The access token is used for this question alone.
        """
        form = {
            "client_id": self.client_id,
            "client_secret": self.secret,
            "grant_type": "authorization_code",
            "code": code,
        }
        try:
            async with aiohttp.ClientSession(timeout=_PATIENCE, raise_for_status=True) as session:
                async with session.post(f"{self.api}/oauth2/token", data=form) as response:
                    token = (await response.json())["access_token"]
                headers = {"Authorization": f"Bearer {token}"}
                async with session.get(f"{self.api}/users/@me", headers=headers) as response:
                    user = await response.json()
            names = Names(user.get("global_name") or user["username"], user["username"])
            return Player(int(user["id"]), names.account, names)
        except (aiohttp.ClientError, TimeoutError, LookupError, TypeError, ValueError) as error:  # or an odd answer
            status = error.status if isinstance(error, aiohttp.ClientResponseError) else None
            _LOG.warning("activity_not_entered", status=status)
            raise UnknownCodeError from error


@dataclass
class ActivityRoutes:
    doors: Doors
    activity: Activity

    def __post_init__(self) -> None:
        self._asking = FairQueue(_AT_ONCE)

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post(ADMISSION, self.admit)

    def document(self, request: web.Request) -> web.Response:
        """The document that Discord shows in a frame. It fetches all pages."""
        response = answer(request, "activity.html", activity=self.activity, style=templates.stylesheet())
        csp = policy(nonce_of(request), pictures="blob:", around=self.activity.around)
        response.headers["Content-Security-Policy"] = csp
        return response

    async def admit(self, request: web.Request) -> web.StreamResponse:
        """Begin a session with a code from Discord, and answer with its secret."""
        code = (await form_of(request)).get("code", "")
        async with self._asking.slot(request[VISITOR].person):
            try:
                player = await self.activity.player(code)
            except UnknownCodeError:
                raise web.HTTPForbidden from None
        return web.Response(text=await self.doors.admit(player))
