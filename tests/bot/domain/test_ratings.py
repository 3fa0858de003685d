"""What matches do to ratings, and what a correction rates again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.domain.ratings import (
    NEW,
    OVERALL,
    SETTLED,
    WIDEST,
    FinishedMatch,
    LoggedUpdate,
    Rating,
    RatingUpdate,
    correct,
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


def logged(seq: int, one: int, other: int, before: float, next_seqs: tuple[int | None, int | None]) -> LoggedUpdate:
    """A game that ``one`` has won; both had the same rating before."""
    ratings = {(each, "hedu"): Rating(before, 60, NOW) for each in (one, other)}
    update: RatingUpdate = rate_match(
        seq, NOW, FinishedMatch(seq, "hedu", None, (one, other), 1, 20, NOW), ratings, ten_points
    )[0]
    return LoggedUpdate(update, next_seqs)


def test_a_correction_rates_only_games_of_players_whose_rating_was_wrong() -> None:
    games = [logged(1, 1, 2, 1500, (2, None)), logged(2, 1, 3, 1510, (5, None)), logged(3, 8, 9, 1500, (None, None))]
    done = correct(games, {(1, 8, "hedu"): Rating(1400, 60, NOW)}, ten_points)
    assert done.updates == []
    done = correct(games, {(2, 1, "hedu"): Rating(1400, 60, NOW)}, ten_points)
    assert [each.seq for each in done.updates] == [2]
    assert done.ratings == {(1, "hedu"): Rating(1410, 60, NOW)}, "the other player's came out as stored"
    assert done.next_seqs == {(1, "hedu"): 5}
