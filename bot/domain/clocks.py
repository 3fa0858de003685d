"""Time controls and clocks. Callers pass the time; nothing here reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, TypeVar

from bot.domain.refusals import DomainError
from bot.domain.timers import Timer, TimerChanges, TimerKind
from rules.notation import with_names
from rules.text import gettext_noop

_Turn = TypeVar("_Turn")
NO_TIME = timedelta(0)
DAY = timedelta(days=1)
#: A player's days off in a calendar year, across all matches.
DAYS_OFF = 14
#: How often the bot records that it is running, while any clock runs.
HEARTBEAT = timedelta(minutes=10)
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=60)
LONGEST_BONUS = timedelta(days=14)
#: Banks with at least this bonus have a cap by default, because they could otherwise grow from week to week.
CAPPED_FROM = timedelta(hours=1)
_BONUSES_UNDER_CAP = 7
#: After an absence of the bot shorter than ``_SHORT_ABSENCE``, a player gets time back only if their remaining time is
#: less than ``_UNNOTICED`` times as long.
_SHORT_ABSENCE = timedelta(minutes=2)
_UNNOTICED = 100
#: Extra time for the player to come back after a longer absence of the bot.
_GRACE = timedelta(minutes=10)
_SHORTEST_REMINDER = timedelta(hours=1)
_EARLIEST_REMINDER = timedelta(hours=12)
#: Maximum characters quoted from an unreadable text.
_LONGEST_QUOTE = 50


class TimeControlError(DomainError):
    """An unplayable time control: ``reason`` is ``unclear``, ``short`` or ``long``."""

    templates: ClassVar = {
        "unclear": gettext_noop(
            "“{typed}” is not a clock. Write it with units, such as “1 day a turn”, “3 days + 1 day”, “10 min + "
            "30 s” or “none”."
        ),
        "short": gettext_noop("“{typed}” is too short: a player needs at least a minute."),
        "long": gettext_noop("“{typed}” is too long: 60 days at most, and 14 days as a bonus."),
    }

    def __init__(self, typed: str, reason: str) -> None:
        super().__init__(reason, typed=with_names(typed[:_LONGEST_QUOTE]))


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time of each player: a ``bank`` that gets a ``bonus`` after every turn, up to ``cap`` (None: no limit).

    With ``per_turn``, every turn has the whole ``bank``, and unused time is lost. A player who runs out of time loses
    immediately if ``hard``, and otherwise when the opponent claims the win.
    """

    bank: timedelta
    bonus: timedelta = NO_TIME
    cap: timedelta | None = None
    per_turn: bool = False
    hard: bool = False

    @classmethod
    def turns_of(cls, time: timedelta, *, hard: bool = False) -> TimeControl:
        return cls(time, per_turn=True, hard=hard)

    @classmethod
    def banks_of(
        cls, bank: timedelta, bonus: timedelta = NO_TIME, cap: timedelta | None = None, *, hard: bool = False
    ) -> TimeControl:
        """A bank, by default with its usual cap."""
        if cap is None and bonus >= CAPPED_FROM:
            cap = max(bank, _BONUSES_UNDER_CAP * bonus)
        return cls(bank, bonus, cap, hard=hard)

    @property
    def slow(self) -> bool:
        """Whether games last for days, with days off."""
        return self.bank >= DAY

    @property
    def gift(self) -> timedelta:
        """The time in one gift to the opponent."""
        return min(DAY, max(self.bank / 2, SHORTEST))

    @property
    def code(self) -> str:
        """The stored form, in seconds, such as ``bank 259200 86400 604800`` or ``turn 86400 hard``."""
        words = ["turn" if self.per_turn else "bank", _seconds(self.bank)]
        if not self.per_turn:
            words += [_seconds(self.bonus), "-" if self.cap is None else _seconds(self.cap)]
        return " ".join([*words, "hard"] if self.hard else words)

    @classmethod
    def from_code(cls, code: str) -> TimeControl:
        kind, *numbers = code.removesuffix(" hard").split()
        times = [None if number == "-" else timedelta(seconds=int(number)) for number in numbers]
        hard = code.endswith(" hard")
        assert times[0] is not None
        if kind == "turn":
            return cls.turns_of(times[0], hard=hard)
        assert times[1] is not None
        return cls(times[0], times[1], times[2], hard=hard)


def _seconds(time: timedelta) -> str:
    return str(round(time.total_seconds()))


#: The time controls offered for challenges: a bank that covers a weekend, days for each turn, and games in one sitting.
PRESETS = (
    TimeControl.banks_of(3 * DAY, DAY),
    TimeControl.turns_of(DAY),
    TimeControl.turns_of(3 * DAY),
    TimeControl.turns_of(7 * DAY),
    TimeControl.banks_of(timedelta(minutes=10), timedelta(seconds=30)),
    TimeControl.banks_of(timedelta(minutes=30), timedelta(minutes=1)),
)


# Clocks


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """The effect of a turn on its player's time.

    First ``used`` is subtracted, then ``gained`` is added, which is negative if it cuts off a gift.
    """

    seat: int
    used: timedelta
    gained: timedelta


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a match. Seat 0 makes the opening, seat 1 chooses a side.

    ``time_left`` is both players' time at ``since``, when that of ``seat`` begins to run. Without ``since``, the clock
    stands still.
    """

    control: TimeControl
    time_left: tuple[timedelta, timedelta]
    seat: int
    since: datetime | None

    @classmethod
    def new(cls, control: TimeControl, since: datetime | None, seat: int = 0) -> Clock:
        return cls(control, (control.bank, control.bank), seat, since)

    def time_left_at(self, seat: int, now: datetime) -> timedelta:
        """The player's time left at ``now``, never negative."""
        return self.time_left[seat] - (self._used(now) if seat == self.seat else NO_TIME)

    @property
    def flag_at(self) -> datetime | None:
        """When the player to act runs out of time; None while the clock stands still."""
        return None if self.since is None else self.since + self.time_left[self.seat]

    @property
    def remind_at(self) -> datetime | None:
        """When to remind the player: with a quarter of their time left. None in games played in one sitting."""
        left = self.time_left[self.seat]
        if self.flag_at is None or left < _SHORTEST_REMINDER:
            return None
        return self.flag_at - min(left / 4, _EARLIEST_REMINDER)

    def fallen(self, now: datetime) -> bool:
        """Whether the player to act has run out of time."""
        return self.flag_at is not None and self.flag_at <= now

    def refuses_turns(self, now: datetime) -> bool:
        """Whether a turn comes too late: the time is up, and the opponent need not claim the win."""
        return self.control.hard and self.fallen(now)

    def turned(self, now: datetime, seat: int) -> tuple[Clock, TimeSpent]:
        """The clock after a turn, with ``seat`` to act, and the turn's effect on it."""
        used = self._used(now)
        left, control = self.time_left[self.seat] - used, self.control
        if control.per_turn:
            gained = control.bank - left
        elif control.cap is None:
            gained = control.bonus
        else:
            gained = min(control.bonus, max(control.cap - left, NO_TIME))
        after = replace(_with(self, self.seat, left + gained), seat=seat, since=None if self.since is None else now)
        return after, TimeSpent(self.seat, used, gained)

    def taken_back(self, now: datetime, seat: int, undone: Sequence[TimeSpent]) -> Clock:
        """The clock after a take-back of the turns ``undone``; ``seat`` made the first of them.

        Both players again have the time that they had before these turns, without bonuses, so nobody gains time. Gifts
        since then stay.
        """
        clock = self
        for number, spent in enumerate(undone):
            back = (spent.used if number else NO_TIME) - spent.gained
            clock = _with(clock, spent.seat, max(clock.time_left[spent.seat] + back, NO_TIME))
        least = self.control.bank if self.control.per_turn else self.control.bonus
        clock = _with(clock, seat, max(clock.time_left[seat], least))
        return replace(clock, seat=seat, since=None if self.since is None else now)

    def stopped(self, now: datetime) -> Clock:
        return replace(_with(self, self.seat, self.time_left_at(self.seat, now)), since=None)

    def started(self, now: datetime) -> Clock:
        return replace(self, since=now) if self.since is None else self

    def given(self, seat: int, time: timedelta, now: datetime) -> Clock:
        """The clock with ``time`` added for a player; if their time was up, ``time`` is all that they have."""
        if seat == self.seat and self.fallen(now):
            return replace(_with(self, seat, time), since=now)
        return _with(self, seat, self.time_left[seat] + time)

    def shifted(self, by: timedelta) -> Clock:
        """The clock as if it had stood still for ``by``."""
        return self if self.since is None else replace(self, since=self.since + by)

    def _used(self, now: datetime) -> timedelta:
        if self.since is None:
            return NO_TIME
        return min(max(now - self.since, NO_TIME), self.time_left[self.seat])


@dataclass(frozen=True, slots=True)
class ClockView:
    """A clock at the time ``now``, and the ``days_off`` that both players have left, by seat."""

    clock: Clock
    now: datetime
    days_off: tuple[int, int]

    def time_left(self, seat: int) -> timedelta:
        return self.clock.time_left_at(seat, self.now)

    def may_claim(self, seat: int) -> bool:
        """Whether the player may claim the win, since the opponent has neither time nor a day off left."""
        clock, other = self.clock, 1 - seat
        return other == clock.seat and clock.fallen(self.now) and not (clock.control.slow and self.days_off[other])


def remaining_turns(steps: Iterable[tuple[int, _Turn | None]]) -> list[_Turn]:
    """The turns that have not been taken back; a step is the resulting ply and its turn (None for a take-back)."""
    remaining: list[_Turn] = []
    for ply, turn in steps:
        if turn is None:
            del remaining[ply:]
        else:
            remaining.append(turn)
    return remaining


def made_up_for(clock: Clock, away_since: datetime, now: datetime) -> Clock | None:
    """The clock without the bot's absence, and with extra time to come back; None if nothing changes.

    Flags that fell before the absence stay down. A short absence matters only to a player who has little time.
    """
    if clock.since is None:
        return None
    away_since = max(away_since, clock.since)  # a turn may have come through another process
    away = now - away_since
    if away <= NO_TIME or clock.fallen(away_since):
        return None
    if away < _SHORT_ABSENCE and clock.time_left_at(clock.seat, away_since) > away * _UNNOTICED:
        return None
    return clock.shifted(away + min(away, _GRACE))


def timer_changes(match_id: int, clock: Clock, before: Clock | None = None) -> TimerChanges:
    """The changes to a match's timers when ``clock`` replaces the clock ``before``.

    A timer whose time stays the same is left alone, so it is not due twice. A clock that starts also starts the
    heartbeat.
    """
    due = {TimerKind.FLAG: clock.flag_at, TimerKind.REMINDER: clock.remind_at}
    due_before = {TimerKind.FLAG: before and before.flag_at, TimerKind.REMINDER: before and before.remind_at}
    changed = {kind: due_at for kind, due_at in due.items() if due_at != due_before[kind]}
    starts = clock.since is not None and (before is None or before.since is None)
    return TimerChanges(
        tuple(Timer(kind, match_id, due_at) for kind, due_at in changed.items() if due_at is not None),
        tuple(kind for kind, due_at in changed.items() if due_at is None),
        Timer(TimerKind.HEARTBEAT, 0, clock.since + HEARTBEAT) if starts and clock.since is not None else None,
    )


def shifted_timers(match_id: int, clock: Clock, now: datetime) -> tuple[Timer, ...]:
    """The new timers of a shifted clock. A reminder that is no longer needed becomes due ``now`` and does nothing."""
    if clock.flag_at is None:
        return ()
    flag = Timer(TimerKind.FLAG, match_id, clock.flag_at)
    return flag, Timer(TimerKind.REMINDER, match_id, clock.remind_at or now)


@dataclass(frozen=True, slots=True)
class DaysOff:
    """When a player's current day off ends (None without one), and the number of days off begun this year."""

    running_until: datetime | None
    spent: int


def day_off_end(days_off: DaysOff, now: datetime) -> datetime | None:
    """When the current day off, or a new one, ends; None if no days off are left this year."""
    if days_off.running_until is not None:
        return days_off.running_until
    return now + DAY if days_off.spent < DAYS_OFF else None


def _with(clock: Clock, seat: int, left: timedelta) -> Clock:
    return replace(clock, time_left=(left, clock.time_left[1]) if seat == 0 else (clock.time_left[0], left))


def year_of(now: datetime) -> datetime:
    """The beginning of the calendar year (UTC) in which days off count."""
    return now.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
