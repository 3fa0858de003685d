"""Times of the day and time zones: what players type, and when quiet hours end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.day_times import DayTimeError, read_offset, read_span
from bot.domain.preferences import DAY, Preferences

MINUTES = st.integers(0, DAY - 1)


@pytest.mark.parametrize(
    ("typed", "minutes"),
    [("", 0), ("0", 0), ("+2", 120), ("2", 120), ("UTC-5", -300), ("−3", -180), ("+5:30", 330), ("gmt +14", 840)],
)
def test_a_time_zone_is_read(typed: str, minutes: int) -> None:
    assert read_offset(typed) == minutes


@pytest.mark.parametrize("typed", ["+15", "-13", "+5:70", "Berlin", "+" * 50, "9" * 4000])
def test_what_is_no_time_zone_is_refused(typed: str) -> None:
    with pytest.raises(DayTimeError):
        read_offset(typed)


@pytest.mark.parametrize(
    ("typed", "span"),
    [
        ("", None),
        ("22-8", (1320, 480)),
        (" 22:30 – 7 ", (1350, 420)),
        ("10pm-8am", (1320, 480)),
        ("22h-8h", (1320, 480)),
        ("22.15-24", (1335, 0)),
        ("9-9", None),
    ],
)
def test_quiet_hours_are_read(typed: str, span: tuple[int, int] | None) -> None:
    assert read_span(typed) == span


@pytest.mark.parametrize("typed", ["22", "22-", "-8", "25-8", "22:61-8", "13pm-8", "night", "1" * 4000])
def test_what_are_no_quiet_hours_is_refused(typed: str) -> None:
    with pytest.raises(DayTimeError):
        read_span(typed)


@given(begin=MINUTES, end=MINUTES, offset=st.integers(-720, 840), now=st.integers(0, 10**6))
def test_quiet_hours_hold_from_their_first_minute_to_their_last(begin: int, end: int, offset: int, now: int) -> None:
    chosen = Preferences(utc_offset=offset, quiet_from=begin, quiet_to=end)
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=now, seconds=30)
    local = at + timedelta(minutes=offset)
    quiet = {(begin + each) % DAY for each in range((end - begin) % DAY)}
    until = chosen.quiet_until(at)
    assert (until is not None) == (local.hour * 60 + local.minute in quiet)
    if until is not None:
        over = until + timedelta(minutes=offset)
        assert over.hour * 60 + over.minute == end
        assert timedelta(0) < until - at <= timedelta(days=1)
        assert chosen.quiet_until(until) is None
