"""How strong players are, as a guess with an uncertainty, and what a game does to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import NormalDist

from openskill.models import ThurstoneMostellerFull

#: Raise this with every change of the formula: the next start then rates all stored games anew.
VERSION = "1"
#: What stands for all games together where a game is named.
OVERALL = ""
_START = 1500.0
_WIDEST, _NARROWEST = 350.0, 60.0
#: A rating that is less certain is provisional: that of a newcomer for about seven games.
SETTLED = 170.0
#: How fast a rating becomes uncertain, as variance a day: 60 grows to 110 in a year.
_GROWTH = (110.0**2 - 60.0**2) / 365
#: By performance that varies so much, 400 points more mean ten wins to one, as everywhere in chess.
_BETA = 400 / NormalDist().inv_cdf(10 / 11) / math.sqrt(2)
#: Two turns each; one who gives up before that has not played.
LEAST_PLY = 4
_DAY = timedelta(days=1)


def _unchecked(*_: object, **__: object) -> float:
    """Nothing slows down the loss of uncertainty."""
    return 1.0


# A model holds no state, and uncertainty grows with time here, not with games.
_MODEL = ThurstoneMostellerFull(mu=_START, sigma=_WIDEST, beta=_BETA, tau=0.0, gamma=_unchecked)


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength as it was estimated at that time, and the standard deviation of the estimate."""

    value: float = _START
    deviation: float = _WIDEST
    at: datetime | None = None

    def on(self, now: datetime) -> Rating:
        """The rating at a later time, without games in between."""
        days = 0.0 if self.at is None else (now - self.at) / _DAY
        if days <= 0:
            return replace(self, at=now)
        grown = min(_WIDEST, math.sqrt(self.deviation**2 + _GROWTH * days))
        return Rating(self.value, grown, now)

    @property
    def provisional(self) -> bool:
        return self.deviation > SETTLED

    @property
    def settled_until(self) -> int:
        """When it becomes provisional without further games, in seconds since 1970; in the past when it is so."""
        at = 0.0 if self.at is None else self.at.timestamp()
        return int(at + (SETTLED**2 - self.deviation**2) / _GROWTH * _DAY.total_seconds())


NEW = Rating()


def rate(first: Rating, second: Rating, score: float, at: datetime) -> tuple[Rating, Rating]:
    """Both ratings after a game that ended at that time; ``score`` is the first player's: 1, ½ or 0."""
    before = first.on(at), second.on(at)
    teams = [[_MODEL.rating(each.value, each.deviation)] for each in before]
    [[one], [other]] = _MODEL.rate(teams, scores=[score, 1 - score])
    after = [Rating(each.mu, max(_NARROWEST, each.sigma), at) for each in (one, other)]
    return after[0], after[1]


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a match did to a player's rating of its game."""

    player_id: int
    before: Rating
    after: Rating
