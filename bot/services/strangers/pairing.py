"""Matches of strangers: pairing, missing first turns, and homes that are lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain

import rules
from bot.domain.clocks import DAY
from bot.domain.competitions.strangers import (
    ENDS_AFTER,
    LOST_FOR,
    Meeting,
    RequestState,
    StandingRequest,
    Waiting,
    pairings,
)
from bot.domain.matches import FIRST_TURN_WITHIN, Ending, Match, Result
from bot.domain.places import Place
from bot.domain.refusals import DomainError
from bot.domain.timers import Timer, TimerKind
from bot.runtime.timers import on_timer
from bot.services.match_lifecycle import channel_for_match, start_match
from bot.services.matches import Matches, lock_match
from bot.services.strangers.requests import check_home, waiting
from bot.storage import Storage, Transaction

#: A player's conversation with the bot, before it is opened.
CONVERSATION = Place(None, 0, direct=True)
#: How often to look again for two people who fit.
_AGAIN = timedelta(hours=1)
#: The subject of the timer to look again. A changed request sets another one, which is due at once.
_LATER = 1


class _ChangedError(Exception):
    """A request has changed since it was read."""


@dataclass
class Strangers:
    """Brings people together who want to play anyone."""

    storage: Storage
    matches: Matches
    now: Callable[[], datetime]

    @on_timer(TimerKind.PAIR)
    async def pair(self, _subject: int = 0) -> None:
        """Begin all matches that fit, and look again later, because time alone may bring more together."""
        now = self.now()
        while True:
            async with self.storage.transaction() as tx:
                await tx.strangers.lock()
                current = await self._renewed(tx, now)
                waits = await _waiting(tx, current, now)
            found = await asyncio.to_thread(pairings, waits, now, random.choice)
            if not any([await self._begin(pairing, now) for pairing in found]):
                break
        if current:
            times = [request.resumes_at for request in current if request.resumes_at is not None]
            times += [now + (_AGAIN if len(waits) > 1 else DAY)]
            async with self.storage.transaction() as tx:
                await tx.timers.set(Timer(TimerKind.PAIR, _LATER, min(at for at in times if at > now)))

    async def _renewed(self, tx: Transaction, now: datetime) -> list[StandingRequest]:
        """The requests that have not ended: some end now, because their players no longer play, and others resume."""
        requests = await tx.strangers.current()
        idle = await tx.strangers.idle(now - ENDS_AFTER)
        left = []
        for request in requests:
            after = request
            if request.player_id in idle:
                after = replace(request, state=RequestState.ENDED)
            elif request.state is RequestState.PAUSED and request.resumes_at is not None and request.resumes_at <= now:
                after = replace(request, state=RequestState.OPEN, resumes_at=None, waiting_since=now)
            if after != request:
                if not await tx.strangers.replace(request, after):
                    continue  # the player has just changed it
                after = replace(after, version=request.version + 1)
            if after.state is not RequestState.ENDED:
                left.append(after)
        return left

    async def _begin(self, pairing: Meeting, now: datetime) -> Match | None:
        """Begin a match, unless one of the requests has changed meanwhile."""
        pair = [pairing.first, pairing.second]
        random.shuffle(pair)
        ids = [request.player_id for request in pair]
        with suppress(_ChangedError):
            async with self.storage.transaction() as tx:
                await tx.strangers.lock()
                running, blocked = await tx.strangers.running(ids), await tx.strangers.blocked(ids)
                if not {*ids}.isdisjoint(chain(*blocked.values())) or len(waiting(pair, running)) < len(pair):
                    return None
                for request in pair:
                    # This also waits for the deletion of a player's data.
                    if not await tx.strangers.replace(request, replace(request, waiting_since=now)):
                        raise _ChangedError
                named = await tx.players.by_ids(ids, None)
                homes = [await _home(tx, request.home) for request in pair]
                return await start_match(
                    tx,
                    rules.ruleset(pairing.game),
                    homes[0][0],
                    (named[ids[0]], named[ids[1]]),
                    now,
                    homes[0][1],
                    second_home=homes[1],
                    rated=True,
                    control=pairing.first.pace.control,
                )
        return None

    async def check_first_turn(self, match_id: int) -> None:
        """Call a match off if the player to act has not made the first turn in time."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            if not match.awaits_first_turn:
                return
            assert match.clock is not None
            due_at = match.turn_due_at if match.shown else None
            if due_at is None or now < due_at:
                await tx.timers.set(Timer(TimerKind.FIRST_TURN, match_id, due_at or now + FIRST_TURN_WITHIN))
            else:
                await self._call_off(tx, match, [match.players[match.clock.seat].id], now)

    async def check_homes(self, match_id: int) -> None:
        """Call a match off if one of its players could not see it for three days."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            homes = await tx.deliveries.homes(match_id)
            unseen = {home.player_id: at for home in homes if (at := home.unseen_since(match.started_at)) is not None}
            if match.result is not None or match.apart is None or not unseen:
                return
            absent = [player_id for player_id, since in unseen.items() if now - since >= LOST_FOR]
            if absent:
                await self._call_off(tx, match, absent, now)
            else:
                await tx.timers.set(Timer(TimerKind.LOST_HOME, match_id, min(unseen.values()) + LOST_FOR))

    async def _call_off(self, tx: Transaction, match: Match, absent: Collection[int | None], now: datetime) -> None:
        """Call a match off without a loss. The requests of absent players are paused, and the others go first."""
        await self.matches.end(tx, match, Result(None, Ending.ABANDONED), now)
        first = min((request.waiting_since for request in await tx.strangers.current()), default=now)
        for player in match.players:
            request = await tx.strangers.get(player.id)
            if request is not None and player.id in absent:
                await tx.strangers.replace(request, request.after_offence(now, forgivable=False))
            elif request is not None and request.state is RequestState.OPEN:
                await tx.strangers.replace(request, replace(request, waiting_since=first - timedelta(seconds=1)))


async def _waiting(tx: Transaction, current: list[StandingRequest], now: datetime) -> list[Waiting]:
    """What pairing needs to know of everyone who waits."""
    ids = [request.player_id for request in current]
    left = waiting(current, await tx.strangers.running(ids))
    ids = [request.player_id for request in left]
    met, blocked = await tx.strangers.met(ids, now), await tx.strangers.blocked(ids)
    ratings = await tx.ratings.latest(ids, list(rules.GAMES))
    return [
        Waiting(
            request,
            {game: ratings[request.player_id, game].value for game in request.games},
            blocked.get(request.player_id, ()),
            met.get(request.player_id, {}),
        )
        for request in left
    ]


async def _home(tx: Transaction, home: Place) -> tuple[Place, int | None]:
    """Where to show a match to a player who asked at ``home``, and the channel; None for one that is still to open."""
    try:
        await check_home(tx, home)
    except DomainError:
        home = CONVERSATION
    if home.guild_id is None and not home.direct:  # nobody plays in a group
        home = CONVERSATION
    return home, await channel_for_match(tx, home) or None
