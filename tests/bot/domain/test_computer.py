"""The computer as a player, decided without a database: how strong it is and should be."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.computer import (
    LEAST_RATED_GAMES,
    LevelGame,
    hint_request,
    level_rating,
    search_request,
    steps_on_past_card,
    suggested_level,
)
from bot.domain.matches import Game, Step
from bot.domain.players import Player, computer
from bot.domain.ratings import NEW, Rating
from bot.services.ratings import rate
from rules.search import LEVELS
from tests.support.services.matches import ALICE, DALEN, MATCH

HEXGROVE = computer(3)


def game(*turns: str) -> Game:
    """Alice has opened a game against the computer, which chooses a side."""
    match = replace(MATCH, second=HEXGROVE, ply=len(turns), step=len(turns))
    return Game(match, turns, DALEN.replay(turns), ())


def test_levels_are_players_whom_nobody_can_reach_and_people_are_none() -> None:
    assert [computer(level).level for level in LEVELS] == list(LEVELS)
    assert not any(computer(level).reachable or computer(level).deleted for level in LEVELS)
    assert (ALICE.level, ALICE.reachable, Player(-1, "").reachable) == (None, True, False)
    assert (game().match.computer, MATCH.computer) == (HEXGROVE, None)


def test_each_step_has_a_search_of_its_own() -> None:
    one = game("e5", "light")
    assert search_request(one) == search_request(game("e5", "light"))
    again = replace(one, match=replace(one.match, step=4))  # after a take-back and the same turn
    assert search_request(again).turns == search_request(one).turns
    assert search_request(again).seed != search_request(one).seed


@pytest.mark.parametrize(("opponent", "level"), [(computer(1), 4), (computer(4), 4), (computer(5), 5), (None, 4)])
def test_a_hint_is_searched_no_more_weakly_than_the_opponent_searches(opponent: Player | None, level: int) -> None:
    one = game("e5", "light")
    match = replace(one.match, second=opponent or MATCH.second)
    assert hint_request(replace(one, match=match)).level == level


@pytest.mark.parametrize(
    ("results", "level"),
    [
        ([], 1),
        ([(1, 1.0)], 2),
        ([(5, 1.0)], 5),
        ([(3, 0.0)], 3),
        ([(3, 0.5)], 3),
        ([(4, 0.0), (3, 0.0)], 3),
        ([(3, 1.0), (3, 0.0)], 3),
        ([(3, 0.0), (3, 0.0)], 2),
        ([(1, 0.0), (1, 0.0)], 1),
        ([(3, 0.0), (3, 0.0), (2, 1.0)], 3),
    ],
)
def test_the_suggested_level_follows_the_latest_results(results: list[tuple[int, float]], level: int) -> None:
    assert suggested_level(results) == level


@pytest.mark.parametrize(
    ("players", "kept"),
    [
        # The computer has opened, and has replied to the choice of side.
        ((HEXGROVE, ALICE, HEXGROVE), [1, 2]),
        ((HEXGROVE, ALICE, HEXGROVE, ALICE, HEXGROVE), [3, 4]),
        ((ALICE, HEXGROVE, ALICE), [2]),
        ((HEXGROVE,), []),
    ],
)
def test_a_replaced_card_tells_a_persons_step_and_the_computers_beside_it(
    players: tuple[Player, ...], kept: list[int]
) -> None:
    steps = [Step(ply, "e5", player.id, MATCH.started_at) for ply, player in enumerate(players, 1)]
    assert list(steps_on_past_card(game().match, steps)) == kept
    assert list(steps_on_past_card(MATCH, steps)) == []


def test_a_level_is_rated_by_whom_it_beats_and_loses_to() -> None:
    now = MATCH.started_at
    strong = Rating(1800, 60, now)

    def rated(*scores: float, opponent: Rating = NEW) -> float:
        days = (now + timedelta(days=number) for number in range(len(scores)))
        found = level_rating(
            [LevelGame(score, 20, opponent, day) for score, day in zip(scores, days, strict=True)], rate
        )
        assert found is not None
        return found.value

    drawn, lost, won = [0.5] * LEAST_RATED_GAMES, [0.0] * LEAST_RATED_GAMES, [1.0] * LEAST_RATED_GAMES
    assert rated(*lost) < rated(*drawn) == NEW.value < rated(*won) < rated(*won, 1)
    assert rated(*lost, opponent=strong) > rated(*lost)
    assert level_rating([LevelGame(1, 20, NEW, now)] * (LEAST_RATED_GAMES - 1), rate) is None
