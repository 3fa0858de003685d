"""Round robins: the schedule and the standings. Players are numbers from 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby


def schedule(count: int) -> list[list[tuple[int, int]]]:
    """The rounds in which every player meets every other once; a round is a list of pairs.

    The first player of a pair makes the opening. This is the circle method with the seats of the Berger tables: every
    player makes the opening in half of their games, give or take half a game. With an odd number, every player has a
    bye.
    """
    even = count + count % 2
    rounds: list[list[tuple[int, int]]] = []
    for number in range(even - 1):
        last = even - 1
        pairs = [
            (one, other) for one in range(last) for other in range(one + 1, last) if (one + other) % last == number
        ]
        alone = next(one for one in range(last) if 2 * one % last == number)
        pairs.append((alone, last))
        rounds.append([_seated(*pair, even) for pair in pairs if pair[1] < count])
    return rounds


def _seated(low: int, high: int, even: int) -> tuple[int, int]:
    """A pair of players; the first makes the opening."""
    low_opens = low < even // 2 if high == even - 1 else (low + high) % 2 == 1
    return (low, high) if low_opens else (high, low)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game that counts, with both players' half points. A game decided without play is not ``played``."""

    first: int
    second: int
    first_score: int
    second_score: int
    played: bool = True

    def score_of(self, player: int) -> int:
        return self.first_score if player == self.first else self.second_score

    def opponent_of(self, player: int) -> int:
        return self.second if player == self.first else self.first

    def has(self, player: int) -> bool:
        return player in (self.first, self.second)


@dataclass(frozen=True, slots=True)
class Row:
    """A player's row in the standings. ``points`` and ``direct`` are half points, ``sonneborn_berger`` quarter points.

    ``direct`` are the points against players with the same points and Sonneborn-Berger score. Players tied in
    everything share a ``rank``, counted from 1.
    """

    player: int
    rank: int
    points: int
    sonneborn_berger: int
    direct: int
    wins: int
    games: int


def standings(players: Sequence[int], meetings: Sequence[Meeting], *, seeded: bool = False) -> list[Row]:
    """Rank the players by points, Sonneborn-Berger score, games among tied players, and wins.

    The Sonneborn-Berger score is the points of beaten opponents and half the points of opponents drawn with. Players
    tied in everything keep their order, which decides if they are ``seeded``.
    """
    own = {player: [meeting for meeting in meetings if meeting.has(player)] for player in players}
    points = {player: sum(meeting.score_of(player) for meeting in own[player]) for player in players}
    berger = {
        player: sum(game.score_of(player) * points.get(game.opponent_of(player), 0) for game in own[player])
        for player in players
    }
    wins = {player: sum(meeting.score_of(player) == 2 for meeting in own[player]) for player in players}

    def level(player: int) -> tuple[int, int]:
        return points[player], berger[player]

    direct = {
        player: sum(game.score_of(player) for game in own[player] if level(game.opponent_of(player)) == level(player))
        for player in players
    }

    def merit(player: int) -> tuple[int, ...]:
        return (*level(player), direct[player], wins[player], -players.index(player) if seeded else 0)

    rows: list[Row] = []
    for _, group in groupby(sorted(players, key=merit, reverse=True), key=merit):
        rank = len(rows) + 1
        rows += [
            Row(player, rank, points[player], berger[player], direct[player], wins[player], len(own[player]))
            for player in group
        ]
    return rows


def startable(waiting: Sequence[tuple[int, int]], busy: Mapping[int, int], at_once: int) -> list[tuple[int, int]]:
    """The pairs that can start now, in their order; ``busy`` counts each player's running games."""
    games = dict(busy)
    chosen: list[tuple[int, int]] = []
    for pair in waiting:
        if all(games.get(player, 0) < at_once for player in pair):
            chosen.append(pair)
            for player in pair:
                games[player] = games.get(player, 0) + 1
    return chosen
