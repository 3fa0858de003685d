"""The cross table of a tournament: its standings, computed from the finished games.

A player who withdraws resigns their running games; a removed player's are abandoned. If the player had played fewer
than half of their games by then, none of them count. Otherwise, the opponents win the unplayed games and the games
abandoned for this reason. Any other abandoned game gives no points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import comb
from random import Random

from bot.domain.competitions import round_robin
from bot.domain.competitions.round_robin import Meeting, Row
from bot.domain.competitions.tournaments import Pairing, Tournament, pairings_of
from bot.domain.players import Player


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The rows of a group, best first, and the games that count. Players are their numbers in the schedule.

    ``withdrawals`` are the players who left. Players whose games do not count are ``annulled`` and come last.
    """

    tournament: Tournament
    group: int
    rows: tuple[Row, ...]
    meetings: tuple[Meeting, ...]
    withdrawals: frozenset[int]
    annulled: frozenset[int]

    def player(self, number: int) -> Player:
        return self.tournament.entrants[number].player

    def meeting(self, one: int, other: int) -> Meeting | None:
        """The game of two players; None if it does not count."""
        return next((meeting for meeting in self.meetings if meeting.has(one) and meeting.has(other)), None)

    @property
    def winners(self) -> list[Player]:
        """The best-placed of the players who stayed."""
        staying = [row for row in self.rows if row.player not in self.withdrawals]
        return [self.player(row.player) for row in staying if row.rank == staying[0].rank]

    @property
    def games(self) -> int:
        """The number of games that will count in the end."""
        return comb(len(self.rows) - len(self.annulled), 2)


@dataclass(frozen=True, slots=True)
class CrossTables:
    """The cross tables of a tournament's groups, with the winners' group last."""

    tournament: Tournament
    groups: tuple[CrossTable, ...]

    @property
    def last(self) -> CrossTable:
        return self.groups[-1]

    @property
    def decided(self) -> bool:
        """Whether the winner of the last group wins the tournament."""
        return self.last.group == 0

    def of(self, player_id: int) -> CrossTable:
        """The table to show a player: the winners' group or, before it begins, the player's group."""
        own = (table for table in self.groups if any(table.player(row.player).id == player_id for row in table.rows))
        return self.last if self.decided else next(own, self.groups[0])

    @property
    def group_winners(self) -> list[Player]:
        """The winners of all groups before the winners' group."""
        return [winner for group in self.groups if group.group for winner in group.winners]

    @property
    def winners(self) -> list[Player]:
        """The players who win the tournament once it is over."""
        return self.last.winners if self.decided else self.group_winners


def cross_tables(tournament: Tournament) -> CrossTables:
    numbers = sorted({pairing.group for pairing in tournament.pairings} or {0}, key=lambda group: (group == 0, group))
    return CrossTables(tournament, tuple(cross_table(tournament, group) for group in numbers))


def winners_pairings(tournament: Tournament, chance: Random) -> list[Pairing]:
    """The schedule of the winners' group, if a cup of several groups needs it now; lots decide who opens."""
    tables = cross_tables(tournament)
    if not tournament.finished or tables.decided:
        return []
    winners = [player.id for player in tables.group_winners]
    rounds = max(pairing.round for pairing in tournament.pairings)
    return pairings_of(chance.sample(winners, len(winners)), rounds=rounds)


def cross_table(tournament: Tournament, group: int = 0) -> CrossTable:
    pairings = [pairing for pairing in tournament.pairings if pairing.group == group]
    members = {player_id for pairing in pairings for player_id in pairing.player_ids}
    people = [
        (number, entrant)
        for number, entrant in enumerate(tournament.entrants)
        if entrant.player.id in members or not tournament.pairings
    ]
    numbers = {entrant.player.id: number for number, entrant in people}
    left = {entrant.player.id: entrant.withdrawn_at for number, entrant in people if entrant.withdrawn_at}
    annulled = {player_id for player_id, at in left.items() if _left_early(pairings, player_id, at)}
    meetings = []
    for pairing in pairings:
        scores = None if not annulled.isdisjoint(pairing.player_ids) else _scores(pairing, left)
        if scores is not None:
            uncounted = pairing.result is not None and not pairing.result.counts
            played = pairing.match_id is not None and not (uncounted and any(scores))
            meetings.append(Meeting(numbers[pairing.first_id], numbers[pairing.second_id], *scores, played))
    out = frozenset(numbers[player_id] for player_id in annulled)
    counting = [number for number in numbers.values() if number not in out]
    rows = round_robin.standings(counting, meetings, seeded=tournament.cup is not None)
    last = [Row(number, len(rows) + 1, 0, 0, 0, 0, 0) for number in sorted(out)]
    gone = frozenset(numbers[player_id] for player_id in left)
    return CrossTable(tournament, group, (*rows, *last), tuple(meetings), gone, out)


def _left_early(pairings: Sequence[Pairing], player_id: int, at: datetime) -> bool:
    own = [pairing for pairing in pairings if pairing.has_player(player_id)]
    return 2 * sum(pairing.ended_at is not None and pairing.ended_at < at for pairing in own) < len(own)


def _scores(pairing: Pairing, left: dict[int, datetime]) -> tuple[int, int] | None:
    uncounted = pairing.result is not None and not pairing.result.counts
    if pairing.match_id is None or uncounted:
        gone = _had_left(pairing, pairing.first_id, left), _had_left(pairing, pairing.second_id, left)
        unplayed = {(True, False): (0, 2), (False, True): (2, 0), (True, True): (0, 0)}.get(gone)
        return (0, 0) if unplayed is None and uncounted else unplayed
    if pairing.result is None:
        return None
    if pairing.result.winner_id is not None:
        return (2, 0) if pairing.result.winner_id == pairing.first_id else (0, 2)
    return 1, 1


def _had_left(pairing: Pairing, player_id: int, left: dict[int, datetime]) -> bool:
    """Whether a player had left before the end of the game, or left it unfinished."""
    at = left.get(player_id)
    return at is not None and (pairing.ended_at is None or at <= pairing.ended_at)
