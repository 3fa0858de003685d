"""Reminders of what waits for players, after quiet hours and in digests; nudges by their opponents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

from bot.domain.challenges import Challenge
from bot.domain.deliveries import MatchDelivery, PostedMessage
from bot.domain.limits import NUDGE_AGAIN
from bot.domain.matches import Match, Pending
from bot.domain.places import Place
from bot.domain.play import NotNudgedError, check_nudge, keeps_waiting
from bot.domain.players import Player
from bot.domain.preferences import Preferences
from bot.domain.timers import LEASE, Timer, TimerKind
from bot.services.history import History
from bot.services.matches import Matches, lock_match
from bot.storage import Storage, Transaction

#: The time until a reminder that could not be sent is retried.
_RETRY = timedelta(minutes=10)
#: While a digest is being sent, no other process sends it. Longer than a timer's lease, shorter than a nonce's life.
_DIGEST_LEASE = LEASE + timedelta(seconds=30)
#: A digest that is later than this waits for the next day.
_GRACE = timedelta(hours=3)
#: A direct conversation with the bot.
_ALONE = Place(None, 0)


@dataclass(frozen=True, slots=True)
class Reminder:
    """What waits for a player: matches, the longest wait first, and challenges, the oldest first.

    ``deliveries`` and ``challenge_messages`` say where they are shown. People have the names known outside servers.
    """

    loaded_at: datetime
    player: Player
    preferences: Preferences
    matches: tuple[Pending, ...]
    deliveries: Mapping[int, MatchDelivery]
    challenges: tuple[Challenge, ...]
    challenge_messages: Mapping[int, PostedMessage | None]

    @property
    def place(self) -> Place | None:
        """A place on a server where something waits; None if nothing waits on a server."""
        places = [challenge.place for challenge in self.challenges]
        for pending in reversed(self.matches):
            delivery = self.deliveries[pending.match.id]
            if delivery.channel_id is not None:
                places.insert(0, Place(delivery.home.guild_id, delivery.channel_id))
        return next((place for place in places if place.guild_id is not None), None)


@dataclass
class Reminders:
    storage: Storage
    history: History
    now: Callable[[], datetime]

    async def quiet_over(self, player_id: int) -> Reminder | None:
        """What waits for a player whose quiet hours are over; None if nothing waits, or if quiet hours go on.

        Only the first caller gets the reminder, and sends it. If a digest is due soon, the timer is postponed, and
        :meth:`end_digest` cancels it.
        """
        now = self.now()
        async with self.storage.transaction() as tx:
            if not await tx.timers.acquire(TimerKind.QUIET_END, player_id, now):
                return None
            chosen = await tx.settings.preferences(player_id)
            again_at = chosen.quiet_until(now)
            if again_at is None and await _is_near(tx, player_id, chosen, now):
                again_at = now + _RETRY
            if again_at is not None:
                await tx.timers.set(Timer(TimerKind.QUIET_END, player_id, again_at))
        return await self._reminder_of(player_id, chosen) if again_at is None and chosen.pings else None

    async def digest(self, player_id: int) -> Reminder | None:
        """What waits for a player whose digest is due; None if nothing waits, or if it is too late for today's digest.

        Only the first caller gets the reminder. The timer is soon due again, unless :meth:`end_digest` is called first.
        """
        now = self.now()
        async with self.storage.transaction() as tx:
            chosen = await tx.settings.preferences(player_id)
            around = chosen.digests_around(now)
            if not await tx.timers.acquire(TimerKind.DIGEST, player_id, now) or around is None:
                return None
            last, following = around
            if now - last > _GRACE:
                await tx.timers.set(Timer(TimerKind.DIGEST, player_id, following))
                return None
            await tx.timers.set(Timer(TimerKind.DIGEST, player_id, now + _DIGEST_LEASE))
        waiting = await self._reminder_of(player_id, chosen)
        if waiting is None:
            await self.end_digest(player_id)
        return waiting

    async def end_digest(self, player_id: int) -> None:
        """Schedule the next digest, and cancel the ping at the end of quiet hours."""
        now = self.now()
        async with self.storage.transaction() as tx:
            chosen = await tx.settings.preferences(player_id)
            await _set_digest(tx, player_id, chosen, now)
            if chosen.quiet_until(now) is None:
                await tx.timers.cancel(player_id, TimerKind.QUIET_END)

    async def stop_digests(self, player_id: int) -> None:
        """Stop the digests of a player who accepts no direct messages; their next interaction tells them."""
        async with self.storage.transaction() as tx:
            await tx.settings.change_preferences(player_id, {"digest_at": None, "digest_refused": True})
            await tx.timers.cancel(player_id, TimerKind.DIGEST)

    async def pop_refusal(self, player_id: int) -> bool:
        """Whether the player has not been told that their digests were stopped; the caller then tells them."""
        async with self.storage.transaction() as tx:
            return await tx.settings.pop_refusal(player_id)

    async def put_off(self, kind: TimerKind, player_id: int) -> None:
        """Set a timer again, because its reminder could not be sent."""
        async with self.storage.transaction() as tx:
            await tx.timers.set(Timer(kind, player_id, self.now() + _RETRY))

    async def change_times(
        self, player: Player, *, time_zone: tzinfo, quiet: tuple[int, int] | None, digest_at: int | None, language: str
    ) -> Preferences:
        """Set the player's time zone, quiet hours and time of the digest (None: without), in minutes of the day.

        Direct messages use ``language`` unless the player has chosen a language for everything.
        """
        quiet_from, quiet_to = quiet or (None, None)
        changes = {
            "time_zone": time_zone,
            "quiet_from": quiet_from,
            "quiet_to": quiet_to,
            "digest_at": digest_at,
            "direct_language": language,
            "digest_refused": False,
        }
        async with self.storage.transaction() as tx:
            await tx.players.save(player)
            await tx.settings.change_preferences(player.id, changes)
            chosen = await tx.settings.preferences(player.id)
            await _set_digest(tx, player.id, chosen, self.now())
            return chosen

    async def _reminder_of(self, player_id: int, chosen: Preferences) -> Reminder | None:
        now = self.now()
        running = await self.history.running(player_id=player_id, seen_from=_ALONE)
        matches = [pending for pending in running if _waits(pending, player_id)]
        async with self.storage.read() as tx:
            deliveries = await tx.deliveries.get_all([pending.match.id for pending in matches], player_id)
            challenges = await tx.challenges.open_to_player(player_id, now)
            messages = await tx.deliveries.challenge_messages([challenge.id for challenge in challenges])
            named = await tx.players.by_ids([player_id, *(challenge.challenger.id for challenge in challenges)], None)
        if not (matches or challenges):
            return None
        offered = tuple(replace(challenge, challenger=named[challenge.challenger.id]) for challenge in challenges)
        return Reminder(now, named[player_id], chosen, tuple(matches), deliveries, offered, messages)


async def _is_near(tx: Transaction, player_id: int, chosen: Preferences, now: datetime) -> bool:
    around = chosen.digests_around(now)
    if around is None or not await tx.timers.is_due(TimerKind.DIGEST, player_id, now + _RETRY):
        return False
    last, following = around
    return now - last <= _GRACE or following <= now + _RETRY


async def _set_digest(tx: Transaction, player_id: int, chosen: Preferences, now: datetime) -> None:
    around = chosen.digests_around(now)
    if around is None:
        await tx.timers.cancel(player_id, TimerKind.DIGEST)
    else:
        await tx.timers.set(Timer(TimerKind.DIGEST, player_id, around[1]))


def _waits(pending: Pending, player_id: int) -> bool:
    match = pending.match
    if match.waiting:
        return False
    return pending.to_act.id == player_id or any(proposal.proposer.id != player_id for proposal in match.proposals)


@dataclass
class Nudges:
    storage: Storage
    matches: Matches
    now: Callable[[], datetime]

    def keeps_waiting(self, match: Match) -> bool:
        """Whether the match has waited long enough for a nudge."""
        return keeps_waiting(match, self.now())

    async def nudge(self, match_id: int, player_id: int) -> Match:
        """Store a player's nudge to the opponent; return their match. The caller posts the nudge."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            (game,) = await self.matches.games(tx, [match])
            nudged_at = await tx.limits.nudges(player_id)
            check_nudge(match, game.to_act or match.player(player_id), player_id, nudged_at, now)
            opponent = match.opponent_of(player_id)
            if await tx.privacy.blocker(player_id, opponent.id, strangers=match.apart is not None) is not None:
                raise NotNudgedError(match, "blocked", player=opponent)
            if not (await tx.settings.preferences(opponent.id)).pings:
                raise NotNudgedError(match, "pings", player=opponent)
            await tx.limits.set_nudge(match_id, player_id, now, kept_since=now - NUDGE_AGAIN.span)
            return match
