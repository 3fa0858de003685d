"""Times of the day and time zones: what players type, when quiet hours end, and when digests are due."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from bot.domain.day_times import DayTimeError, read_span, read_time, read_zone, zone_of, zone_text
from bot.domain.preferences import MINUTES_A_DAY, Preferences

MINUTES = st.integers(0, MINUTES_A_DAY - 1)
#: Clocks are put forward and back by an hour, by half an hour, or not at all.
ZONES = [ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("America/Phoenix")]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "minutes"),
    [
        ("", 0),
        ("0", 0),
        ("+2", 120),
        ("2", 120),
        ("UTC-5", -300),
        ("−3", -180),
        ("+5:30", 330),
        ("gmt +14", 840),
        ("UTC", 0),
        ("gmt", 0),
        ("Z", 0),
        ("+0530", 330),
        ("UTC+5:30", 330),
        ("-0330", -210),
        ("UTC＋\u200b2", 120),
    ],
)
def test_hours_from_utc_are_read(typed: str, minutes: int) -> None:
    zone = read_zone(typed)
    assert zone == timezone(timedelta(minutes=minutes))
    assert zone_of(zone_text(zone)) == read_zone(zone_text(zone)) == zone


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        (" new  york ", "America/New_York"),
        ("Zürich", "Europe/Zurich"),
        ("são paulo", "America/Sao_Paulo"),
        ("port-au-prince", "America/Port-au-Prince"),
        ("America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("CET", "Europe/Brussels"),
        ("MESZ", "Europe/Brussels"),
        ("est", "America/New_York"),
        ("jst", "Asia/Tokyo"),
        ("\ufeffBerlin\u200b", "Europe/Berlin"),
    ],
)
def test_a_city_stands_for_its_time_zone(typed: str, name: str) -> None:
    zone = read_zone(typed)
    assert zone is ZoneInfo(name)
    assert zone_of(zone_text(zone)) is zone


def test_a_time_zone_that_this_machine_does_not_know_counts_as_utc() -> None:
    assert zone_of("Moon/Tranquility").utcoffset(None) == timedelta(0)


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
        ("0-24", (0, 1440)),
        ("00:00–24:00", (0, 1440)),
        ("24-8", (0, 480)),
    ],
)
def test_quiet_hours_are_read(typed: str, span: tuple[int, int] | None) -> None:
    assert read_span(typed) == span


@pytest.mark.parametrize(("typed", "minute"), [("", None), ("8", 480), ("18:30", 1110), ("6pm", 1080), ("24", 0)])
def test_a_time_of_the_day_is_read(typed: str, minute: int | None) -> None:
    assert read_time(typed) == minute


REFUSED: dict[Callable[[str], object], list[str]] = {
    read_zone: ["+15", "-13", "IST", "CST", "+2460", "+5:70", "Atlantis", "/etc/passwd", "+" * 50, "9" * 4000],
    read_span: ["22", "22-", "-8", "25-8", "0-24:30", "22:61-8", "13pm-8", "night", "1" * 4000],
    read_time: ["25", "8-9", "noon", "1" * 4000],
}


@pytest.mark.parametrize(("read", "typed"), [(read, typed) for read, texts in REFUSED.items() for typed in texts])
def test_other_texts_are_refused(read: Callable[[str], object], typed: str) -> None:
    with pytest.raises(DayTimeError):
        read(typed)


@given(begin=MINUTES, end=MINUTES, offset=st.integers(-720, 840), now=st.integers(0, 10**6))
def test_quiet_hours_hold_from_their_first_minute_to_their_last(begin: int, end: int, offset: int, now: int) -> None:
    chosen = Preferences(time_zone=timezone(timedelta(minutes=offset)), quiet_from=begin, quiet_to=end)
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=now, seconds=30)
    local = at + timedelta(minutes=offset)
    quiet = {(begin + minute) % MINUTES_A_DAY for minute in range((end - begin) % MINUTES_A_DAY)}
    until = chosen.quiet_until(at)
    assert (until is not None) == (local.hour * 60 + local.minute in quiet)
    if until is not None:
        over = until + timedelta(minutes=offset)
        assert over.hour * 60 + over.minute == end
        assert timedelta(0) < until - at <= timedelta(days=1)
        assert chosen.quiet_until(until) is None


@given(zone=st.sampled_from(ZONES), later=st.integers(0, 365 * MINUTES_A_DAY))
def test_quiet_hours_of_the_whole_day_never_end(zone: ZoneInfo, later: int) -> None:
    chosen = Preferences(time_zone=zone, quiet_from=0, quiet_to=MINUTES_A_DAY)
    at = utc("2026-01-01T00:00") + timedelta(minutes=later)
    until = chosen.quiet_until(at)
    assert until is not None
    assert timedelta(0) < until - at <= timedelta(days=1, hours=1)
    assert until.astimezone(zone).time() == time(0)
    assert chosen.quiet_until(until) is not None


@given(zone=st.sampled_from(ZONES), begin=MINUTES, end=MINUTES, later=st.integers(0, 365 * MINUTES_A_DAY))
def test_quiet_hours_end_whenever_clocks_change(zone: ZoneInfo, begin: int, end: int, later: int) -> None:
    chosen = Preferences(time_zone=zone, quiet_from=begin, quiet_to=end)
    at = utc("2026-01-01T00:00") + timedelta(minutes=later)
    until = chosen.quiet_until(at)
    if until is not None:
        # Where clocks are put back, an hour may be quiet twice; where they are put forward, an end may be left out.
        assert timedelta(0) < until - at <= timedelta(days=1, hours=1)
        assert until.astimezone(zone).minute in (end % 60, (end + 30) % 60)


def test_quiet_hours_over_a_change_of_clocks_end_when_the_clock_says_so() -> None:
    chosen = Preferences(time_zone=ZoneInfo("Europe/Berlin"), quiet_from=22 * 60, quiet_to=8 * 60)
    for evening, morning in (("2026-03-28T22:30", "2026-03-29T06:00"), ("2026-10-24T22:30", "2026-10-25T07:00")):
        assert chosen.quiet_until(utc(evening)) == utc(morning)


@given(zone=st.sampled_from(ZONES), minute=MINUTES, days=st.integers(0, 365), later=st.integers(0, MINUTES_A_DAY))
def test_a_digest_is_due_once_on_every_day(zone: ZoneInfo, minute: int, days: int, later: int) -> None:
    chosen = Preferences(time_zone=zone, digest_at=minute)
    now = utc("2026-01-01T00:00") + timedelta(days=days, minutes=later)
    around = chosen.digests_around(now)
    assert around is not None
    last, following = around
    assert last <= now < following
    first, second = last.astimezone(zone), following.astimezone(zone)
    assert second.date() - first.date() == timedelta(days=1)
    # The clock of a day may leave that time out, but not those of two days.
    assert minute in {time_of_day.hour * 60 + time_of_day.minute for time_of_day in (first, second)}
    assert chosen.digests_around(following - timedelta(seconds=1)) == around
    after = chosen.digests_around(following)
    assert after is not None
    assert after[0] == following


def test_a_digest_comes_at_the_same_hour_in_summer_and_in_winter() -> None:
    chosen = Preferences(time_zone=ZoneInfo("Europe/Berlin"), digest_at=8 * 60)
    for day, hour in (("2026-03-28", "07"), ("2026-03-29", "06"), ("2026-10-24", "06"), ("2026-10-25", "07")):
        around = chosen.digests_around(utc(f"{day}T00:00"))
        assert around is not None
        assert around[1] == utc(f"{day}T{hour}:00")
