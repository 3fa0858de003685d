"""A private board on which players try turns from a position of a match."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from aiohttp import web

from bot.domain.computer import gives_hints
from bot.domain.matches import Game, Match, MovedOnError
from bot.domain.plans import Plan, branch_of
from bot.domain.refusals import DomainError
from bot.domain.study.imports import record_of
from bot.domain.study.lines import Line, games_along
from bot.domain.turn_entry import TurnEntry, digest
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.plans import Plans
from bot.services.study.lines import Lines
from bot.web.board import boards, pictures
from bot.web.board.advice import Advice
from bot.web.board.answers import answer_with_board
from bot.web.board.pictures import BoardState, PictureRequest
from bot.web.board.replay import Replay
from bot.web.board.turn_board import (
    BACK,
    Bar,
    BarButton,
    BoardPicture,
    CellRefusal,
    TurnBoard,
    refusal_fields,
    with_query,
)
from bot.web.board.turns import after_press
from bot.web.html.sentences import sentence
from bot.web.http.answers import FOR_ONE, answer_with_png
from bot.web.http.requests import VISITOR, form_of, known_player, number_in, require_player_id, wants_part
from bot.web.http.visitors import Visitor
from bot.web.pages.match import MatchRoutes
from bot.wording import lines, words
from bot.wording.sentence import Sentence, gettext as _
from rules import TurnError


@dataclass(frozen=True)
class TryPage:
    """The page of a line, with the ``games`` after its turns; the board shows the game after ``at`` of them.

    The first turn is ``playable`` if the match waits for the reader in the line's first position. Answers can be
    planned if the line begins ``here``, on the current board. The reader's ``plan`` comes with the game in which it
    begins, and the current game.
    """

    key: str
    visitor: Visitor
    match: Match
    line: Line
    games: Sequence[Game]
    at: int
    playable: bool = False
    here: bool = False
    plan: tuple[Plan, Game, Game] | None = None
    near: str = ""
    cell: str = ""
    note: str = ""
    refusal: CellRefusal | None = None

    @property
    def game(self) -> Game:
        return self.games[self.at]

    @property
    def board_line(self) -> Line:
        """The line up to the board. Another turn from there replaces the rest."""
        return self.line.up_to(self.at)

    @property
    def address(self) -> str:
        return f"/m/{self.key}/try"

    @property
    def start(self) -> dict[str, object]:
        """The query that names the first position of the line."""
        return {"step": self.line.step, "ply": self.line.ply}

    @cached_property
    def turn_board(self) -> TurnBoard:
        game, line = self.game, self.board_line
        look = self.visitor.look(game)
        entry = None if game.outcome is not None or line.full else TurnEntry.begin(game.position, line.begun)
        tried = " ".join(line.turns)
        picture_request = PictureRequest(
            step=line.step, ply=line.ply, tried=tried, near=self.near, outside=not self.plays
        )
        return TurnBoard(
            address=self.address,
            action=self.address,
            picture=BoardPicture.of(
                f"{self.address}/board.png", picture_request, BoardState.of(game), look, self.visitor, entry
            ),
            message=self._message(),
            mover=game.to_act,
            entry=entry,
            fields={**self.start, "at": self.at, "seen": digest(self.line.text)},
            query={**self.start, "at": self._at_in_query},
            near=self.near,
            cell=self.cell,
            goes_back=self._goes_back,
            end=_("Try it"),
            only=_("Try only {turn}"),
            refusal=self.refusal,
        )

    def _message(self) -> Bar:
        text = lines.line_is_full() if self.game.outcome is None else lines.ending_of(self.game)
        return Bar(text, buttons=(BarButton(BACK, _("Back")),) if self._goes_back else ())

    @property
    def _goes_back(self) -> bool:
        """Whether the board shows the last turn of the line, which can be taken back."""
        return 0 < len(self.line.turns) == self.at

    @property
    def plays(self) -> bool:
        return self.visitor.plays(self.match)

    @property
    def first_turn(self) -> str:
        """The name of the line's first turn."""
        return words.translate(self.games[0].position.turn_name(self.line.turns[0]))

    @property
    def plannable(self) -> bool:
        """Whether the line on the board has an answer of the reader to the opponent."""
        player_id = self.visitor.player_id
        return (
            player_id is not None and self.here and self.plays and bool(branch_of(self.games[: self.at + 1], player_id))
        )

    @property
    def plan_progress(self) -> tuple[str, list[Sentence]]:
        """The turns of the plan that came true, and the remaining branches."""
        assert self.plan is not None
        assert self.visitor.player_id is not None
        return lines.plan_progress(*self.plan, self.visitor.player_id)

    @property
    def about_plans(self) -> str:
        return lines.about_plans()

    @property
    def title(self) -> str:
        return f"{self.heading} · {self.match.ruleset.game.title} · {words.versus(*self.game.players).plain}"

    @property
    def heading(self) -> str:
        return _("Trying out turns")

    @property
    def versus(self) -> str:
        return words.versus(*self.game.players)

    @property
    def has_hints(self) -> bool:
        """Whether the reader may ask for a hint now."""
        entry = self.turn_board.entry
        return entry is not None and not entry.text and gives_hints(self.match)

    @property
    def last_turn(self) -> str:
        """The last turn on the board."""
        return words.last_turn(self.game) or _("Before the first turn.")

    @property
    def replay(self) -> Replay:
        return Replay(self.games[-1], len(self.line.turns), self.at, lambda at: self._at(self.address, at))

    @property
    def record(self) -> str:
        return self._at(f"{self.address}/record.txt", self._at_in_query)

    def _at(self, address: str, at: object) -> str:
        """An address with the line's first position, and the number of turns on the board."""
        return with_query(address, {**self.start, "at": at})

    @property
    def _at_in_query(self) -> int | None:
        return None if self.at == len(self.line.turns) else self.at


@dataclass
class TryRoutes:
    """The routes of private boards; ``match_routes`` shows matches."""

    matches: Matches
    lines: Lines
    plans: Plans
    advice: Advice
    doors: Doors
    match_routes: MatchRoutes

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/m/{key}/try", self.show)
        router.add_post("/m/{key}/try", self.press)
        router.add_post("/m/{key}/try/play", self.play_first)
        router.add_post("/m/{key}/try/plan", self.change_plan)
        router.add_post("/m/{key}/try/hint", self.hint)
        router.add_get("/m/{key}/try/board.png", self.picture)
        router.add_get("/m/{key}/try/record.txt", self.record)

    async def show(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, await self._page(request, request.query))

    async def press(self, request: web.Request) -> web.StreamResponse:
        """Try a turn or part of it, or take the last turn back."""
        form = await form_of(request)
        page = await self._page(request, form)
        line, press = page.line, form.get("press", "")
        if not press:
            return await self._answer(request, page)
        if form.get("seen") != digest(line.text):
            repeated = await asyncio.to_thread(_is_repeated, page, form)
            return await (self._answer(request, page) if repeated else self._other_line(request, page))
        try:
            after, cell = await asyncio.to_thread(_after, page.board_line, page.game, form.get("begun", ""), press)
        except TurnError as error:
            return await self._answer(request, replace(page, **refusal_fields(press, error)), status=422)
        if after != line:
            await self._store(request, page, after)
        now = {**page.start, "near": page.near if after.begun else "", "cell": cell}
        if not wants_part(request):
            raise web.HTTPSeeOther(with_query(page.address, now))
        return await self._answer(request, await self._page(request, {name: str(value) for name, value in now.items()}))

    async def hint(self, request: web.Request) -> web.StreamResponse:
        """In matches against the computer, begin the turn that it would play in this position, and say why."""
        page = await self._page(request, await form_of(request))
        try:
            best, note = await self.advice.ask(require_player_id(request), page.game)
        except DomainError as error:
            return await self._answer(request, replace(page, note=sentence(error)), status=409)
        await self._store(request, page, page.board_line.begin(best))
        page = await self._page(request, {name: str(value) for name, value in page.start.items()})
        return await self._answer(request, replace(page, note=note))

    async def play_first(self, request: web.Request) -> web.StreamResponse:
        """Enter the first turn of the line in the match, whose page asks whether to play it."""
        player_id, form, key = require_player_id(request), await form_of(request), request.match_info["key"]
        page = await self._page(request, form)
        try:
            turn = await self.matches.turn(page.match.id, player_id, page.line.step)
            if not page.line.turns or page.line.ply != turn.game.ply:
                raise MovedOnError
            draft = await asyncio.to_thread(turn.game.position.draft, page.line.turns[0])
            await self.matches.save_draft(turn.game, player_id, draft, before=turn.draft)
        except DomainError as error:
            return await self._answer(request, replace(page, note=sentence(error)), status=409)
        return await self.match_routes.respond(request, key)

    async def change_plan(self, request: web.Request) -> web.StreamResponse:
        """Add the line on the board to the visitor's plan, or delete the plan."""
        player_id, form = require_player_id(request), await form_of(request)
        page = await self._page(request, form)
        try:
            if "delete" in form:
                await self.plans.delete(page.match.id, player_id)
            elif form.get("seen") != digest(page.line.text):
                return await self._other_line(request, page)
            else:
                await self.plans.add(page.match, player_id, page.board_line)
        except DomainError as error:
            return await self._answer(request, replace(page, note=sentence(error)), status=409)
        if not wants_part(request):
            raise web.HTTPSeeOther(with_query(page.address, page.start))
        return await self._answer(request, await self._page(request, form))

    async def record(self, request: web.Request) -> web.StreamResponse:
        """The record of the match with the tried turns."""
        page = await self._page(request, request.query)
        return web.Response(text=str(await asyncio.to_thread(record_of, page.game)))

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """The picture of a tried position. Its address has all turns, so it never changes and reads nothing private."""
        require_player_id(request)
        match = (await self.match_routes.game_for(request[VISITOR], request.match_info["key"])).match
        try:
            picture_request = PictureRequest.read(request.query)
            line = _line(match, picture_request.step, picture_request.ply)
            start = await self.lines.start(match, line)
            png = await asyncio.to_thread(_draw, start, picture_request)
        except (ValueError, TurnError):
            raise web.HTTPNotFound from None
        return answer_with_png(png, FOR_ONE)

    async def _page(self, request: web.Request, query: Mapping[str, str]) -> TryPage:
        """The visitor's line from the requested position or, by default, their latest line in the match."""
        player_id, visitor, key = require_player_id(request), request[VISITOR], request.match_info["key"]
        match = (await self.match_routes.game_for(visitor, key)).match
        kept = await self.lines.get(match.id, player_id)
        step, ply, at = (number_in(query.get(name)) for name in ("step", "ply", "at"))
        line = kept if kept is not None and step is None and ply is None else _line(match, step, ply)
        if kept is not None and kept.begins_as(line):
            line = kept
        start = await self.lines.start(match, line)
        games, _refused = await asyncio.to_thread(games_along, start, line.turns)
        here = match.result is None and not match.waiting and line.begins_as(Line.of(match))
        now, plan = await self.matches.game_of(match), await self.plans.get(match.id, player_id)
        return TryPage(
            key=key,
            visitor=visitor,
            match=match,
            line=line,
            games=games,
            at=len(line.turns) if at is None else min(at, len(line.turns)),
            playable=here and bool(line.turns) and start.to_act is not None and start.to_act.id == player_id,
            here=here,
            plan=None if plan is None else (plan, await self.matches.game_at(match, plan.ply), now),
            near=boards.cell_name(start.position.board, query.get("near")),
            cell=boards.cell_name(start.position.board, query.get("cell")),
        )

    async def _store(self, request: web.Request, page: TryPage, after: Line) -> None:
        """Store a tried line, unless another has been stored in the meantime."""
        player_id, match_id = require_player_id(request), page.match.id
        if page.line == Line(page.line.step, page.line.ply):
            await self.lines.begin(match_id, await known_player(request, self.doors), page.line)
        await self.lines.change(match_id, player_id, after, before=page.line)

    async def _other_line(self, request: web.Request, page: TryPage) -> web.StreamResponse:
        note = _("You have tried something else since. Here it is:")
        return await self._answer(request, replace(page, note=note), status=409)

    async def _answer(self, request: web.Request, page: TryPage, *, status: int = 200) -> web.StreamResponse:
        return await answer_with_board(request, "study/try.html", page, status=status)


def _line(match: Match, step: int | None, ply: int | None) -> Line:
    """A line without turns from a position of the match, by default the current one."""
    line = Line.of(match, ply)
    return line if step is None else Line(min(step, match.step), match.step if ply is None else ply)


def _after(line: Line, game: Game, begun: str, press: str) -> tuple[Line, str]:
    """The line after a press on its board, and a cell with several elements to choose from (or empty).

    Raises :class:`rules.TurnError` if no legal turn continues in this way.
    """
    if press == BACK and not line.begun:
        return line.take_back(), ""
    if line.full:
        return line, ""
    done = after_press(game.position, line.begun, begun, press)
    if done.plays or (done.entry.finished and done.entry.text != line.begun):
        return line.add(done.entry.text), ""
    return line.begin(done.entry.text), done.cell


def _is_repeated(page: TryPage, form: Mapping[str, str]) -> bool:
    """Whether a press has already had its effect on the line, as after a double tap."""
    at, draft, press = number_in(form.get("at")) or 0, form.get("draft", ""), form.get("press", "")
    if press == BACK and not draft:
        return len(page.line.turns) == at - 1 and not page.line.begun
    before = page.line.up_to(at).begin(draft)
    if at > len(page.line.turns) or digest(before.text) != form.get("seen"):
        return False
    try:
        return _after(before, page.games[at], form.get("begun", ""), press)[0] == page.line
    except TurnError:
        return False


def _draw(start: Game, picture_request: PictureRequest) -> bytes:
    games, refusal = games_along(start, picture_request.tried.split())
    if refusal is not None:
        raise refusal
    return pictures.draw(games[-1], picture_request)
