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
from bot.web.api.values import Json, challenge_json, match_json, state_digest, waits
from bot.web.html.sentences import plain
from bot.web.http.live import version_of

_LOG = structlog.get_logger(__name__)
#: Maximum seconds between two lines of a stream, for a write, and until a program's state is read again.
BEAT, _PATIENCE, _RECHECKED = 10.0, 10.0, 30.0
#: Maximum waiting streams and single answers of a process, and maximum waiting single answers of a program.
_MOST, _SINGLE = 500, 4
_OVERTAKEN = "Another stream of this program has begun."
_STOPPING = "Hexgrove is stopping. Connect again in some seconds."


@dataclass
class Streams:
    """One stream for each program: the newest. It skips states that become outdated before it can send them."""

    programs: Programs
    doors: Doors
    watching: Watching
    beat: float = BEAT

    def __post_init__(self) -> None:
        #: A program may wait for a few single answers; of its streams, only the newest goes on.
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
        """Stream the state of a program, and its changes, as lines of JSON. The program's previous stream ends."""
        with self._waiting.room(None):
            begun = await self.programs.begin_stream(program)
            headers = {"Content-Type": "application/x-ndjson", "X-Accel-Buffering": "no"}
            response = web.StreamResponse(headers=headers)
            await response.prepare(request)
            # A write reveals a program that has disappeared without closing the connection.
            with suppress(ConnectionError, TimeoutError):
                async with aclosing(self._lines(request, begun)) as lines:
                    async for line in lines:
                        async with asyncio.timeout(_PATIENCE):
                            await response.write(b"\n" if line is None else json.dumps(line).encode() + b"\n")
        return response

    async def once(self, request: web.Request, program: Program, seconds: int, before: str | None) -> web.Response:
        """Answer with the state of a program once it differs from ``before``, or after so many seconds.

        Without ``before``, answer once something waits for the program.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        last = None
        with self._waiting.room(program.id):
            async with aclosing(self._states(request, program, until)) as states:
                async for state in states:
                    if state is not None:
                        last = state
                        news = waits(state) if before is None else state_digest(state) != before
                        if news:
                            break
                    if loop.time() >= until:
                        break
        if last is None:
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "2"})
        return web.json_response(await self._state(last))

    async def _lines(self, request: web.Request, begun: Program) -> AsyncGenerator[Json | None, None]:
        """The lines of a stream; None is an empty line."""
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
        """Yield the state of a program, now and after each change; None at beats without a change, and at ``until``."""
        loop, watched = asyncio.get_running_loop(), {program.id}
        while not self._stopping:
            async with self._woken(*watched) as changed:
                # The state is read even without a notification, because one from another process can be lost.
                unasked = loop.time() + _RECHECKED
                state = await self.programs.state(program)
                concerned = {program.id, *(game.match.id for game in state.games)}
                if concerned <= watched:  # otherwise a change in a new match could be missed
                    yield state
                    while loop.time() < unasked and not changed.is_set():
                        await heard(request, changed, min(self.beat, until - loop.time()))
                        if not changed.is_set():
                            yield None
            watched = concerned

    @asynccontextmanager
    async def _woken(self, *subject_ids: int) -> AsyncIterator[asyncio.Event]:
        """An event, set by each change of these programs and matches, and by :meth:`stop`."""
        async with self.watching.watch(*subject_ids) as changed:
            self._waiters.add(changed)
            try:
                yield changed
            finally:
                self._waiters.discard(changed)

    async def _changes(self, before: ProgramState, now: ProgramState) -> list[Json]:
        """The events between two states."""
        own = now.program.id
        games, challenges = list(now.games), list(now.challenges)
        running, waiting = {game.match.id for game in games}, {each.id for each in challenges}
        over = [game.match.id for game in before.games if game.match.id not in running]
        games += [await self.programs.game(match_id, own) for match_id in over]
        for challenge in before.challenges:
            if challenge.id not in waiting:
                with suppress(UnknownChallengeError):  # deleted with its challenger
                    challenges.append(await self.programs.challenge(challenge.id, own))
        versions = {game.match.id: version_of(game.match) for game in before.games}
        known = {each.id: each.state for each in before.challenges}
        return [
            *[
                {"type": "challenge", "challenge": await self.challenge(each, own)}
                for each in challenges
                if known.get(each.id) is not each.state
            ],
            *[
                {"type": "match", "match": await self.match(game, own)}
                for game in games
                if versions.get(game.match.id) != version_of(game.match)
            ],
        ]

    async def _state(self, state: ProgramState) -> Json:
        own = state.program.id
        return {
            "type": "state",
            "seen": state_digest(state),
            "program": {"name": state.player.name},
            "challenges": [await self.challenge(each, own) for each in state.challenges],
            "matches": [await self.match(game, own) for game in state.games],
        }

    async def challenge(self, challenge: Challenge, own: int) -> Json:
        """A challenge as the program with the id ``own`` reads it."""
        match_id = challenge.match_id
        return challenge_json(challenge, own, None if match_id is None else await self.doors.key(match_id))

    async def match(self, game: Game, own: int) -> Json:
        """A game as the program with the id ``own`` reads it."""
        key = await self.doors.key(game.match.id)
        return match_json(game, own, key, f"{self.doors.url}/m/{key}", self.programs.now())


def _end(code: str, message: str) -> Json:
    return {"type": "end", "code": code, "message": message}
