"""The cross table of a tournament: its standings, computed from the finished games.

A player who withdraws resigns their running games; a removed player's are abandoned. If less than half of their games
had been played by then, none count; otherwise the opponents win the games that were not played, or were abandoned for
this reason. Any other abandoned game gives no points.
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
    """The rows of a group, best first, and the games that count; players are numbers in the schedule.

    ``withdrawals`` are the players who left. The ``annulled`` among them, whose games do not count, come last.
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
        """Return the game of two players, if it counts."""
        return next((each for each in self.meetings if each.has(one) and each.has(other)), None)

    @property
    def winners(self) -> list[Player]:
        """The best-placed of the players who stayed."""
        staying = [row for row in self.rows if row.player not in self.withdrawals]
        return [self.player(row.player) for row in staying if row.place == staying[0].place]

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
        """The table to show a player: that of the winners, or else of the player's group."""
        own = (each for each in self.groups if any(each.player(row.player).id == player_id for row in each.rows))
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
    numbers = sorted({each.group for each in tournament.pairings} or {0}, key=lambda group: (group == 0, group))
    return CrossTables(tournament, tuple(cross_table(tournament, group) for group in numbers))


def winners_pairings(tournament: Tournament, chance: Random) -> list[Pairing]:
    """The schedule of the winners' group, once a cup of several groups needs it; who opens is drawn."""
    tables = cross_tables(tournament)
    if not tournament.finished or tables.decided:
        return []
    winners = [player.id for player in tables.group_winners]
    return pairings_of(chance.sample(winners, len(winners)), rounds=max(each.round for each in tournament.pairings))


def cross_table(tournament: Tournament, group: int = 0) -> CrossTable:
    pairings = [each for each in tournament.pairings if each.group == group]
    members = {player_id for each in pairings for player_id in each.player_ids}
    people = [
        (number, entrant)
        for number, entrant in enumerate(tournament.entrants)
        if entrant.player.id in members or not tournament.pairings
    ]
    numbers = {entrant.player.id: number for number, entrant in people}
    left = {entrant.player.id: entrant.withdrawn_at for number, entrant in people if entrant.withdrawn_at}
    annulled = {player_id for player_id, at in left.items() if _left_early(pairings, player_id, at)}
    meetings = []
    for each in pairings:
        scores = None if not annulled.isdisjoint(each.player_ids) else _scores(each, left)
        if scores is not None:
            uncounted = each.result is not None and not each.result.counts
            played = each.match_id is not None and not (uncounted and any(scores))
            meetings.append(Meeting(numbers[each.first_id], numbers[each.second_id], *scores, played))
    out = frozenset(numbers[each] for each in annulled)
    counting = [number for number in numbers.values() if number not in out]
    rows = round_robin.standings(counting, meetings, seeded=tournament.cup is not None)
    last = [Row(number, len(rows) + 1, 0, 0, 0, 0, 0) for number in sorted(out)]
    gone = frozenset(numbers[each] for each in left)
    return CrossTable(tournament, group, (*rows, *last), tuple(meetings), gone, out)


def _left_early(pairings: Sequence[Pairing], player_id: int, at: datetime) -> bool:
    own = [each for each in pairings if each.has_player(player_id)]
    return 2 * sum(each.ended_at is not None and each.ended_at < at for each in own) < len(own)


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
    """Whether a player had left by the end of the game, or has left an unfinished one."""
    at = left.get(player_id)
    return at is not None and (pairing.ended_at is None or at <= pairing.ended_at)
