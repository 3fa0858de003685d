"""The review of a match: a curve to tap, and the verdicts on turns on the board."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from aiohttp import web

import render
from bot import texts
from bot.domain.matches import Game
from bot.domain.refusals import DomainError
from bot.domain.study.reviews import Review, TurningPoint, first_ply
from bot.domain.turn_entry import TurnEntry
from bot.services.fair_play import FairPlay
from bot.services.matches import Matches
from bot.services.study.reviews import PendingReview, Reviews
from bot.web.board.answers import answer_with_board
from bot.web.board.pictures import BoardState, PictureRequest
from bot.web.board.replay import Replay
from bot.web.board.turn_board import Bar, BarButton, BoardPicture, Link, TurnBoard, with_query
from bot.web.html.sentences import sentence
from bot.web.http.answers import answer_with_png
from bot.web.http.requests import VISITOR, number_in, require_player_id
from bot.web.http.shared_cache import SharedCache
from bot.web.http.visitors import Visitor
from bot.web.pages.match import MatchRoutes
from bot.wording import reviews, words
from bot.wording.sentence import Sentence, gettext as _, joined

#: Maximum spans of the curve, so that they are wide enough for fingers on a small phone.
_SPANS = 12
#: Seconds after which the page of a review in progress is reloaded.
_AGAIN = 3
_FOR_ONE = "private, max-age=3600"


@dataclass(frozen=True, slots=True)
class PlyLink:
    """A link to a turn in the curve or the list of turning points; the board may show that turn ``now``."""

    address: str
    label: str
    now: bool


@dataclass(frozen=True)
class ReviewPage:
    """The review of a match, or its progress, for one reader.

    ``games`` has the games before and after the turning points and after the ``ply`` turns on the board, by number of
    turns. At a turning point, the board shows the turn played or the ``better`` one.
    """

    key: str
    visitor: Visitor
    now: Game
    result: Review | PendingReview | None
    games: dict[int, Game]
    ply: int
    better: bool = False
    note: str = ""

    @property
    def address(self) -> str:
        return f"/m/{self.key}/review"

    @property
    def review(self) -> Review | None:
        return self.result if isinstance(self.result, Review) else None

    @property
    def again(self) -> int | None:
        """Seconds until the page is reloaded; None once the review is complete."""
        return _AGAIN if isinstance(self.result, PendingReview) else None

    @property
    def begins(self) -> bool:
        """Whether the script begins the review, unlike programs that only look at the page, such as link previews."""
        return self.result is None and not self.note

    @property
    def point(self) -> TurningPoint | None:
        """The turning point on the board."""
        points = () if self.review is None else self.review.points
        return next((point for point in points if point.ply == self.ply), None)

    @property
    def _begins(self) -> int:
        """The number of turns before the first one with a verdict."""
        return first_ply(self.now)

    @property
    def is_overview(self) -> bool:
        return self.ply == self.now.ply and self.point is None

    @cached_property
    def turn_board(self) -> TurnBoard:
        match, point, look = self.now.match, self.point, self.visitor.look(self.now)
        game, entry, ply = self.now, None, None
        if point is not None and self.better:
            ply = point.ply - 1
            game = self.games[ply]
            entry = TurnEntry.begin(game.position, point.better)
        elif self.ply < self.now.ply:
            ply = self.ply
            game = self.games[ply]
        picture_request = PictureRequest(step=match.step, over=True, ply=ply, outside=not self.visitor.plays(match))
        return TurnBoard(
            address=self.address,
            action=self.address,
            picture=BoardPicture.of(
                f"/m/{self.key}/board.png", picture_request, BoardState.of(game), look, self.visitor, entry
            ),
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
                return Bar(text, reviews.is_kept())
            begin = BarButton("begin", _("Review this match"), main=True)
            return Bar(words.headline(now), reviews.caution(), (begin,))
        if self.is_overview:
            return Bar(words.headline(now), reviews.remark(now, len(review.points)))
        played = self.games[self.ply]
        if self.ply <= self._begins:
            return Bar(words.last_turn(played) or _("Before the first turn."))
        before, after = (review.chances[ply - self._begins] for ply in (self.ply - 1, self.ply))
        if played.events[0].side:
            before, after = 1 - before, 1 - after
        chances = reviews.chances(played, before, after)
        if point is None:
            return Bar(words.last_turn(played), chances)
        if not self.better:
            return Bar(words.last_turn(played), joined(chances, reviews.answer(played, point)))
        start = self.games[self.ply - 1]
        yours = start.to_act is not None and start.to_act.id == self.visitor.player_id
        return Bar(reviews.advice(start, self.now.turns[self.ply - 1], point, yours=yours))

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
        """The spans of the curve, with links to their turns that changed the chances most."""
        review = self.review
        if review is None:
            return []
        spans, points = [], {point.ply for point in review.points}
        begins, count = self._begins, min(_SPANS, len(review.chances))

        def change(ply: int) -> tuple[bool, float]:
            at = ply - begins
            return ply in points, abs(review.chances[at] - review.chances[max(at - 1, 0)])

        for number in range(count):
            first, end = (begins + len(review.chances) * at // count for at in (number, number + 1))
            ply = max(range(first, end), key=change)
            label = _("Turn {number}").format(number=ply)
            spans.append(PlyLink(self._at(ply), label, first <= self.ply < end and not self.is_overview))
        return spans

    @property
    def now_at(self) -> float | None:
        """Where the shown turn is on the curve, in hundredths of its width; None if it is not there."""
        turns = 0 if self.review is None else len(self.review.chances) - 1
        at = self.ply - self._begins
        return None if self.is_overview or not 0 <= at <= turns else 100 * at / max(turns, 1)

    @property
    def points(self) -> list[PlyLink]:
        """The turning points."""
        links = []
        for number, point in enumerate(() if self.review is None else self.review.points, 1):
            chances = reviews.chances(self.games[point.ply], point.before, point.after)
            text = Sentence("**{number}** · {turn}. {chances}").format(
                number=number, turn=words.turn_made(self.games[point.ply]), chances=chances
            )
            links.append(PlyLink(self._at(point.ply), text, point.ply == self.ply))
        return links

    @property
    def curve(self) -> tuple[str, str]:
        """The addresses of the curve for dark and light pages."""
        theme = self.visitor.preferences.theme
        dark, light = (
            with_query(f"{self.address}/curve.png", {"theme": theme or default, "language": self.visitor.language})
            for default in ("dark", "light")
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
    def versus(self) -> str:
        return words.versus(*self.now.players)

    @property
    def heading(self) -> str:
        return _("Review")

    @property
    def title(self) -> str:
        return f"{self.heading} · {self.now.match.ruleset.game.title} · {words.versus(*self.now.players).plain}"


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
        player_id = require_player_id(request)
        now = await self.match_routes.game_for(request[VISITOR], request.match_info["key"])
        return await self._answer(request, now, await self.reviews.find(now, player_id))

    async def begin(self, request: web.Request) -> web.StreamResponse:
        player_id = require_player_id(request)
        now = await self.match_routes.game_for(request[VISITOR], request.match_info["key"])
        try:
            return await self._answer(request, now, await self.reviews.get(now, player_id))
        except DomainError as error:
            return await self._answer(
                request, now, await self.reviews.find(now, player_id), note=sentence(error), status=409
            )

    async def curve(self, request: web.Request) -> web.StreamResponse:
        """The picture of the curve."""
        player_id = require_player_id(request)
        theme, language = request.query.get("theme", ""), request.query.get("language", "")
        now = await self.match_routes.game_for(request[VISITOR], request.match_info["key"])
        review = await self.reviews.find(now, player_id)
        if not isinstance(review, Review) or theme not in render.THEME_NAMES or language not in texts.LANGUAGES:
            raise web.HTTPNotFound
        names = tuple(player.name for player in now.match.players)
        drawing = partial(asyncio.to_thread, _draw, now, review, theme, language)
        png = await self.pictures.get(("review", now.match.id, names, theme, language), drawing)
        return answer_with_png(png, _FOR_ONE)

    async def _answer(
        self,
        request: web.Request,
        now: Game,
        result: Review | PendingReview | None,
        *,
        note: str = "",
        status: int = 200,
    ) -> web.StreamResponse:
        key, wanted = request.match_info["key"], number_in(request.query.get("ply"))
        ply = now.ply if wanted is None else min(wanted, now.ply)
        better = "better" in request.query
        points = [point.ply for point in result.points] if isinstance(result, Review) else []
        plies = {ply, *points, *([ply - 1] if ply in points else [])}
        games = {at: await self.matches.game_at(now.match, at) for at in plies}
        if ply in points:
            try:
                # A turning point shows a better turn, and the best answer to the turn played.
                await self.fair_play.check(require_player_id(request), games[ply - 1].position, games[ply].position)
            except DomainError as error:
                ply, note, status = now.ply, sentence(error), 409
                games[ply] = await self.matches.game_at(now.match, ply)
        page = ReviewPage(key, request[VISITOR], now, result, games, ply, better=better, note=note)
        if page.point is None and better:
            page = replace(page, better=False)
        return await answer_with_board(request, "study/review.html", page, status=status, again=page.again)


def _draw(game: Game, review: Review, theme: str, language: str) -> bytes:
    with texts.in_language(language):
        return reviews.chart(game, review, render.Look(theme, texts=texts.catalogue(language)))
