"""Sign-in and sign-out, and the list of a visitor's matches or, without a session, the front page."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web
from markupsafe import Markup

from bot import texts
from bot.domain.doors import Invitation
from bot.domain.matches import Match, MatchFilter, Pending
from bot.domain.preferences import Preferences
from bot.services.history import History
from bot.services.people.doors import Doors
from bot.services.strangers.requests import StandingRequests
from bot.web.board.thumbnails import Thumbnail, shown_games
from bot.web.html.markup import relative
from bot.web.http.answers import answer
from bot.web.http.requests import VISITOR, number_in
from bot.web.http.visitors import Visitors
from bot.web.pages.activity import ActivityRoutes
from bot.web.pages.front import Front
from bot.wording import strangers, words
from bot.wording.sentence import Sentence, gettext as _

#: Maximum running matches on a page of the list.
_MOST_MATCHES = 20


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """A match in the list.

    ``when`` is the end of the match, the deadline of the player to act, or when their turn began.
    """

    key: str
    board: Thumbnail
    game: Sentence
    opponent: Sentence
    state: str
    yours: bool
    when: Markup

    @classmethod
    def of_running(cls, pending: Pending, key: str, player_id: int, preferences: Preferences) -> MatchEntry:
        match, yours = pending.match, pending.awaits(player_id)
        due_at = match.turn_due_at
        return cls(
            key=key,
            board=Thumbnail.of_match(match, key, preferences, outside=False),
            game=words.terms(match.ruleset, rated=match.rated),
            opponent=_("with {player}").format(player=words.name(match.opponent_of(player_id))),
            state=_("Your turn") if yours else _("Waiting"),
            yours=yours,
            when=relative(pending.since) if due_at is None else Markup("⏳ {}").format(relative(due_at)),
        )

    @classmethod
    def of_finished(cls, match: Match, key: str, player_id: int, preferences: Preferences) -> MatchEntry:
        return cls(
            key=key,
            board=Thumbnail.of_match(match, key, preferences, outside=False),
            game=words.terms(match.ruleset, rated=match.rated),
            opponent=words.result_for(match, player_id),
            state="",
            yours=False,
            when=relative(match.ended_at or match.moved_at),
        )


@dataclass
class DoorRoutes:
    """Routes of sign-in, sign-out and the list. With an ``activity``, its document has the address of the list."""

    doors: Doors
    history: History
    standing_requests: StandingRequests
    visitors: Visitors
    front: Front
    activity: ActivityRoutes | None

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/", self.home)
        router.add_get("/in/{token}", self.confirm)
        router.add_post("/in/{token}", self.enter)
        router.add_post("/out", self.leave)

    async def confirm(self, request: web.Request) -> web.StreamResponse:
        """A page that enters with a token by itself, or the match if the visitor has already entered.

        This request does not use the token up, because previews of links send it, too; they run no script. Somebody may
        also spread a link of their own so that others play as them. So a browser that knows somebody else asks first,
        and the page of a match always names the player as whom one plays.
        """
        token, visitor = request.match_info["token"], request[VISITOR]
        invitation = await self.doors.invitation(token)
        if visitor.player_id == invitation.player.id:
            raise web.HTTPSeeOther(await self._inside(invitation))
        known = None if visitor.player_id is None else await self.doors.player(visitor.player_id)
        return answer(request, "enter.html", player=invitation.player, known=known, token=token)

    async def enter(self, request: web.Request) -> web.StreamResponse:
        secret, invitation = await self.doors.enter(request.match_info["token"])
        previous = self.visitors.secret(request)
        if previous is not None:
            await self.doors.leave(previous)
        response = web.Response(status=303, headers={"Location": await self._inside(invitation)})
        self.visitors.set_cookie(response, secret)
        return response

    async def _inside(self, invitation: Invitation) -> str:
        """The address to which an invitation leads."""
        return "/" if invitation.match_id is None else f"/m/{await self.doors.key(invitation.match_id)}"

    async def leave(self, request: web.Request) -> web.StreamResponse:
        secret = self.visitors.secret(request)
        if secret is not None:
            await self.doors.leave(secret)
        response = web.Response(status=303, headers={"Location": "/"})
        self.visitors.delete_cookie(response)
        return response

    async def home(self, request: web.Request) -> web.StreamResponse:
        """The visitor's matches, or what this is; running matches that wait for the visitor come first."""
        if self.activity is not None and "frame_id" in request.query:
            return self.activity.document(request)
        visitor = request[VISITOR]
        player_id, wishes = visitor.player_id, visitor.preferences
        if player_id is None:
            return answer(request, "welcome.html", part=await self.front.part(visitor.language))
        page, wanted = (number_in(request.query.get(name)) or 1 for name in ("page", "finished"))
        running = await self.history.running_page(player_id, page, _MOST_MATCHES)
        finished = await self.history.finished(MatchFilter(player_id=player_id), wanted)
        matches = [*(pending.match for pending in running.matches), *finished.matches]
        keys = {match.id: await self.doors.key(match.id) for match in matches}
        with texts.in_language(visitor.language):
            entries = [MatchEntry.of_running(each, keys[each.match.id], player_id, wishes) for each in running.matches]
            over = [MatchEntry.of_finished(match, keys[match.id], player_id, wishes) for match in finished.matches]
        return answer(
            request,
            "matches.html",
            entries=entries,
            page=running,
            over=over,
            finished=finished,
            lobby=await self.standing_requests.lobby(player_id),
            wording=strangers,
            relative=relative,
            games=shown_games(wishes),
        )
