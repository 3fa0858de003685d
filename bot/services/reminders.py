"""What waits for players, and when they are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.challenges import Challenge
from bot.domain.deliveries import MatchDelivery
from bot.domain.matches import Pending
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import Preferences
from bot.domain.timers import Timer, TimerKind
from bot.services.history import History
from bot.storage import Storage

#: How long to wait before what could not be sent is tried again.
_LATER = timedelta(minutes=10)
#: The most challenges that are looked at.
_MOST = 20


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a player: matches, the longest first, with their deliveries by number, and challenges to them."""

    player: Player
    preferences: Preferences
    matches: tuple[Pending, ...]
    deliveries: Mapping[int, MatchDelivery]
    challenges: tuple[Challenge, ...]

    @property
    def place(self) -> Place | None:
        """Where on a server something waits; None if it does so nowhere."""
        places = [each.place for each in self.challenges]
        for pending in reversed(self.matches):
            delivery = self.deliveries.get(pending.match.id)
            if delivery is not None and delivery.channel_id is not None:
                places.insert(0, Place(delivery.home.guild_id, delivery.channel_id))
        return next((place for place in places if place.guild_id is not None), None)


class Reminders:
    """``clock`` returns the time in UTC."""

    def __init__(self, storage: Storage, history: History, *, clock: Callable[[], datetime]) -> None:
        self._storage = storage
        self._history = history
        self._clock = clock

    async def quiet_over(self, player_id: int) -> Waiting | None:
        """What waits for a player whose quiet hours are over; None if nothing does, or if they go on.

        Whoever calls this first gets it and tells the player; the timer does not ring again for the others.
        """
        now = self._clock()
        async with self._storage.transaction() as tx:
            if not await tx.timers.claim(TimerKind.QUIET_END, player_id, now):
                return None
            chosen = await tx.settings.preferences(player_id)
            until = chosen.quiet_until(now)
            if until is not None:
                await tx.timers.set(Timer(TimerKind.QUIET_END, player_id, until))
        return await self._waiting(player_id, chosen) if until is None and chosen.pings else None

    async def put_off(self, kind: TimerKind, player_id: int) -> None:
        """Let a timer that was claimed ring again, because what it is for could not be sent."""
        async with self._storage.transaction() as tx:
            await tx.timers.set(Timer(kind, player_id, self._clock() + _LATER))

    async def change_hours(self, player: Player, *, utc_offset: int, quiet: tuple[int, int] | None) -> Preferences:
        """Set the player's time zone and quiet hours (None: without any), all in minutes."""
        quiet_from, quiet_to = quiet or (None, None)
        async with self._storage.transaction() as tx:
            await tx.players.save(player)
            changes = {"utc_offset": utc_offset, "quiet_from": quiet_from, "quiet_to": quiet_to}
            await tx.settings.change_preferences(player.id, changes)
            return await tx.settings.preferences(player.id)

    async def _waiting(self, player_id: int, chosen: Preferences) -> Waiting | None:
        """What waits for a player; None if nothing does."""
        running = await self._history.running(player_id=player_id)
        matches = [each for each in running if _waits(each, player_id)]
        async with self._storage.read() as tx:
            deliveries = await tx.deliveries.get_all([each.match.id for each in matches])
            open_ids = [number for number, by in await tx.privacy.open_challenges(player_id) if by != player_id]
            found = [await tx.challenges.get(number) for number in open_ids[:_MOST]]
            named = await tx.players.named([player_id], None)
        challenges = tuple(each for each in found if each is not None)
        if not (matches or challenges):
            return None
        return Waiting(named[player_id], chosen, tuple(matches), deliveries, challenges)


def _waits(pending: Pending, player_id: int) -> bool:
    """Whether the match waits for the player's turn, or for their answer to a proposal."""
    match = pending.match
    if match.waiting:
        return False
    return pending.awaited.id == player_id or any(each.proposer.id != player_id for each in match.proposals)
