"""Matches of strangers: pairing, missing first turns, and homes that are lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import rules
from bot.domain.challenges import ChannelNotAllowedError, check_place
from bot.domain.clocks import DAY
from bot.domain.competitions.strangers import (
    APART,
    ENDS_AFTER,
    LOST_FOR,
    Meeting,
    Pace,
    RequestState,
    StandingRequest,
    Waiting,
    may_fit_later,
    pairings,
)
from bot.domain.matches import Ending, Match, Result
from bot.domain.places import Place
from bot.domain.timers import Timer, TimerKind
from bot.runtime.timers import on_timer
from bot.services.match_lifecycle import channel_for_match, start_match
from bot.services.matches import Matches, lock_match
from bot.services.strangers.requests import waiting
from bot.storage import Storage, Transaction

#: A player's conversation with the bot, before it is opened.
CONVERSATION = Place(None, 0, direct=True)
#: How often to look whether those who wait now fit.
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
        """Begin all matches that fit, and look again when time alone may bring more together."""
        now = self.now()
        while True:
            async with self.storage.transaction() as tx:
                await tx.strangers.lock()
                current = await self._renewed(tx, now)
                waits = await _waiting(tx, current, now)
            found = await asyncio.to_thread(pairings, waits, now, random.choice)
            if not any([await self._begin(pairing, now) for pairing in found]):
                break
        later = await asyncio.to_thread(may_fit_later, waits, now)
        times = [request.resumes_at for request in current if request.resumes_at is not None]
        times = [at for at in times if at > now]
        times += [now + _AGAIN] if later else [now + DAY] if current else []
        if times:
            async with self.storage.transaction() as tx:
                await tx.timers.set(Timer(TimerKind.PAIR, _LATER, min(times)))

    async def _renewed(self, tx: Transaction, now: datetime) -> list[StandingRequest]:
        """The requests that have not ended: some end now, because their players no longer play, and others resume."""
        requests = await tx.strangers.current()
        active = await tx.strangers.last_active([request.player_id for request in requests])
        left = []
        for request in requests:
            after = request
            if now - active[request.player_id] >= ENDS_AFTER:
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
                running, unfit = await tx.strangers.running(ids), await tx.strangers.excluded(ids)
                blocked = await tx.privacy.blocker(*ids, strangers=True) is not None
                if unfit or blocked or len(waiting(pair, running)) < len(pair):
                    return None
                for request in pair:
                    # This also waits for the deletion of a player's data.
                    if not await tx.strangers.replace(request, replace(request, waiting_since=now)):
                        raise _ChangedError
                named = await tx.players.by_ids(ids, None)
                homes = [await _home(tx, request.home) for request in pair]
                match = await start_match(
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
                await tx.timers.set(Timer(TimerKind.FIRST_TURN, match.id, now + pairing.first.pace.first_turn_within))
                return match
        return None

    @on_timer(TimerKind.FIRST_TURN)
    async def check_first_turn(self, match_id: int) -> None:
        """Call a match off if the player to act has not made the first turn in time, and let the other go first."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            awaited_id = await tx.matches.to_act(match_id)
            if match.apart is None or awaited_id is None or await tx.strangers.has_played(match_id, awaited_id):
                return
            clock = match.clock
            assert clock is not None
            pace = next(pace for pace in Pace if pace.control == clock.control)
            due_at = ((clock.since if match.shown else None) or now) + pace.first_turn_within
            if now < due_at and not clock.fallen(now):
                await tx.timers.set(Timer(TimerKind.FIRST_TURN, match_id, due_at))
                return
            await self._call_off(tx, match, now)
            await _put_off(tx, awaited_id, now)
            await _advance(tx, match.opponent_of(awaited_id).id)

    @on_timer(TimerKind.LOST_HOME)
    async def check_homes(self, match_id: int) -> None:
        """Call a match off without a loss if one of its players could not see it for three days."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            losses = [home.unseen_since(match.started_at) for home in await tx.deliveries.homes(match_id)]
            since = min((at for at in losses if at is not None), default=None)
            if match.result is not None or match.apart is None or since is None:
                return
            if now - since >= LOST_FOR:
                await self._call_off(tx, match, now)
            else:
                await tx.timers.set(Timer(TimerKind.LOST_HOME, match_id, since + LOST_FOR))

    async def _call_off(self, tx: Transaction, match: Match, now: datetime) -> None:
        await self.matches.end(tx, match, Result(None, Ending.ABANDONED), now)

    async def exclude(self, account_id: int, *, excluded: bool) -> None:
        """Keep an account out of matches with people from elsewhere, or let it in again. Running matches go on."""
        async with self.storage.transaction() as tx:
            await tx.strangers.exclude(account_id, excluded=excluded)
            await tx.timers.set_for(None, Timer(TimerKind.PAIR, 0, self.now()))


async def _waiting(tx: Transaction, current: list[StandingRequest], now: datetime) -> list[Waiting]:
    """What pairing needs to know of everyone who waits."""
    ids = [request.player_id for request in current]
    running, excluded = await tx.strangers.running(ids), await tx.strangers.excluded(ids)
    left = [request for request in waiting(current, running) if request.player_id not in excluded]
    ids = [request.player_id for request in left]
    met, blocked = await tx.strangers.met(ids, now - APART), await tx.strangers.blocked(ids)
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
    settings = await tx.settings.server_settings(home.guild_id)
    try:
        check_place(settings, home)
    except ChannelNotAllowedError:
        home = CONVERSATION
    if not settings.strangers:
        home = CONVERSATION
    return home, (await channel_for_match(tx, home) if home.guild_id is not None else home.channel_id) or None


async def _put_off(tx: Transaction, player_id: int, now: datetime) -> None:
    """Pause the request of a player who did not come, for longer each time."""
    request = await tx.strangers.get(player_id)
    if request is not None:
        await tx.strangers.replace(request, request.after_offence(now, forgivable=False))


async def _advance(tx: Transaction, player_id: int) -> None:
    """Put the request of a player who waited in vain at the head of the queue."""
    request, current = await tx.strangers.get(player_id), await tx.strangers.current()
    if request is not None and request.state is RequestState.OPEN:
        first = min(other.waiting_since for other in current)
        await tx.strangers.replace(request, replace(request, waiting_since=first - timedelta(seconds=1)))
