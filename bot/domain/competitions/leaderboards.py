"""The values of leaderboards and profiles."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from typing import TypeAlias

from bot.domain.players import Player
from bot.domain.ratings import OVERALL, Rating
from rules import Ruleset, Side

#: With fewer games than this, a win rate says little.
LEAST_GAMES = 5


class Period(enum.StrEnum):
    """The time that a leaderboard covers, in UTC; a season is a quarter of a year."""

    ALL = "all"
    MONTH = "month"
    SEASON = "season"

    def number(self, at: datetime) -> int:
        """The number of the month or season at a time; numbers grow with time."""
        if self is Period.ALL:
            return 0
        at = at.astimezone(UTC)
        return at.year * 12 + at.month if self is Period.MONTH else at.year * 4 + (at.month + 2) // 3


class Scope(enum.StrEnum):
    """The players whom a leaderboard ranks: of a server, all, or the viewer's past opponents."""

    SERVER = "server"
    EVERYWHERE = "everywhere"
    FRIENDS = "friends"


class Order(enum.StrEnum):
    RATING = "rating"
    GAMES = "games"
    WINS = "wins"
    RATE = "rate"
    STREAK = "streak"


@dataclass(frozen=True, slots=True)
class Results:
    """The numbers of games won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @classmethod
    def of(cls, scores: Sequence[float]) -> Results:
        return cls(scores.count(1), scores.count(0.5), scores.count(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals(Results):
    """The results of the period with a ``number``: its games, and the current and the ``best`` run of wins."""

    number: int
    streak: int = 0
    best: int = 0

    def after(self, score: float) -> Totals:
        """The results with one more game."""
        streak = self.streak + 1 if score == 1 else 0
        return Totals(
            self.wins + (score == 1),
            self.draws + (score == 0.5),
            self.losses + (score == 0),
            number=self.number,
            streak=streak,
            best=max(self.best, streak),
        )


#: A player's totals by server (None: everywhere), game (:data:`OVERALL`: all games) and period.
PlayerTotals: TypeAlias = dict[tuple[int | None, str, Period], Totals]


def count(before: PlayerTotals, guild_id: int | None, game: str, score: float, at: datetime) -> PlayerTotals:
    """Those totals of a player that another game changes, with the game."""
    changed: PlayerTotals = {}
    for period in Period:
        number = period.number(at)
        for server_id in {None, guild_id}:
            for played in (game, OVERALL):
                totals = before.get((server_id, played, period))
                if totals is None or totals.number < number:
                    totals = Totals(number=number)
                if totals.number == number:
                    changed[server_id, played, period] = totals.after(score)
    return changed


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's totals and rating on a leaderboard."""

    player_id: int
    guild_id: int | None
    game: str
    period: Period
    totals: Totals
    rating: Rating


def standings(player_id: int, player_totals: PlayerTotals, ratings: Mapping[str, Rating]) -> list[Standing]:
    """A player's standings, from their totals and their ratings by game."""
    return [
        Standing(player_id, guild_id, game, period, totals, ratings[game])
        for (guild_id, game, period), totals in player_totals.items()
    ]


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A rated match's effect on a player's rating in a game or, with :data:`OVERALL` as ``rated_in``, in all games."""

    player_id: int
    rated_in: str
    game: str
    guild_id: int | None
    score: float
    rating: Rating


def recount(player_id: int, results: Iterable[RatedResult]) -> list[Standing]:
    """A player's standings, computed from all their rated matches in the order of the log."""
    totals: PlayerTotals = {}
    ratings: dict[str, Rating] = {}
    for result in results:
        ratings[result.rated_in] = result.rating
        if result.rated_in == OVERALL:
            assert result.rating.at is not None
            totals |= count(totals, result.guild_id, result.game, result.score, result.rating.at)
    return standings(player_id, totals, ratings)


@dataclass(frozen=True, slots=True)
class LeaderboardQuery:
    """The terms of a leaderboard. :attr:`Scope.SERVER` uses the server, and :attr:`Scope.FRIENDS` the viewer."""

    viewer_id: int
    guild_id: int | None = None
    scope: Scope = Scope.EVERYWHERE
    game: str = OVERALL
    period: Period = Period.ALL
    order: Order = Order.RATING


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A row of a leaderboard. Equal players share a ``rank``; unranked players have none."""

    rank: int | None
    player: Player
    rating: Rating
    totals: Totals
    history: tuple[float, ...] = ()
    """The latest ratings, oldest first."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a leaderboard, and the viewer's own row. Pages are counted from 1."""

    query: LeaderboardQuery
    rows: tuple[LeaderboardRow, ...]
    own_row: LeaderboardRow | None
    own_page: int | None
    page: int
    pages: int
    ranked: int
    total: int


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match that counts, from one player's view; ``opening`` is the cell of the player's own opening."""

    match_id: int
    ruleset: Ruleset
    opponent: Player
    score: float
    side: Side | None
    opening: str | None
    ended_at: datetime
    listed: bool = True
    """Whether the viewer of a profile may find the match."""


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The results between two players, from the first player's view, and the length of the last winner's run."""

    results: Results
    streak: int = 0

    @classmethod
    def of(cls, player_id: int, winners: Sequence[int | None]) -> HeadToHead:
        """Count games by their winners (None: a draw), latest first."""
        wins, draws = winners.count(player_id), winners.count(None)
        last = winners[0] if winners else None
        streak = 0 if last is None else sum(1 for _ in takewhile(lambda winner: winner == last, winners))
        return cls(Results(wins, draws, len(winners) - wins - draws), streak)


@dataclass(frozen=True, slots=True)
class Streak:
    """The ``length`` of the latest run of games with the same score."""

    score: float
    length: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A player's profile. Results count all finished games against people, rated or casual.

    ``ratings`` are by game and for :data:`OVERALL`; ``history`` belongs to ``game``. ``openings`` counts the cells of
    the player's openings in ``openings_ruleset``, their most frequent ruleset. ``by_opponent`` covers only games that
    the viewer may find. ``by_level`` has the results against the computer.
    """

    player: Player
    game: str
    ratings: Mapping[str, Rating]
    history: tuple[Rating, ...]
    results: Results
    by_game: Mapping[str, Results]
    by_side: Mapping[str, Results]
    by_size: Mapping[tuple[str, int], Results]
    by_opponent: Mapping[Player, Results]
    by_level: Mapping[int, Results]
    against_viewer: Results | None
    streak: Streak | None
    longest: int
    openings_ruleset: Ruleset | None
    openings: Mapping[str, int]
