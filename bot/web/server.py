"""The server of the pages: their routes, and the files that never change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from bot.runtime.listening import OpenConnections, listening
from bot.runtime.watching import Watching
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks
from bot.services.computer_games import ComputerGames
from bot.services.fair_play import FairPlay
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.people.programs import Programs
from bot.services.people.settings import Settings
from bot.services.plans import Plans
from bot.services.proposals import Proposals
from bot.services.readers import Readers
from bot.services.study.lines import Lines
from bot.services.study.notes import Notes
from bot.services.study.puzzles import Puzzles
from bot.services.study.reviews import Hints, Reviews
from bot.web.api.failures import failure
from bot.web.api.routes import ApiRoutes
from bot.web.api.stream import Streams
from bot.web.board.advice import Advice
from bot.web.http.live import Live
from bot.web.http.middleware import Middleware
from bot.web.http.shared_cache import SharedCache
from bot.web.http.visitors import Proxies, Visitors
from bot.web.pages.actions import ActionRoutes
from bot.web.pages.activity import Activity, ActivityRoutes
from bot.web.pages.doors import DoorRoutes
from bot.web.pages.files import FileRoutes
from bot.web.pages.learn import LearnRoutes
from bot.web.pages.match import MatchRoutes
from bot.web.pages.puzzles import PuzzleRoutes
from bot.web.pages.reviews import ReviewRoutes
from bot.web.pages.rules import RuleRoutes
from bot.web.pages.tries import TryRoutes
from bot.web.pages.turns import TurnRoutes

#: Maximum bytes of a request.
_LARGEST = 32 * 1024
#: How many bytes of pictures of reviews, puzzles and tasks are kept.
_PICTURES = 12_000_000


class Routes(Protocol):
    def add_to(self, router: web.UrlDispatcher) -> None:
        """Add the routes."""


@dataclass
class Pages:
    """The pages of matches, at the public address ``url``.

    ``is_ready`` returns whether the database can be used. With an ``activity``, Discord shows the pages as that
    application's Activity.
    """

    matches: Matches
    challenges: Challenges
    programs: Programs
    proposals: Proposals
    clocks: Clocks
    computer_games: ComputerGames
    history: History
    readers: Readers
    lines: Lines
    plans: Plans
    notes: Notes
    hints: Hints
    puzzles: Puzzles
    reviews: Reviews
    fair_play: FairPlay
    settings: Settings
    doors: Doors
    watching: Watching
    is_ready: Callable[[], bool]
    url: str
    proxies: Proxies
    activity: Activity | None = None

    def __post_init__(self) -> None:
        self.live = Live(self.matches, self.history, self.watching)
        self.streams = Streams(self.programs, self.doors, self.watching)
        self._pictures = SharedCache(_PICTURES)

    def serving(self, host: str, port: int) -> AbstractAsyncContextManager[None]:
        """Listen on a port during the block. Raises :class:`bot.runtime.listening.CannotListenError`."""
        return listening(self.application(), host, port, "WEB", OpenConnections(self.proxies.have))

    def application(self) -> web.Application:
        """The application to serve."""
        visitors = Visitors(
            doors=self.doors,
            programs=self.programs,
            settings=self.settings,
            secure=self.url.startswith("https:"),
            proxies=self.proxies,
            activities=self.activity is not None,
        )
        middleware = Middleware(visitors, self.url, self.is_ready, failure)
        made = web.Application(middlewares=[middleware.guard], client_max_size=_LARGEST)
        made.on_response_prepare.append(middleware.protect)
        for routes in self._routes(visitors):
            routes.add_to(made.router)
        made.on_shutdown.append(lambda _: self.live.stop())
        made.on_shutdown.append(lambda _: self.streams.stop())
        return made

    def _routes(self, visitors: Visitors) -> Iterator[Routes]:
        activity = None if self.activity is None else ActivityRoutes(self.doors, self.activity)
        rules = RuleRoutes()
        match = MatchRoutes(matches=self.matches, readers=self.readers, doors=self.doors, live=self.live)
        advice = Advice(self.hints, self.fair_play)
        yield DoorRoutes(self.doors, self.history, visitors, activity)
        if activity is not None:
            yield activity
        yield match
        yield TurnRoutes(
            matches=self.matches,
            advice=advice,
            settings=self.settings,
            doors=self.doors,
            visitors=visitors,
            match_routes=match,
        )
        yield TryRoutes(self.matches, self.lines, self.plans, advice, self.doors, match)
        yield ReviewRoutes(self.matches, self.reviews, self.fair_play, match, self._pictures)
        yield ActionRoutes(
            matches=self.matches,
            proposals=self.proposals,
            clocks=self.clocks,
            computer_games=self.computer_games,
            notes=self.notes,
            doors=self.doors,
            match_routes=match,
        )
        yield LearnRoutes(self.settings, self.doors, rules, self._pictures)
        yield PuzzleRoutes(self.puzzles, self.hints, self.fair_play, self.doors, self._pictures)
        yield rules
        yield FileRoutes()
        yield ApiRoutes(
            programs=self.programs,
            matches=self.matches,
            challenges=self.challenges,
            proposals=self.proposals,
            clocks=self.clocks,
            doors=self.doors,
            streams=self.streams,
        )
