"""The review of a match: a curve to tap, and the verdict on each turn on the board."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from aiohttp import web
from markupsafe import Markup

import render
from bot import texts
from bot.domain.matches import Game
from bot.domain.refusals import DomainError
from bot.domain.study.reviews import Review, TurningPoint, first_ply
from bot.domain.turn_entry import TurnEntry
from bot.services.fair_play import FairPlay
from bot.services.matches import Matches
from bot.services.study.reviews import PendingReview, Reviews
from bot.texts import gettext as _
from bot.web.board.answers import answer_with_board
from bot.web.board.pictures import BoardState, PictureRequest
from bot.web.board.replay import Replay
from bot.web.board.turn_board import NOTHING, Bar, BarButton, BoardPicture, Link, TurnBoard, with_query
from bot.web.html.markup import html
from bot.web.html.sentences import sentence
from bot.web.http.requests import VISITOR, number_in, player_id
from bot.web.http.shared_cache import SharedCache
from bot.web.http.visitors import Visitor
from bot.web.pages.match import MatchRoutes
from bot.wording import reviews, words
from bot.wording.ratings import result

#: Maximum spans of the curve, each wide enough for a finger on a small phone.
_SPANS = 12
#: Seconds after which a page asks again for a review in progress.
_AGAIN = 3
_FOR_ONE = "private, max-age=3600"


@dataclass(frozen=True, slots=True)
class PlyLink:
    """A link to a turn, from a part of the curve or from the list of turning points; the board may show it ``now``."""

    address: str
    label: str
    now: bool


@dataclass(frozen=True)
class ReviewPage:
    """The review of a match, or its progress, for one reader.

    ``games`` maps a number of turns to the game after them: before and after each turning point, and after the ``ply``
    turns on the board. At a turning point, the board shows the turn played or the ``better`` one.
    """

    key: str
    visitor: Visitor
    now: Game
    result: Review | PendingReview | None
    games: dict[int, Game]
    ply: int
    better: bool = False
    note: Markup = NOTHING

    @property
    def address(self) -> str:
        return f"/m/{self.key}/review"

    @property
    def review(self) -> Review | None:
        return self.result if isinstance(self.result, Review) else None

    @property
    def again(self) -> int | None:
        """Seconds until the page asks again; None once the review is complete."""
        return _AGAIN if isinstance(self.result, PendingReview) else None

    @property
    def point(self) -> TurningPoint | None:
        """The turning point that the board shows."""
        points = () if self.review is None else self.review.points
        return next((each for each in points if each.ply == self.ply), None)

    @property
    def _begins(self) -> int:
        """How many turns come before the first one with a verdict."""
        return first_ply(self.now)

    @property
    def is_overview(self) -> bool:
        return self.ply == self.now.ply and self.point is None

    @cached_property
    def board(self) -> TurnBoard:
        match, point, look = self.now.match, self.point, self.visitor.look(self.now)
        game, entry, ply = self.now, None, None
        if point is not None and self.better:
            ply = point.ply - 1
            game = self.games[ply]
            entry = TurnEntry.begin(game.position, point.better)
        elif self.ply < self.now.ply:
            ply = self.ply
            game = self.games[ply]
        shot = PictureRequest(step=match.step, over=True, ply=ply, outside=not self.visitor.plays(match))
        return TurnBoard(
            address=self.address,
            action=self.address,
            picture=BoardPicture.of(f"/m/{self.key}/board.png", shot, BoardState.of(game), look, self.visitor, entry),
            message=self._message,
            query={"ply": None if self.is_overview else self.ply, "better": 1 if self.better else None},
            links=tuple(self._links()),
        )

    @property
    def _message(self) -> Bar:
        review, point, now = self.review, self.point, self.now
        if review is None:
            if isinstance(self.result, PendingReview):
                text = reviews.progress(now.match, self.result.done, self.result.total)
                return Bar(Markup.escape(text), Markup.escape(reviews.is_kept()))
            begin = BarButton("begin", _("Review this match"), main=True)
            return Bar(html(result(now).partition("\n")[0]), html(reviews.caution()), (begin,))
        if self.is_overview:
            return Bar(html(result(now).partition("\n")[0]), html(reviews.remark(now, len(review.points))))
        played = self.games[self.ply]
        if self.ply <= self._begins:
            return Bar(html(words.last_turn(played) or _("Before the first turn.")))
        before, after = (review.chances[ply - self._begins] for ply in (self.ply - 1, self.ply))
        if played.events[0].side:
            before, after = 1 - before, 1 - after
        told = reviews.chances(played, before, after)
        if point is None:
            return Bar(html(words.last_turn(played)), html(told))
        if not self.better:
            return Bar(html(words.last_turn(played)), html(f"{told} {reviews.answer(played, point)}".rstrip()))
        start = self.games[self.ply - 1]
        yours = start.to_act is not None and start.to_act.id == self.visitor.player_id
        return Bar(html(reviews.advice(start, self.now.turns[self.ply - 1], point, yours=yours)))

    def _links(self) -> Iterator[Link]:
        if self.point is not None:
            label = _("The turn played") if self.better else _("The better turn")
            yield Link(self._at(self.ply, better=not self.better), label, main=not self.better)
        if self.review is not None:
            start = self.ply - 1 if self.point is not None else self.ply
            yield Link(f"/m/{self.key}/try?ply={start}", _("Try from here"), away=True)

    def _at(self, ply: int | str | None, *, better: bool = False) -> str:
        return with_query(self.address, {"ply": ply, "better": 1 if better else None})

    @property
    def spans(self) -> list[PlyLink]:
        """The parts of the curve, each with a link to its turn that changed the most."""
        review = self.review
        if review is None:
            return []
        found, points = [], {each.ply for each in review.points}
        begins, count = self._begins, min(_SPANS, len(review.chances))

        def change(ply: int) -> tuple[bool, float]:
            at = ply - begins
            return ply in points, abs(review.chances[at] - review.chances[max(at - 1, 0)])

        for number in range(count):
            first, end = (begins + len(review.chances) * each // count for each in (number, number + 1))
            ply = max(range(first, end), key=change)
            label = _("Turn {number}").format(number=ply)
            found.append(PlyLink(self._at(ply), label, first <= self.ply < end and not self.is_overview))
        return found

    @property
    def points(self) -> list[PlyLink]:
        """The turning points."""
        found = []
        for number, point in enumerate(() if self.review is None else self.review.points, 1):
            told = reviews.chances(self.games[point.ply], point.before, point.after)
            text = html(f"**{number}** · {words.turn_made(self.games[point.ply])}. {told}")
            found.append(PlyLink(self._at(point.ply), text, point.ply == self.ply))
        return found

    @property
    def curve(self) -> tuple[str, str]:
        """The addresses of the curve for dark and for light pages."""
        theme = self.visitor.preferences.theme
        dark, light = (
            with_query(f"{self.address}/curve.png", {"theme": theme or each, "language": self.visitor.language})
            for each in ("dark", "light")
        )
        return dark, light

    @property
    def description(self) -> str:
        return "" if self.review is None else reviews.description(self.now, self.review)

    @property
    def caution(self) -> str:
        return reviews.caution()

    @property
    def replay(self) -> Replay:
        return Replay(self.now, self.now.ply, self.ply, self._at)

    @property
    def versus(self) -> Markup:
        return html(words.versus(self.now.match))

    @property
    def heading(self) -> str:
        return _("Review")

    @property
    def title(self) -> str:
        return f"{self.heading} · {self.now.match.ruleset.game.title} · {words.plain(words.versus(self.now.match))}"


@dataclass
class ReviewRoutes:
    """The routes of reviews. ``match_routes`` shows matches; ``pictures`` keeps the latest pictures."""

    matches: Matches
    reviews: Reviews
    fair_play: FairPlay
    match_routes: MatchRoutes
    pictures: SharedCache

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/m/{key}/review", self.show)
        router.add_post("/m/{key}/review", self.begin)
        router.add_get("/m/{key}/review/curve.png", self.curve)

    async def show(self, request: web.Request) -> web.StreamResponse:
        """The review, its progress, or the offer to begin it."""
        own = player_id(request)
        now = await self.match_routes.game_for(request[VISITOR], request.match_info["key"])
        return await self._answer(request, now, await self.reviews.find(now, own))

    async def begin(self, request: web.Request) -> web.StreamResponse:
        own = player_id(request)
        now = await self.match_routes.game_for(request[VISITOR], request.match_info["key"])
        try:
            return await self._answer(request, now, await self.reviews.get(now, own))
        except DomainError as error:
            return await self._answer(request, now, await self.reviews.find(now, own), note=sentence(error), status=409)

    async def curve(self, request: web.Request) -> web.StreamResponse:
        """The picture of the curve."""
        own = player_id(request)
        theme, language = request.query.get("theme", ""), request.query.get("language", "")
        now = await self.match_routes.game_for(request[VISITOR], request.match_info["key"])
        review = await self.reviews.find(now, own)
        if not isinstance(review, Review) or theme not in render.THEME_NAMES or language not in texts.LANGUAGES:
            raise web.HTTPNotFound
        names = tuple(player.name for player in now.match.players)
        drawing = partial(asyncio.to_thread, _draw, now, review, theme, language)
        png = await self.pictures.get(("review", now.match.id, names, theme, language), drawing)
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": _FOR_ONE})

    async def _answer(
        self,
        request: web.Request,
        now: Game,
        result: Review | PendingReview | None,
        *,
        note: Markup = NOTHING,
        status: int = 200,
    ) -> web.StreamResponse:
        key, at = request.match_info["key"], number_in(request.query.get("ply"))
        ply = now.ply if at is None else min(at, now.ply)
        better = "better" in request.query
        points = [each.ply for each in result.points] if isinstance(result, Review) else []
        plies = {ply, *points, *([ply - 1] if ply in points else [])}
        games = {each: await self.matches.game_at(now.match, each) for each in plies}
        if ply in points:
            try:
                # Each of them has a better turn, and the best answer to the turn played.
                await self.fair_play.check(player_id(request), games[ply - 1].position, games[ply].position)
            except DomainError as error:
                ply, note, status = now.ply, sentence(error), 409
                games[ply] = await self.matches.game_at(now.match, ply)
        page = ReviewPage(key, request[VISITOR], now, result, games, ply, better=better, note=note)
        if page.point is None and better:
            page = replace(page, better=False)
        return await answer_with_board(request, "review.html", page, status=status, again=page.again)


def _draw(game: Game, review: Review, theme: str, language: str) -> bytes:
    with texts.in_language(language):
        return reviews.chart(game, review, render.Look(theme, texts=texts.catalogue(language)))
