"""The values of the domain: players, challenges, matches and games."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from rules import Event, Outcome, Phase, Position, Ruleset, Side


@dataclass(frozen=True, slots=True)
class Player:
    """A person, by their Discord user id, with the name they were last seen under."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a challenge was made: a channel (or thread) of a server, by their Discord ids."""

    guild_id: int
    channel_id: int


@dataclass(frozen=True, slots=True)
class Card:
    """A message that shows a challenge or a match, and which version and ply of it."""

    channel_id: int
    message_id: int
    version: int
    ply: int = 0


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
    """An offer to play; without an opponent anyone but the challenger may accept it.

    ``version`` counts the changes that its card shows. ``match_id`` is set once it is accepted; ``opponent`` is then
    the person who accepted.
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
    version: int
    card: Card | None
    match_id: int | None


class Ending(enum.StrEnum):
    """Why a match ended: by the game's own rules, or by a decision of a player."""

    RULES = "rules"
    RESIGNATION = "resignation"


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended; ``winner_id`` is None for a draw."""

    winner_id: int | None
    ending: Ending


@dataclass(frozen=True, slots=True)
class Match:
    """A game between two people, as it is stored.

    ``first`` makes the opening and ``second`` chooses a side. ``channel_id`` is where it is played, None while it
    waits for a place; ``home`` is where it was challenged. ``version`` counts the changes that its card shows.
    """

    id: int
    challenge_id: int
    ruleset: Ruleset
    home: Place
    channel_id: int | None
    first: Player
    second: Player
    ply: int
    version: int
    result: Result | None
    card: Card | None

    @property
    def players(self) -> tuple[Player, Player]:
        return self.first, self.second

    def has_player(self, player_id: int) -> bool:
        return player_id in (self.first.id, self.second.id)

    def opponent_of(self, player_id: int) -> Player:
        return self.second if player_id == self.first.id else self.first


@dataclass(frozen=True, slots=True)
class Game:
    """A match with the position that its turns lead to, and what its last turn did."""

    match: Match
    turns: tuple[str, ...]
    position: Position
    events: tuple[Event, ...]

    @property
    def ply(self) -> int:
        return len(self.turns)

    @property
    def outcome(self) -> Outcome | None:
        return self.position.outcome

    def side_of(self, player_id: int) -> Side | None:
        """The player's side; None before the choice."""
        chosen = self.position.second_player
        if chosen is None:
            return None
        return chosen if player_id == self.match.second.id else chosen.other

    def player_of(self, side: Side) -> Player:
        """Who plays that side; only after the choice."""
        return self.match.second if side is self.position.second_player else self.match.first

    @property
    def to_act(self) -> Player | None:
        """Whose decision is awaited: the opening, the choice of side or a turn. None when the match is over."""
        if self.match.result is not None:
            return None
        match self.position.phase:
            case Phase.OPENING:
                return self.match.first
            case Phase.CHOICE:
                return self.match.second
            case Phase.PLAY:
                return self.player_of(self.position.turn_of)
            case Phase.OVER:
                return None

    @property
    def last_player(self) -> Player | None:
        """Who made the last turn; None before the opening."""
        if self.ply <= 2:
            return (None, self.match.first, self.match.second)[self.ply]
        return self.player_of(self.position.turn_of.other)


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's results over stored games."""

    player: Player
    wins: int
    losses: int
    draws: int

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws
