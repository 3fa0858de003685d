"""Standing requests to play anyone: asking, pausing and ending, and what the end of such a match changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.challenges import check_place
from bot.domain.competitions.strangers import (
    MOST_AT_ONCE,
    ExcludedError,
    Lobby,
    NoGamesError,
    NoRequestError,
    Pace,
    PausedError,
    RequestState,
    StandingRequest,
    StrangersOffHereError,
)
from bot.domain.matches import Ending, Match
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.ratings import LEAST_PLY
from bot.domain.timers import Timer, TimerKind
from bot.storage import Storage, Transaction


@dataclass
class StandingRequests:
    storage: Storage
    now: Callable[[], datetime]

    async def lobby(self, player_id: int) -> Lobby:
        async with self.storage.read() as tx:
            own, current = await tx.strangers.get(player_id), await tx.strangers.current()
            ids = [player_id, *(request.player_id for request in current)]
            running, met = await tx.strangers.running(ids), await tx.strangers.met([player_id], self.now())
        # Blocks do not matter here: the count would tell who waits.
        unfit = {player_id, *met.get(player_id, ())}
        others = [request for request in waiting(current, running) if request.player_id not in unfit]
        paces = {game: request.pace for request in reversed(others) for game in request.games}
        counted = Counter(game for request in others for game in request.games)
        return Lobby(own, running.get(player_id, 0), counted, paces)

    async def ask(
        self, player: Player, games: Collection[str], at_once: int, pace: Pace, home: Place, *, near: bool
    ) -> StandingRequest:
        """Make or change a player's request. It waits from now on, unless it waited before."""
        now = self.now()
        if not games:
            raise NoGamesError
        async with self.storage.transaction() as tx:
            await tx.strangers.lock()
            await tx.players.save(player)
            await check_home(tx, home)
            before = await tx.strangers.get(player.id)
            await _check_allowed(tx, player.id, before, now)
            request = StandingRequest(
                player_id=player.id,
                games=frozenset(games),
                at_once=min(max(at_once, 1), MOST_AT_ONCE),
                pace=pace,
                near=near,
                home=home,
                state=RequestState.OPEN,
                waiting_since=before.waiting_since if before and before.state is RequestState.OPEN else now,
                offences=before.offences if before else 0,
            )
            await tx.strangers.put(request, now)
            await tx.timers.set_for(None, Timer(TimerKind.PAIR, 0, now))
        return request

    async def change(self, player_id: int, state: RequestState) -> StandingRequest:
        """Pause, end or resume a request; running matches go on."""
        now = self.now()
        async with self.storage.transaction() as tx:
            await tx.strangers.lock()
            before = await tx.strangers.get(player_id)
            if before is None:
                raise NoRequestError
            if state is RequestState.OPEN:
                await _check_allowed(tx, player_id, before, now)
            after = before.changed_to(state, now)
            await tx.strangers.put(after, now)
            await tx.timers.set_for(None, Timer(TimerKind.PAIR, 0, now))
        return after

    async def exclude(self, account_id: int, *, excluded: bool) -> None:
        """Keep an account out of matches with people from elsewhere, or let it in again. Running matches go on."""
        async with self.storage.transaction() as tx:
            await tx.strangers.lock()
            await tx.strangers.exclude(account_id, excluded=excluded)
            if excluded:
                await tx.strangers.end(account_id)


def waiting(requests: Collection[StandingRequest], running: dict[int, int]) -> list[StandingRequest]:
    """The requests that wait for an opponent, given the numbers of running matches by player."""
    return [
        request
        for request in requests
        if request.state is RequestState.OPEN and running.get(request.player_id, 0) < request.at_once
    ]


async def settle_strangers(tx: Transaction, match: Match, now: datetime) -> None:
    """Look for the players' next opponents after the end of their match; who has resigned at once may have to wait."""
    await tx.strangers.lock()
    result, running = match.result, await tx.strangers.running([player.id for player in match.players])
    for player in match.players:
        request = await tx.strangers.get(player.id)
        if request is None:
            continue
        lost = result is not None and result.winner_id not in (None, player.id)
        at_once = lost and result is not None and result.ending is Ending.RESIGNATION and match.ply < LEAST_PLY
        # With a match fewer than wanted, the player has waited before the end, too.
        begins_to_wait = request.state is RequestState.OPEN and running.get(player.id, 0) + 1 >= request.at_once
        after = replace(request, waiting_since=now) if begins_to_wait else request
        await tx.strangers.replace(request, after.after_offence(now, forgivable=True) if at_once else after)
    await tx.timers.set_for(None, Timer(TimerKind.PAIR, 0, now))


async def check_home(tx: Transaction, home: Place) -> None:
    """Raise if a server does not show matches of strangers there."""
    settings = await tx.settings.server_settings(home.guild_id)
    if not settings.strangers:
        raise StrangersOffHereError
    parent_id = home.parent_id or await tx.deliveries.thread_channel(home.channel_id)
    check_place(settings, replace(home, parent_id=parent_id))


async def _check_allowed(tx: Transaction, player_id: int, request: StandingRequest | None, now: datetime) -> None:
    if await tx.strangers.is_excluded(player_id):
        raise ExcludedError
    if request is not None and request.is_barred(now):
        raise PausedError(when=request.resumes_at)
