"""Tournaments: entrants, pairings and states."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from bot.domain.clocks import TimeControl
from bot.domain.matches import Result
from bot.domain.places import Place, PostedMessage
from bot.domain.players import Player
from rules import Ruleset


class TournamentState(enum.StrEnum):
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part in a tournament, and when they withdrew from it while it was running."""

    player: Player
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two who meet in a tournament; without a match until that begins. The result is None until the match is over."""

    round: int
    first_id: int
    second_id: int
    match_id: int | None = None
    result: Result | None = None
    ended_at: datetime | None = None

    def has_player(self, player_id: int) -> bool:
        return player_id in (self.first_id, self.second_id)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A round robin among members of a channel: everybody meets everybody once.

    ``at_once`` is how many games of it a player has at most at the same time. ``entrants`` are in the order of joining
    and, from the beginning on, of the schedule; ``pairings`` are those of the schedule. ``version`` counts the changes
    that its card shows.
    """

    id: int
    place: Place
    name: str
    organiser: Player
    ruleset: Ruleset
    control: TimeControl | None
    at_once: int
    state: TournamentState
    created_at: datetime
    version: int
    card: PostedMessage | None
    entrants: tuple[Entrant, ...] = ()
    pairings: tuple[Pairing, ...] = ()

    @property
    def withdrawn(self) -> frozenset[int]:
        """Who has withdrawn while it was running."""
        return frozenset(entrant.player.id for entrant in self.entrants if entrant.withdrawn_at is not None)

    @property
    def running(self) -> list[Pairing]:
        """The games that have begun and are not over."""
        return [each for each in self.pairings if each.match_id is not None and each.result is None]

    def has_player(self, player_id: int) -> bool:
        return any(entrant.player.id == player_id for entrant in self.entrants)
