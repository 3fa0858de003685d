"""The server of the pages: its routes, and what each of them answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from aiohttp import web
from markupsafe import Markup

from bot import texts
from bot.domain.matches import Game, Match, MovedOnError
from bot.domain.preferences import Confirmation
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.domain.records import record_of
from bot.domain.refusals import DomainError
from bot.domain.timers import TimerKind
from bot.domain.turn_entry import TurnEntry
from bot.listening import listening
from bot.services.deliveries import Deliveries
from bot.services.doors import Doors
from bot.services.history import History
from bot.services.matches import Matches
from bot.services.proposals import Proposals
from bot.services.settings import Settings
from bot.services.watching import Watching
from bot.texts import gettext as _
from bot.web import boards, pages, pictures, rule_pages
from bot.web.boards import Sheet
from bot.web.live import Live, version_of
from bot.web.made_once import MadeOnce
from bot.web.match_page import NOTHING, MatchPage, Request
from bot.web.pictures import Shot
from bot.web.sentences import refusal, sentence
from bot.web.shell import VISITOR, Shell, answer, answer_in_thread, player_id
from bot.web.turns import pressed
from bot.web.visitors import Visitor, Visitors
from rules import GAMES, TurnError

#: The most bytes of a request.
_LARGEST = 16 * 1024
#: The most characters of a field of a form.
_LONGEST = 1000
#: The bytes of pictures, and of pages for watchers, that are kept.
_PICTURES, _PAGES = 24_000_000, 8_000_000
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_A_DAY = "public, max-age=86400"
_FOR_ONE = "private, max-age=31536000, immutable"
#: The matches on the page of a player's matches.
_LISTED = 50
#: Seconds for which those who only watch get the same page of a match that has not changed.
_KEPT = 30


@dataclass
class Pages:
    """The pages of matches, at the public address ``url``.

    ``on_stored`` is called when timers may have been stored; ``is_ready`` tells whether the database can be used.
    """

    matches: Matches
    proposals: Proposals
    history: History
    deliveries: Deliveries
    settings: Settings
    doors: Doors
    watching: Watching
    on_stored: Callable[[], None]
    is_ready: Callable[[], bool]
    url: str

    def __post_init__(self) -> None:
        self.live = Live(self.matches, self.watching)
        self.visitors = Visitors(self.doors, self.settings, self.url.startswith("https:"))
        self._pictures = MadeOnce(_PICTURES)
        self._parts = MadeOnce(_PAGES)

    def serving(self, host: str, port: int) -> AbstractAsyncContextManager[None]:
        """Listen on a port during the block. Raises :class:`bot.listening.CannotListenError`."""
        return listening(self.application(), host, port, "WEB")

    def application(self) -> web.Application:
        """The application to serve."""
        shell = Shell(self.visitors, self.url, self.is_ready)
        made = web.Application(middlewares=[shell.guard], client_max_size=_LARGEST)
        get, post = made.router.add_get, made.router.add_post
        get("/", self.my_matches)
        get("/in/{token}", self.knock)
        post("/in/{token}", self.enter)
        post("/out", self.leave)
        get("/m/{key}", self.match)
        get("/m/{key}/board.png", self.picture)
        get("/m/{key}/record.txt", self.record)
        get("/m/{key}/live", self.watch)
        post("/m/{key}/turn", self.press)
        post("/m/{key}/resign", self.resign)
        post("/m/{key}/propose", self.propose)
        post("/m/{key}/answer", self.answer_proposal)
        post("/settings", self.change_settings)
        get("/rules", self.rules)
        get("/rules/{game:[a-z]+}", self.rules)
        get(r"/rules/{game:[a-z]+}/{number:\d{1,3}}.png", self.rule_picture)
        get(r"/rules/{number:\d{1,3}}.png", self.rule_picture)
        get(r"/boards/{size:\d+}-{orientation:\d+}{around:(-[a-z]{1,2}\d+)?}.css", self.stylesheet)
        get("/static/{name}", self.static)
        made.on_shutdown.append(lambda _: self.live.stop())
        return made

    # Doors

    async def knock(self, request: web.Request) -> web.StreamResponse:
        """Ask whether to come in by a token, which this does not use up: previews of links come here too."""
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

    # Looking

    async def my_matches(self, request: web.Request) -> web.StreamResponse:
        """The running matches of whoever has a session, those that wait for them first."""
        own = request[VISITOR].player_id
        if own is None:
            return answer(request, "welcome.html")
        page = await self.history.running_page(own, 1, _LISTED)
        entries = [(await self.doors.key(each.match.id), each) for each in page.matches]
        return answer(request, "matches.html", entries=entries, page=page, own=own)

    async def match(self, request: web.Request) -> web.StreamResponse:
        key, visitor = request.match_info["key"], request[VISITOR]
        version = self.live.version(await self.doors.match_of(key))
        if version is None or visitor.player_id is not None or not _wants_part(request):
            return await self._show(request, key)
        # Many who only watch ask for the same at once, as soon as they hear of a turn.
        shown = (key, version, visitor.language, tuple(sorted(request.query.items())), int(time.time() / _KEPT))

        async def make() -> bytes:
            return (await self._part(await self._page(visitor, key, request.query))).encode()

        return web.Response(body=await self._parts.get(shown, make), content_type="text/html", charset="utf-8")

    async def _show(
        self,
        request: web.Request,
        key: str,
        *,
        note: Markup = NOTHING,
        status: int = 200,
        near: str = "",
        cell: str = "",
    ) -> web.StreamResponse:
        """The page of a match, or only the part that shows it."""
        query = request.query if request.method == "GET" else {"near": near, "cell": cell}
        page = await self._page(request[VISITOR], key, query, note)
        part = await self._part(page)
        if _wants_part(request):
            return web.Response(text=part, content_type="text/html", status=status)
        title = await asyncio.to_thread(_titled, page)
        return answer(request, "match.html", status=status, part=part, title=title)

    async def _page(self, visitor: Visitor, key: str, query: Mapping[str, str], note: Markup = NOTHING) -> MatchPage:
        """The page of a match for a visitor, who may have asked for a past position, a window or marks."""
        now = await self._seen(visitor, key)
        match, own = now.match, visitor.player_id
        ply = _number(query.get("ply"))
        game = now if ply is None or ply >= now.ply else await self.matches.game_at(match, ply)
        wanted = Request(
            key=key,
            near=_cell(now, query.get("near")),
            cell=_cell(now, query.get("cell")),
            marks=query.get("marks", ""),
            on=_cell(now, query.get("on")),
            note=note,
        )
        page = MatchPage(wanted, visitor, now, replace(game, match=match))
        if page.is_to_act:
            assert own is not None
            page = replace(page, draft=await self.matches.draft(match, own))
        if page.plays:
            assert own is not None
            page = replace(page, next_key=await self._next_key(own, match.id))
        if match.rematch_id is not None:
            page = replace(page, rematch_key=await self.doors.key(match.rematch_id))
        return page

    async def _part(self, page: MatchPage) -> str:
        """The part of the page that shows the match."""

        def render() -> str:
            with texts.in_language(page.visitor.language):
                return pages.render("part.html", page=page, version=version_of(page.now.match))

        return await asyncio.to_thread(render)

    async def _seen(self, visitor: Visitor, key: str) -> Game:
        """A match as somebody sees it: those who watch see the names that people have outside servers."""
        match = await self.matches.match(await self.doors.match_of(key))
        game = await self.matches.game_of(match)
        if visitor.player_id is None or not match.has_player(visitor.player_id):
            game = replace(game, match=await self.history.seen_outside(match))
        return game

    async def _next_key(self, own: int, match_id: int) -> str:
        """The key of another match that waits for a player; empty if none does."""
        for each in (await self.history.running_page(own, 1, 2)).matches:
            if each.awaited.id == own and each.match.id != match_id:
                return await self.doors.key(each.match.id)
        return ""

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """The picture of a position, which never changes."""
        visitor = request[VISITOR]
        now = await self._seen(visitor, request.match_info["key"])
        match = now.match
        plays = visitor.player_id is not None and match.has_player(visitor.player_id)
        try:
            shot = replace(Shot.read(request.query), outside=not plays)
            game = await self._game_of(now, shot, plays=plays)
            names = tuple(player.name for player in match.players)
            png = await self._pictures.get(
                (match.id, shot, names), partial(asyncio.to_thread, pictures.draw, game, shot)
            )
        except (ValueError, TurnError):
            raise web.HTTPNotFound from None
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": _FOR_ONE})

    async def _game_of(self, now: Game, shot: Shot, *, plays: bool) -> Game:
        """The game that a picture shows. Raises ``ValueError`` if there was no such position."""
        match = now.match
        over = match.result is not None and shot.step == match.step
        if not 0 <= shot.step <= match.step or shot.over is not over or (shot.draft and not plays):
            raise ValueError("there is no such picture")
        game = now if shot.step == match.step else await self.matches.past_game(match, shot.step)
        if shot.ply is None or shot.ply >= game.ply:
            return game
        return replace(await self.matches.game_at(game.match, shot.ply), match=replace(match, result=None))

    async def record(self, request: web.Request) -> web.StreamResponse:
        """The record of a match, which other programs can read."""
        game = await self._seen(request[VISITOR], request.match_info["key"])
        return web.Response(text=str(await asyncio.to_thread(record_of, game)))

    async def watch(self, request: web.Request) -> web.StreamResponse:
        match_id = await self.doors.match_of(request.match_info["key"])
        return await self.live.answer(request, match_id, request[VISITOR].address)

    async def stylesheet(self, request: web.Request) -> web.StreamResponse:
        found = request.match_info
        try:
            around = found["around"].removeprefix("-")
            sheet = Sheet.named(int(found["size"]), int(found["orientation"]), around)
        except ValueError:
            raise web.HTTPNotFound from None
        text = await asyncio.to_thread(boards.stylesheet, sheet)
        return web.Response(text=text, content_type="text/css", headers={"Cache-Control": _FOR_EVER})

    async def static(self, request: web.Request) -> web.StreamResponse:
        found = pages.static_files().get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        kind, content = found
        return web.Response(body=content, content_type=kind, headers={"Cache-Control": _FOR_EVER})

    # Rules

    async def rules(self, request: web.Request) -> web.StreamResponse:
        """A rule page: that of a game, or the one about what all games share."""
        game = request.match_info.get("game", "")
        page = _rule_page(game)
        with texts.in_language(request[VISITOR].language):
            parts = await asyncio.to_thread(rule_pages.parts_of, page)
        shared = ("", _("What all games share"), rule_pages.ADDRESS)
        games = [shared, *((name, each.title, f"{rule_pages.ADDRESS}/{name}") for name, each in GAMES.items())]
        here = f"{rule_pages.ADDRESS}/{game}" if game else rule_pages.ADDRESS
        return await answer_in_thread(request, "rules.html", parts=parts, games=games, game=game, here=here)

    async def rule_picture(self, request: web.Request) -> web.StreamResponse:
        page = _rule_page(request.match_info.get("game", ""))
        theme, language = request.query.get("theme", ""), request.query.get("language", "")
        if language not in texts.LANGUAGES:
            raise web.HTTPNotFound
        shown = (page, int(request.match_info["number"]), theme, language)
        try:
            png = await self._pictures.get(shown, partial(asyncio.to_thread, rule_pages.picture, *shown))
        except ValueError:
            raise web.HTTPNotFound from None
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": _FOR_A_DAY})

    # Playing

    async def press(self, request: web.Request) -> web.StreamResponse:
        """Go on with a turn, or play it."""
        own, key = player_id(request), request.match_info["key"]
        match_id, form = await self.doors.match_of(key), await _form(request)
        step, draft, begun, press = (
            _number(form.get("step")),
            *(form.get(each, "") for each in ("draft", "begun", "press")),
        )
        near = form.get("near", "")
        try:
            turn = await self.matches.turn(match_id, own, step)
            game = turn.game
            if not press:
                return await self._after(request, key, near=near)
            if draft != turn.draft:
                note = Markup.escape(_("You have continued elsewhere. This is your turn now:"))
                return await self._show(request, key, note=note, status=409, near=near)
            done = await asyncio.to_thread(pressed, game.position, draft, begun, press)
            wish, chosen = turn.preferences.confirmation, done.entry.text != draft
            if done.plays or (chosen and await asyncio.to_thread(_goes_at_once, done.entry, wish)):
                await self._play(game, done.entry, own)
                return await self._after(request, key)
            if chosen:
                await self.matches.save_draft(game, own, done.entry.draft, before=draft)
            return await self._after(request, key, near=near, cell=done.cell)
        except TurnError as error:
            return await self._show(request, key, note=refusal(error), status=422, near=near)
        except DomainError as error:
            if isinstance(error, MovedOnError) and await self._was_just_played(match_id, step, draft or begun):
                return await self._after(request, key)
            return await self._show(request, key, note=sentence(error), status=409)

    async def _play(self, game: Game, entry: TurnEntry, own: int) -> None:
        match = game.match
        await self.matches.play(game, entry.draft, match.player(own))
        await self._show_on_discord(match)

    async def _was_just_played(self, match_id: int, step: int | None, turn: str) -> bool:
        """Whether this turn was the last one played, as after a double tap."""
        game = await self.matches.game(match_id)
        return step is not None and game.step == step + 1 and game.turns[-1:] == (turn,)

    async def resign(self, request: web.Request) -> web.StreamResponse:
        own, key = player_id(request), request.match_info["key"]
        match_id, form = await self.doors.match_of(key), await _form(request)
        try:
            game = await self.matches.resign(match_id, own, seen_step=_number(form.get("step")))
        except DomainError as error:
            return await self._show(request, key, note=sentence(error), status=409)
        await self._show_on_discord(game.match)
        return await self._after(request, key)

    async def propose(self, request: web.Request) -> web.StreamResponse:
        """Offer a draw, or ask for a take-back or a rematch."""
        own, key = player_id(request), request.match_info["key"]
        match_id, form = await self.doors.match_of(key), await _form(request)
        kind = form.get("kind", "")
        if kind not in (ProposalKind.DRAW, ProposalKind.TAKE_BACK, ProposalKind.REMATCH):
            raise web.HTTPBadRequest
        try:
            proposal = await self.proposals.propose(
                match_id, own, ProposalKind(kind), seen_step=_number(form.get("step"))
            )
        except DomainError as error:
            return await self._show(request, key, note=sentence(error), status=409)
        return await self._proposed(request, key, proposal)

    async def answer_proposal(self, request: web.Request) -> web.StreamResponse:
        own, key = player_id(request), request.match_info["key"]
        await self.doors.match_of(key)
        form = await _form(request)
        answers = {
            "accept": self.proposals.accept,
            "decline": self.proposals.decline,
            "withdraw": self.proposals.withdraw,
        }
        number, given = _number(form.get("proposal")), answers.get(form.get("answer", ""))
        if number is None or given is None:
            raise web.HTTPBadRequest
        try:
            proposal = await given(number, own)
        except DomainError as error:
            return await self._show(request, key, note=sentence(error), status=409)
        return await self._proposed(request, key, proposal)

    async def _proposed(self, request: web.Request, key: str, proposal: Proposal) -> web.StreamResponse:
        match = await self.matches.match(proposal.match_id)
        await self.deliveries.show_later(TimerKind.SHOW_PROPOSAL, proposal.id, match.guild_id)
        self.on_stored()
        rematch = match.rematch_id
        if proposal.kind is ProposalKind.REMATCH and proposal.state is ProposalState.ACCEPTED and rematch is not None:
            key = await self.doors.key(rematch)
        return await self._after(request, key)

    async def _show_on_discord(self, match: Match) -> None:
        await self.deliveries.show_later(TimerKind.SHOW_MATCH, match.id, match.guild_id)
        self.on_stored()

    async def change_settings(self, request: web.Request) -> web.StreamResponse:
        """Choose whether turns are played at once."""
        own, form = player_id(request), await _form(request)
        key = form.get("key", "")
        now = await self._seen(request[VISITOR], key)
        chosen = Confirmation.AT_ONCE if form.get("confirmation") == Confirmation.AT_ONCE else Confirmation.RISKY
        if now.match.has_player(own):
            await self.settings.change_preferences(now.match.player(own), confirmation=chosen)
        return await self._after(request, key)

    async def _after(self, request: web.Request, key: str, *, near: str = "", cell: str = "") -> web.StreamResponse:
        """What follows a form: the page itself for the script, and for browsers without script the way to it."""
        if _wants_part(request):
            request[VISITOR] = await self.visitors.visitor(request)
            return await self._show(request, key, near=near, cell=cell)
        told = {name: value for name, value in (("near", near), ("cell", cell)) if value}
        return web.Response(status=303, headers={"Location": f"/m/{key}{'?' if told else ''}{urlencode(told)}"})


def _rule_page(game: str) -> str:
    try:
        return rule_pages.page_of(game)
    except KeyError:
        raise web.HTTPNotFound from None


async def _form(request: web.Request) -> dict[str, str]:
    """The fields of a form; files and overlong values are none."""
    form = await request.post()
    return {name: value for name, value in form.items() if isinstance(value, str) and len(value) <= _LONGEST}


def _number(text: str | None, most: int = 10**9) -> int | None:
    """The number that a text writes; None if it writes none up to ``most``."""
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 10:
        return None
    return int(text) if int(text) <= most else None


def _cell(game: Game, name: str | None) -> str:
    """The name of a cell of the board; empty if it is none."""
    return name if name and game.position.board.find(name) is not None else ""


def _wants_part(request: web.Request) -> bool:
    """Whether the script asks, which puts the part that shows the match into the page that is there."""
    return request.headers.get("Part") == "1"


def _titled(page: MatchPage) -> str:
    with texts.in_language(page.visitor.language):
        return page.title


def _goes_at_once(entry: TurnEntry, wish: Confirmation) -> bool:
    """Whether a turn is played without another question."""
    return entry.finished and wish in (Confirmation.AT_ONCE, Confirmation.NEVER) and not entry.is_asked_about(wish)
