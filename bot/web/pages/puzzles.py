"""Puzzles to solve on a board to tap; first tries of people with a session count as on Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from aiohttp import web

from bot.domain.computer import reply_request
from bot.domain.refusals import DomainError
from bot.domain.study.puzzles import PuzzleStage
from bot.domain.turn_entry import TurnEntry
from bot.pictures import private_look
from bot.services.fair_play import FairPlay
from bot.services.people.doors import Doors
from bot.services.study.puzzles import Puzzles
from bot.services.study.reviews import Hints
from bot.web.board import boards
from bot.web.board.answers import answer_with_board, answer_with_picture, preview_of
from bot.web.board.pictures import BoardState, PictureRequest
from bot.web.board.turn_board import (
    Bar,
    BarButton,
    BoardPicture,
    CellRefusal,
    Link,
    TurnBoard,
    refusal_fields,
    with_query,
)
from bot.web.board.turns import after_press, beginning
from bot.web.html.sentences import sentence
from bot.web.http.answers import answer
from bot.web.http.requests import VISITOR, form_of, known_player, number_in, require_player_id, wants_part
from bot.web.http.shared_cache import SharedCache
from bot.web.http.visitors import Visitor
from bot.wording import puzzles
from bot.wording.sentence import Sentence, gettext as _, joined
from rules import GAMES, TurnError
from rules.puzzles import Puzzle

#: The address of the puzzles.
ADDRESS = "/puzzle"
#: Presses that ask for the refutation of a wrong turn, for the solution, to confirm that, and for another puzzle.
WHY, SHOW, SURE, NEXT = ".why", ".show", ".sure", ".next"
#: Maximum tried turns in a picture.
_MOST_TRIED = 20


@dataclass(frozen=True)
class PuzzlePage:
    """A puzzle with the ``draft`` of a turn or, once there is a ``verdict``, the ``attempt``.

    ``only`` is the game to which the visitor limits puzzles (empty: all games). The next try ``counts`` if it is the
    first. After the solution, ``tried`` is the turn compared with it, and ``result`` that of the puzzle of the day.
    """

    visitor: Visitor
    stage: PuzzleStage
    only: str = ""
    draft: str = ""
    near: str = ""
    cell: str = ""
    note: str = ""
    refusal: CellRefusal | None = None
    counts: bool = False
    attempt: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    tried: str = ""
    result: str = ""
    buttons: tuple[BarButton, ...] = ()
    again: bool = True

    @property
    def address(self) -> str:
        return f"{ADDRESS}/{self.stage.puzzle.key}"

    @cached_property
    def turn_board(self) -> TurnBoard:
        stage, look = self.stage, private_look(self.visitor.preferences)
        entry = None if self.verdict else TurnEntry.begin(stage.position, self.draft)
        turns = (*stage.puzzle.solution[: stage.ply], *self.attempt)
        picture_request = PictureRequest(tried=" ".join(turns), near=self.near)
        return TurnBoard(
            address=self.address,
            action=self.address,
            picture=BoardPicture.of(
                f"{self.address}/board.png", picture_request, state_of(stage, self.attempt), look, self.visitor, entry
            ),
            message=self._message,
            lead="" if entry is None or entry.text else puzzles.request(stage),
            entry=entry,
            fields={**self._place, "tried": self.tried or " ".join(self.attempt[:1])},
            query=self._query,
            near=self.near,
            cell=self.cell,
            refusal=self.refusal,
            links=tuple(self._links()) if entry is None else (),
        )

    @property
    def _place(self) -> dict[str, object]:
        """The progress, given by the turns found, since a number would allow visitors to skip turns."""
        found = self.stage.puzzle.solution[: self.stage.ply : 2]
        return {"found": " ".join(found), "game": self.only}

    @property
    def _query(self) -> dict[str, object]:
        return {**self._place, "draft": self.draft}

    @property
    def here(self) -> str:
        """The address of the current page, with its window and the cell to choose from."""
        return with_query(self.address, {**self._query, "near": self.near, "cell": self.cell})

    @property
    def _message(self) -> Bar:
        first, *others = self.verdict or ("",)
        following = BarButton(NEXT, _("Next puzzle"), main=not self.buttons)
        return Bar(first, joined(*others, by="\n"), (*self.buttons, following))

    def _links(self) -> list[Link]:
        label = _("Try again") if self.attempt else _("Back")
        return [Link(self.here, label)] if self.again else []

    @property
    def heading(self) -> str:
        return puzzles.heading(self.stage)

    @property
    def terms(self) -> str:
        stage = self.stage
        is_solution = self.attempt and self.attempt == stage.puzzle.solution[stage.ply :][: len(self.attempt)]
        return puzzles.terms(stage.puzzle) if is_solution else puzzles.footer(stage)

    @property
    def title(self) -> str:
        return f"{self.heading} · Hexgrove"

    @property
    def game(self) -> str:
        return self.stage.puzzle.ruleset.game.name

    @property
    def may_ask(self) -> bool:
        """Whether the visitor may ask for the solution. An anonymous visitor could be playing this position."""
        return self.visitor.player_id is not None and not self.verdict


@dataclass
class PuzzleRoutes:
    """The routes of puzzles; ``pictures`` keeps the latest pictures."""

    puzzles: Puzzles
    hints: Hints
    fair_play: FairPlay
    doors: Doors
    pictures: SharedCache

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/puzzle", self.overview)
        router.add_get("/puzzle/next", self.next)
        router.add_get("/puzzle/{puzzle:[0-9a-f]{8}}", self.puzzle)
        router.add_post("/puzzle/{puzzle:[0-9a-f]{8}}", self.press)
        router.add_get("/puzzle/{puzzle:[0-9a-f]{8}}/board.png", self.picture)

    async def overview(self, request: web.Request) -> web.StreamResponse:
        """The puzzle of the day, and each game's puzzles."""
        player_id = request[VISITOR].player_id
        today, preview = await self.puzzles.today(), None
        if today is not None:
            page = PuzzlePage(request[VISITOR], PuzzleStage(today))
            preview = await asyncio.to_thread(preview_of, page, _described(page))
        progress = None if player_id is None else await self.puzzles.progress(player_id)
        return answer(
            request,
            "study/puzzles.html",
            today=today,
            stars=puzzles.stars,
            progress=progress,
            games=GAMES.values(),
            address=ADDRESS,
            preview=preview,
        )

    async def next(self, request: web.Request) -> web.StreamResponse:
        """Redirect to a puzzle of one game or of any."""
        game = _game(request.query)
        # No player has the id 0, so visitors without a session get a puzzle for newcomers.
        puzzle = await self.puzzles.next(request[VISITOR].player_id or 0, game or None)
        raise web.HTTPSeeOther(with_query(f"{ADDRESS}/{puzzle.key}", {"game": game}))

    async def puzzle(self, request: web.Request) -> web.StreamResponse:
        return await self._start(request, await self._page(request, request.query))

    async def _start(self, request: web.Request, page: PuzzlePage) -> web.StreamResponse:
        """A puzzle, with a note if the visitor has tried it before."""
        player_id = request[VISITOR].player_id
        if player_id is not None and not page.draft:
            solved = await self.puzzles.first_try(player_id, page.stage.puzzle)
            before = _("You have solved this one before.") if solved else _("You have tried this one before.")
            note, result = ("", "") if solved is None else (before, await self._result(page))
            page = replace(page, counts=solved is None, note=note, result=result)
        return await self._answer(request, page)

    async def _next(self, request: web.Request, page: PuzzlePage) -> web.StreamResponse:
        """Another puzzle. The previous one counts as seen and does not come again soon."""
        player_id = request[VISITOR].player_id
        if player_id is not None:
            await self.puzzles.see(await known_player(request, self.doors), page.stage.puzzle)
        puzzle = await self.puzzles.next(player_id or 0, page.only or None)
        page = PuzzlePage(page.visitor, PuzzleStage(puzzle), page.only)
        if wants_part(request):
            return await self._start(request, page)
        raise web.HTTPSeeOther(page.here)

    async def press(self, request: web.Request) -> web.StreamResponse:
        """Continue a turn, judge it, refute it, or show the solution."""
        form = await form_of(request)
        page, press, player_id = await self._page(request, form), form.get("press", ""), request[VISITOR].player_id
        tried = form.get("tried", "")
        if press == NEXT:
            return await self._next(request, page)
        try:
            if press == WHY:
                return await self._answer(request, await self._refute(request, page, tried))
            if press == SHOW:
                return await self._answer(request, await self._solution(request, page, tried))
            if press.startswith(SURE):
                step = number_in(press.removeprefix(SURE)) or 0
                return await self._answer(request, await self._solution(request, page, tried, step, sure=True))
            done = await asyncio.to_thread(after_press, page.stage.position, page.draft, form.get("begun", ""), press)
            confirmation, changed = page.visitor.preferences.confirmation, done.entry.text != page.draft
            if done.plays or (changed and await asyncio.to_thread(done.entry.goes_at_once, confirmation)):
                return await self._answer(request, await self._judge(request, page, done.entry.text))
        except TurnError as error:
            page = replace(page, draft="", **refusal_fields(press, error))
            if player_id is not None and await self.puzzles.first_try(player_id, page.stage.puzzle) is None:
                page = replace(page, note=joined(page.note, _("That did not count: you still have your first try.")))
            return await self._answer(request, page, status=422)
        except DomainError as error:
            return await self._answer(request, replace(page, note=sentence(error), draft=""), status=409)
        page = replace(page, draft=done.entry.text, cell=done.cell)
        if wants_part(request):
            return await self._answer(request, page)
        raise web.HTTPSeeOther(page.here)

    async def _judge(self, request: web.Request, page: PuzzlePage, turn: str) -> PuzzlePage:
        """The page after a complete turn, which counts if it is the first try of a player."""
        stage, player_id = page.stage, page.visitor.player_id
        right = await asyncio.to_thread(stage.puzzle.solves, stage.ply, turn)
        page = replace(page, draft="", near="", cell="")
        if right and not stage.is_last:
            note = await asyncio.to_thread(puzzles.right_so_far, stage, turn)
            return replace(page, stage=PuzzleStage(stage.puzzle, stage.ply + 2), note=note)
        answered = None
        if player_id is not None:
            answered = await self.puzzles.answer(await known_player(request, self.doors), stage.puzzle, solved=right)
        if right:
            verdict = await asyncio.to_thread(puzzles.success, stage, turn, answered)
            page = replace(page, attempt=(turn,), verdict=_without_empty(verdict), again=False)
            return replace(page, result=await self._result(page))
        verdict = await asyncio.to_thread(puzzles.wrong, stage, turn, answered)
        over = (await asyncio.to_thread(stage.position.play, turn))[0].outcome is not None
        buttons = () if player_id is None else (*(() if over else (_why(),)), _show())
        return replace(page, attempt=(turn,), verdict=_without_empty(verdict), buttons=buttons)

    async def _refute(self, request: web.Request, page: PuzzlePage, turn: str) -> PuzzlePage:
        """The best reply to a wrong turn, found by a search; only after the first try."""
        player_id, stage = require_player_id(request), page.stage
        if await self.puzzles.first_try(player_id, stage.puzzle) is None:
            return page
        after = (await asyncio.to_thread(stage.position.play, turn))[0]
        await self.fair_play.check(player_id, stage.position, after)
        search = reply_request(stage.puzzle, stage.ply, turn)
        with self.hints.one_at_a_time(player_id, search):
            found = await self.hints.find(search, player_id)
        verdict = await asyncio.to_thread(puzzles.refutation, stage, turn, found)
        return replace(page, draft="", attempt=(turn, found.turn), verdict=_without_empty(verdict), buttons=(_show(),))

    async def _result(self, page: PuzzlePage) -> str:
        """The visitor's result to share, with the address of the puzzle; empty unless it is the puzzle of the day."""
        player_id = page.visitor.player_id
        result = None if player_id is None else await self.puzzles.daily_result(player_id, page.stage.puzzle)
        return "" if result is None else f"{puzzles.daily_result(result)}\n{self.doors.url}{page.address}"

    async def _solution(
        self, request: web.Request, page: PuzzlePage, tried: str, step: int = 0, *, sure: bool = False
    ) -> PuzzlePage:
        """A turn of the solution; before the first try, a question whether to give that up."""
        player_id, stage = require_player_id(request), page.stage
        await self.fair_play.check(player_id, stage.position)
        page = replace(page, draft="", near="", cell="")
        if not sure and await self.puzzles.first_try(player_id, stage.puzzle) is None:
            question = _("**Show the solution?** The puzzle then counts as not solved.")
            return replace(page, verdict=(question,), buttons=(BarButton(SURE, _("Yes, show it"), main=True),))
        answered = await self.puzzles.answer(
            await known_player(request, self.doors), stage.puzzle, solved=False, shown=True
        )
        found = await asyncio.to_thread(lambda: [*puzzles.solution(stage, answered, instead_of=tried or None)])
        step = min(step, len(found) - 1)
        shown = stage.puzzle.solution[stage.ply :][: step + 1]
        buttons = () if len(found) == 1 else (_step(step - 1, len(found), back=True), _step(step + 1, len(found)))
        page = replace(page, attempt=shown, verdict=(found[step],), tried=tried, buttons=buttons)
        return replace(page, result=await self._result(page))

    async def picture(self, request: web.Request) -> web.StreamResponse:
        puzzle = await self.puzzles.get(request.match_info["puzzle"])
        return await answer_with_picture(request, self.pictures, puzzle.key, partial(_draw, puzzle))

    async def _stage(self, request: web.Request, query: Mapping[str, str]) -> PuzzleStage:
        puzzle = await self.puzzles.get(request.match_info["puzzle"])
        found = tuple(query.get("found", "").split())
        stage = PuzzleStage(puzzle, 2 * len(found))
        if stage.ply >= len(puzzle.solution) or found != puzzle.solution[: stage.ply : 2]:
            raise web.HTTPNotFound
        return stage

    async def _page(self, request: web.Request, query: Mapping[str, str]) -> PuzzlePage:
        stage = await self._stage(request, query)
        near, cell = (boards.cell_name(stage.puzzle.ruleset.board, query.get(name)) for name in ("near", "cell"))
        draft = await asyncio.to_thread(lambda: beginning(stage.position, query.get("draft", "")))
        return PuzzlePage(request[VISITOR], stage, _game(query), draft, near, cell)

    async def _answer(self, request: web.Request, page: PuzzlePage, *, status: int = 200) -> web.StreamResponse:
        return await answer_with_board(request, "study/puzzle.html", page, status=status, described=_described(page))


def state_of(stage: PuzzleStage, tried: tuple[str, ...]) -> BoardState:
    """The position of a puzzle after tried turns. Raises :class:`rules.TurnError`."""
    position, events = stage.position, stage.events
    for turn in tried[:_MOST_TRIED]:
        position, events = position.play(turn)
    return BoardState(position, events)


def _draw(puzzle: Puzzle, request: PictureRequest) -> bytes:
    return state_of(PuzzleStage(puzzle), tuple(request.tried.split())).draw(request, public=not request.is_private)


def _described(page: PuzzlePage) -> Sentence:
    return joined(puzzles.request(page.stage), page.terms)


def _game(query: Mapping[str, str]) -> str:
    name = query.get("game", "")
    return name if name in GAMES else ""


def _without_empty(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, sentences))


def _why() -> BarButton:
    return BarButton(WHY, _("Why not?"))


def _step(step: int, count: int, *, back: bool = False) -> BarButton:
    """The button to a turn of the solution."""
    label, title = ("◀", _("One turn back")) if back else ("▶", _("One turn on"))
    inside = 0 <= step < count
    return BarButton(
        f"{SURE}{step if inside else ''}", label, title=title, main=inside and not back, disabled=not inside
    )


def _show() -> BarButton:
    return BarButton(SHOW, _("Show the solution"))
