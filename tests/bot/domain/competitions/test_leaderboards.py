"""Totals by month and season, and how two players stand against each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.domain.competitions.leaderboards import (
    HeadToHead,
    Period,
    PlayerTotals,
    RatedResult,
    Results,
    Totals,
    count,
    recount,
)
from bot.domain.ratings import OVERALL, Rating

JANUARY, MARCH, APRIL = (datetime(2026, month, 15, tzinfo=UTC) for month in (1, 3, 4))


def test_months_and_seasons_begin_in_utc() -> None:
    still_march = datetime(2026, 4, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    assert Period.MONTH.number(still_march) == Period.MONTH.number(MARCH)
    assert Period.SEASON.number(JANUARY) == Period.SEASON.number(MARCH) == Period.SEASON.number(APRIL) - 1
    december = datetime(2025, 12, 31, tzinfo=UTC)
    assert all(period.number(december) == period.number(JANUARY) - 1 for period in (Period.MONTH, Period.SEASON))
    assert Period.ALL.number(JANUARY) == Period.ALL.number(APRIL)


def test_a_streak_is_a_run_of_wins_and_the_best_one_stays() -> None:
    totals = Totals(number=0)
    for score in (1, 1, 0.5, 1, 0):
        totals = totals.after(score)
    assert totals == Totals(number=0, wins=3, draws=1, losses=1, streak=0, best=2)
    assert totals.games == 5


def test_a_game_counts_on_its_server_and_everywhere_in_its_month() -> None:
    totals: PlayerTotals = {}
    for at in (JANUARY, MARCH):
        totals |= count(totals, 1, "hedu", 1, at)
    for place in (1, None):
        for game in ("hedu", OVERALL):
            assert [totals[place, game, period].wins for period in (Period.ALL, Period.MONTH, Period.SEASON)] == [
                2,
                1,
                2,
            ]


def test_a_game_of_a_month_that_is_over_changes_only_what_still_covers_it() -> None:
    totals = count({}, None, "hedu", 1, APRIL)
    changed = count(totals, None, "hedu", 0, MARCH)
    assert {period for _, _, period in changed} == {Period.ALL}


def test_a_recount_gives_every_standing_the_latest_rating_of_its_game() -> None:
    results = [
        RatedResult(1, rated_in, "hedu", None, score, Rating(value, 60, at))
        for score, value, at in ((1, 1510, JANUARY), (0, 1490, APRIL))
        for rated_in in ("hedu", OVERALL)
    ]
    found = {(standing.game, standing.period): standing for standing in recount(1, results)}
    assert {standing.rating.value for standing in found.values()} == {1490}
    assert found["hedu", Period.ALL].totals.games == 2
    assert found[OVERALL, Period.MONTH].totals.games == 1


@pytest.mark.parametrize(
    ("winners", "results", "streak"),
    [
        ([], Results(), 0),
        ([2, 2, 1, None], Results(1, 1, 2), 2),
        ([None, 1, 1], Results(2, 1, 0), 0),
    ],
)
def test_the_last_winner_has_a_run_that_a_draw_ends(winners: list[int | None], results: Results, streak: int) -> None:
    assert HeadToHead.of(1, winners) == HeadToHead(results, streak)
