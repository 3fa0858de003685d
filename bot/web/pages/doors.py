"""The way into the pages, and the list of a visitor's matches."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web
from markupsafe import Markup

from bot import texts
from bot.domain.matches import Pending
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.web.html.markup import html
from bot.web.http.answers import answer
from bot.web.http.requests import VISITOR, number_in
from bot.web.http.visitors import Visitors
from bot.web.pages.activity import ActivityRoutes
from bot.wording import words

#: How many matches a page of a player's matches lists.
_MOST_MATCHES = 50


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """A running match in a player's list; ``when`` says until when or since when it waits for its player."""

    key: str
    game: Markup
    opponent: str
    yours: bool
    when: Markup

    @classmethod
    def of(cls, pending: Pending, key: str, own: int) -> MatchEntry:
        match = pending.match
        flag_at = None if match.clock is None else match.clock.flag_at
        when = words.when(pending.since) if flag_at is None else f"⏳ {words.when(flag_at)}"
        return cls(
            key=key,
            game=html(words.terms(match.ruleset, rated=match.rated)),
            opponent=words.plain_name(match.opponent_of(own)),
            yours=pending.awaits(own),
            when=html(when),
        )


@dataclass
class DoorRoutes:
    """The way into the pages. With an ``activity``, Discord shows its document at the address of the matches."""

    doors: Doors
    history: History
    visitors: Visitors
    activity: ActivityRoutes | None

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/", self.home)
        router.add_get("/in/{token}", self.knock)
        router.add_post("/in/{token}", self.enter)
        router.add_post("/out", self.leave)

    async def knock(self, request: web.Request) -> web.StreamResponse:
        """Ask whether to enter with a token, without using it up, because link previews come here, too."""
        invitation = await self.doors.invitation(request.match_info["token"])
        if request[VISITOR].player_id == invitation.player.id and invitation.match_id is not None:
            raise web.HTTPSeeOther(f"/m/{await self.doors.key(invitation.match_id)}")
        return answer(request, "enter.html", player=invitation.player, token=request.match_info["token"])

    async def enter(self, request: web.Request) -> web.StreamResponse:
        secret, invitation = await self.doors.enter(request.match_info["token"])
        before = self.visitors.secret(request)
        if before is not None:
            await self.doors.leave(before)
        where = "/" if invitation.match_id is None else f"/m/{await self.doors.key(invitation.match_id)}"
        response = web.Response(status=303, headers={"Location": where})
        self.visitors.remember(response, secret)
        return response

    async def leave(self, request: web.Request) -> web.StreamResponse:
        secret = self.visitors.secret(request)
        if secret is not None:
            await self.doors.leave(secret)
        response = web.Response(status=303, headers={"Location": "/"})
        self.visitors.forget(response)
        return response

    async def home(self, request: web.Request) -> web.StreamResponse:
        """The visitor's running matches, with the visitor's own turns first."""
        if self.activity is not None and "frame_id" in request.query:
            return self.activity.document(request)
        own = request[VISITOR].player_id
        if own is None:
            return answer(request, "welcome.html")
        page = await self.history.running_page(own, number_in(request.query.get("page")) or 1, _MOST_MATCHES)
        with texts.in_language(request[VISITOR].language):
            entries = [MatchEntry.of(each, await self.doors.key(each.match.id), own) for each in page.matches]
        return answer(request, "matches.html", entries=entries, page=page)
