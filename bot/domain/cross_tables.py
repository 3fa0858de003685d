"""The cross table of a tournament: its standings, computed from the finished games.

A player who withdraws resigns their running games; those of a removed player are abandoned. If less than half of their
games had been played by then, none counts; otherwise the opponents win the games that were not played, or were
abandoned for this reason. Any other abandoned game gives no points.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import comb

from bot.domain import round_robin
from bot.domain.players import Player
from bot.domain.round_robin import Meeting, Row
from bot.domain.tournaments import Pairing, Tournament


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The rows, the best first, and the games that count; players are numbers in the schedule.

    ``withdrawn`` are the players who left. The ``annulled`` among them, whose games do not count, come last.
    """

    tournament: Tournament
    rows: tuple[Row, ...]
    meetings: tuple[Meeting, ...]
    withdrawn: frozenset[int]
    annulled: frozenset[int]

    def player(self, number: int) -> Player:
        return self.tournament.entrants[number].player

    def meeting(self, one: int, other: int) -> Meeting | None:
        """Return the game of two players, if it counts."""
        return next((each for each in self.meetings if each.has(one) and each.has(other)), None)

    @property
    def winners(self) -> list[Player]:
        """The players with the best place among those who stayed."""
        staying = [row for row in self.rows if row.player not in self.withdrawn]
        return [self.player(row.player) for row in staying if row.place == staying[0].place]

    @property
    def games(self) -> int:
        """The number of games that will count in the end."""
        return comb(len(self.rows) - len(self.annulled), 2)


def cross_table(tournament: Tournament) -> CrossTable:
    numbers = {entrant.player.id: number for number, entrant in enumerate(tournament.entrants)}
    left = {entrant.player.id: entrant.withdrawn_at for entrant in tournament.entrants if entrant.withdrawn_at}
    annulled = {player_id for player_id, at in left.items() if _left_early(tournament, player_id, at)}
    meetings = []
    for each in tournament.pairings:
        scores = None if not annulled.isdisjoint(each.player_ids) else _scores(each, left)
        if scores is not None:
            uncounted = each.result is not None and not each.result.counts
            played = each.match_id is not None and not (uncounted and any(scores))
            meetings.append(Meeting(numbers[each.first_id], numbers[each.second_id], *scores, played))
    out = frozenset(numbers[each] for each in annulled)
    rows = round_robin.standings([number for number in numbers.values() if number not in out], meetings)
    last = [Row(number, len(rows) + 1, 0, 0, 0, 0, 0) for number in sorted(out)]
    return CrossTable(tournament, (*rows, *last), tuple(meetings), frozenset(numbers[each] for each in left), out)


def _left_early(tournament: Tournament, player_id: int, at: datetime) -> bool:
    over = sum(
        each.has_player(player_id) and each.ended_at is not None and each.ended_at < at for each in tournament.pairings
    )
    return 2 * over < len(tournament.entrants) - 1


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
