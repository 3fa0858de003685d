"""A player's standing request to play anyone; the matches are at home in the conversation with the bot."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass

from aiohttp import web

from bot.domain.competitions.strangers import Pace, RequestState, preselected
from bot.domain.refusals import DomainError
from bot.services.people.doors import Doors
from bot.services.people.settings import Settings
from bot.services.strangers.pairing import CONVERSATION, Strangers
from bot.services.strangers.requests import StandingRequests
from bot.web.html.markup import relative
from bot.web.html.sentences import sentence
from bot.web.http.answers import answer
from bot.web.http.requests import VISITOR, known_player, number_in, reading, require_player_id
from bot.wording import strangers
from rules import GAMES


@dataclass
class AnyoneRoutes:
    standing_requests: StandingRequests
    strangers: Strangers
    settings: Settings
    doors: Doors

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/anyone", self.show)
        router.add_post("/anyone", self.ask)
        router.add_post("/anyone/{state:paused|open|ended}", self.change)

    async def ask(self, request: web.Request) -> web.StreamResponse:
        """Make or change the request. It keeps the home that it has on Discord."""
        player = await known_player(request, self.doors)
        async with reading():
            form = await request.post()
        games = [name for name in GAMES if name in form.getall("games", [])]
        pace = next((pace for pace in Pace if pace == form.get("pace")), Pace.WEEK)
        own = (await self.standing_requests.lobby(player.id)).own
        home = CONVERSATION if own is None else own.home
        at_once, near = number_in(str(form.get("at_once", ""))) or 1, form.get("near") == "1"
        asked = self.standing_requests.ask(player, games, at_once, pace, home, near=near)
        return await self._done(request, asked)

    async def change(self, request: web.Request) -> web.StreamResponse:
        """Pause, resume or end the request."""
        state = RequestState(request.match_info["state"])
        return await self._done(request, self.standing_requests.change(require_player_id(request), state))

    async def _done(self, request: web.Request, change: Awaitable[object]) -> web.StreamResponse:
        """Show the request after a change, which may begin a match at once, or why it cannot be made."""
        try:
            await change
            await self.strangers.pair()
        except DomainError as error:
            return await self.show(request, str(sentence(error)), status=409)
        return web.Response(status=303, headers={"Location": "/anyone"})

    async def show(self, request: web.Request, note: str = "", *, status: int = 200) -> web.StreamResponse:
        """The visitor's request, with a form to make or change it. A refused form keeps what was chosen."""
        visitor, refused = request[VISITOR], await request.post()
        lobby = await self.standing_requests.lobby(require_player_id(request))
        known, own = await self.settings.known_games(visitor.player_id or 0), lobby.own
        asked = {} if own is None else {"at_once": str(own.at_once), "pace": own.pace, "near": str(int(own.near))}
        return answer(
            request,
            "play/anyone.html",
            status=status,
            note=note,
            lobby=lobby,
            wording=strangers,
            relative=relative,
            outside=visitor.preferences.outside,
            games=GAMES.values(),
            chosen=refused.getall("games", []) if refused else preselected(own, known),
            terms=refused or asked,
        )
