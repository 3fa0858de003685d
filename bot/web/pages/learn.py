"""The lessons of the games, and tasks on boards to tap."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from aiohttp import web

import render
from bot import texts
from bot.domain.turn_entry import TurnEntry
from bot.pictures import page_look
from bot.services.people.doors import Doors
from bot.services.people.settings import Settings
from bot.web.board import boards
from bot.web.board.answers import answer_with_board, answer_with_picture
from bot.web.board.pictures import FOR_A_DAY, BoardState, PictureRequest
from bot.web.board.thumbnails import Thumbnail, shown_games
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
from bot.web.html import rule_pages
from bot.web.http.answers import answer, answer_in_thread, answer_with_png
from bot.web.http.requests import VISITOR, form_of, wants_part
from bot.web.http.shared_cache import SharedCache
from bot.web.http.visitors import Visitor
from bot.web.pages.rules import RuleRoutes
from bot.wording.sentence import Sentence, gettext as _
from bot.wording.tasks import completion, lesson_above, progress, tasks_of, verdict_on
from rules import GAMES, Position, TurnError
from rules.pages import COMMON, LESSONS
from rules.puzzles import puzzles
from rules.tasks import Task, tasks

#: The address of the lessons and tasks.
ADDRESS = "/learn"
#: The press that asks for the solution of a task.
SHOW = ".show"


@dataclass(frozen=True)
class TaskPage:
    """A task with the ``draft`` of a turn or, once judged, the ``attempt`` (None: the solution)."""

    visitor: Visitor
    game: type[Position]
    number: int
    draft: str = ""
    near: str = ""
    cell: str = ""
    note: str = ""
    refusal: CellRefusal | None = None
    judged: bool = False
    attempt: str | None = None

    @cached_property
    def task(self) -> Task:
        return tasks_of(self.game)[self.number]

    @property
    def address(self) -> str:
        return f"{ADDRESS}/{self.game.name}/{self.number + 1}"

    @property
    def here(self) -> str:
        """The address of the page as it is now."""
        return with_query(self.address, {"draft": self.draft, "near": self.near, "cell": self.cell})

    @property
    def _turn(self) -> str:
        """The judged turn on the board; empty before."""
        if not self.judged:
            return ""
        return self.task.solution if self.attempt is None else self.attempt

    @property
    def solved(self) -> bool:
        return self.judged and (self.attempt is None or self.task.solved_by(self.attempt))

    @cached_property
    def turn_board(self) -> TurnBoard:
        task, look = self.task, page_look(self.visitor.preferences)
        entry = None if self.judged else TurnEntry.begin(task.position, self.draft)
        picture_request = PictureRequest(tried=self._turn, near=self.near)
        show = () if self.solved else (BarButton(SHOW, _("Show me")),)
        return TurnBoard(
            address=self.address,
            action=self.address,
            picture=BoardPicture.of(
                f"{self.address}/board.png", picture_request, state_of(task, self._turn), look, self.visitor, entry
            ),
            message=Bar(verdict_on(task, self.attempt) if self.judged else "", buttons=show),
            entry=entry,
            query={"draft": self.draft},
            near=self.near,
            cell=self.cell,
            refusal=self.refusal,
            offered=task.offered,
            links=tuple(self._links()),
        )

    def _links(self) -> list[Link]:
        if not self.judged:
            return []
        following = Link(self.next, _("Next"), main=self.solved, away=self.is_last)
        return [Link(self.address, _("Try again"), main=not self.solved), following]

    @property
    def before(self) -> str:
        """The address of the task before this one, which is not the first."""
        return f"{ADDRESS}/{self.game.name}/{self.number}"

    @property
    def next(self) -> str:
        """The address of the next task, or of the page after the last one."""
        return f"{ADDRESS}/{self.game.name}/{'done' if self.is_last else self.number + 2}"

    @property
    def is_last(self) -> bool:
        return self.number + 1 == len(tasks_of(self.game))

    @property
    def request(self) -> Sentence:
        return Sentence(self.task.request)

    @cached_property
    def lesson(self) -> Sentence:
        return lesson_above(self.game, self.task)

    @property
    def progress(self) -> str:
        return progress(self.game, self.number)

    @property
    def rule(self) -> str | None:
        """The address of the rule behind the task."""
        return rule_pages.address(COMMON, self.task.rule)

    @property
    def title(self) -> str:
        return f"{self.task.title} · {self.progress}"


@dataclass(frozen=True, slots=True)
class CourseEntry:
    """A game, the number of its tasks, and which of them the visitor has solved, counted from 0."""

    game: type[Position]
    board: Thumbnail
    count: int
    solved: Collection[int]

    @property
    def done(self) -> bool:
        return len(self.solved) >= self.count

    @property
    def next(self) -> int:
        """The first task that is not solved yet, counted from 1."""
        return next((number + 1 for number in range(self.count) if number not in self.solved), 1)


@dataclass
class LearnRoutes:
    """The routes of lessons and tasks. ``rules`` shows pages with examples; ``pictures`` keeps the latest pictures."""

    settings: Settings
    doors: Doors
    rules: RuleRoutes
    pictures: SharedCache

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get("/learn", self.games)
        router.add_get("/learn/{game:[a-z]+}", self.lessons)
        router.add_get("/learn/{game:[a-z]+}.png", self.thumbnail)
        router.add_get(r"/learn/{game:[a-z]+}/lessons/{number:\d{1,3}}.png", self.lesson_picture)
        router.add_get("/learn/{game:[a-z]+}/done", self.after_last)
        router.add_get(r"/learn/{game:[a-z]+}/{number:\d{1,2}}", self.task)
        router.add_post(r"/learn/{game:[a-z]+}/{number:\d{1,2}}", self.press)
        router.add_get(r"/learn/{game:[a-z]+}/{number:\d{1,2}}/board.png", self.picture)

    async def games(self, request: web.Request) -> web.StreamResponse:
        """The list of games, with the visitor's progress."""
        visitor, solved = request[VISITOR], await self._solved(request)
        courses = [
            CourseEntry(game, board, len(await asyncio.to_thread(_tasks, game)), solved.get(game.name, set()))
            for game, board in shown_games(visitor.preferences)
        ]
        return answer(request, "study/learn.html", courses=courses, address=ADDRESS)

    async def lessons(self, request: web.Request) -> web.StreamResponse:
        """All lessons of a game, each with its tasks."""
        game = _game(request)
        sections = await asyncio.to_thread(rule_pages.sections_of, f"{game.name}{LESSONS}")
        solved = (await self._solved(request)).get(game.name, set())
        course: dict[str, list[tuple[int, str, bool]]] = {}
        lesson = ""
        for number, task in enumerate(await asyncio.to_thread(tasks_of, game)):
            lesson = task.lesson or lesson
            course.setdefault(lesson, []).append((number + 1, task.title, number in solved))
        here = f"{ADDRESS}/{game.name}"
        return await answer_in_thread(
            request,
            "study/lessons.html",
            lessons=sections,
            course=course,
            game=game,
            here=here,
            pictures=f"{here}/lessons",
        )

    async def _solved(self, request: web.Request) -> dict[str, set[int]]:
        """The numbers of the tasks that the visitor has solved, by game, counted from 0."""
        player_id = request[VISITOR].player_id
        return {} if player_id is None else await self.settings.solved_tasks(player_id)

    async def thumbnail(self, request: web.Request) -> web.StreamResponse:
        """The picture of a game in lists."""
        game, theme = _game(request), request.query.get("theme", "")
        if theme not in render.THEME_NAMES:
            raise web.HTTPNotFound
        drawing = partial(asyncio.to_thread, render.thumbnail, game, theme)
        return answer_with_png(await self.pictures.get((game.name, theme), drawing), FOR_A_DAY)

    async def lesson_picture(self, request: web.Request) -> web.StreamResponse:
        return await self.rules.example(request, f"{_game(request).name}{LESSONS}")

    async def task(self, request: web.Request) -> web.StreamResponse:
        return await self._answer(request, await self._page(request, request.query))

    async def press(self, request: web.Request) -> web.StreamResponse:
        """Continue a turn and judge it once it is complete, or show the solution."""
        form = await form_of(request)
        page, press = await self._page(request, form), form.get("press", "")
        if press == SHOW:
            return await self._judge(request, page)
        task = _tasks(page.game, texts.SOURCE)[page.number]
        try:
            done = await asyncio.to_thread(after_press, task.position, page.draft, form.get("begun", ""), press)
        except TurnError as error:
            return await self._answer(request, replace(page, draft="", **refusal_fields(press, error)), status=422)
        text = done.entry.text
        if done.plays or (text != page.draft and (done.entry.finished or task.solved_by(text))):
            return await self._judge(request, page, text)
        page = replace(page, draft=text, cell=done.cell)
        if wants_part(request):
            return await self._answer(request, page)
        raise web.HTTPSeeOther(page.here)

    async def _judge(self, request: web.Request, page: TaskPage, attempt: str | None = None) -> web.StreamResponse:
        """The verdict on a turn or, without one, the solution. After the last task, players are no longer newcomers."""
        page, player_id = replace(page, draft="", near="", judged=True, attempt=attempt), page.visitor.player_id
        by_visitor = attempt is not None and await asyncio.to_thread(lambda: page.solved)
        noted = player_id is not None and (page.is_last or by_visitor)
        player = await self.doors.player(player_id) if player_id is not None and noted else None
        if player is not None and by_visitor:
            await self.settings.mark_solved(player, page.game.name, page.number)
        if player is not None and page.is_last:
            await self.settings.mark_known(player, page.game.name)
        return await self._answer(request, page)

    async def after_last(self, request: web.Request) -> web.StreamResponse:
        """The page after the last task."""
        game = _game(request)
        with texts.in_language(request[VISITOR].language):
            title, *sentences = completion(game)
        has_puzzles = bool(await asyncio.to_thread(puzzles, game.name))
        return answer(
            request, "study/learned.html", game=game, title=title, sentences=sentences, has_puzzles=has_puzzles
        )

    async def picture(self, request: web.Request) -> web.StreamResponse:
        game, number = _game(request), await self._number(request)
        return await answer_with_picture(request, self.pictures, (game.name, number), partial(_draw, game, number))

    async def _page(self, request: web.Request, query: Mapping[str, str]) -> TaskPage:
        game, number = _game(request), await self._number(request)
        task = _tasks(game, texts.SOURCE)[number]
        draft = await asyncio.to_thread(lambda: beginning(task.position, query.get("draft", "")))
        near, cell = (boards.cell_name(task.position.board, query.get(name)) for name in ("near", "cell"))
        return TaskPage(request[VISITOR], game, number, draft, near, cell)

    async def _number(self, request: web.Request) -> int:
        """The index of the task."""
        number, known = int(request.match_info["number"]) - 1, await asyncio.to_thread(_tasks, _game(request))
        if not 0 <= number < len(known):
            raise web.HTTPNotFound
        return number

    async def _answer(self, request: web.Request, page: TaskPage, *, status: int = 200) -> web.StreamResponse:
        return await answer_with_board(request, "study/task.html", page, status=status)


def state_of(task: Task, turn: str) -> BoardState:
    """The position of a task or, with a turn, after it. Raises :class:`rules.TurnError`."""
    if not turn:
        position, events = task.start
        return BoardState(position, events, overlay=task.overlay)
    verdict = task.verdict(turn)
    return BoardState(verdict.position, verdict.events, overlay=verdict.overlay)


def _draw(game: type[Position], number: int, request: PictureRequest) -> bytes:
    return state_of(_tasks(game)[number], request.tried).draw(request, public=not request.is_private)


def _tasks(game: type[Position], language: str = texts.SOURCE) -> tuple[Task, ...]:
    return tasks(game.name, language)


def _game(request: web.Request) -> type[Position]:
    found = GAMES.get(request.match_info["game"])
    if found is None:
        raise web.HTTPNotFound
    return found
