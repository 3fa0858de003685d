"""The visitors of pages: their sessions, preferences, languages and addresses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from aiohttp import web

import render
from bot import texts
from bot.domain.matches import Game, Match
from bot.domain.players import Program, TokenError
from bot.domain.preferences import Preferences
from bot.pictures import private_look
from bot.services.people.doors import Doors
from bot.services.people.programs import Programs
from bot.services.people.settings import Settings
from bot.texts import language_of

#: Seconds for which a browser keeps the cookie; every use of the session renews it.
_MAX_AGE = 30 * 24 * 60 * 60
#: Maximum characters of a secret, and of the languages in a header.
_LONGEST = 100
_BEARER = "Bearer "
#: The beginning of addresses for programs.
API = "/api/"


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request: a person, perhaps in a Discord Activity, or a ``program`` at an address for programs.

    ``player_id`` is None without a session.
    """

    address: str
    language: str
    preferences: Preferences = field(default_factory=Preferences)
    player_id: int | None = None
    in_activity: bool = False
    program: Program | None = None

    @property
    def person(self) -> int:
        """A number that identifies the person, program or address for limits and fair turns; negative for addresses."""
        if self.program is not None:
            return self.program.id
        return self.player_id if self.player_id is not None else ~(hash(self.address) & 0xFFFFFFFF)

    def plays(self, match: Match) -> bool:
        return self.player_id is not None and match.has_player(self.player_id)

    def owns(self, match: Match) -> bool:
        """Whether the visitor plays the match or has imported it."""
        return self.player_id is not None and match.belongs_to(self.player_id)

    def look(self, game: Game) -> render.Look:
        """The look of pictures of a game."""
        return private_look(self.preferences, game, self.player_id if self.plays(game.match) else None)


@dataclass
class Visitors:
    """Recognises browsers by a cookie, which they send only over HTTPS if ``secure``.

    Programs, and with ``activities`` also Discord Activities, send a secret in the ``Authorization`` header instead,
    as no other site can. Their cookies do not count.
    """

    doors: Doors
    programs: Programs
    settings: Settings
    secure: bool
    proxies: Proxies
    activities: bool = False

    @property
    def cookie(self) -> str:
        return "__Host-hexgrove" if self.secure else "hexgrove"

    def anonymous(self, request: web.Request) -> Visitor:
        """The sender of a request, known only by address and browser language."""
        language = texts.SOURCE if is_for_programs(request) else _browser_language(request)
        return Visitor(self.proxies.client_of(request), language, in_activity=self.in_activity(request))

    async def visitor(self, request: web.Request) -> Visitor:
        """The sender of a request. Raises :class:`TokenError` for a program with a wrong token."""
        anonymous = self.anonymous(request)
        if is_for_programs(request):
            return await self._program(request, anonymous)
        secret = self.secret(request)
        session = None if secret is None else await self.doors.session(secret, in_activity=anonymous.in_activity)
        if session is None:
            return anonymous
        preferences = await self.settings.preferences(session.player_id)
        language = preferences.language or anonymous.language
        return replace(anonymous, language=language, preferences=preferences, player_id=session.player_id)

    async def _program(self, request: web.Request, anonymous: Visitor) -> Visitor:
        """The program that sends a request. Reading the API's description needs no token."""
        header = request.headers.get("Authorization", "")
        if not header:
            return anonymous
        scheme, _space, token = header.partition(" ")
        if scheme.lower() != "bearer" or len(token) > _LONGEST:  # some clients write it in lower case
            raise TokenError
        return replace(anonymous, program=await self.programs.recognise(token))

    def in_activity(self, request: web.Request) -> bool:
        """Whether an Activity sends the request."""
        return (
            self.activities
            and not is_for_programs(request)
            and request.headers.get("Authorization", "").startswith(_BEARER)
        )

    def secret(self, request: web.Request) -> str | None:
        """The secret of the session, sent by the Activity or as a cookie."""
        if self.in_activity(request):
            secret = request.headers["Authorization"].removeprefix(_BEARER)
        else:
            secret = request.cookies.get(self.cookie, "")
        return secret if 0 < len(secret) <= _LONGEST else None

    def set_cookie(self, response: web.StreamResponse, secret: str) -> None:
        response.set_cookie(
            self.cookie, secret, max_age=_MAX_AGE, path="/", secure=self.secure, httponly=True, samesite="Lax"
        )

    def renew_cookie(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let the browser keep the cookie for the full time again."""
        secret = self.secret(request)
        if secret is not None and not self.in_activity(request) and self.cookie not in response.cookies:
            self.set_cookie(response, secret)

    def delete_cookie(self, response: web.StreamResponse) -> None:
        response.del_cookie(self.cookie, path="/", secure=self.secure, httponly=True, samesite="Lax")


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies that are trusted to name the addresses of their clients."""

    networks: tuple[IPv4Network | IPv6Network, ...]

    def trust(self, address: str) -> bool:
        parsed = _parsed(address)
        return parsed is not None and any(parsed in network for network in self.networks)

    def client_of(self, request: web.Request) -> str:
        """The address of a request's client. The many IPv6 addresses of a network count as one."""
        peer = request.remote or ""
        forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        text = forwarded if self.trust(peer) and _parsed(forwarded) is not None else peer
        address = _parsed(text)
        return text if not isinstance(address, IPv6Address) else str(IPv6Network((address, 64), strict=False))


def is_for_programs(request: web.Request) -> bool:
    return request.path.startswith(API)


@lru_cache(1000)  # parsing takes half as long as a short answer
def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _browser_language(request: web.Request) -> str:
    """The browser's first language that the bot supports."""
    for entry in request.headers.get("Accept-Language", "")[:_LONGEST].split(","):
        language = entry.partition(";")[0].strip().lower()
        if language.partition("-")[0] in texts.LANGUAGES:
            return language_of(language)
    return texts.SOURCE
