"""How strong players are: an estimate with an uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

#: What stands for all games together where a game is named.
OVERALL = ""
START = 1500.0
WIDEST, NARROWEST = 350.0, 60.0
#: A rating that is less certain is provisional: that of a newcomer for about seven games.
SETTLED = 170.0
#: How fast a rating becomes uncertain, as variance a day: 60 grows to 110 in a year.
_GROWTH = (110.0**2 - 60.0**2) / 365
#: Two turns each; one who gives up before that has not played.
LEAST_PLY = 4
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength as it was estimated at that time, and the standard deviation of the estimate."""

    value: float = START
    deviation: float = WIDEST
    at: datetime | None = None

    def on(self, now: datetime) -> Rating:
        """The rating at a later time, without games in between."""
        days = 0.0 if self.at is None else (now - self.at) / _DAY
        if days <= 0:
            return replace(self, at=now)
        grown = min(WIDEST, math.sqrt(self.deviation**2 + _GROWTH * days))
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


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What a match did to a player's rating of its game."""

    player_id: int
    before: Rating
    after: Rating
