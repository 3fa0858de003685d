"""What matches do to ratings."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.domain.ratings import OVERALL, FinishedMatch, Rating, rate_match

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ten_points(first: Rating, second: Rating, score: float, _ply: int, at: datetime) -> tuple[Rating, Rating]:
    gained = 10 if score == 1 else -10
    return Rating(first.value + gained, 60, at), Rating(second.value - gained, 60, at)


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
