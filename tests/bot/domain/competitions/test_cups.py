"""The groups of cups, their winners, and who loses a game at its hard end."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, strategies as st

from bot.domain.clocks import DAY, TimeControl
from bot.domain.competitions.cross_tables import cross_tables, winners_pairings
from bot.domain.competitions.cups import MAX_IN_CUP, MAX_IN_GROUP, WEEK, Cup, groups_of, loser_at_hard_end
from bot.domain.competitions.tournaments import MIN_ENTRANTS, Pairing, Tournament, cup_pairings
from bot.domain.matches import Ending, Result, Step
from bot.domain.players import Player
from tests.support.services.matches import ALICE, BOB, MATCH
from tests.support.services.tournaments import tournament_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SIZES = {3: [3], 6: [6], 7: [4, 3], 8: [4, 4], 9: [5, 4], 11: [6, 5], 13: [5, 4, 4], 25: [5] * 5, 36: [6] * 6}


@pytest.mark.parametrize(("count", "sizes"), SIZES.items())
def test_groups_have_five_and_six_players_or_almost(count: int, sizes: list[int]) -> None:
    assert [len(group) for group in groups_of(range(count))] == sizes


@given(st.integers(MIN_ENTRANTS, MAX_IN_CUP))
def test_every_player_is_in_one_group_of_players_of_similar_strength(count: int) -> None:
    groups = groups_of(range(count))
    assert [player for group in groups for player in group] == [*range(count)]
    assert len(groups) <= MAX_IN_GROUP, "the winners are one group"
    sizes = {len(group) for group in groups}
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= MIN_ENTRANTS


def cup(count: int, seed: int = 0) -> Tournament:
    """A cup that has just started, with players numbered from the strongest to the weakest."""
    pairings = cup_pairings(range(1, count + 1), Random(seed))
    return tournament_of(count, control=TimeControl.turns_of(DAY), pairings=tuple(pairings), cup=Cup(None))


def finished(of: Tournament, chance: Random | None = None) -> Tournament:
    """The cup after its games, which were drawn or won at random."""

    def over(each: Pairing) -> Pairing:
        winner = None if chance is None else chance.choice([*each.player_ids, None])
        result = Result(winner, Ending.AGREEMENT if winner is None else Ending.RULES)
        return each if each.result else replace(each, match_id=1, result=result, ended_at=NOW)

    return replace(of, pairings=tuple(map(over, of.pairings)))


@given(st.integers(MIN_ENTRANTS, MAX_IN_CUP), st.integers(0, 2**32))
def test_one_player_wins_each_group_and_one_the_cup(count: int, seed: int) -> None:
    begun = cup(count, seed)
    assert winners_pairings(begun, Random(seed)) == []
    over, groups = finished(begun, Random(seed)), len(groups_of(range(count)))
    following = winners_pairings(over, Random(seed))
    assert len(following) == (groups * (groups - 1) // 2 if groups > 1 else 0)
    over = finished(replace(over, pairings=(*over.pairings, *following)), Random(seed))
    met = [frozenset(pairing.player_ids) for pairing in over.pairings]
    assert len(set(met)) == len(met), "nobody meets anybody twice"
    tables = cross_tables(over)
    assert len(tables.winners) == 1
    assert {player.id for player in tables.group_winners} == {
        player_id for pair in following for player_id in pair.player_ids
    }
    for table in tables.groups:
        assert sum(row.points for row in table.rows) == 2 * len(table.meetings) == 2 * table.games
        assert [row.rank for row in table.rows] == [*range(1, len(table.rows) + 1)], "nobody shares a place"


def test_the_rating_decides_between_players_who_are_level_in_everything() -> None:
    tables = cross_tables(finished(cup(9)))
    assert [player.id for player in tables.group_winners] == [1, 6]


def test_players_who_left_do_not_reach_the_group_of_the_winners() -> None:
    over = finished(cup(9))

    def without(*gone: int) -> Tournament:
        left = (
            replace(entrant, withdrawn_at=NOW + DAY) if entrant.player.id in gone else entrant
            for entrant in over.entrants
        )
        return replace(over, entrants=tuple(left))

    pairings = winners_pairings(without(1), Random(1))
    assert [{*pairing.player_ids} for pairing in pairings] == [{2, 6}]
    alone = without(*range(1, 6))
    assert winners_pairings(alone, Random(1)) == []
    assert alone.finished
    assert [player.id for player in cross_tables(alone).winners] == [6]


# The hard end, three weeks after the game began

HOURS = timedelta(hours=1)
E5, LIGHT = (ALICE, "e5"), (BOB, "light")
#: The steps, each after so many days, and the loser.
GAMES = {
    "nothing was played": ([], ALICE),
    "the opponent lets the time run": ([(1, *E5)], BOB),
    "more was used before": ([(11, *E5), (0, *LIGHT)], ALICE),
    "as much was used": ([(10.5, *E5)], BOB),
    "a choice and a turn in a row": ([(7, *E5), (6, *LIGHT), (3, BOB, "d4"), (1, ALICE, "a1")], BOB),
    # Bob asks Alice, who is to act, for a take-back: the time until she agrees is hers.
    "a take-back": ([(1, *E5), (0, *LIGHT), (2, BOB, "d4"), (12, BOB, None)], ALICE),
}


@pytest.mark.parametrize(("played", "loser"), GAMES.values(), ids=GAMES)
def test_the_player_who_has_used_more_time_loses_at_the_hard_end(
    played: list[tuple[float, Player, str | None]], loser: Player
) -> None:
    steps, at, ply = [], NOW, 0
    for days, player, turn in played:
        at += days * DAY
        ply += 1 if turn else -1
        steps.append(Step(ply, turn, player.id, at))
    match = replace(MATCH, ply=ply, step=len(steps))
    assert loser_at_hard_end(match, steps, NOW, NOW + 3 * WEEK, [timedelta(0)] * 2) == loser.id
