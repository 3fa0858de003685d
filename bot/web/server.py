"""The server of the pages: their routes, and the files that never change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from aiohttp import web

from bot.runtime.listening import Connections, listening
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
from bot.web import boards, pages
from bot.web.action_routes import ActionRoutes
from bot.web.activity import Activity, ActivityRoutes
from bot.web.advice import Advice
from bot.web.api import ApiRoutes
from bot.web.api_stream import Streams
from bot.web.boards import Sheet
from bot.web.door_routes import DoorRoutes
from bot.web.learn_pages import LearnRoutes
from bot.web.live import Live
from bot.web.match_routes import FOR_ONE, MatchRoutes
from bot.web.puzzle_pages import PuzzleRoutes
from bot.web.review_pages import ReviewRoutes
from bot.web.rule_routes import RuleRoutes
from bot.web.shared_cache import SharedCache
from bot.web.shell import ADMISSION, STREAM, Handler, Shell
from bot.web.try_pages import TryRoutes
from bot.web.turn_routes import TurnRoutes
from bot.web.visitors import Proxies, Visitors

#: Maximum bytes of a request.
_LARGEST = 32 * 1024
#: How many bytes of pictures of reviews, puzzles and tasks are kept.
_PICTURES = 12_000_000
_FOR_EVER = "public, max-age=31536000, immutable"


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
        return listening(self.application(), host, port, "WEB", Connections(self.proxies.have))

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
        shell = Shell(visitors, self.url, self.is_ready)
        made = web.Application(middlewares=[shell.guard], client_max_size=_LARGEST)
        made.on_response_prepare.append(shell.protect)
        self._add_matches(made.router, visitors)
        get, rules = made.router.add_get, RuleRoutes()
        self._add_study(made.router, rules)
        get("/rules", rules.rules)
        get("/rules/{game:[a-z]+}", rules.rules)
        get(r"/rules/{game:[a-z]+}/{number:\d{1,3}}.png", rules.rule_picture)
        get(r"/rules/{number:\d{1,3}}.png", rules.rule_picture)
        get(r"/boards/{stamp:[0-9a-f]{12}}/{size:\d+}-{orientation:\d+}{around:(-[a-z]{1,2}\d+)?}.css", stylesheet)
        get("/static/{name}", static)
        ApiRoutes(
            programs=self.programs,
            matches=self.matches,
            challenges=self.challenges,
            proposals=self.proposals,
            clocks=self.clocks,
            doors=self.doors,
            streams=self.streams,
        ).add_to(made.router)
        made.on_shutdown.append(lambda _: self.live.stop())
        made.on_shutdown.append(lambda _: self.streams.stop())
        return made

    def _add_study(self, router: web.UrlDispatcher, rules: RuleRoutes) -> None:
        get, post = router.add_get, router.add_post
        learn = LearnRoutes(self.settings, self.doors, rules, self._pictures)
        get("/learn", learn.games)
        get("/learn/{game:[a-z]+}", learn.lessons)
        get(r"/learn/{game:[a-z]+}/lessons/{number:\d{1,3}}.png", learn.lesson_picture)
        get("/learn/{game:[a-z]+}/done", learn.after_last)
        get(r"/learn/{game:[a-z]+}/{number:\d{1,2}}", learn.task)
        post(r"/learn/{game:[a-z]+}/{number:\d{1,2}}", learn.press)
        get(r"/learn/{game:[a-z]+}/{number:\d{1,2}}/board.png", learn.picture)
        found = PuzzleRoutes(self.puzzles, self.hints, self.fair_play, self.doors, self._pictures)
        get("/puzzle", found.overview)
        get("/puzzle/next", found.next)
        get("/puzzle/{puzzle:[0-9a-f]{8}}", found.puzzle)
        post("/puzzle/{puzzle:[0-9a-f]{8}}", found.press)
        get("/puzzle/{puzzle:[0-9a-f]{8}}/board.png", found.picture)

    def _add_matches(self, router: web.UrlDispatcher, visitors: Visitors) -> None:
        get, post = router.add_get, router.add_post
        doors = DoorRoutes(self.doors, self.history, visitors)
        home: Handler = doors.my_matches
        if self.activity is not None:
            activity = ActivityRoutes(self.doors, self.activity, home)
            home = activity.open
            post(ADMISSION, activity.admit)
        get("/", home)
        get("/in/{token}", doors.knock)
        post("/in/{token}", doors.enter)
        post("/out", doors.leave)
        match = MatchRoutes(matches=self.matches, readers=self.readers, doors=self.doors, live=self.live)
        get("/m/{key}", match.match)
        get("/m/{key}/board.png", match.picture)
        get("/m/{key}/record.txt", match.record)
        get("/m/{key}/clocks", match.times)
        get("/m/{key}" + STREAM, match.watch)
        advice = Advice(self.hints, self.fair_play)
        turns = TurnRoutes(
            matches=self.matches,
            advice=advice,
            settings=self.settings,
            doors=self.doors,
            visitors=visitors,
            match_routes=match,
        )
        tried = TryRoutes(self.matches, self.lines, self.plans, advice, self.doors, match)
        get("/m/{key}/try", tried.show)
        post("/m/{key}/try", tried.press)
        post("/m/{key}/try/play", tried.play_first)
        post("/m/{key}/try/plan", tried.change_plan)
        post("/m/{key}/try/hint", tried.hint)
        get("/m/{key}/try/board.png", tried.picture)
        get("/m/{key}/try/record.txt", tried.record)
        review = ReviewRoutes(self.matches, self.reviews, self.fair_play, match, self._pictures)
        get("/m/{key}/review", review.show)
        post("/m/{key}/review", review.begin)
        get("/m/{key}/review/curve.png", review.curve)
        post("/m/{key}/turn", turns.press)
        post("/m/{key}/hint", turns.hint)
        post("/settings", turns.change_preferences)
        ActionRoutes(
            matches=self.matches,
            proposals=self.proposals,
            clocks=self.clocks,
            computer_games=self.computer_games,
            notes=self.notes,
            doors=self.doors,
            match_routes=match,
        ).add_to(router)


async def stylesheet(request: web.Request) -> web.StreamResponse:
    found = request.match_info
    try:
        around = found["around"].removeprefix("-")
        sheet = Sheet.parse(int(found["size"]), int(found["orientation"]), around)
    except ValueError:
        raise web.HTTPNotFound from None
    text = await asyncio.to_thread(boards.stylesheet, sheet)
    # A browser may ask for the stylesheet of a process of another version.
    # A window reveals where its reader looks, so proxies do not keep it for others.
    caching = FOR_ONE if around else _FOR_EVER
    kept = {"Cache-Control": caching} if found["stamp"] == await asyncio.to_thread(boards.stamp) else {}
    return web.Response(text=text, content_type="text/css", headers=kept)


async def static(request: web.Request) -> web.StreamResponse:
    found = pages.static_files().get(request.match_info["name"])
    if found is None:
        raise web.HTTPNotFound
    kind, content = found
    return web.Response(body=content, content_type=kind, headers={"Cache-Control": _FOR_EVER})
