"""How often people may do what calls others, or what everybody in a channel sees."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Limit:
    """So many times within a span of time."""

    most: int
    span: timedelta


@dataclass(frozen=True, slots=True)
class Wait:
    """Somebody has done something as often as they may until then, at all or towards one person."""

    until: datetime
    to_one: bool = False


_HOUR = timedelta(hours=1)
CHALLENGE_LIMIT = Limit(20, _HOUR)
TOURNAMENT_LIMIT = Limit(3, _HOUR)
#: What the opponent agreed to is welcome, and counts for nothing.
PROPOSAL_LIMIT = Limit(20, _HOUR)
#: Challenges to one person, and proposals to one, that they have not accepted.
IN_VAIN_LIMIT = Limit(5, timedelta(minutes=20))
#: Boards that are shown again, and what is shared of matches.
POST_LIMIT = Limit(6, timedelta(minutes=10))
