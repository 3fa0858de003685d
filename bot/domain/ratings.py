"""Ratings: estimates of players' strength with their uncertainty, and how matches change them.

Stored ratings follow from a log of events: the rated matches in order, and the voided matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from bot.domain.clocks import DAY

#: The name of all games together.
OVERALL = ""
START = 1500.0
WIDEST, NARROWEST = 350.0, 60.0
#: A rating with a larger deviation is provisional. A newcomer's rating is provisional for about seven games.
SETTLED = 170.0
#: The variance that a rating gains in a day: its deviation grows from 60 to 110 in a year.
_GROWTH = (110.0**2 - 60.0**2) / 365
#: Minimum length of a rated match that does not end by the rules: two turns each.
LEAST_PLY = 4


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's estimated strength at a time, and the standard deviation of the estimate."""

    value: float = START
    deviation: float = WIDEST
    at: datetime | None = None

    def on(self, now: datetime) -> Rating:
        """The rating at a later time without further games."""
        days = 0.0 if self.at is None else (now - self.at) / DAY
        if days <= 0:
            return replace(self, at=now)
        grown = min(WIDEST, math.sqrt(self.deviation**2 + _GROWTH * days))
        return Rating(self.value, grown, now)

    @property
    def provisional(self) -> bool:
        return self.deviation > SETTLED

    @property
    def settled_until(self) -> int:
        """When the rating becomes provisional unless the player plays again, in seconds since 1970."""
        at = 0.0 if self.at is None else self.at.timestamp()
        return int(at + (SETTLED**2 - self.deviation**2) / _GROWTH * DAY.total_seconds())


NEW = Rating()

#: Computes both players' ratings after a game, from their ratings before it, the first player's score (1, ½ or 0), and
#: the game's length and end.
Formula: TypeAlias = Callable[[Rating, Rating, float, int, datetime], tuple[Rating, Rating]]
#: Ratings by player and game.
PlayerRatings: TypeAlias = dict[tuple[int, str], Rating]


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """A match that counts, with what ratings need; ``score`` is the first player's: 1, ½ or 0."""

    match_id: int
    game: str
    guild_id: int | None
    player_ids: tuple[int, int]
    score: float
    ply: int
    ended_at: datetime

    def score_of(self, player_id: int) -> float:
        return self.score if player_id == self.player_ids[0] else 1 - self.score


@dataclass(frozen=True, slots=True)
class RatingChange:
    player_id: int
    before: Rating
    after: Rating


@dataclass(frozen=True, slots=True)
class MatchRatingChange(RatingChange):
    """A player's rating change in the game of a match; ``is_first`` marks their first rated match in any game."""

    is_first: bool


@dataclass(frozen=True, slots=True)
class RatingUpdate:
    """The effect of event ``seq`` of the log on both players' ratings in a game, or in all games together.

    The first player's change comes first, and the score is the first player's. ``ply`` is the match's length.
    """

    seq: int
    game: str
    score: float
    ply: int
    changes: tuple[RatingChange, RatingChange]


def rate_match(
    seq: int, at: datetime, match: FinishedMatch, ratings: PlayerRatings, formula: Formula
) -> list[RatingUpdate]:
    """Rate a match, in its game and in all games together, and update ``ratings``."""
    updates = []
    for game in (match.game, OVERALL):
        one, other = (ratings.get((player_id, game), NEW).on(at) for player_id in match.player_ids)
        after = formula(one, other, match.score, match.ply, at)
        first, second = map(RatingChange, match.player_ids, (one, other), after)
        ratings |= {(change.player_id, game): change.after for change in (first, second)}
        updates.append(RatingUpdate(seq, game, match.score, match.ply, (first, second)))
    return updates
