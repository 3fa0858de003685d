"""Turns and hints on the page of a match, and the preference for confirming turns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aiohttp import web

from bot.domain.preferences import Confirmation
from bot.domain.refusals import DomainError
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.people.settings import Settings
from bot.web.board.advice import Advice
from bot.web.board.turn_board import CELL
from bot.web.board.turns import after_press
from bot.web.html.sentences import refusal, sentence
from bot.web.http.requests import VISITOR, form_of, number_in, require_player_id
from bot.web.http.visitors import Visitors
from bot.web.pages.match import MatchRoutes
from bot.wording.sentence import gettext as _
from rules import TurnError


@dataclass
class TurnRoutes:
    """The routes of turns; ``match_routes`` shows the match afterwards."""

    matches: Matches
    advice: Advice
    settings: Settings
    doors: Doors
    visitors: Visitors
    match_routes: MatchRoutes

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/m/{key}/turn", self.press)
        router.add_post("/m/{key}/hint", self.hint)
        router.add_post("/settings", self.change_preferences)

    async def press(self, request: web.Request) -> web.StreamResponse:
        """Continue a turn, or play it."""
        player_id, key = require_player_id(request), request.match_info["key"]
        match_id, form = await self.doors.match_of(key), await form_of(request)
        draft, begun, press, near = (form.get(name, "") for name in ("draft", "begun", "press", "near"))
        try:
            turn = await self.matches.turn(match_id, player_id, number_in(form.get("step")))
            game = turn.game
            if not press:
                return await self.match_routes.respond(request, key, near=near)
            if draft != turn.draft:
                repeated = await self._repeated(request, match_id, player_id, form)
                if repeated is not None:
                    return repeated
                note = _("You have continued elsewhere. Here is your turn:")
                return await self.match_routes.show(request, key, note=note, status=409, near=near)
            done = await asyncio.to_thread(after_press, game.position, draft, begun, press)
            confirmation, changed = turn.preferences.confirmation, done.entry.text != draft
            if done.plays or (changed and await asyncio.to_thread(done.entry.goes_at_once, confirmation)):
                await self.matches.play(game, done.entry.draft, game.match.player(player_id))
                return await self.match_routes.respond(request, key)
            if changed:
                await self.matches.save_draft(game, player_id, done.entry.draft, before=draft)
            return await self.match_routes.respond(request, key, near=near, cell=done.cell)
        except TurnError as error:
            cell = press.removeprefix(CELL) if press.startswith(CELL) else ""
            return await self.match_routes.show(request, key, note=refusal(error), status=422, near=near, refused=cell)
        except DomainError as error:
            repeated = await self._repeated(request, match_id, player_id, form)
            if repeated is not None:
                return repeated
            return await self.match_routes.show(request, key, note=sentence(error), status=409)

    async def _repeated(
        self, request: web.Request, match_id: int, player_id: int, form: dict[str, str]
    ) -> web.StreamResponse | None:
        """The answer to a press that has already had its effect, as after a double tap; None for other presses."""
        key, step, now = request.match_info["key"], number_in(form.get("step")), await self.matches.game(match_id)
        if step is None or step > now.step or not now.match.has_player(player_id):
            return None
        before = await self.matches.past_game(now.match, step)
        try:
            pressed = (form.get(name, "") for name in ("draft", "begun", "press"))
            done = await asyncio.to_thread(after_press, before.position, *pressed)
        except TurnError:
            return None
        if step < now.step:
            played = await self.matches.was_just_played(match_id, step, done.entry.text)
            return await self.match_routes.respond(request, key) if played else None
        if done.plays or await self.matches.draft(now.match, player_id) != done.entry.text:
            return None
        return await self.match_routes.respond(request, key, near=form.get("near", ""), cell=done.cell)

    async def hint(self, request: web.Request) -> web.StreamResponse:
        """In matches against the computer, choose the turn that it would play, and say why."""
        player_id, key = require_player_id(request), request.match_info["key"]
        match_id, form = await self.doors.match_of(key), await form_of(request)
        try:
            turn = await self.matches.turn(match_id, player_id, number_in(form.get("step")))
            game = turn.game
            best, note = await self.advice.ask(player_id, game)
            draft = await asyncio.to_thread(game.position.draft, best)
            await self.matches.save_draft(game, player_id, draft, before=turn.draft)
        except DomainError as error:
            return await self.match_routes.show(request, key, note=sentence(error), status=409)
        return await self.match_routes.show(request, key, note=note)

    async def change_preferences(self, request: web.Request) -> web.StreamResponse:
        """Change whether turns are played at once."""
        player_id, form = require_player_id(request), await form_of(request)
        key = form.get("key", "")
        now = await self.match_routes.game_for(request[VISITOR], key)
        chosen = Confirmation.AT_ONCE if form.get("confirmation") == Confirmation.AT_ONCE else Confirmation.RISKY
        if now.match.has_player(player_id):
            await self.settings.change_preferences(now.match.player(player_id), confirmation=chosen)
            request[VISITOR] = await self.visitors.visitor(request)
        return await self.match_routes.respond(request, key)
