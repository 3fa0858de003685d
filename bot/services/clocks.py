"""What clocks bring about: flags that fall, reminders, days off, more time, and time that nobody is charged for."""

from __future__ import annotations

import enum
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.domain.clocks import DAYS_OFF, HEARTBEAT, NO_TIME, Clock, year_of
from bot.domain.errors import ClockChangedError, MovedOnError, NoClockError, OwnTimeError, TimeLeftError
from bot.domain.matches import Ending, Match, Result
from bot.domain.players import Player
from bot.domain.timers import Timer, TimerKind
from bot.services.matches import Matches
from bot.storage import Storage

#: Shorter absences of the bot are made up for only where they weigh: with so many times as much left, nobody notices.
_SHORT = timedelta(minutes=2)
_UNNOTICED = 100
#: What players get on top of a longer absence, to come back.
_GRACE = timedelta(minutes=10)
_CARDS_APART = timedelta(seconds=2)
_LAST_SEEN = "last-seen"


class Fall(enum.StrEnum):
    """What the fall of a flag leads to."""

    NOTHING = "nothing"
    """The clock had changed, or stood still."""
    DAY_OFF = "day-off"
    CLAIM = "claim"
    """The opponent may claim the win."""
    LOSS = "loss"


class Clocks:
    """Watches the clocks. ``clock`` tells the time in UTC.

    In matches that last for days, a player whose time is up is given a day off, as long as they have one in this
    calendar year (UTC): the flag falls when it is over. A day off holds in all their matches, and only those in which
    the time is up need it.
    """

    def __init__(self, storage: Storage, matches: Matches, *, clock: Callable[[], datetime]) -> None:
        self._storage = storage
        self._matches = matches
        self._clock = clock

    def now(self) -> datetime:
        return self._clock()

    # What players do

    async def claim(self, match_id: int, player_id: int, *, seen_step: int | None = None) -> Match:
        """Ends the match of an opponent whose time is up; the player wins."""
        match, clock = await self._timed(match_id, player_id, seen_step)
        if match.seat_of(player_id) == clock.seat:
            raise OwnTimeError(match)
        now = self._clock()
        if not clock.fallen(now):
            raise TimeLeftError(match)
        if await self._matches.spare(match):
            raise TimeLeftError(match, spared=True)
        if not await self._end(match, player_id, now):
            raise MovedOnError
        return await self._matches.match(match_id)

    async def give_time(
        self, match_id: int, player_id: int, *, seen_step: int | None = None, seen_left: int | None = None
    ) -> Match:
        """Gives the opponent more time. ``seen_left`` are the seconds in their bank when the player decided that, by
        which a second press on the same button is known."""
        match, _ = await self._timed(match_id, player_id, seen_step)
        seat, now = 1 - match.seat_of(player_id), self._clock()

        def change(clock: Clock) -> Clock | None:
            same = seen_left in (None, bank_seconds(clock, seat))
            return clock.given(seat, clock.control.gift, now) if same else None

        if await self._storage.change_clock(match.id, change, step=match.step, at=now) is None:
            raise ClockChangedError
        return await self._matches.match(match_id)

    async def days_off_left(self, player_id: int) -> int:
        return max(0, DAYS_OFF - await self._storage.days_off(player_id, year_of(self._clock())))

    # What is due

    async def flag_fell(self, match_id: int) -> Fall:
        """Does what has to be done when the time of the player to act is up."""
        match, now = await self._matches.match(match_id), self._clock()
        clock = match.clock
        if match.result is not None or clock is None or not clock.fallen(now):
            return Fall.NOTHING
        loser = match.players[clock.seat]
        if await self._matches.spare(match):
            return Fall.DAY_OFF
        if not clock.control.hard:
            await self.note_presence()  # or else a stop soon after would make up for the time in which it fell
            return Fall.CLAIM
        return Fall.LOSS if await self._end(match, match.opponent_of(loser.id).id, now) else Fall.NOTHING

    async def to_remind(self, match_id: int) -> Player | None:
        """Whom to remind that their time runs out; nobody, when that has changed."""
        match, now = await self._matches.match(match_id), self._clock()
        clock = match.clock
        if match.result is not None or clock is None or clock.remind_at is None or clock.fallen(now):
            return None
        return match.players[clock.seat] if clock.remind_at <= now else None

    # The bot's own absence

    async def note_presence(self, *, again: bool = False) -> None:
        """Notes that the bot is there, and, on the beat, when to note it ``again``."""
        now = self._clock()
        await self._storage.set_memo(_LAST_SEEN, now.isoformat())
        if again:
            await self._storage.set_timer(Timer(TimerKind.HEARTBEAT, 0, now + HEARTBEAT))

    async def make_up_for_stop(self) -> int:
        """After a start: nobody is charged for the time since the bot was last there; how many clocks that concerns."""
        noted = await self._storage.memo(_LAST_SEEN)
        seen = [] if noted is None else [datetime.fromisoformat(noted)]
        changed = await self._storage.last_clock_change()
        if changed is not None and changed <= self._clock():
            seen.append(changed)
        return await self.make_up_for(max(seen)) if seen else 0

    async def make_up_for(self, away_since: datetime) -> int:
        """Nobody is charged for the time since then, in which the bot could not be reached, nor for some time to come
        back; how many clocks that concerns."""
        now = self._clock()
        away = now - away_since
        if away <= NO_TIME:
            return 0
        return await self._storage.shift_clocks(
            away_since,
            away + min(away, _GRACE),
            now,
            _CARDS_APART,
            most_left=away * _UNNOTICED if away < _SHORT else None,
            memo=(_LAST_SEEN, now.isoformat()),
        )

    # Parts

    async def _timed(self, match_id: int, player_id: int, seen_step: int | None) -> tuple[Match, Clock]:
        match = (await self._matches.running_game(match_id, player_id, seen_step=seen_step)).match
        if match.clock is None:
            raise NoClockError(match)
        return match, match.clock

    async def _end(self, match: Match, winner_id: int, now: datetime) -> bool:
        async with self._storage.transaction() as tx:
            return await self._matches.end(tx, match, Result(winner_id, Ending.TIME), now)


def bank_seconds(clock: Clock, seat: int) -> int:
    """What tells a clock on a button from the same clock with more time."""
    return round(clock.left[seat].total_seconds())
