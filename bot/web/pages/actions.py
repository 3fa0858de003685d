"""Actions in a match other than turns: proposals, resigning, clocks, notes, and the computer's level."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

from aiohttp import web

from bot.domain.challenges import First, from_match, seat_for
from bot.domain.matches import NotAPlayerError, Proposal, ProposalKind, ProposalState, UnknownMatchError
from bot.domain.players import COMPUTER_IDS, Player, computer
from bot.domain.refusals import DomainError
from bot.services.clocks import Clocks
from bot.services.computer_games import ComputerGames
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.proposals import Proposals
from bot.services.study.notes import LONGEST_NOTE, Notes
from bot.web.html.sentences import sentence
from bot.web.http.answers import answer
from bot.web.http.requests import SignInError, form_of, number_in, require_player_id
from bot.web.pages.match import MatchRoutes
from bot.web.pages.play import ComputerMatches
from bot.wording.lines import about_notes
from rules import Ruleset, Side

#: The proposals that the page offers. Moving a match to another channel needs Discord.
_PROPOSED_HERE = (ProposalKind.DRAW, ProposalKind.TAKE_BACK, ProposalKind.ABANDON, ProposalKind.REMATCH)


@dataclass(frozen=True, slots=True)
class ActionForm:
    """A player's form for an action in a match."""

    match_id: int
    player_id: int
    fields: dict[str, str]

    @property
    def step(self) -> int | None:
        """The step of the match on the player's page."""
        return self.number("step")

    def number(self, name: str) -> int | None:
        return number_in(self.fields.get(name))


#: An action, which returns the id of the match to show next.
_Action: TypeAlias = Callable[[ActionForm], Coroutine[Any, Any, int]]
#: Seconds in which an equal form counts as a second press of its button.
_DOUBLE_TAP = 2.0


@dataclass
class ActionRoutes:
    """The routes of actions; ``match_routes`` shows the match afterwards."""

    matches: Matches
    proposals: Proposals
    clocks: Clocks
    computer_games: ComputerGames
    computer_matches: ComputerMatches
    notes: Notes
    doors: Doors
    match_routes: MatchRoutes

    def __post_init__(self) -> None:
        self._done: dict[Hashable, asyncio.Task[int]] = {}

    def add_to(self, router: web.UrlDispatcher) -> None:
        actions: dict[str, _Action] = {
            "resign": self.resign,
            "propose": self.propose,
            "answer": self.answer_proposal,
            "time": self.give_time,
            "claim": self.claim,
            "level": self.play_level,
            "computer": self.play_computer,
            "continue": self.continue_from,
            "note": self.keep_note,
        }
        router.add_get("/m/{key}/note", self.note)
        for name, action in actions.items():
            router.add_post("/m/{key}/" + name, self._answering(action))

    def _answering(self, action: _Action) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def answer(request: web.Request) -> web.StreamResponse:
            player_id, key = require_player_id(request), request.match_info["key"]
            match_id = await self.doors.match_of(key)
            try:
                shown = await self._once(action, ActionForm(match_id, player_id, await form_of(request)))
            except DomainError as error:
                return await self.match_routes.show(request, key, note=sentence(error), status=409)
            return await self.match_routes.respond(request, key if shown == match_id else await self.doors.key(shown))

        return answer

    async def _once(self, action: _Action, form: ActionForm) -> int:
        """Take an action once, even if the same player sends an equal form again, as by a double tap."""
        key = action, form.player_id, form.match_id, frozenset(form.fields.items())
        task = self._done.get(key)
        if task is None:
            task = self._done[key] = asyncio.create_task(action(form))
            task.add_done_callback(lambda done: self._release(key, done))
        return await asyncio.shield(task)

    def _release(self, key: Hashable, task: asyncio.Task[int]) -> None:
        """Let an equal form take effect again: later, or at once after a failure."""
        failed = task.cancelled() or task.exception() is not None
        task.get_loop().call_later(0 if failed else _DOUBLE_TAP, self._done.pop, key)

    async def resign(self, form: ActionForm) -> int:
        await self.matches.resign(form.match_id, form.player_id, seen_step=form.step)
        return form.match_id

    async def propose(self, form: ActionForm) -> int:
        """Propose a draw, a take-back, to abandon the match, or a rematch."""
        kind = form.fields.get("kind", "")
        if kind not in _PROPOSED_HERE:
            raise web.HTTPBadRequest
        if kind == ProposalKind.REMATCH and (await self.matches.match(form.match_id)).computer is not None:
            return await self.play_level(form)
        made = await self.proposals.propose(form.match_id, form.player_id, ProposalKind(kind), seen_step=form.step)
        return await self._after_proposal(made)

    async def answer_proposal(self, form: ActionForm) -> int:
        answers = {
            "accept": self.proposals.accept,
            "decline": self.proposals.decline,
            "withdraw": self.proposals.withdraw,
        }
        number, given = form.number("proposal"), answers.get(form.fields.get("answer", ""))
        if number is None or given is None:
            raise web.HTTPBadRequest
        return await self._after_proposal(await given(number, form.player_id))

    async def _after_proposal(self, proposal: Proposal) -> int:
        match = await self.matches.match(proposal.match_id)
        accepted = proposal.kind is ProposalKind.REMATCH and proposal.state is ProposalState.ACCEPTED
        return match.rematch_id if accepted and match.rematch_id is not None else match.id

    async def give_time(self, form: ActionForm) -> int:
        """Give the opponent more time, unless their clock has changed since the page was rendered."""
        left = form.number("left")
        if left is None:
            raise web.HTTPBadRequest
        await self.clocks.give_time(form.match_id, form.player_id, seen_step=form.step, seen_left=left)
        return form.match_id

    async def claim(self, form: ActionForm) -> int:
        """Claim the win against an opponent whose time is up."""
        await self.clocks.claim(form.match_id, form.player_id, seen_step=form.step)
        return form.match_id

    async def play_level(self, form: ActionForm) -> int:
        """Before the first turn, play another level of the computer instead; after the match, play a rematch at it."""
        match, level = await self.matches.match(form.match_id), form.number("level")
        if level is None or computer(level).id not in COMPUTER_IDS:
            raise web.HTTPBadRequest
        if not match.has_player(form.player_id):
            raise NotAPlayerError(match)
        player = match.player(form.player_id)
        play = self.computer_games.change_level if match.result is None else self.computer_games.rematch
        return (await play(match.id, player, level)).id

    async def play_computer(self, form: ActionForm) -> int:
        """Start a match of the same game against the computer."""
        game = (await self.matches.match(form.match_id)).ruleset.game
        return (await self.computer_matches.start(await self._player(form), game)).id

    async def continue_from(self, form: ActionForm) -> int:
        """Start a match against the computer from a position of a finished match, for a player on the same side.

        Others have the side to play.
        """
        game, ply = await self.matches.game(form.match_id), form.number("ply")
        if ply is None:
            raise web.HTTPBadRequest
        if game.match.imported is not None and not game.match.belongs_to(form.player_id):
            raise UnknownMatchError

        def begin() -> tuple[Ruleset, First]:
            ruleset = from_match(game, ply)
            start = ruleset.start()
            if game.match.has_player(form.player_id):
                return ruleset, First.CHALLENGER if game.match.first.id == form.player_id else First.OPPONENT
            return ruleset, seat_for(Side.SECOND if start.second_player is None else start.turn_of, start)

        return (await self.computer_matches.start_with(await self._player(form), *await asyncio.to_thread(begin))).id

    async def _player(self, form: ActionForm) -> Player:
        found = await self.doors.player(form.player_id)
        if found is None:
            raise SignInError
        return found

    async def note(self, request: web.Request) -> web.StreamResponse:
        """The form for a note on the match."""
        key = request.match_info["key"]
        note = await self.notes.get(await self.doors.match_of(key), require_player_id(request))
        return answer(request, "note.html", key=key, note=note, most=LONGEST_NOTE, about=about_notes())

    async def keep_note(self, form: ActionForm) -> int:
        note = form.fields.get("note")
        if note is None:
            raise web.HTTPBadRequest
        await self.notes.set(form.match_id, form.player_id, note.replace("\r\n", "\n"))
        return form.match_id
