"""Which games of a tournament count, and for how much, when a player has left."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.competitions.cross_tables import CrossTable, cross_table
from bot.domain.competitions.tournaments import Entrant, Pairing
from bot.domain.matches import Ending, Result
from bot.domain.players import Player
from tests.support.services.tournaments import tournament_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
ALICE, BOB, CAROL = (Player(number, name) for number, name in ((1, "Alice"), (2, "Bob"), (3, "Carol")))


def table(results: dict[frozenset[int], Result], *, gone: Player | None = None) -> CrossTable:
    """The table of three players after these games, which ended one hour before the player ``gone`` left."""
    people = (ALICE, BOB, CAROL)

    def pairing(each: Pairing) -> Pairing:
        result = results.get(frozenset(each.player_ids))
        return each if result is None else replace(each, match_id=1, result=result, ended_at=NOW)

    begun = tournament_of(3)
    entrants = tuple(Entrant(player, LATER if player == gone else None) for player in people)
    return cross_table(replace(begun, entrants=entrants, pairings=tuple(map(pairing, begun.pairings))))


def points(of: CrossTable) -> dict[str, int]:
    """The half points that the games give to each player."""
    total = dict.fromkeys(("Alice", "Bob", "Carol"), 0)
    for meeting in of.meetings:
        for number, score in ((meeting.first, meeting.first_score), (meeting.second, meeting.second_score)):
            total[of.player(number).name] += score
    return total


def won(player: Player) -> Result:
    return Result(player.id, Ending.RULES)


def test_a_win_gives_two_half_points_and_a_draw_one() -> None:
    of = table({frozenset({1, 2}): won(BOB), frozenset({2, 3}): Result(None, Ending.AGREEMENT)})
    assert points(of) == {"Alice": 0, "Bob": 3, "Carol": 1}
    assert of.winners == [BOB]
    assert of.games == 3


def test_a_player_who_leaves_after_half_of_their_games_loses_the_rest() -> None:
    of = table({frozenset({1, 3}): won(CAROL)}, gone=CAROL)
    assert points(of) == {"Alice": 0, "Bob": 2, "Carol": 2}
    assert [meeting.played for meeting in of.meetings].count(False) == 1
    assert of.winners == [BOB], "who has left wins nothing"


def test_a_player_who_leaves_early_takes_their_games_out_of_the_table() -> None:
    of = table({frozenset({1, 2}): won(ALICE)}, gone=CAROL)
    assert points(of) == {"Alice": 2, "Bob": 0, "Carol": 0}
    assert of.player(of.rows[-1].player) == CAROL
    assert of.games == 1


@pytest.mark.parametrize("ending", [Ending.ABANDONED, Ending.VOID])
@pytest.mark.parametrize("gone", [None, BOB], ids=["nobody left", "a player left later"])
def test_a_game_without_a_result_gives_no_points(ending: Ending, gone: Player | None) -> None:
    of = table({frozenset({1, 2}): Result(None, ending)}, gone=gone)
    assert [points(of)[name] for name in ("Alice", "Bob")] == [0, 0]
    scores = [(meeting.first_score, meeting.second_score) for meeting in of.meetings]
    assert scores.count((0, 0)) == 1, "it is over"
