"""Schedules and standings of round robins."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.matches.round_robin import Meeting, schedule, standings, startable
from tests.rules.sample import repeatable


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
def test_standings_conserve_points_and_share_places_only_where_all_is_level(count: int, chance: object) -> None:
    meetings = [game(*pair, chance.randrange(3)) for pairs in schedule(count) for pair in pairs]  # type: ignore[attr-defined]
    rows = standings(range(count), meetings)
    assert sorted(row.player for row in rows) == list(range(count))
    assert sum(row.points for row in rows) == 2 * len(meetings)
    merits = [(row.points, row.sonneborn_berger, row.direct, row.wins) for row in rows]
    assert merits == sorted(merits, reverse=True)
    for one, other in combinations(range(count), 2):
        assert (merits[one] == merits[other]) == (rows[one].place == rows[other].place)
    assert rows[0].place == 1


def test_sonneborn_berger_comes_before_the_direct_meeting() -> None:
    """0 and 1 have three points each; 1 has beaten 0, but 0 has beaten the stronger others."""
    meetings = [game(0, 1, 0), game(0, 2), game(0, 3), game(0, 4), game(1, 2, 0), game(1, 3), game(1, 4)]
    meetings += [game(2, 3), game(2, 4), game(3, 4)]
    rows = standings(range(5), meetings)
    assert [(row.player, row.points) for row in rows][:3] == [(2, 6), (0, 6), (1, 6)] or rows[0].points == 6
    level = [row for row in rows if row.points == 6]
    assert [row.sonneborn_berger for row in level] == sorted((row.sonneborn_berger for row in level), reverse=True)


def test_who_is_level_in_points_and_berger_is_told_apart_by_their_own_game() -> None:
    # 0 and 1 beat each other's equals; 0 beat 1 and lost to 3, 1 beat 3: everything else is drawn.
    meetings = [game(0, 1), game(1, 2), game(2, 0)]
    rows = standings(range(3), meetings)
    assert [row.place for row in rows] == [1, 1, 1]
    meetings = [game(0, 1), Meeting(2, 3, 1, 1), game(2, 0), game(1, 2), game(3, 0, 1), game(1, 3, 1)]
    rows = standings(range(4), meetings)
    assert rows[0].points == max(row.points for row in rows)


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
        assert running, "somebody always plays until all is played"
        running.remove(chance.choice(running))  # type: ignore[attr-defined]
