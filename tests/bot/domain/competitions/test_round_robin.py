"""Schedules and standings of round robins."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.competitions.round_robin import Meeting, schedule, standings, startable
from tests.support.positions import repeatable


@pytest.mark.parametrize("count", range(2, 21))
def test_everybody_meets_everybody_once_and_nobody_twice_in_a_round(count: int) -> None:
    rounds = schedule(count)
    assert len(rounds) == count - 1 + count % 2
    for pairs in rounds:
        players = [player for pair in pairs for player in pair]
        assert len(players) == len(set(players)) == count - count % 2
    met = sorted(tuple(sorted(pair)) for pairs in rounds for pair in pairs)
    assert met == sorted(combinations(range(count), 2))


@pytest.mark.parametrize("count", range(2, 21))
def test_everybody_opens_about_half_of_their_games(count: int) -> None:
    opens = Counter(first for pairs in schedule(count) for first, _ in pairs)
    for player in range(count):
        assert abs(2 * opens[player] - (count - 1)) <= 1


def game(first: int, second: int, score: int = 2) -> Meeting:
    return Meeting(first, second, score, 2 - score)


@settings(repeatable)
@given(st.integers(2, 8), st.randoms(use_true_random=False))
def test_standings_conserve_points_and_share_places_where_all_is_level(count: int, chance: object) -> None:
    meetings = [game(*pair, chance.randrange(3)) for pairs in schedule(count) for pair in pairs]  # type: ignore[attr-defined]
    rows = standings(range(count), meetings)
    assert sorted(row.player for row in rows) == list(range(count))
    assert sum(row.points for row in rows) == 2 * len(meetings)
    merits = [(row.points, row.sonneborn_berger, row.direct, row.wins) for row in rows]
    assert merits == sorted(merits, reverse=True)
    for one, other in combinations(range(count), 2):
        assert (merits[one] == merits[other]) == (rows[one].rank == rows[other].rank)
    assert rows[0].rank == 1


def place_of(player: int, meetings: list[Meeting], count: int) -> int:
    return next(row.rank for row in standings(range(count), meetings) if row.player == player)


def test_wins_against_stronger_players_count_more_than_the_game_between_the_two() -> None:
    """0 and 1 have two points each. 1 won their own game, but 0 beat 2, who beat 1."""
    meetings = [game(1, 0), game(0, 2), game(0, 3), game(2, 1), game(1, 3), game(2, 3)]
    meetings += [game(2, 4), game(4, 0), game(1, 4, 0), game(3, 4, 0)]
    rows = {row.player: row for row in standings(range(5), meetings)}
    assert rows[0].points == rows[1].points == 4
    assert rows[0].sonneborn_berger > rows[1].sonneborn_berger
    assert rows[0].rank < rows[1].rank


def test_ties_are_broken_by_the_games_between_the_tied() -> None:
    """0 and 1 have the same points and Sonneborn-Berger, but 0 beat 1; 2 and 3 make up for it."""
    meetings = [game(0, 1), game(0, 2, 0), game(0, 3, 1), game(1, 2, 1), game(1, 3), game(2, 3, 0)]
    rows = {row.player: row for row in standings(range(4), meetings)}
    assert (rows[0].points, rows[0].direct) == (3, rows[0].direct)
    level = [row for row in rows.values() if (row.points, row.sonneborn_berger) == (3, rows[0].sonneborn_berger)]
    assert [row.rank for row in level] == sorted(row.rank for row in level)
    assert sorted(level, key=lambda row: -row.direct) == sorted(level, key=lambda row: row.rank)


def test_three_who_beat_each_other_in_a_circle_share_the_place() -> None:
    assert [row.rank for row in standings(range(3), [game(0, 1), game(1, 2), game(2, 0)])] == [1, 1, 1]


def test_a_game_without_a_result_brings_nothing_to_both() -> None:
    rows = standings(range(2), [Meeting(0, 1, 0, 0)])
    assert [(row.points, row.rank) for row in rows] == [(0, 1), (0, 1)]


@settings(repeatable)
@given(st.integers(3, 10), st.integers(1, 4), st.randoms(use_true_random=False))
def test_games_begin_as_soon_as_they_can_and_nobody_plays_too_many_at_once(
    count: int, at_once: int, chance: object
) -> None:
    waiting = [pair for pairs in schedule(count) for pair in pairs]
    running: list[tuple[int, int]] = []
    while waiting or running:
        busy = Counter(player for pair in running for player in pair)
        begun = startable(waiting, dict(busy), at_once)
        waiting = [pair for pair in waiting if pair not in begun]
        running += begun
        busy = Counter(player for pair in running for player in pair)
        assert max(busy.values()) <= at_once
        assert running, "a game is always running until all are played"
        running.remove(chance.choice(running))  # type: ignore[attr-defined]
