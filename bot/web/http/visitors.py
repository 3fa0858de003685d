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
from bot.services.people.doors import Doors
from bot.services.people.programs import Programs
from bot.services.people.settings import Settings
from bot.texts import language_of
from bot.wording.looks import private_look

#: How long a browser keeps the cookie, which every use of the session renews.
_MAX_AGE = 30 * 24 * 60 * 60
#: Maximum characters of a secret in a cookie, and of the languages in a header.
_LONGEST = 100
_BEARER = "Bearer "
#: The beginning of the addresses for programs.
API = "/api/"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a request: a person, perhaps in a Discord Activity; without a session, ``player_id`` is None.

    At an address for programs, it is the ``program``.
    """

    address: str
    language: str
    preferences: Preferences = field(default_factory=Preferences)
    player_id: int | None = None
    in_activity: bool = False
    program: Program | None = None

    @property
    def person(self) -> int:
        """A number for the person, program or address, for limits and fair turns; it is negative for addresses."""
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
    """Recognises visitors by a cookie, sent only over HTTPS if ``secure``.

    With ``activities``, a Discord Activity sends the secret in the ``Authorization`` header, as no other site can; its
    cookies do not count. Nor do cookies at the addresses for programs, which send their tokens in that header.
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

    def stranger(self, request: web.Request) -> Visitor:
        """A visitor known only by address and the languages of the browser."""
        if is_for_programs(request):
            return Visitor(self.proxies.visitor_of(request), texts.SOURCE)
        return Visitor(
            self.proxies.visitor_of(request), _browser_language(request), in_activity=self.in_activity(request)
        )

    async def visitor(self, request: web.Request, stranger: Visitor | None = None) -> Visitor:
        """The visitor who sends a request, perhaps known already as a ``stranger``.

        Raises :class:`TokenError` for a program without a valid token.
        """
        stranger = stranger or self.stranger(request)
        if is_for_programs(request):
            return await self._program(request, stranger)
        secret = self.secret(request)
        session = None if secret is None else await self.doors.session(secret, in_activity=stranger.in_activity)
        if session is None:
            return stranger
        preferences = await self.settings.preferences(session.player_id)
        language = preferences.language or stranger.language
        return replace(stranger, language=language, preferences=preferences, player_id=session.player_id)

    async def _program(self, request: web.Request, stranger: Visitor) -> Visitor:
        """The visitor with the program that sends a request. Reading the API's description needs no token."""
        header = request.headers.get("Authorization", "")
        if not header:
            return stranger
        scheme, _space, token = header.partition(" ")
        if scheme.lower() != "bearer" or len(token) > _LONGEST:  # some clients write the scheme in lower case
            raise TokenError
        return replace(stranger, program=await self.programs.recognise(token))

    def in_activity(self, request: web.Request) -> bool:
        """Whether an Activity sends the request."""
        return (
            self.activities
            and not is_for_programs(request)
            and request.headers.get("Authorization", "").startswith(_BEARER)
        )

    def secret(self, request: web.Request) -> str | None:
        """The secret of the session, from the Activity or the browser's cookie."""
        if self.in_activity(request):
            secret = request.headers["Authorization"].removeprefix(_BEARER)
        else:
            secret = request.cookies.get(self.cookie, "")
        return secret if 0 < len(secret) <= _LONGEST else None

    def remember(self, response: web.StreamResponse, secret: str) -> None:
        """Have the browser remember a session."""
        response.set_cookie(
            self.cookie, secret, max_age=_MAX_AGE, path="/", secure=self.secure, httponly=True, samesite="Lax"
        )

    def renew(self, request: web.Request, response: web.StreamResponse) -> None:
        """Have the browser remember the session again for the full time."""
        secret = self.secret(request)
        if secret is not None and not self.in_activity(request) and self.cookie not in response.cookies:
            self.remember(response, secret)

    def forget(self, response: web.StreamResponse) -> None:
        response.del_cookie(self.cookie, path="/", secure=self.secure, httponly=True, samesite="Lax")


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies trusted to name a visitor's address."""

    networks: tuple[IPv4Network | IPv6Network, ...]

    def have(self, address: str) -> bool:
        found = _address(address)
        return found is not None and any(found in each for each in self.networks)

    def visitor_of(self, request: web.Request) -> str:
        """The address of a visitor. The many IPv6 addresses of a network count as one."""
        near = request.remote or ""
        told = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        text = told if self.have(near) and _address(told) is not None else near
        address = _address(text)
        return text if not isinstance(address, IPv6Address) else str(IPv6Network((address, 64), strict=False))


def is_for_programs(request: web.Request) -> bool:
    return request.path.startswith(API)


@lru_cache(1000)  # parsing takes half as long as a short answer
def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return (isinstance(found, IPv6Address) and found.ipv4_mapped) or found


def _browser_language(request: web.Request) -> str:
    """The first of the browser's languages that the bot supports."""
    for entry in request.headers.get("Accept-Language", "")[:_LONGEST].split(","):
        language = entry.partition(";")[0].strip().lower()
        if language.partition("-")[0] in texts.LANGUAGES:
            return language_of(language)
    return texts.SOURCE
