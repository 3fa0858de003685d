"""The actions in a match besides turns: proposals, resigning, clocks, notes, and the computer's level."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

from aiohttp import web

from bot.domain.matches import NotAPlayerError
from bot.domain.players import COMPUTER_IDS, computer
from bot.domain.proposals import Proposal, ProposalKind, ProposalState
from bot.domain.refusals import DomainError
from bot.domain.timers import TimerKind
from bot.services.clocks import Clocks
from bot.services.computer_games import ComputerGames
from bot.services.deliveries import Deliveries
from bot.services.doors import Doors
from bot.services.matches import Matches
from bot.services.notes import LONGEST_NOTE, Notes
from bot.services.proposals import Proposals
from bot.web.match_routes import MatchRoutes
from bot.web.sentences import sentence
from bot.web.shell import answer, form_of, number_in, player_id
from bot.wording import notes

#: Moving a match to another channel is only for Discord.
_PROPOSED_HERE = (ProposalKind.DRAW, ProposalKind.TAKE_BACK, ProposalKind.ABANDON, ProposalKind.REMATCH)


@dataclass(frozen=True, slots=True)
class Wish:
    """An action that a player asks for: the fields of their form."""

    match_id: int
    own: int
    form: dict[str, str]

    @property
    def step(self) -> int | None:
        """The step of the match on their page."""
        return self.number("step")

    def number(self, name: str) -> int | None:
        return number_in(self.form.get(name))


#: An action; it returns the match to show afterwards.
_Action: TypeAlias = Callable[[Wish], Coroutine[Any, Any, int]]
#: Seconds within which an equal form is a second press of the same button.
_DOUBLE_TAP = 2.0


@dataclass
class ActionRoutes:
    """``match_routes`` shows the match afterwards; ``on_stored`` is called when timers may have been stored."""

    matches: Matches
    proposals: Proposals
    clocks: Clocks
    computer_games: ComputerGames
    deliveries: Deliveries
    notes: Notes
    doors: Doors
    match_routes: MatchRoutes
    on_stored: Callable[[], None]

    def __post_init__(self) -> None:
        self._done: dict[Hashable, asyncio.Task[int]] = {}

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Add the routes of all actions."""
        actions: dict[str, _Action] = {
            "resign": self.resign,
            "propose": self.propose,
            "answer": self.answer_proposal,
            "time": self.give_time,
            "claim": self.claim,
            "level": self.play_level,
            "note": self.keep_note,
        }
        router.add_get("/m/{key}/note", self.note)
        for name, action in actions.items():
            router.add_post("/m/{key}/" + name, self._answering(action))

    def _answering(self, action: _Action) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def answer(request: web.Request) -> web.StreamResponse:
            own, key = player_id(request), request.match_info["key"]
            match_id = await self.doors.match_of(key)
            try:
                shown = await self._once(action, Wish(match_id, own, await form_of(request)))
            except DomainError as error:
                return await self.match_routes.show(request, key, note=sentence(error), status=409)
            return await self.match_routes.after(request, key if shown == match_id else await self.doors.key(shown))

        return answer

    async def _once(self, action: _Action, wish: Wish) -> int:
        """Do something unless the same person has just done it with an equal form, as by a double tap."""
        key = action, wish.own, wish.match_id, frozenset(wish.form.items())
        task = self._done.get(key)
        if task is None:
            task = self._done[key] = asyncio.create_task(action(wish))
            task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(task)

    def _forget(self, key: Hashable, task: asyncio.Task[int]) -> None:
        """Forget an action after a while, and one that has failed at once."""
        failed = task.cancelled() or task.exception() is not None
        task.get_loop().call_later(0 if failed else _DOUBLE_TAP, self._done.pop, key)

    async def resign(self, wish: Wish) -> int:
        await self.matches.resign(wish.match_id, wish.own, seen_step=wish.step)
        return await self._show(wish.match_id)

    async def propose(self, wish: Wish) -> int:
        """Offer a draw, or ask for a take-back, an end without a result, or a rematch."""
        kind = wish.form.get("kind", "")
        if kind not in _PROPOSED_HERE:
            raise web.HTTPBadRequest
        if kind == ProposalKind.REMATCH and (await self.matches.match(wish.match_id)).computer is not None:
            return await self.play_level(wish)
        made = await self.proposals.propose(wish.match_id, wish.own, ProposalKind(kind), seen_step=wish.step)
        return await self._after_proposal(made)

    async def answer_proposal(self, wish: Wish) -> int:
        answers = {
            "accept": self.proposals.accept,
            "decline": self.proposals.decline,
            "withdraw": self.proposals.withdraw,
        }
        number, given = wish.number("proposal"), answers.get(wish.form.get("answer", ""))
        if number is None or given is None:
            raise web.HTTPBadRequest
        return await self._after_proposal(await given(number, wish.own))

    async def _after_proposal(self, proposal: Proposal) -> int:
        match = await self.matches.match(proposal.match_id)
        await self.deliveries.show_later(TimerKind.SHOW_PROPOSAL, proposal.id, match.guild_id)
        self.on_stored()
        accepted = proposal.kind is ProposalKind.REMATCH and proposal.state is ProposalState.ACCEPTED
        return match.rematch_id if accepted and match.rematch_id is not None else match.id

    async def give_time(self, wish: Wish) -> int:
        """Give the opponent more time, unless their clock has changed since the page was made."""
        left = wish.number("left")
        if left is None:
            raise web.HTTPBadRequest
        await self.clocks.give_time(wish.match_id, wish.own, seen_step=wish.step, seen_left=left)
        self.on_stored()
        return wish.match_id

    async def claim(self, wish: Wish) -> int:
        """Win the match of an opponent whose time is up."""
        await self.clocks.claim(wish.match_id, wish.own, seen_step=wish.step)
        return await self._show(wish.match_id)

    async def play_level(self, wish: Wish) -> int:
        """Play another level of the computer instead, before the first turn, or a rematch at any level."""
        match, level = await self.matches.match(wish.match_id), wish.number("level")
        if level is None or computer(level).id not in COMPUTER_IDS:
            raise web.HTTPBadRequest
        if not match.has_player(wish.own):
            raise NotAPlayerError(match)
        player = match.player(wish.own)
        if match.result is None:
            begun = await self.computer_games.change_level(match.id, player, level)
            await self._show(match.id)
        else:
            begun = await self.computer_games.rematch(match.id, player, level)
            await self.deliveries.show_later(TimerKind.CARD, match.id, match.guild_id)
        return await self._show(begun.id)

    async def note(self, request: web.Request) -> web.StreamResponse:
        """The form for a player's note on the match."""
        key = request.match_info["key"]
        note = await self.notes.get(await self.doors.match_of(key), player_id(request))
        return answer(request, "note.html", key=key, note=note, most=LONGEST_NOTE, about=notes.about())

    async def keep_note(self, wish: Wish) -> int:
        note = wish.form.get("note")
        if note is None:
            raise web.HTTPBadRequest
        await self.notes.set(wish.match_id, wish.own, note.replace("\r\n", "\n"))
        return wish.match_id

    async def _show(self, match_id: int) -> int:
        """Have Discord show the changed match."""
        match = await self.matches.match(match_id)
        await self.deliveries.show_later(TimerKind.SHOW_MATCH, match.id, match.guild_id)
        self.on_stored()
        return match.id
