"""Limits: how often something is allowed within a span of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, strategies as st

from bot.domain.limits import Limit

LIMIT = Limit(3, timedelta(minutes=10))
START = datetime(2026, 1, 1, tzinfo=UTC)
MINUTES = st.lists(st.integers(-30, 30), max_size=12)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


@given(MINUTES)
def test_no_more_than_the_limit_fit_into_its_span(attempts: list[int]) -> None:
    allowed: list[datetime] = []
    for now in map(at, sorted(attempts)):
        if LIMIT.again_at(allowed, now) is None:
            allowed.append(now)
    for first in allowed:
        assert sum(first <= attempt < first + LIMIT.span for attempt in allowed) <= LIMIT.most


@given(MINUTES, st.integers(-30, 30))
def test_one_more_is_allowed_at_the_time_named_and_not_before(minutes: list[int], now: int) -> None:
    times = [at(minute) for minute in minutes]
    again_at = LIMIT.again_at(times, at(now))
    if again_at is not None:
        past = [past_time for past_time in times if past_time <= at(now)]
        assert again_at > at(now)
        assert LIMIT.again_at(past, again_at) is None
        assert LIMIT.again_at(past, again_at - timedelta(microseconds=1)) == again_at


def test_events_in_the_future_do_not_count() -> None:
    assert LIMIT.again_at([at(1)] * 5, at(0)) is None
    assert LIMIT.again_at([at(0)] * 3, at(0)) == at(10)
