"""The arithmetic of clocks: no time appears or disappears."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.clocks import (
    DAY,
    DAYS_OFF,
    HEARTBEAT,
    NO_TIME,
    PRESETS,
    Clock,
    DaysOff,
    TimeControl,
    TimeSpent,
    day_off_end,
    made_up_for,
    shifted_timers,
    timer_changes,
    year_of,
)
from bot.domain.timers import Timer, TimerChanges, TimerKind
from tests.support.positions import repeatable

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)

spans = st.integers(0, 10 * 86_400_000_000).map(lambda number: timedelta(microseconds=number))
controls = st.one_of(
    st.sampled_from(PRESETS),
    st.builds(
        TimeControl.banks_of,
        st.integers(60, 10**6).map(lambda number: timedelta(seconds=number)),
        st.integers(0, 10**5).map(lambda number: timedelta(seconds=number)),
        hard=st.booleans(),
    ),
    st.builds(
        TimeControl.turns_of, st.integers(60, 10**6).map(lambda number: timedelta(seconds=number)), hard=st.booleans()
    ),
)
actions = st.lists(
    st.tuples(st.sampled_from(["turn", "turn", "turn", "again", "stop", "start", "give", "away"]), spans), max_size=30
)


@settings(repeatable)
@given(controls, actions)
def test_time_is_never_negative_and_none_comes_or_goes_unaccounted(
    control: TimeControl, actions: list[tuple[str, timedelta]]
) -> None:
    clock, now = Clock.new(control, NOW), NOW
    account = [control.bank, control.bank]
    for action, span in actions:
        before = clock
        now += span
        match action:
            case "turn" | "again":
                clock, spent = clock.turned(now, 1 - clock.seat if action == "turn" else clock.seat)
                assert NO_TIME <= spent.used <= before.time_left[before.seat]
                account[spent.seat] += spent.gained - spent.used
                if control.cap is not None:
                    assert clock.time_left[spent.seat] <= max(control.cap, before.time_left[spent.seat])
                if control.per_turn:
                    assert clock.time_left[spent.seat] == control.bank
            case "stop":
                clock = clock.stopped(now)
                account[clock.seat] -= before.time_left_at(before.seat, now) * -1 + before.time_left[before.seat]
            case "start":
                clock = clock.started(now)
            case "give":
                if not clock.fallen(now):
                    clock = clock.given(0, span, now)
                    account[0] += span
            case "away":
                clock = clock.shifted(span)
        assert list(clock.time_left) == account
        for seat in (0, 1):
            assert NO_TIME <= clock.time_left_at(seat, now) <= clock.time_left[seat]
        assert clock.fallen(now) == (clock.since is not None and clock.time_left_at(clock.seat, now) == NO_TIME)


@settings(repeatable)
@given(controls, spans, spans)
def test_a_clock_that_stands_still_loses_nothing(control: TimeControl, before: timedelta, pause: timedelta) -> None:
    clock = Clock.new(control, NOW)
    stopped = clock.stopped(NOW + before)
    assert stopped.flag_at is None
    assert not stopped.fallen(NOW + before + pause)
    again = stopped.started(NOW + before + pause)
    assert again.time_left_at(0, NOW + before + pause) == clock.time_left_at(0, NOW + before)
    assert clock.shifted(pause).time_left_at(0, NOW + before + pause) == clock.time_left_at(0, NOW + before)


@settings(repeatable)
@given(controls, st.lists(spans, min_size=2, max_size=8), spans)
def test_a_take_back_restores_the_banks_of_then(
    control: TimeControl, thought: list[timedelta], idle: timedelta
) -> None:
    """Both players get back their time before the turn, without its bonus; later gifts stay."""
    clock, now = Clock.new(control, NOW), NOW
    history: list[tuple[Clock, TimeSpent, datetime]] = []
    for span in thought:
        now += span
        before = clock
        clock, spent = clock.turned(now, 1 - clock.seat)
        history.append((before, spent, now))
    for undone in (1, 2):
        before, spent, then = history[-undone]
        back = clock.taken_back(now + idle, before.seat, [each for _, each, _ in history[-undone:]])
        assert back.seat == before.seat
        assert back.since == now + idle
        least = control.bank if control.per_turn else control.bonus
        assert back.time_left[before.seat] == max(before.time_left_at(before.seat, then), least)
        assert back.time_left[1 - before.seat] == before.time_left[1 - before.seat]


@settings(repeatable)
@given(controls)
def test_a_time_control_reads_back_from_its_code(control: TimeControl) -> None:
    assert TimeControl.from_code(control.code) == control


def test_a_bank_grows_to_its_cap_and_no_further() -> None:
    clock = Clock.new(TimeControl.banks_of(3 * DAY, DAY), NOW)
    for _ in range(20):
        clock, _ = clock.turned(NOW, 1 - clock.seat)
    assert clock.time_left == (7 * DAY, 7 * DAY)


def test_the_player_is_reminded_while_there_is_time_and_not_in_quick_games() -> None:
    assert Clock.new(TimeControl.turns_of(DAY), NOW).remind_at == NOW + 18 * HOUR
    assert Clock.new(TimeControl.turns_of(7 * DAY), NOW).remind_at == NOW + 6.5 * DAY
    assert Clock.new(TimeControl.banks_of(10 * MINUTE), NOW).remind_at is None


def test_time_given_after_the_flag_fell_counts_from_now() -> None:
    clock = Clock.new(TimeControl.turns_of(DAY), NOW).given(0, HOUR, NOW + 5 * DAY)
    assert clock.flag_at == NOW + 5 * DAY + HOUR


def after(due: dict[TimerKind, datetime], changes: TimerChanges) -> dict[TimerKind, datetime]:
    """The timers of a match after a change."""
    kept = {kind: due_at for kind, due_at in due.items() if kind not in changes.cancel}
    return kept | {timer.kind: timer.due_at for timer in changes.set}


@settings(repeatable)
@given(controls, st.lists(st.tuples(st.sampled_from(["turn", "give", "stop", "start"]), spans), max_size=8))
def test_the_timers_of_a_clock_always_say_when_its_flag_falls(
    control: TimeControl, changes: list[tuple[str, timedelta]]
) -> None:
    now, clock = NOW, Clock.new(control, NOW)
    due = after({}, timer_changes(7, clock))
    for what, span in changes:
        now, before = now + span, clock
        match what:
            case "turn":
                clock, _ = clock.turned(now, 1 - clock.seat)
            case "give":
                clock = clock.given(1 - clock.seat, clock.control.gift, now)
            case "stop":
                clock = clock.stopped(now)
            case _:
                clock = clock.started(now)
        due = after(due, timer_changes(7, clock, before))
        wanted = {TimerKind.FLAG: clock.flag_at, TimerKind.REMINDER: clock.remind_at}
        assert due == {kind: due_at for kind, due_at in wanted.items() if due_at is not None}


def test_a_timer_that_has_rung_is_not_set_again_for_the_same_time() -> None:
    clock = Clock.new(TimeControl.turns_of(DAY), NOW)
    assert timer_changes(7, clock.given(1, HOUR, NOW + DAY), clock) == TimerChanges()
    longer = clock.given(0, HOUR, NOW + MINUTE)
    assert timer_changes(7, longer, clock).set == (
        Timer(TimerKind.FLAG, 7, NOW + DAY + HOUR),
        Timer(TimerKind.REMINDER, 7, NOW + DAY + HOUR - 25 * HOUR / 4),
    )


def test_only_a_clock_that_starts_to_run_starts_the_heartbeat() -> None:
    running, later = Clock.new(TimeControl.turns_of(DAY), NOW), NOW + HOUR
    heartbeat = Timer(TimerKind.HEARTBEAT, 0, NOW + HEARTBEAT)
    assert timer_changes(7, running).keep == heartbeat
    assert timer_changes(7, running.turned(later, 1)[0], running).keep is None
    stopped = running.stopped(later)
    assert timer_changes(7, stopped, running) == TimerChanges((), (TimerKind.FLAG, TimerKind.REMINDER))
    assert timer_changes(7, stopped.started(NOW), stopped).keep == heartbeat
    assert timer_changes(7, Clock.new(TimeControl.turns_of(DAY), None)) == TimerChanges()


def test_timers_are_shifted_with_their_clock() -> None:
    slow = Clock.new(TimeControl.turns_of(DAY), NOW).shifted(HOUR)
    assert shifted_timers(7, slow, NOW) == (
        Timer(TimerKind.FLAG, 7, NOW + DAY + HOUR),
        Timer(TimerKind.REMINDER, 7, NOW + 19 * HOUR),
    )
    quick = Clock.new(TimeControl.banks_of(10 * MINUTE), NOW).shifted(HOUR)
    assert shifted_timers(7, quick, NOW)[1] == Timer(TimerKind.REMINDER, 7, NOW)
    assert shifted_timers(7, quick.stopped(NOW), NOW) == ()


@pytest.mark.parametrize("hard", [False, True])
def test_a_turn_comes_too_late_only_under_a_strict_clock(hard: bool) -> None:
    clock = Clock.new(TimeControl.banks_of(10 * MINUTE, hard=hard), NOW)
    assert not clock.refuses_turns(NOW + 10 * MINUTE - SECOND)
    assert clock.refuses_turns(NOW + 10 * MINUTE) is hard


@settings(repeatable)
@given(controls, spans, spans, spans)
def test_an_absence_costs_a_clock_nothing_and_gives_at_most_a_grace(
    control: TimeControl, before: timedelta, away: timedelta, later: timedelta
) -> None:
    clock, away_since = Clock.new(control, NOW), NOW + before
    now = away_since + away
    assert made_up_for(clock.stopped(NOW), away_since, now) is None
    after = made_up_for(clock, away_since, now)
    if clock.fallen(away_since):
        assert after is None  # it stays down
        return
    left = clock.time_left_at(0, away_since)
    if after is None:
        # Too short to matter: the player lost less than a hundredth of what there was.
        assert away < 2 * MINUTE
        assert clock.time_left_at(0, now) >= left * 0.99
        return
    assert after.time_left == clock.time_left
    assert after.time_left_at(0, now) == min(left + min(away, 10 * MINUTE), control.bank)
    assert after.time_left_at(0, now + later) <= after.time_left_at(0, now)


def test_an_absence_is_made_up_for_since_the_last_turn() -> None:
    clock = Clock.new(TimeControl.banks_of(HOUR, 0 * MINUTE), NOW)
    after = made_up_for(clock, NOW - HOUR, NOW + 5 * MINUTE)
    assert after is not None
    assert after.time_left_at(0, NOW + 10 * MINUTE) == HOUR


@pytest.mark.parametrize("spent", [0, DAYS_OFF - 1, DAYS_OFF, DAYS_OFF + 1])
def test_a_day_off_saves_to_its_end_and_a_new_one_if_one_is_left(spent: int) -> None:
    running_until = NOW + HOUR
    assert day_off_end(DaysOff(running_until, spent), NOW) == running_until
    assert day_off_end(DaysOff(None, spent), NOW) == (NOW + DAY if spent < DAYS_OFF else None)


@settings(repeatable)
@given(st.integers(0, 5000 * 86400))
def test_days_off_are_counted_from_the_beginning_of_the_year(seconds: int) -> None:
    now = NOW + seconds * SECOND
    assert year_of(now) == datetime(now.year, 1, 1, tzinfo=UTC)
