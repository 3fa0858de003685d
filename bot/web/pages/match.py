"""The page of a match: the board, its picture, the record, and news."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, partial
from typing import Any

from aiohttp import web
from markupsafe import Markup

import render
from bot import texts
from bot.domain.clocks import DAY, ClockView
from bot.domain.computer import gives_hints, offered_levels
from bot.domain.matches import Game, Match, ProposalKind, UnknownMatchError
from bot.domain.proposals import can_offer_draw
from bot.domain.study.imports import record_of
from bot.domain.study.reviews import can_review
from bot.domain.turn_entry import TurnEntry
from bot.pictures import overlay_titles
from bot.services.clocks import bank_seconds
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.readers import Readers, ReaderView
from bot.texts.durations import span, time_control
from bot.web.board import boards, pictures
from bot.web.board.answers import answer_with_board
from bot.web.board.pictures import BoardState, PictureRequest
from bot.web.board.replay import Replay
from bot.web.board.turn_board import Bar, BarButton, BoardPicture, CellRefusal, Link, Marking, TurnBoard, with_query
from bot.web.html import templates
from bot.web.html.markup import relative
from bot.web.http import live
from bot.web.http.answers import FOR_ONE, answer_with_png
from bot.web.http.live import Live, version_of
from bot.web.http.requests import STREAM, VISITOR, number_in, wants_part
from bot.web.http.shared_cache import SharedCache
from bot.web.http.visitors import Visitor
from bot.wording import clocks, words
from bot.wording.matches import consequences, rematch_label, request_of, verdict
from bot.wording.ratings import explanation
from bot.wording.sentence import Sentence, gettext as _, joined
from rules import Phase, TurnError


@dataclass(frozen=True, slots=True)
class OpenProposal:
    """An open proposal; the reader has made it (``own``), or may answer it."""

    id: int
    text: str
    own: bool
    mine_to_answer: bool


@dataclass(frozen=True, slots=True)
class PlayerTime:
    """A player's remaining time, with its seconds while the clock is running."""

    player: str
    remaining: str
    days_off: str
    seconds: int | None


@dataclass(frozen=True, slots=True)
class PageView:
    """The view of a match that a reader wants: a window, a cell with several elements, or marks.

    Marks may be about the cell ``on``, which the player to act ``chooses`` before continuing a turn. The answer to a
    press is a ``note``, or a ``refusal`` at the pressed cell.
    """

    key: str
    near: str = ""
    cell: str = ""
    marks: str = ""
    on: str = ""
    chooses: bool = False
    note: str = ""
    refusal: CellRefusal | None = None


@dataclass(frozen=True)
class MatchPage:
    """The page of a match, for one reader.

    The board shows ``game``; ``now`` is the current one, and ``draft`` the reader's unfinished turn. Discord shows the
    match at ``card_url``. A running match may have a ``clock``; ``suggested_level`` suits a reader who plays the
    computer, and a ``newcomer`` plays their first match of the game. ``to_play`` matches wait for the reader, and the
    match with ``next_key`` has waited longest.
    """

    view: PageView
    visitor: Visitor
    now: Game
    game: Game
    card_url: str | None
    draft: str = ""
    next_key: str = ""
    to_play: int = 0
    rematch_key: str = ""
    version: str = ""
    clock: ClockView | None = None
    suggested_level: int | None = None
    newcomer: bool = False

    @property
    def plays(self) -> bool:
        """Whether the reader plays this match."""
        return self.visitor.plays(self.now.match)

    @property
    def has_won(self) -> bool:
        """Whether the reader has won this match."""
        result = self.now.match.result
        return result is not None and self.plays and result.winner_id == self.visitor.player_id

    @property
    def film(self) -> list[BoardPicture]:
        """The boards before the end of a match that the reader has played, for the script to show them once more."""
        view, last = self.view, self.now.ply
        if self.now.match.result is None or not (self.plays and self.is_current) or view.near or view.marks:
            return []
        return [self.turn_board.picture.after(ply) for ply in range(max(0, last - _FILMED), last)]

    @property
    def is_awaited(self) -> bool:
        """Whether the match waits for the reader."""
        awaited = self.now.to_act
        return awaited is not None and awaited.id == self.visitor.player_id and not self.now.match.waiting

    @property
    def is_to_act(self) -> bool:
        """Whether the reader can play on this board."""
        return self.is_awaited and self.is_current and not self.view.chooses

    @cached_property
    def entry(self) -> TurnEntry | None:
        """The turn that the reader enters; empty if the stored draft is not legal."""
        if not self.is_to_act:
            return None
        try:
            return TurnEntry.begin(self.now.position, self.draft)
        except TurnError:
            return TurnEntry.begin(self.now.position)

    @property
    def overlay(self) -> render.Overlay[Any] | None:
        """The overlay that the reader wants to see."""
        return render.overlays_of(self.now.match.ruleset.game).get(self.view.marks)

    def at(self, **changes: object) -> str:
        """The address of this view with a changed query."""
        return with_query(self.here, {**self._query, "near": self.view.near, **changes})

    @property
    def here(self) -> str:
        return f"/m/{self.view.key}"

    def to(self, action: str) -> str:
        """The address of a form, which keeps the marks on the board."""
        return with_query(f"{self.here}/{action}", {"marks": self.view.marks, "on": self.view.on})

    @property
    def _query(self) -> dict[str, object]:
        """The query of this view's address, without the window."""
        ply = None if self.is_current else self.game.ply
        return {"ply": ply, "marks": self.view.marks, "on": self.view.on}

    # The board

    @property
    def picture_request(self) -> PictureRequest:
        match, view = self.now.match, self.view
        return PictureRequest(
            step=match.step,
            over=match.result is not None,
            ply=None if self.is_current else self.game.ply,
            near=view.near,
            marks=view.marks,
            on=view.on,
            outside=not self.plays,
        )

    @cached_property
    def turn_board(self) -> TurnBoard:
        here, entry, look = self.here, self.entry, self.visitor.look(self.now)
        view, marks = self.view, self.overlay
        return TurnBoard(
            address=here,
            action=self.to("turn"),
            picture=BoardPicture.of(
                f"{here}/board.png", self.picture_request, BoardState.of(self.game), look, self.visitor, entry
            ),
            message=self.message,
            entry=entry,
            fields={"step": self.now.step},
            query=self._query,
            near=view.near,
            cell=view.cell,
            links=tuple(self._links()),
            refusal=view.refusal,
            marking=Marking(self.game.position, view.on)
            if entry is None and marks is not None and marks.of_cell
            else None,
            legend=self._legend,
        )

    @property
    def message(self) -> Bar:
        """The bar while there is no turn to enter."""
        if not self.is_current:
            return Bar(words.last_turn(self.game) or _("The start of the match"))
        if self.now.match.result is not None:
            result = words.result(self.now) if self.has_won else ""
            effect = joined(result, consequences(self.now), explanation(self.now.match), by="\n")
            return Bar(verdict(self.now, self.visitor.player_id), effect, tuple(self._rematches()))
        if self.may_claim:
            player = self.now.match.player(self.visitor.player_id or 0)
            claim = BarButton("", clocks.claim(), main=True, action=f"{self.here}/claim")
            return Bar(clocks.time_is_up(self.now.match, words.name(player)), buttons=(claim,))
        return Bar(self.status)

    @property
    def _legend(self) -> str:
        """An explanation of the marks on the board; empty during a turn, to leave room."""
        overlay, on = self.overlay, self.view.on
        if overlay is None or (self.entry is not None and self.entry.text):
            return ""
        title = " · ".join(filter(None, [dict(self.marks)[overlay.name], on]))
        sentences = [_(overlay.legend)] if overlay.legend else []
        if overlay.of_cell and not on and self.entry is None:
            sentences.append(_("Tap a cell to see only what concerns it."))
        return Markup("<strong>{}</strong> {}").format(title, " ".join(sentences))

    def _rematches(self) -> Iterator[BarButton]:
        for level, label, best in self.levels:
            yield BarButton(str(level), label, best, f"{self.here}/level", "level")
        proposal = self.now.match.proposal(ProposalKind.REMATCH)
        waits = proposal is not None and proposal.proposer.id == self.visitor.player_id
        for kind, label in self.possible_proposals:
            shown = rematch_label(self.now.match) if waits else label
            yield BarButton(kind, shown, action=f"{self.here}/propose", name="kind", disabled=waits)
        if self.plays and not self.levels:
            yield BarButton("", _("Play the computer"), action=f"{self.here}/computer")

    def _links(self) -> Iterator[Link]:
        if self.overlay is not None:
            yield Link(self.at(marks="", on=""), _("Hide"))
            if self.overlay.of_cell and self.entry is not None and not self.entry.text:
                yield Link(self.at(choose=1), _("Only one cell"))
            if self.view.on or self.view.chooses:
                yield Link(self.at(on=""), _("All cells"))
        if not self.is_current:
            yield Link(self.at(ply=None), _("To the current board"), main=True)
            return
        if self.next_key:
            label = _("Next match") if self.to_play < 2 else f"{_('Next match')} ({self.to_play})"
            yield Link(f"/m/{self.next_key}", label, main=True, away=True)
        if self.rematch_key:
            yield Link(f"/m/{self.rematch_key}", _("To the rematch"), main=True, away=True)

    @property
    def status(self) -> str:
        """A sentence about the player to act."""
        game = self.now
        awaited = game.to_act
        assert awaited is not None
        if game.match.waiting:
            return _("The match is waiting for a channel on Discord.")
        if awaited.level is not None and game.position.phase is Phase.PLAY:
            return _("🤖 {player} is thinking…").format(player=words.name(awaited))
        return words.awaited_act(game, awaited)

    # Around the board

    @property
    def way_in(self) -> str:
        """How a player of the match signs in: by a press on its card."""
        discord = "Discord" if self.card_url is None else Markup('<a href="{}">Discord</a>').format(self.card_url)
        return _("You play here? Press *Tap the board* on {discord}.").format(discord=discord)

    @property
    def is_current(self) -> bool:
        return self.game.ply == self.now.ply

    @property
    def identity(self) -> str:
        """The player as whom this browser plays."""
        player = self.now.match.player(self.visitor.player_id or 0)
        return _("You play as {player}.").format(player=words.name(player))

    @property
    def heading(self) -> str:
        return words.versus(*self.now.players).plain

    @property
    def terms(self) -> str:
        match = self.now.match
        return words.terms(match.ruleset, rated=match.rated)

    @property
    def title(self) -> str:
        """The title of the tab, with the player to act."""
        match, awaited = self.now.match, self.now.to_act
        if match.result is not None:
            state = words.result(self.now).plain
        elif self.is_awaited:
            state = _("● Your turn")
        else:
            assert awaited is not None
            state = _("{player} to play").format(player=words.plain_name(awaited))
        return f"{state} · {match.ruleset.game.title} · {self.heading}"

    @property
    def described(self) -> Sentence:
        """The match on other sites, beside its title."""
        return joined(self.terms, words.last_turn(self.now), by=" · ")

    @property
    def introduction(self) -> Sentence:
        """The goal of the game, and what a turn is, for a newcomer."""
        ruleset = self.now.match.ruleset
        return _("🌱 Your first {game}? {goal}").format(game=ruleset.game.title, goal=words.goal(ruleset))

    @property
    def times(self) -> list[PlayerTime]:
        """The remaining time of both players; empty without a clock."""
        match, view = self.now.match, self.clock
        if view is None:
            return []
        return [
            PlayerTime(
                words.plain_name(player),
                clock_face(view.time_left(seat)),
                clocks.days_off_left(view, seat),
                int(view.time_left(seat).total_seconds()) if seat == view.clock.seat and view.clock.since else None,
            )
            for player, seat in ((player, match.seat_of(player.id)) for player in self.now.players)
        ]

    @property
    def first_turn(self) -> Sentence:
        """When the first turn is due between strangers; empty after both."""
        return clocks.first_turn(self.now.match, relative)

    @property
    def clock_terms(self) -> str:
        assert self.clock is not None
        return f"{time_control(self.clock.clock.control)}. {clocks.terms(self.clock.clock.control)}"

    @property
    def gift(self) -> tuple[int, str] | None:
        """The opponent's seconds, and the label of the button that gives more; None without a clock."""
        if self.clock is None or self.visitor.player_id is None or not self.plays:
            return None
        clock, other = self.clock.clock, 1 - self.now.match.seat_of(self.visitor.player_id)
        return bank_seconds(clock, other), clocks.gift(clock.control)

    @property
    def may_claim(self) -> bool:
        """Whether the reader may claim the win because the opponent's time is up."""
        player_id = self.visitor.player_id
        if self.clock is None or player_id is None or not self.plays:
            return False
        return self.clock.may_claim(self.now.match.seat_of(player_id))

    @property
    def last_turn(self) -> str:
        """The last turn and its effect."""
        return words.last_turn(self.game) if self.is_current else ""

    @property
    def replay(self) -> Replay:
        """The turns of the match, with links to look back."""
        return Replay(self.now, self.now.ply, self.game.ply, lambda ply: self.at(ply=ply))

    @property
    def proposals(self) -> list[OpenProposal]:
        match, player_id = self.now.match, self.visitor.player_id
        return [
            OpenProposal(
                proposal.id,
                request_of(proposal, match, "Discord"),
                proposal.proposer.id == player_id,
                self.plays and proposal.proposer.id != player_id,
            )
            for proposal in match.proposals
        ]

    @property
    def possible_proposals(self) -> list[tuple[ProposalKind, str]]:
        """The proposals that the reader can make to the opponent."""
        match = self.now.match
        if not self.plays:
            return []
        if match.result is not None and match.computer is not None:
            return []
        if match.result is not None:
            may_meet_again = match.rematch_id is None and not any(player.deleted for player in match.players)
            # Whoever was asked accepts instead; the asker sees whom the match waits for.
            may_meet_again &= all(made.proposer.id == self.visitor.player_id for made in match.proposals)
            return [(ProposalKind.REMATCH, _("Rematch"))] if may_meet_again else []
        proposed = {proposal.kind for proposal in match.proposals}
        possible = [(ProposalKind.ABANDON, _("Call it off"))]
        if can_offer_draw(match):
            possible.insert(0, (ProposalKind.DRAW, _("Offer a draw")))
        if self.now.turns:
            possible.insert(0, (ProposalKind.TAKE_BACK, _("Take back")))
        return [(kind, label) for kind, label in possible if kind not in proposed]

    @property
    def has_hints(self) -> bool:
        """Whether the reader may ask for a hint now."""
        return self.entry is not None and not self.entry.text and gives_hints(self.now.match)

    @property
    def has_review(self) -> bool:
        """Whether the match is over and has turns to review."""
        return self.now.match.result is not None and can_review(self.now.match.ruleset, self.now.ply)

    @property
    def levels(self) -> list[tuple[int, str, bool]]:
        """The levels of the computer to play instead or next, with labels, and whether a level suits best."""
        match, player_id = self.now.match, self.visitor.player_id
        if match.computer is None or player_id is None:
            return []
        labels = {match.computer.level: _("Rematch")}
        return [
            (level, labels.get(level, _("Level {level}").format(level=level)), level == self.suggested_level)
            for level in offered_levels(match, player_id)
        ]

    @property
    def can_continue(self) -> bool:
        """Whether a match can begin with the position on the board."""
        return self.now.match.result is not None and self.game.position.phase is not Phase.OVER

    @property
    def marks(self) -> list[tuple[str, str]]:
        """The overlays of the game with their titles."""
        return list(overlay_titles(self.now.match.ruleset.game).items())


def clock_face(left: timedelta) -> str:
    """A time as a clock shows it, such as ``1:05:09``; in words from a day on."""
    if left >= DAY:
        return span(left)
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


#: Bytes of cached pictures, and of cached news for watchers.
_PICTURES, _NEWS = 24_000_000, 4_000_000
#: The number of last turns that the page of a finished match shows once more.
_FILMED = 6
#: Seconds after which browsers without script reload the page.
_RELOAD = 60
#: Seconds for which watchers of a match share news, which contain the time left.
_NEWS_LIFETIME = 2


@dataclass
class MatchRoutes:
    matches: Matches
    readers: Readers
    doors: Doors
    live: Live

    def __post_init__(self) -> None:
        self._pictures = SharedCache(_PICTURES)
        self._news = SharedCache(_NEWS)

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/m/{key}", self.match)
        router.add_get("/m/{key}/board.png", self.picture)
        router.add_get("/m/{key}/record.txt", self.record)
        router.add_get("/m/{key}/clocks", self.times)
        router.add_get("/m/{key}" + STREAM, self.watch)

    async def match(self, request: web.Request) -> web.StreamResponse:
        return await self.show(request, request.match_info["key"])

    async def show(
        self,
        request: web.Request,
        key: str,
        *,
        note: str = "",
        status: int = 200,
        near: str = "",
        cell: str = "",
        refused: str = "",
    ) -> web.Response:
        """The page of a match, or only the part that its script replaces.

        The ``note`` may be about a ``refused`` cell.
        """
        query = request.query if request.method == "GET" else {**_marks_in(request), "near": near, "cell": cell}
        page = await self._page(request[VISITOR], key, query)
        if boards.cell_name(page.now.position.board, refused):
            page = replace(page, view=replace(page.view, refusal=CellRefusal(refused, note)))
        else:
            page = replace(page, view=replace(page.view, note=note))
        described = None if page.plays else page.described
        return await answer_with_board(request, "part.html", page, status=status, again=_RELOAD, described=described)

    async def _page(self, visitor: Visitor, key: str, query: Mapping[str, str]) -> MatchPage:
        """The page of a match for a visitor; the query may ask for a past position, a window or marks."""
        view = await self.readers.view(await self.doors.match_of(key), visitor.player_id)
        return await self._page_of(view, visitor, key, query)

    async def _page_of(self, view: ReaderView, visitor: Visitor, key: str, query: Mapping[str, str]) -> MatchPage:
        now, match = view.game, view.game.match
        ply = number_in(query.get("ply"))
        game = now if ply is None or ply >= now.ply else await self.matches.game_at(match, ply)
        shown = PageView(
            key=key,
            near=boards.cell_name(now.position.board, query.get("near")),
            cell=boards.cell_name(now.position.board, query.get("cell")),
            marks=_marks(now, query.get("marks")),
            on=boards.cell_name(now.position.board, query.get("on")),
            chooses="choose" in query,
        )
        return MatchPage(
            shown,
            visitor,
            now,
            replace(game, match=match),
            None if view.delivery is None else self.doors.card_url(view.delivery),
            draft=view.draft,
            next_key="" if view.next_id is None else await self.doors.key(view.next_id),
            to_play=view.to_play,
            rematch_key="" if match.rematch_id is None else await self.doors.key(match.rematch_id),
            version=version_of(match),
            clock=view.clock,
            suggested_level=view.suggested_level,
            newcomer=view.newcomer,
        )

    async def game_for(self, visitor: Visitor, key: str) -> Game:
        """A game as a visitor sees it: watchers see the players' names outside servers."""
        match = await self._match(visitor, key)
        return await (self.matches.game_of(match) if visitor.plays(match) else self.live.game_for_watchers(match))

    async def _match(self, visitor: Visitor, key: str) -> Match:
        """The match with this key. Raises :class:`UnknownMatchError`, also for another player's imported record."""
        match = await self.matches.match(await self.doors.match_of(key))
        if match.imported is not None and not visitor.owns(match):
            raise UnknownMatchError
        return match

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """The picture of a position, which never changes."""
        try:
            png = await self._png(request)
        except (ValueError, TurnError):
            raise web.HTTPNotFound from None
        return answer_with_png(png, FOR_ONE)

    async def _png(self, request: web.Request) -> bytes:
        visitor, picture_request, key = request[VISITOR], PictureRequest.read(request.query), request.match_info["key"]
        now = self.live.game(await self.doors.match_of(key))
        # The game of a match with watchers is in memory, so their pictures need no statement.
        if now is None or visitor.plays(now.match) or not _existed(picture_request, now.match):
            now = await self.game_for(visitor, key)
        match = now.match
        plays = visitor.plays(match)
        if picture_request.outside is plays:
            picture_request = replace(picture_request, outside=not plays)
        game = await self._game_of(now, picture_request, plays=plays)
        cache_key = match.id, picture_request, tuple(player.name for player in match.players)
        is_current = picture_request.step == match.step and picture_request.ply is None
        if not picture_request.is_private and (is_current or match.result is not None):
            drawing = partial(asyncio.to_thread, pictures.draw, game, picture_request, public=True)
            return await self._pictures.get(cache_key, drawing)
        # A past board may still be cached from when it was current, but looking back must leave no trace for others.
        kept = self._pictures.kept(cache_key)
        return await asyncio.to_thread(pictures.draw, game, picture_request) if kept is None else kept

    async def _game_of(self, now: Game, picture_request: PictureRequest, *, plays: bool) -> Game:
        """The game that a picture shows. Raises ``ValueError`` if there is no such picture."""
        match = now.match
        if not _existed(picture_request, match) or (picture_request.draft and not (plays or picture_request.over)):
            raise ValueError("there is no such picture")
        game = now if picture_request.step == match.step else await self.matches.past_game(match, picture_request.step)
        if picture_request.ply is None or picture_request.ply >= game.ply:
            return game
        return replace(await self.matches.game_at(game.match, picture_request.ply), match=replace(match, result=None))

    async def record(self, request: web.Request) -> web.StreamResponse:
        """The record of a match as a text file."""
        game = await self.game_for(request[VISITOR], request.match_info["key"])
        return web.Response(text=str(await asyncio.to_thread(record_of, game)))

    async def times(self, request: web.Request) -> web.StreamResponse:
        """The part of the page with the clocks; empty without one."""
        page = await self._page(request[VISITOR], request.match_info["key"], {})
        return web.Response(text=templates.render("clocks.html", page=page), content_type="text/html")

    async def watch(self, request: web.Request) -> web.StreamResponse:
        key, visitor = request.match_info["key"], request[VISITOR]
        match = await self._match(visitor, key)

        async def news(now: Game) -> bytes:
            version = version_of(now.match)
            if visitor.plays(now.match):
                return live.line(version)
            reader = replace(visitor, address="", player_id=None), visitor.player_id is None
            cache_key = key, version, *reader, int(time.time() / _NEWS_LIFETIME)
            return await self._news.get(cache_key, partial(self._news_for_watchers, now, visitor, key))

        return await self.live.answer(request, match.id, visitor.person, news)

    async def _news_for_watchers(self, now: Game, visitor: Visitor, key: str) -> bytes:
        """The news of a game for all watchers with the same language and look."""
        page = await self._page_of(await self.readers.for_watchers(now), visitor, key, {})

        def render() -> bytes:
            with texts.in_language(visitor.language):
                return live.line(page.version, templates.render("part.html", page=page))

        return await asyncio.to_thread(render)

    async def respond(self, request: web.Request, key: str, *, near: str = "", cell: str = "") -> web.StreamResponse:
        """The response to a form: the page for the script, or a redirect to it for browsers without script."""
        if wants_part(request):
            return await self.show(request, key, near=near, cell=cell)
        where = with_query(f"/m/{key}", {**_marks_in(request), "near": near, "cell": cell})
        return web.Response(status=303, headers={"Location": where})


def _existed(picture_request: PictureRequest, match: Match) -> bool:
    """Whether the match has ever been at the requested step, and over or not as requested."""
    return (picture_request.step, picture_request.over) == (match.step, match.result is not None) or (
        picture_request.step < match.step and not picture_request.over
    )


def _marks_in(request: web.Request) -> dict[str, str]:
    """The marks on the page that sends a form."""
    return {name: request.query.get(name, "") for name in ("marks", "on")}


def _marks(game: Game, name: str | None) -> str:
    """``name`` if it is an overlay of the game, otherwise empty."""
    return name if name and name in render.overlays_of(game.match.ruleset.game) else ""
