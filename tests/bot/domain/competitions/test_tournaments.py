"""What follows from the entrants and pairings of a tournament: games to start, its end, successors, and its table."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, count

from hypothesis import given, settings, strategies as st

from bot.domain.competitions.cross_tables import cross_table
from bot.domain.competitions.tournaments import MAX_ENTRANTS, MIN_ENTRANTS, Pairing, Tournament
from bot.domain.matches import Ending, Result
from bot.domain.players import Player
from tests.support.positions import repeatable
from tests.support.services.tournaments import tournament_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def changed(of: Tournament, old: Pairing, **values: object) -> Tournament:
    """The tournament with another state of a pairing."""
    new = replace(old, **values)  # type: ignore[arg-type]
    return replace(of, pairings=tuple(new if pairing == old else pairing for pairing in of.pairings))


def without(of: Tournament, player_id: int, at: datetime) -> Tournament:
    """The tournament after a player has withdrawn."""
    return replace(
        of,
        entrants=tuple(
            replace(entrant, withdrawn_at=at) if entrant.player.id == player_id else entrant for entrant in of.entrants
        ),
    )


def random_result(pairing: Pairing, chance: random.Random) -> Result:
    winner = chance.choice([*pairing.player_ids, None])
    return Result(winner, Ending.RULES if winner else chance.choice([Ending.AGREEMENT, Ending.ABANDONED]))


def played(size: int, at_once: int, chance: random.Random, *, withdrawals: float) -> list[Tournament]:
    """The states of a tournament that is played to its end at random."""
    found, numbers, now = tournament_of(size, at_once=at_once), count(1), NOW
    states = [found]
    while not found.finished:
        now += HOUR
        for pairing in found.startable:
            found = changed(found, pairing, match_id=next(numbers))
        if len(found.active) > 1 and chance.random() < withdrawals:
            leaver = chance.choice(found.active)
            found = without(found, leaver.id, now)
            for pairing in found.running_of(leaver.id):
                winner = next(player_id for player_id in pairing.player_ids if player_id != leaver.id)
                found = changed(found, pairing, result=Result(winner, Ending.RESIGNATION), ended_at=now)
        elif found.running:
            pairing = chance.choice(found.running)
            found = changed(found, pairing, result=random_result(pairing, chance), ended_at=now)
        states.append(found)
    return states


@settings(repeatable)
@given(st.integers(MIN_ENTRANTS, MAX_ENTRANTS), st.integers(1, 4), st.randoms(use_true_random=False))
def test_every_pair_plays_once_and_nobody_more_games_at_a_time_than_agreed(
    size: int, at_once: int, chance: random.Random
) -> None:
    states = played(size, at_once, chance, withdrawals=0)
    for state in states:
        busy = Counter(player_id for pairing in state.running for player_id in pairing.player_ids)
        assert max(busy.values(), default=0) <= at_once
    assert states[-1].startable == []
    met = sorted(tuple(sorted(pairing.player_ids)) for pairing in states[-1].pairings if pairing.result is not None)
    assert met == list(combinations(range(1, size + 1), 2))


@settings(repeatable)
@given(st.integers(MIN_ENTRANTS, 8), st.integers(1, 4), st.randoms(use_true_random=False))
def test_a_tournament_ends_even_if_players_withdraw(size: int, at_once: int, chance: random.Random) -> None:
    for state in played(size, at_once, chance, withdrawals=0.2):
        assert all(state.withdrawals.isdisjoint(pairing.player_ids) for pairing in state.startable)


@settings(repeatable)
@given(st.integers(MIN_ENTRANTS, 8), st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_table_counts_the_games_of_all_but_the_annulled_players(
    size: int, at_once: int, chance: random.Random
) -> None:
    final = played(size, at_once, chance, withdrawals=0.1)[-1]
    table = cross_table(final)
    assert sorted(row.player for row in table.rows) == list(range(size))
    assert table.annulled <= table.withdrawals
    assert {table.player(number).id for number in table.withdrawals} == final.withdrawals
    annulled = [row.player in table.annulled for row in table.rows]
    assert annulled == sorted(annulled), "annulled players come last"
    assert len(table.meetings) == table.games, "every game among the others counts"
    assert not any(table.annulled & {meeting.first, meeting.second} for meeting in table.meetings)
    assert table.winners
    assert not final.withdrawals & {player.id for player in table.winners}


def test_the_next_active_player_succeeds_the_organiser() -> None:
    found = without(tournament_of(4), 2, NOW)
    assert found.successor(1) == Player(3, "P3")
    for player_id in (3, 4):
        found = without(found, player_id, NOW)
    assert found.successor(1) is None
