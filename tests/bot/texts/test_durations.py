"""Time controls as people type them, in every language in which the bot writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given, settings, strategies as st

from bot import texts
from bot.domain.clocks import DAY, NO_TIME, SHORTEST, TimeControl, TimeControlError
from bot.domain.competitions.tournaments import CupClockError
from bot.domain.day_times import DayTimeError, read_span, read_time, read_zone
from bot.domain.refusals import DomainError
from bot.texts import durations
from bot.texts.durations import read_time_control, time_control
from tests.support.positions import repeatable

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)

round_times = st.one_of(
    st.integers(1, 59).map(lambda number: number * MINUTE),
    st.integers(1, 47).map(lambda number: number * HOUR),
    st.integers(1, 60).map(lambda number: number * DAY),
)
round_controls = st.one_of(
    st.builds(
        TimeControl.banks_of, round_times, st.sampled_from([NO_TIME, 30 * SECOND, 90 * SECOND, DAY]), hard=st.booleans()
    ),
    st.builds(TimeControl.turns_of, round_times, hard=st.booleans()),
)


@pytest.mark.parametrize(
    ("typed", "control"),
    [
        ("none", None),
        ("", None),
        ("No clock", None),
        ("keine", None),
        ("3 days + 1 day", TimeControl(3 * DAY, DAY, 7 * DAY)),
        ("2d+12h", TimeControl(2 * DAY, 12 * HOUR, 3.5 * DAY)),
        ("2D + 12H max 5 days", TimeControl(2 * DAY, 12 * HOUR, 5 * DAY)),
        ("2d+12h cap 1d", TimeControl(2 * DAY, 12 * HOUR, 2 * DAY)),
        ("1 day a turn", TimeControl.turns_of(DAY)),
        ("a day per move", TimeControl.turns_of(DAY)),
        ("1 day", TimeControl.turns_of(DAY)),
        ("36h/move strict", TimeControl.turns_of(36 * HOUR, hard=True)),
        ("1 Tag pro Zug", TimeControl.turns_of(DAY)),
        ("2 días por jugada", TimeControl.turns_of(2 * DAY)),
        ("1.5 days", TimeControl.turns_of(36 * HOUR)),
        ("1 day 12 hours + 6h", TimeControl(36 * HOUR, 6 * HOUR, 42 * HOUR)),
        ("10m+30s", TimeControl(10 * MINUTE, 30 * SECOND)),
        ("10 minutes + 30 s hard", TimeControl(10 * MINUTE, 30 * SECOND, hard=True)),
        ("30 minutes", TimeControl(30 * MINUTE)),
        ("2 hours for the game", TimeControl(2 * HOUR)),
        ("5 min a turn", TimeControl.turns_of(5 * MINUTE)),
        ("1 week", TimeControl.turns_of(7 * DAY)),
        ("1209600 s + 864000 s", TimeControl(14 * DAY, 10 * DAY, 70 * DAY)),
        ("３\u200b days＋1\xa0day", TimeControl(3 * DAY, DAY, 7 * DAY)),
    ],
)
def test_clocks_are_read_kindly(typed: str, control: TimeControl | None) -> None:
    assert read_time_control(typed) == control


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("soon", "unclear"),
        ("10+5", "unclear"),
        ("3 days + 1 day + 1 day", "unclear"),
        ("3 fortnights", "unclear"),
        ("1 day banana", "unclear"),
        ("1 day a turn max 3 days", "unclear"),
        ("3 days max 7 days", "unclear"),
        ("+", "unclear"),
        ("strict", "unclear"),
        ("5 s", "short"),
        ("0 days", "short"),
        ("100 days", "long"),
        ("9" * 400 + " days", "long"),
        ("1 day + 30 days", "long"),
        ("1000000 weeks " * 200, "long"),
    ],
)
def test_what_is_no_clock_is_refused_with_its_reason(typed: str, reason: str) -> None:
    with pytest.raises(TimeControlError) as refused:
        read_time_control(typed)
    assert refused.value.args == TimeControlError(typed, reason).args


@settings(repeatable)
@given(round_controls, st.sampled_from(list(texts.LANGUAGES)))
def test_what_the_bot_says_of_a_clock_can_be_typed(control: TimeControl, language: str) -> None:
    with texts.in_language(language):
        said = time_control(control)
    assert read_time_control(said) == control


@settings(repeatable)
@given(st.text(max_size=40))
def test_whatever_is_typed_gives_a_clock_or_a_refusal(typed: str) -> None:
    try:
        control = read_time_control(typed)
    except TimeControlError:
        return
    assert control is None or control.bank >= SHORTEST


@pytest.mark.parametrize("language", texts.LANGUAGES)
@pytest.mark.parametrize(
    ("error", "read"),
    [
        (TimeControlError("{typed}", "unclear"), read_time_control),
        (CupClockError(), read_time_control),
        (DayTimeError("{typed}", "zone"), read_zone),
        (DayTimeError("{typed}", "span"), read_span),
        (DayTimeError("{typed}", "time"), read_time),
    ],
)
def test_the_examples_in_a_refusal_are_read(language: str, error: DomainError, read: Callable[[str], object]) -> None:
    examples = re.findall("[“„«]([^“”„»{}]+)[“”»]", error.text.translate(texts.catalogue(language)))
    assert examples
    for example in examples:
        read(example)


def test_a_refusal_names_the_letter_that_only_looks_right() -> None:
    with pytest.raises(TimeControlError) as caught:
        read_time_control("1 dаy")
    assert "“1 dаy (U+0430 CYRILLIC SMALL LETTER A)”" in str(caught.value.text)


def test_the_pattern_of_a_duration_matches_once_in_many_digits() -> None:
    digits = "9" * 100
    assert [at for at in range(len(digits)) if durations._TERM.match(f"{digits} d", at)] == [0]
