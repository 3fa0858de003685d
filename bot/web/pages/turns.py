"""Turns on the board, hints, and a preference about turns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aiohttp import web
from markupsafe import Markup

from bot.domain.preferences import Confirmation
from bot.domain.refusals import DomainError
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.people.settings import Settings
from bot.texts import gettext as _
from bot.web.board.advice import Advice
from bot.web.board.turn_board import CELL
from bot.web.board.turns import after_press
from bot.web.html.sentences import refusal, sentence
from bot.web.http.requests import VISITOR, form_of, number_in, player_id
from bot.web.http.visitors import Visitors
from bot.web.pages.match import MatchRoutes
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
        """Go on with a turn, or play it."""
        own, key = player_id(request), request.match_info["key"]
        match_id, form = await self.doors.match_of(key), await form_of(request)
        step, draft, begun, press = (
            number_in(form.get("step")),
            *(form.get(each, "") for each in ("draft", "begun", "press")),
        )
        near = form.get("near", "")
        try:
            turn = await self.matches.turn(match_id, own, step)
            game = turn.game
            if not press:
                return await self.match_routes.after(request, key, near=near)
            if draft != turn.draft:
                same = await self._same_again(request, match_id, own, form)
                if same is not None:
                    return same
                note = Markup.escape(_("You have continued elsewhere. Here is your turn:"))
                return await self.match_routes.show(request, key, note=note, status=409, near=near)
            done = await asyncio.to_thread(after_press, game.position, draft, begun, press)
            wish, chosen = turn.preferences.confirmation, done.entry.text != draft
            if done.plays or (chosen and await asyncio.to_thread(done.entry.goes_at_once, wish)):
                await self.matches.play(game, done.entry.draft, game.match.player(own))
                return await self.match_routes.after(request, key)
            if chosen:
                await self.matches.save_draft(game, own, done.entry.draft, before=draft)
            return await self.match_routes.after(request, key, near=near, cell=done.cell)
        except TurnError as error:
            cell = press.removeprefix(CELL) if press.startswith(CELL) else ""
            return await self.match_routes.show(request, key, note=refusal(error), status=422, near=near, refused=cell)
        except DomainError as error:
            same = await self._same_again(request, match_id, own, form)
            if same is not None:
                return same
            return await self.match_routes.show(request, key, note=sentence(error), status=409)

    async def _same_again(
        self, request: web.Request, match_id: int, own: int, form: dict[str, str]
    ) -> web.StreamResponse | None:
        """The answer to a press that has already had its effect, as after a double tap; None for other presses."""
        key, step, now = request.match_info["key"], number_in(form.get("step")), await self.matches.game(match_id)
        if step is None or step > now.step or not now.match.has_player(own):
            return None
        before = await self.matches.past_game(now.match, step)
        try:
            pressed = (form.get(each, "") for each in ("draft", "begun", "press"))
            done = await asyncio.to_thread(after_press, before.position, *pressed)
        except TurnError:
            return None
        if step < now.step:
            played = await self.matches.was_just_played(match_id, step, done.entry.text)
            return await self.match_routes.after(request, key) if played else None
        if done.plays or await self.matches.draft(now.match, own) != done.entry.text:
            return None
        return await self.match_routes.after(request, key, near=form.get("near", ""), cell=done.cell)

    async def hint(self, request: web.Request) -> web.StreamResponse:
        """In matches against the computer, choose the turn that it would play, and say why."""
        own, key = player_id(request), request.match_info["key"]
        match_id, form = await self.doors.match_of(key), await form_of(request)
        try:
            turn = await self.matches.turn(match_id, own, number_in(form.get("step")))
            game = turn.game
            found, note = await self.advice.ask(own, game)
            draft = await asyncio.to_thread(game.position.draft, found)
            await self.matches.save_draft(game, own, draft, before=turn.draft)
        except DomainError as error:
            return await self.match_routes.show(request, key, note=sentence(error), status=409)
        return await self.match_routes.show(request, key, note=note)

    async def change_preferences(self, request: web.Request) -> web.StreamResponse:
        """Store whether to play turns at once."""
        own, form = player_id(request), await form_of(request)
        key = form.get("key", "")
        now = await self.match_routes.game_for(request[VISITOR], key)
        chosen = Confirmation.AT_ONCE if form.get("confirmation") == Confirmation.AT_ONCE else Confirmation.RISKY
        if now.match.has_player(own):
            await self.settings.change_preferences(now.match.player(own), confirmation=chosen)
            request[VISITOR] = await self.visitors.visitor(request)
        return await self.match_routes.after(request, key)
