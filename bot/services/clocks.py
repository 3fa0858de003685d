"""Clocks: fallen flags, reminders, days off, gifts of time, and absences of the bot."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.clocks import DAYS_OFF, HEARTBEAT, Clock, ClockView, made_up_for, shifted_timers, year_of
from bot.domain.matches import Ending, Match, MatchOverError, Result
from bot.domain.play import ClockChangedError, NoClockError, OwnTimeError, TimeLeftError, check_running
from bot.domain.players import Player
from bot.domain.timers import Timer, TimerKind
from bot.services.match_lifecycle import reached_until, save_clock, spend_day_off
from bot.services.matches import Matches, lock_match
from bot.services.scheduling import refresh_later
from bot.storage import Storage, Transaction

_CARDS_APART = timedelta(seconds=2)


class Fall(enum.StrEnum):
    """The consequence of a fallen flag."""

    NOTHING = "nothing"
    """The clock had changed or stood still, or the match has not been shown."""
    DAY_OFF = "day-off"
    CLAIM = "claim"
    """The opponent may claim the win."""
    LOSS = "loss"


@dataclass
class Clocks:
    """The clocks of matches.

    In matches that last for days, a player whose time is up gets a day off if they have one left in this calendar year
    (UTC). The flag then falls at the end of the day off.
    """

    storage: Storage
    matches: Matches
    now: Callable[[], datetime]

    # What players do

    async def claim(
        self, match_id: int, player_id: int, *, seen_step: int | None = None, shown_by_caller: bool = False
    ) -> Match:
        """Claim the win against an opponent whose time is up."""
        async with self.storage.transaction(shown_by_caller=shown_by_caller) as tx:
            match, clock = await _match_and_clock(tx, match_id, player_id, seen_step)
            now = self.now()
            if match.seat_of(player_id) == clock.seat:
                raise OwnTimeError(match)
            if match.awaits_first_turn or not match.shown or not clock.fallen(await reached_until(tx, match, now)):
                raise TimeLeftError(match)
            has_day_off = await spend_day_off(tx, match, now)
            if not has_day_off:
                await self.matches.end(tx, match, Result(player_id, Ending.TIME), now)
                match = await lock_match(tx, match_id)
        if has_day_off:  # raised after the commit, which stores the day off
            raise TimeLeftError(match, "day off")
        return match

    async def give_time(
        self, match_id: int, player_id: int, *, seen_step: int | None = None, seen_left: int | None = None
    ) -> Match:
        """Give the opponent more time.

        ``seen_left`` is their time in seconds when the button was made, so a double press counts once.
        """
        async with self.storage.transaction() as tx:
            match, clock = await _match_and_clock(tx, match_id, player_id, seen_step)
            now = self.now()
            seat = 1 - match.seat_of(player_id)
            if seen_left not in (None, bank_seconds(clock, seat)):
                raise ClockChangedError
            await save_clock(tx, match_id, clock.given(seat, clock.control.gift, now), before=clock)
            await refresh_later(tx, match, now)
            return await lock_match(tx, match_id)

    async def view(self, match: Match) -> ClockView:
        """The clock of a running match now. Raises ``MatchOverError`` or ``NoClockError``."""
        if match.result is not None:
            raise MatchOverError(match)
        if match.clock is None:
            raise NoClockError(match)
        async with self.storage.read() as tx:
            return await clock_view(tx, match.clock, match.players, self.now())

    # What is due

    async def flag_fell(self, match_id: int) -> tuple[Fall, Match]:
        """Handle a fallen flag; return the consequence, and the match after it."""
        async with self.storage.transaction() as tx:
            match, now = await lock_match(tx, match_id), self.now()
            clock = match.clock
            if match.result is not None or clock is None or not clock.fallen(now):
                return Fall.NOTHING, match
            if not match.shown and clock.since is not None:  # its time begins with the first card
                await save_clock(tx, match_id, clock.stopped(clock.since), before=clock)
                return Fall.NOTHING, await lock_match(tx, match_id)
            if match.awaits_first_turn:
                await tx.timers.set(Timer(TimerKind.FIRST_TURN, match_id, now))  # which calls it off
                return Fall.NOTHING, match
            if await spend_day_off(tx, match, now):
                return Fall.DAY_OFF, await lock_match(tx, match_id)
            if not clock.control.hard:
                # Without this note, an outage soon after would seem to begin before the fall.
                await tx.presence.note([tx.shards.of(match.server_of(clock.seat))], now)
                return Fall.CLAIM, match
            winner = match.players[1 - clock.seat]
            await self.matches.end(tx, match, Result(winner.id, Ending.TIME), now)
            return Fall.LOSS, await lock_match(tx, match_id)

    async def to_remind(self, match_id: int) -> Match | None:
        """The match, if its player to act still needs a reminder of the time; None otherwise."""
        now = self.now()
        async with self.storage.read() as tx:
            match = await tx.matches.get(match_id)
        if match is None or match.result is not None or match.clock is None or not match.shown:
            return None
        remind_at = match.clock.remind_at
        return match if remind_at is not None and remind_at <= now and not match.clock.fallen(now) else None

    # The bot's own absence

    async def acquire_shard(self, shard: int) -> datetime | None:
        """Make this process the holder of a shard; return when the bot was last present there (None: never).

        If the number of shards has changed, first make up for the time since then.
        """
        now = self.now()
        async with self.storage.transaction() as tx:
            outdated = await tx.presence.outdated_shards()
            for earlier, count, seen_at in outdated:
                away_since = await _last_seen(tx, earlier, count, seen_at, now)
                if away_since is not None:
                    await _give_back(tx, earlier, count, away_since, now)
            if outdated:
                await tx.presence.renumber(now)
            return await _last_seen(tx, shard, tx.shards.count, await tx.presence.acquire(shard), now)

    async def note_presence(self, shards: Collection[int]) -> None:
        """Store that the players of these shards can reach the bot now."""
        async with self.storage.transaction() as tx:
            await tx.presence.note(shards, self.now())

    async def beat(self, present: Collection[int]) -> bool:
        """Store a heartbeat for the shards where the bot is ``present``; if clocks are running, schedule the next one.

        False if clocks are running and the bot is present nowhere: try again.
        """
        now = self.now()
        async with self.storage.transaction() as tx:
            heartbeat = Timer(TimerKind.HEARTBEAT, 0, now + HEARTBEAT)
            # The timer is locked first, so a clock that starts meanwhile waits, and sets it again if it was cancelled.
            await tx.timers.set_unless_there(heartbeat)
            running = await tx.clocks.are_running()
            if present:
                await tx.presence.note(present, now)
            if not running:
                await tx.timers.cancel(0, TimerKind.HEARTBEAT)
            elif present:
                await tx.timers.set(heartbeat)
            return bool(present) or not running

    async def make_up_for(self, shard: int, away_since: datetime) -> int:
        """Give back the time of an outage in a shard, with some time to come back; return the number of changed clocks.

        The cards are updated one after another. Nothing changes if another process has acquired the shard.
        """
        now = self.now()
        if now <= away_since:
            return 0
        with suppress(_LostShardError):
            async with self.storage.transaction() as tx:
                given_back = await _give_back(tx, shard, tx.shards.count, away_since, now)
                if not await tx.presence.note([shard], now):
                    raise _LostShardError
                return given_back
        return 0


async def clock_view(tx: Transaction, clock: Clock, players: tuple[Player, Player], now: datetime) -> ClockView:
    """A running match's clock now, with the days off that its players have left."""
    days_off = [await tx.clocks.days_off(player.id, now, year_of(now)) for player in players]
    first, second = (max(0, DAYS_OFF - own.spent) for own in days_off)
    return ClockView(clock, now, (first, second))


class _LostShardError(Exception):
    """Another process has acquired the shard."""


async def _last_seen(
    tx: Transaction, shard: int, count: int, seen_at: datetime | None, now: datetime
) -> datetime | None:
    """When the bot last did something on a shard: ``seen_at`` or, for the only process, a later change of a clock."""
    changed_at = None if tx.shards.leased else await tx.clocks.last_change(shard, count)
    return max((at for at in (seen_at, changed_at) if at is not None and at <= now), default=None)


async def _give_back(tx: Transaction, shard: int, count: int, away_since: datetime, now: datetime) -> int:
    """Give back the time since an outage began in one of ``count`` shards; return the number of changed clocks."""
    running = await tx.clocks.running(shard, count)
    shifted = [
        (match_id, clock) for match_id, before in running if (clock := made_up_for(before, away_since, now)) is not None
    ]
    # Flags that fell before the outage stay down, but perhaps no process has handled them.
    await tx.timers.reschedule(
        [
            Timer(TimerKind.FLAG, match_id, clock.flag_at)
            for match_id, clock in running
            if clock.flag_at is not None and clock.fallen(away_since)
        ]
    )
    if shifted:
        await tx.clocks.shift(shifted)
        timers = [timer for match_id, clock in shifted for timer in shifted_timers(match_id, clock, now)]
        await tx.timers.reschedule(timers)
        subjects = await tx.deliveries.card_subjects([match_id for match_id, _ in shifted])
        await tx.timers.spread(TimerKind.CARD, subjects, now, _CARDS_APART)
    return len(shifted)


async def _match_and_clock(
    tx: Transaction, match_id: int, player_id: int, seen_step: int | None
) -> tuple[Match, Clock]:
    match = await lock_match(tx, match_id)
    check_running(match, player_id, seen_step)
    if match.clock is None:
        raise NoClockError(match)
    return match, match.clock


def bank_seconds(clock: Clock, seat: int) -> int:
    """The player's time in seconds, which a button stores to recognise the clock."""
    return round(clock.time_left[seat].total_seconds())
