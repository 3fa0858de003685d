"""The server of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from bot.runtime.listening import OpenConnections, listening
from bot.services.services import Services
from bot.web.api.failures import failure
from bot.web.api.routes import ApiRoutes
from bot.web.api.stream import Streams
from bot.web.board.advice import Advice
from bot.web.http.answers import ORIGIN
from bot.web.http.live import Live
from bot.web.http.middleware import Middleware
from bot.web.http.shared_cache import SharedCache
from bot.web.http.visitors import Proxies, Visitors
from bot.web.pages.actions import ActionRoutes
from bot.web.pages.activity import Activity, ActivityRoutes
from bot.web.pages.anyone import AnyoneRoutes
from bot.web.pages.doors import DoorRoutes
from bot.web.pages.files import FileRoutes
from bot.web.pages.front import Front, IsPublic
from bot.web.pages.learn import LearnRoutes
from bot.web.pages.match import MatchRoutes
from bot.web.pages.play import ComputerMatches, Conversation, PlayRoutes
from bot.web.pages.puzzles import PuzzleRoutes
from bot.web.pages.reviews import ReviewRoutes
from bot.web.pages.rules import RuleRoutes
from bot.web.pages.tries import TryRoutes
from bot.web.pages.turns import TurnRoutes

#: Maximum bytes of a request.
_LARGEST = 32 * 1024
#: Bytes of cached pictures of reviews, puzzles and tasks.
_PICTURES = 12_000_000


class Routes(Protocol):
    def add_to(self, router: web.UrlDispatcher) -> None:
        """Add the routes."""


@dataclass
class Pages:
    """The pages of matches, at the public address ``url``.

    ``is_ready`` returns whether the database can be used. ``conversation`` returns a player's conversation with the
    bot, and ``is_public`` whether everybody on a server can view the channel of a match. With an ``activity``, Discord
    shows the pages in its frame.
    """

    services: Services
    is_ready: Callable[[], bool]
    url: str
    proxies: Proxies
    conversation: Conversation
    is_public: IsPublic
    activity: Activity | None = None

    def __post_init__(self) -> None:
        services = self.services
        self.live = Live(services.matches, services.history, services.watching)
        self.streams = Streams(services.programs, services.doors, services.watching)
        self._pictures = SharedCache(_PICTURES)

    def serving(self, host: str, port: int) -> AbstractAsyncContextManager[None]:
        """Listen on a port during the block. Raises :class:`bot.runtime.listening.CannotListenError`."""
        return listening(self.application(), host, port, "WEB", OpenConnections(self.proxies.trust))

    def application(self) -> web.Application:
        """The application to serve."""
        services = self.services
        visitors = Visitors(
            doors=services.doors,
            programs=services.programs,
            settings=services.settings,
            secure=self.url.startswith("https:"),
            proxies=self.proxies,
            activities=self.activity is not None,
        )
        middleware = Middleware(visitors, self.url, self.is_ready, failure)
        application = web.Application(middlewares=[middleware.guard], client_max_size=_LARGEST)
        application[ORIGIN] = self.url.rstrip("/")
        application.on_response_prepare.append(middleware.protect)
        for routes in self._routes(visitors):
            routes.add_to(application.router)
        application.on_shutdown.append(lambda _: self.live.stop())
        application.on_shutdown.append(lambda _: self.streams.stop())
        return application

    def _routes(self, visitors: Visitors) -> Iterator[Routes]:
        services = self.services
        activity = None if self.activity is None else ActivityRoutes(services.doors, self.activity)
        rules = RuleRoutes()
        match = MatchRoutes(matches=services.matches, readers=services.readers, doors=services.doors, live=self.live)
        advice = Advice(services.hints, services.fair_play)
        front = Front(services.history, services.puzzles, services.doors, self.is_public)
        computer_matches = ComputerMatches(services.computer_games, self.conversation)
        yield DoorRoutes(services.doors, services.history, services.standing_requests, visitors, front, activity)
        yield AnyoneRoutes(services.standing_requests, services.strangers, services.settings, services.doors)
        yield PlayRoutes(computer_matches, services.doors)
        if activity is not None:
            yield activity
        yield match
        yield TurnRoutes(
            matches=services.matches,
            advice=advice,
            settings=services.settings,
            doors=services.doors,
            visitors=visitors,
            match_routes=match,
        )
        yield TryRoutes(services.matches, services.lines, services.plans, advice, services.doors, match)
        yield ReviewRoutes(services.matches, services.reviews, services.fair_play, match, self._pictures)
        yield ActionRoutes(
            matches=services.matches,
            proposals=services.proposals,
            clocks=services.clocks,
            computer_games=services.computer_games,
            computer_matches=computer_matches,
            notes=services.notes,
            doors=services.doors,
            match_routes=match,
        )
        yield LearnRoutes(services.settings, services.doors, rules, self._pictures)
        yield PuzzleRoutes(services.puzzles, services.hints, services.fair_play, services.doors, self._pictures)
        yield rules
        yield FileRoutes()
        yield ApiRoutes(
            programs=services.programs,
            matches=services.matches,
            challenges=services.challenges,
            proposals=services.proposals,
            clocks=services.clocks,
            doors=services.doors,
            streams=self.streams,
        )
