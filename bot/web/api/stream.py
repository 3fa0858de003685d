"""The stream of a program's challenges and games."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

import structlog
from aiohttp import web

from bot.domain.challenges import Challenge, UnknownChallengeError
from bot.domain.matches import Game
from bot.domain.players import Program, TokenError
from bot.runtime.at_once import AtOnce
from bot.runtime.listening import heard
from bot.runtime.watching import Watching
from bot.services.people.doors import Doors
from bot.services.people.programs import Programs, ProgramState
from bot.web.api.values import Json, awaits_program, challenge_json, match_json, state_digest
from bot.web.html.sentences import plain
from bot.web.http.live import version_of

_LOG = structlog.get_logger(__name__)
#: Seconds between two lines of a stream, for a write, and until a program's state is read again.
BEAT, _PATIENCE, _RECHECKED = 10.0, 10.0, 30.0
#: Maximum waiting requests of a process, and maximum single answers of a program that wait at once.
_MOST, _SINGLE = 500, 4
_OVERTAKEN = "Another stream of this program has begun."
_STOPPING = "Hexgrove is stopping. Connect again in some seconds."


@dataclass
class Streams:
    """Streams events to programs. A new stream ends the program's previous one; slow readers miss outdated states."""

    programs: Programs
    doors: Doors
    watching: Watching
    beat: float = BEAT

    def __post_init__(self) -> None:
        too_many = partial(web.HTTPTooManyRequests, headers={"Retry-After": "10"})
        self._waiting = AtOnce(_SINGLE, _MOST, too_many)
        self._waiters: set[asyncio.Event] = set()
        self._stopping = False

    def __len__(self) -> int:
        return len(self._waiting)

    async def stop(self) -> None:
        """End all streams."""
        self._stopping = True
        for changed in self._waiters:
            changed.set()

    async def stream(self, request: web.Request, program: Program) -> web.StreamResponse:
        """Stream the state of a program and its changes as lines of JSON."""
        with self._waiting.room(None):
            begun = await self.programs.begin_stream(program)
            headers = {"Content-Type": "application/x-ndjson", "X-Accel-Buffering": "no"}
            response = web.StreamResponse(headers=headers)
            await response.prepare(request)
            # A write reveals a program that has left without closing the connection.
            with suppress(ConnectionError, TimeoutError):
                async with aclosing(self._lines(request, begun)) as lines:
                    async for line in lines:
                        async with asyncio.timeout(_PATIENCE):
                            await response.write(b"\n" if line is None else json.dumps(line).encode() + b"\n")
        return response

    async def once(self, request: web.Request, program: Program, seconds: int, before: str | None) -> web.Response:
        """Wait until the state of a program differs from ``before``, but at most these seconds, and answer with it.

        Without ``before``, wait until something awaits the program.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        last = None
        with self._waiting.room(program.id):
            async with aclosing(self._states(request, program, until)) as states:
                async for state in states:
                    if state is not None:
                        last = state
                        news = awaits_program(state) if before is None else state_digest(state) != before
                        if news:
                            break
                    if loop.time() >= until:
                        break
        if last is None:
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "2"})
        return web.json_response(await self._state(last))

    async def _lines(self, request: web.Request, begun: Program) -> AsyncGenerator[Json | None, None]:
        """Yield the lines of a stream; None is an empty line."""
        known: ProgramState | None = None
        try:
            async with aclosing(self._states(request, begun)) as states:
                async for state in states:
                    if state is None:
                        yield None
                        continue
                    if state.program.stream != begun.stream:
                        yield _end("taken_over", _OVERTAKEN)
                        return
                    if known is None:
                        yield await self._state(state)
                    else:
                        changes = await self._changes(known, state)
                        for line in changes:
                            yield line
                        if not changes:  # the wait for the next beat has begun again
                            yield None
                    known = state
            yield _end("stopping", _STOPPING)
        except TokenError as error:
            yield _end("unauthorized", plain(error))
        except ConnectionError:  # the program has left
            raise
        except Exception:
            _LOG.exception("program_not_told")

    async def _states(
        self, request: web.Request, program: Program, until: float = math.inf
    ) -> AsyncGenerator[ProgramState | None, None]:
        """Yield the state of a program now and after each change; None at beats without changes, and at ``until``."""
        loop, watched = asyncio.get_running_loop(), {program.id}
        while not self._stopping:
            async with self._watching(*watched) as changed:
                # Read the state even without a notification, because one from another process can be lost.
                recheck_at = loop.time() + _RECHECKED
                state = await self.programs.state(program)
                concerned = {program.id, *(game.match.id for game in state.games)}
                if concerned <= watched:  # otherwise a change in a new match could be missed
                    yield state
                    while loop.time() < recheck_at and not changed.is_set():
                        await heard(request, changed, min(self.beat, until - loop.time()))
                        if not changed.is_set():
                            yield None
            watched = concerned

    @asynccontextmanager
    async def _watching(self, *subject_ids: int) -> AsyncIterator[asyncio.Event]:
        """Provide an event that changes of these programs and matches set, and :meth:`stop`."""
        async with self.watching.watch(*subject_ids) as changed:
            self._waiters.add(changed)
            try:
                yield changed
            finally:
                self._waiters.discard(changed)

    async def _changes(self, before: ProgramState, now: ProgramState) -> list[Json]:
        """The events between two states."""
        program_id = now.program.id
        games, challenges = list(now.games), list(now.challenges)
        running, waiting = {game.match.id for game in games}, {challenge.id for challenge in challenges}
        over = [game.match.id for game in before.games if game.match.id not in running]
        games += [await self.programs.game(match_id, program_id) for match_id in over]
        for challenge in before.challenges:
            if challenge.id not in waiting:
                with suppress(UnknownChallengeError):  # deleted with its challenger
                    challenges.append(await self.programs.challenge(challenge.id, program_id))
        versions = {game.match.id: version_of(game.match) for game in before.games}
        known = {challenge.id: challenge.state for challenge in before.challenges}
        return [
            *[
                {"type": "challenge", "challenge": await self.challenge(challenge, program_id)}
                for challenge in challenges
                if known.get(challenge.id) is not challenge.state
            ],
            *[
                {"type": "match", "match": await self.match(game, program_id)}
                for game in games
                if versions.get(game.match.id) != version_of(game.match)
            ],
        ]

    async def _state(self, state: ProgramState) -> Json:
        program_id = state.program.id
        return {
            "type": "state",
            "seen": state_digest(state),
            "program": {"name": state.player.name},
            "challenges": [await self.challenge(challenge, program_id) for challenge in state.challenges],
            "matches": [await self.match(game, program_id) for game in state.games],
        }

    async def challenge(self, challenge: Challenge, program_id: int) -> Json:
        """A challenge as the program reads it."""
        match_id = challenge.match_id
        return challenge_json(challenge, program_id, None if match_id is None else await self.doors.key(match_id))

    async def match(self, game: Game, program_id: int) -> Json:
        """A game as the program reads it."""
        key = await self.doors.key(game.match.id)
        return match_json(game, program_id, key, f"{self.doors.url}/m/{key}", self.programs.now())


def _end(code: str, message: str) -> Json:
    return {"type": "end", "code": code, "message": message}
