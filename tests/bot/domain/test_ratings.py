"""What matches do to ratings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.domain.ratings import (
    NEW,
    OVERALL,
    SETTLED,
    WIDEST,
    FinishedMatch,
    Rating,
    rate_match,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SURE = Rating(1500, 60, NOW)


def ten_points(first: Rating, second: Rating, score: float, _ply: int, at: datetime) -> tuple[Rating, Rating]:
    gained = 10 if score == 1 else -10
    return Rating(first.value + gained, 60, at), Rating(second.value - gained, 60, at)


def test_a_rating_grows_uncertain_but_never_more_than_a_newcomers() -> None:
    assert SURE.on(NOW).deviation == 60
    assert round(SURE.on(NOW + timedelta(days=365)).deviation) == 110
    assert SURE.on(NOW + timedelta(days=365_000)).deviation == WIDEST
    assert SURE.on(NOW - timedelta(days=1)).deviation == 60


def test_a_rating_is_settled_until_its_deviation_has_grown_too_large() -> None:
    until = datetime.fromtimestamp(SURE.settled_until, UTC)
    assert not SURE.on(until - timedelta(minutes=1)).provisional
    assert SURE.on(until + timedelta(minutes=1)).deviation > SETTLED
    assert NEW.provisional


def test_a_match_is_rated_in_its_game_and_in_all_games_together() -> None:
    ratings = {(1, OVERALL): Rating(1600, 60, NOW)}
    in_game, overall = rate_match(7, NOW, FinishedMatch(1, "hedu", None, (1, 2), 1, 20, NOW), ratings, ten_points)
    assert [change.after.value for change in in_game.changes] == [1510, 1490]
    assert [change.after.value for change in overall.changes] == [1610, 1490]
    assert {key: rating.value for key, rating in ratings.items()} == {
        (1, "hedu"): 1510,
        (2, "hedu"): 1490,
        (1, OVERALL): 1610,
        (2, OVERALL): 1490,
    }
