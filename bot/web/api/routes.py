"""The API for programs, as ``api.json`` describes it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeAlias

from aiohttp import web

from bot.domain.challenges import ChallengeState
from bot.domain.matches import Game, ProposalKind
from bot.domain.play import check_awaited, check_running
from bot.domain.players import Program, TokenError
from bot.domain.proposals import UnknownProposalError
from bot.domain.refusals import DomainError
from bot.services.challenges import Challenges
from bot.services.clocks import Clocks
from bot.services.matches import Matches
from bot.services.people.doors import Doors
from bot.services.people.programs import Programs
from bot.services.proposals import Proposals
from bot.web.api.failures import UnreadableError, failure
from bot.web.api.stream import Streams
from bot.web.api.values import Json
from bot.web.http.requests import EVENTS, VISITOR, Handler, is_text, number_in, reading
from bot.web.http.visitors import API
from rules import Draft, Phase, Position, TurnError

#: Maximum requests of a program in a minute.
_PER_MINUTE = 120
#: Maximum seconds for a single answer, and maximum legal turns in an answer.
_LONGEST_WAIT, _MOST_TURNS = 60, 1000
#: Maximum characters of a turn, and of the name of a state.
_LONGEST_TURN, _LONGEST_SEEN = 500, 100
_V1 = f"{API}v1"
_KEY, _ID = _V1 + "/matches/{key}", r"{id:\d{1,10}}"
_ANSWERS = {"accept": ChallengeState.ACCEPTED, "decline": ChallengeState.DECLINED}

#: An action of a program in one of its games.
_Action: TypeAlias = Callable[[web.Request, Program, Game], Awaitable[None]]


@dataclass
class RateLimit:
    """Limits the requests of each program, on average and in a burst, to a number per minute."""

    per_minute: int
    _full_at: dict[int, float] = field(default_factory=dict)

    def check(self, program_id: int) -> None:
        """Count a request, or refuse it."""
        now, interval = asyncio.get_running_loop().time(), 60 / self.per_minute
        full_at = max(self._full_at.pop(program_id, now), now) + interval
        if full_at > now + 60:
            self._full_at[program_id] = full_at - interval
            raise web.HTTPTooManyRequests(headers={"Retry-After": str(max(1, round(full_at - now - 60)))})
        self._full_at[program_id] = full_at
        for oldest in list(self._full_at)[:2]:  # forget programs without recent requests
            if self._full_at[oldest] <= now:
                del self._full_at[oldest]


@dataclass
class ApiRoutes:
    programs: Programs
    matches: Matches
    challenges: Challenges
    proposals: Proposals
    clocks: Clocks
    doors: Doors
    streams: Streams

    def __post_init__(self) -> None:
        self.rate_limit = RateLimit(_PER_MINUTE)

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_get(f"{_V1}/openapi.json", contract)
        router.add_get(_V1 + EVENTS, self.events)
        router.add_post(f"{_V1}/challenges/{_ID}", self.answer_challenge)
        router.add_get(_KEY, self.match)
        actions: dict[str, _Action] = {
            "turns": self.play,
            "resign": self.resign,
            "draw": self.draw,
            "claim": self.claim,
            f"proposals/{_ID}": self.answer_proposal,
        }
        for name, action in actions.items():
            router.add_post(f"{_KEY}/{name}", self._answering(action))

    # The program and its challenges

    async def events(self, request: web.Request) -> web.StreamResponse:
        program, query = self._program(request), _query(request, "wait", "seen")
        if "wait" not in query:
            return await self.streams.stream(request, program)
        seconds = _number(query, "wait", 0, _LONGEST_WAIT)
        return await self.streams.once(request, program, seconds, query.get("seen", "")[:_LONGEST_SEEN] or None)

    async def answer_challenge(self, request: web.Request) -> web.StreamResponse:
        program, wanted = self._program(request), _ANSWERS[await _answer_in(request)]
        challenge = await self.programs.challenge(int(request.match_info["id"]), program.id)
        player = challenge.opponent
        assert player is not None
        if challenge.state is not wanted:
            try:
                if wanted is ChallengeState.ACCEPTED:
                    await self.challenges.accept(challenge.id, player)
                else:
                    await self.challenges.decline(challenge.id, player.id)
            except DomainError as error:
                return failure(error)
        found = await self.programs.challenge(challenge.id, program.id)
        return web.json_response(await self.streams.challenge(found, program.id))

    # Its matches

    async def match(self, request: web.Request) -> web.StreamResponse:
        program, query = self._program(request), _query(request, "legal")
        game = await self._game(request, program)
        shown = await self.streams.match(game, program.id)
        if "legal" in query:
            maximum = _number(query, "legal", 1, _MOST_TURNS)
            if shown["your_turn"]:
                shown["legal"] = await asyncio.to_thread(_legal, game.position, maximum)
        return web.json_response(shown)

    def _answering(self, action: _Action) -> Handler:
        """A handler that takes an action in a game. Its answer has the game, even if the action came too late."""

        async def answer(request: web.Request) -> web.StreamResponse:
            program = self._program(request)
            game = await self._game(request, program)
            refusal = None
            try:
                await action(request, program, game)
            except (DomainError, TurnError) as error:
                refusal = failure(error)
                if refusal.status != 409:
                    return refusal
            now = await self.streams.match(await self.programs.game(game.match.id, program.id), program.id)
            if refusal is None:
                return web.json_response(now)
            assert refusal.text is not None
            return web.json_response({**json.loads(refusal.text), "match": now}, status=409)

        return answer

    async def play(self, request: web.Request, program: Program, game: Game) -> None:
        """Play a turn. Repeating the request changes nothing."""
        body = await _body(request, step=int, turn=str)
        step, turn, match = body["step"], body["turn"], game.match
        if len(turn) > _LONGEST_TURN:
            raise UnreadableError(f"A turn has at most {_LONGEST_TURN} characters.")
        try:
            check_running(match, program.id, None if match.result is not None else step)
            check_awaited(game, program.id)
            draft = await asyncio.to_thread(_complete, game.position, turn)
            await self.matches.play(game, draft, match.player(program.id))
        except DomainError:
            if await self._was_played(game, program.id, step, turn):
                return
            raise

    async def _was_played(self, game: Game, program_id: int, step: int, turn: str) -> bool:
        """Whether the program has played this turn at that step."""
        game = await self.matches.game(game.match.id)
        if not 0 <= step < game.step:
            return False
        before, after = [await self.matches.past_game(game.match, at) for at in (step, step + 1)]
        if before.to_act is None or before.to_act.id != program_id or after.ply != before.ply + 1:
            return False
        try:
            return await asyncio.to_thread(before.position.same_turn, turn, after.turns[-1])
        except TurnError:
            return False

    async def resign(self, _request: web.Request, program: Program, game: Game) -> None:
        await self.matches.resign(game.match.id, program.id)

    async def draw(self, _request: web.Request, program: Program, game: Game) -> None:
        """Offer a draw, or accept the opponent's offer."""
        await self.proposals.propose(game.match.id, program.id, ProposalKind.DRAW)

    async def claim(self, _request: web.Request, program: Program, game: Game) -> None:
        """Claim the win against an opponent whose time is up."""
        await self.clocks.claim(game.match.id, program.id)

    async def answer_proposal(self, request: web.Request, program: Program, game: Game) -> None:
        answer, number = await _answer_in(request), int(request.match_info["id"])
        if (await self.proposals.get(number)).match_id != game.match.id:
            raise UnknownProposalError
        given = self.proposals.accept if answer == "accept" else self.proposals.decline
        await given(number, program.id)

    # Helpers

    def _program(self, request: web.Request) -> Program:
        """The program that sends a request. The request counts towards its limit."""
        program = request[VISITOR].program
        if program is None:
            raise TokenError
        self.rate_limit.check(program.id)
        return program

    async def _game(self, request: web.Request, program: Program) -> Game:
        return await self.programs.game(await self.doors.match_of(request.match_info["key"]), program.id)


async def contract(_request: web.Request) -> web.StreamResponse:
    return web.Response(body=await asyncio.to_thread(document), content_type="application/json")


@cache
def document() -> bytes:
    """The API document, in OpenAPI."""
    return Path(__file__).with_name("api.json").read_bytes()


def _complete(position: Position, turn: str) -> Draft:
    """Read a turn. Raises :class:`rules.TurnError` if it is illegal."""
    return position.draft(position.parse(turn))


def _legal(position: Position, maximum: int) -> Json:
    turns = position.legal_turns
    listed = position.phase is not Phase.PLAY or position.lists_all_turns
    return {"turns": list(turns[:maximum]), "complete": listed and len(turns) <= maximum}


def _query(request: web.Request, *known: str) -> Mapping[str, str]:
    """The parameters of a request. Raises :class:`UnreadableError` for unknown ones."""
    if set(request.query) - set(known):
        raise UnreadableError(f"The parameters here are: {', '.join(known)}.")
    return request.query


def _number(query: Mapping[str, str], name: str, minimum: int, maximum: int) -> int:
    value = number_in(query[name], maximum)
    if value is None or value < minimum:
        raise UnreadableError(f"{name} is a whole number from {minimum} to {maximum}.")
    return value


async def _answer_in(request: web.Request) -> str:
    answer = str((await _body(request, answer=str))["answer"])
    if answer not in _ANSWERS:
        raise UnreadableError("The answer is accept or decline.")
    return answer


async def _body(request: web.Request, **kinds: type) -> Json:
    """The JSON object in the body of a request, with values of these types."""
    async with reading():
        try:
            body = await request.json()
        except (LookupError, ValueError, RecursionError):
            body = None
    if body is None:
        raise UnreadableError("The body is not JSON.")
    right = isinstance(body, dict) and set(body) == set(kinds)
    right = right and all(map(is_text, [value for value in body.values() if isinstance(value, str)]))
    if not right or any(type(body[name]) is not kind for name, kind in kinds.items()):
        wanted = ", ".join(f"{name} ({'a number' if kind is int else 'a text'})" for name, kind in kinds.items())
        raise UnreadableError(f"The body is an object with: {wanted}.")
    found: Json = body
    return found
