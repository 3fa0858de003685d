"""Challenges and their terms."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from bot.domain.clocks import TimeControl
from bot.domain.places import Place
from bot.domain.players import Player
from rules import Ruleset


class First(enum.StrEnum):
    """Who makes the opening."""

    CHALLENGER = "challenger"
    OPPONENT = "opponent"
    RANDOM = "random"


class ChallengeState(enum.StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge; without an opponent, anyone but the challenger may accept it.

    ``match_id`` is set once it is accepted; ``opponent`` is then the person who accepted. ``control`` is None for a
    game without a clock.
    """

    id: int
    place: Place
    challenger: Player
    opponent: Player | None
    ruleset: Ruleset
    first: First
    state: ChallengeState
    created_at: datetime
    expires_at: datetime
    match_id: int | None
    rated: bool = True
    control: TimeControl | None = None
