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

#: With fewer games, a win rate says little.
LEAST_GAMES = 5


class Period(enum.StrEnum):
    """The time that a leaderboard covers, in UTC; a season is a quarter of a year."""

    ALL = "all"
    MONTH = "month"
    SEASON = "season"

    def number(self, at: datetime) -> int:
        """The number of the month or season of that time; those after it have higher ones."""
        if self is Period.ALL:
            return 0
        at = at.astimezone(UTC)
        return at.year * 12 + at.month if self is Period.MONTH else at.year * 4 + (at.month + 2) // 3


class Scope(enum.StrEnum):
    """Whose games a leaderboard ranks: those of a server, of everybody, or of the people that the viewer has played."""

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
class Totals:
    """Results of a month, a season or all time, by its number; ``streak`` is the current run of wins, ``best`` the
    longest."""

    number: int
    wins: int = 0
    draws: int = 0
    losses: int = 0
    streak: int = 0
    best: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def after(self, score: float) -> Totals:
        """The results with one game more."""
        streak = self.streak + 1 if score == 1 else 0
        return Totals(
            self.number,
            self.wins + (score == 1),
            self.draws + (score == 0.5),
            self.losses + (score == 0),
            streak,
            max(self.best, streak),
        )


#: The results of a player by server (None: everywhere), game (:data:`OVERALL`: all of them) and period.
PlayerTotals: TypeAlias = dict[tuple[int | None, str, Period], Totals]


def count(before: PlayerTotals, guild_id: int | None, game: str, score: float, at: datetime) -> PlayerTotals:
    """What changes in a player's totals with a game that ended at that time."""
    changed: PlayerTotals = {}
    for period in Period:
        number = period.number(at)
        for place in {None, guild_id}:
            for played in (game, OVERALL):
                totals = before.get((place, played, period))
                if totals is None or totals.number < number:
                    totals = Totals(number)
                if totals.number == number:
                    changed[place, played, period] = totals.after(score)
    return changed


@dataclass(frozen=True, slots=True)
class Standing:
    """What a leaderboard ranks a player by: one of their totals, and the rating that goes with it."""

    player_id: int
    guild_id: int | None
    game: str
    period: Period
    totals: Totals
    rating: Rating


def standings(player_id: int, player_totals: PlayerTotals, ratings: Mapping[str, Rating]) -> list[Standing]:
    """The standings that follow from a player's totals; ``ratings`` are theirs by game."""
    return [
        Standing(player_id, guild_id, game, period, totals, ratings[game])
        for (guild_id, game, period), totals in player_totals.items()
    ]


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A rated match as one of its players' ratings has it: in its own game, or in all games together.

    ``rated_in`` is :data:`OVERALL` in the latter case; every match has one of each.
    """

    player_id: int
    rated_in: str
    game: str
    guild_id: int | None
    score: float
    rating: Rating


def recount(player_id: int, results: Iterable[RatedResult]) -> list[Standing]:
    """The standings that follow from all rated matches of a player, in the order of the log."""
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
    """Which leaderboard: whose, of which game and time, and in which order.

    ``guild_id`` is the server of :attr:`Scope.SERVER`; ``viewer_id`` is the viewer, whose friends are meant.
    """

    viewer_id: int
    guild_id: int | None = None
    scope: Scope = Scope.EVERYWHERE
    game: str = OVERALL
    period: Period = Period.ALL
    order: Order = Order.RATING


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A row of a leaderboard. Equal players share a ``rank``; players who are not ranked have none."""

    rank: int | None
    player: Player
    rating: Rating
    totals: Totals
    history: tuple[float, ...] = ()
    """The latest ratings, oldest first."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a leaderboard, and the viewer's own row; pages are counted from 1."""

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
    """A finished match that counts, as one of its players sees it; ``side`` is what they played.

    ``opening`` is the cell of their own opening, None when the opponent opened.
    """

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
class Results:
    """How many games were won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def after(self, score: float) -> Results:
        return Results(self.wins + (score == 1), self.draws + (score == 0.5), self.losses + (score == 0))


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """How two players stand against each other: the results of the first of them, and the last winner's run of wins."""

    results: Results
    streak: int = 0

    @classmethod
    def of(cls, player_id: int, winners: Sequence[int | None]) -> HeadToHead:
        """Count the games of which these are the winners (None: a draw), the latest first."""
        wins, draws = winners.count(player_id), winners.count(None)
        last = winners[0] if winners else None
        streak = 0 if last is None else sum(1 for _ in takewhile(lambda winner: winner == last, winners))
        return cls(Results(wins, draws, len(winners) - wins - draws), streak)


@dataclass(frozen=True, slots=True)
class Streak:
    """The latest games that ended alike: with that score, so many of them."""

    score: float
    length: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known about a player; results are of the games against people that count, rated or casual.

    ``ratings`` and ``history`` are those of the games played rated, by game, and :data:`OVERALL`; ``history`` is of
    ``game``. ``openings`` counts the cells of their openings on the boards of ``opened``, the ruleset they opened most.
    ``by_opponent`` names the opponents of the games that the viewer may find. ``by_level`` are the results against the
    computer.
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
    opened: Ruleset | None
    openings: Mapping[str, int]
