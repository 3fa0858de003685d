"""Tournaments: entrants, pairings and states, what follows from them, and refusals about them."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bot.domain import round_robin
from bot.domain.clocks import TimeControl
from bot.domain.matches import AboutMatchError, Ending, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from rules import Ruleset
from rules.text import gettext_noop

MIN_ENTRANTS, MAX_ENTRANTS = 3, 16
#: The most games that a player may have at the same time.
MAX_AT_ONCE = 4


class TournamentState(enum.StrEnum):
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


#: The states in which a tournament can still change.
ONGOING = (TournamentState.OPEN, TournamentState.RUNNING)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player in a tournament; ``withdrawn_at`` is the time of a withdrawal after the start."""

    player: Player
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players who meet in a tournament, with the match once it has started and the result once it is over."""

    round: int
    first_id: int
    second_id: int
    match_id: int | None = None
    result: Result | None = None
    ended_at: datetime | None = None

    @property
    def player_ids(self) -> tuple[int, int]:
        return self.first_id, self.second_id

    def has_player(self, player_id: int) -> bool:
        return player_id in self.player_ids


@dataclass(frozen=True, slots=True)
class Tournament:
    """A round robin among members of a channel: every player meets every other once.

    A player has at most ``at_once`` games at the same time. ``entrants`` are in the order of joining and, once the
    tournament has started, of the schedule; ``pairings`` are the schedule.
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
    entrants: tuple[Entrant, ...] = ()
    pairings: tuple[Pairing, ...] = ()

    @property
    def ongoing(self) -> bool:
        return self.state in ONGOING

    @property
    def withdrawn(self) -> frozenset[int]:
        """The ids of the players who left after the start."""
        return frozenset(entrant.player.id for entrant in self.entrants if entrant.withdrawn_at is not None)

    @property
    def active(self) -> list[Player]:
        """The players who have not left."""
        return [entrant.player for entrant in self.entrants if entrant.withdrawn_at is None]

    def has_player(self, player_id: int) -> bool:
        return any(entrant.player.id == player_id for entrant in self.entrants)

    def has_active(self, player_id: int) -> bool:
        return any(player.id == player_id for player in self.active)

    def player(self, player_id: int) -> Player:
        return next(entrant.player for entrant in self.entrants if entrant.player.id == player_id)

    def successor(self, player_id: int) -> Player | None:
        """Return the player who organises the tournament when this one is gone; None if there is nobody else."""
        return next((player for player in self.active if player.id != player_id), None)

    @property
    def running(self) -> list[Pairing]:
        """The games that have started and are not over."""
        return [each for each in self.pairings if each.match_id is not None and each.result is None]

    def running_of(self, *player_ids: int) -> list[Pairing]:
        """The running games in which all these players meet."""
        return [each for each in self.running if all(map(each.has_player, player_ids))]

    @property
    def waiting(self) -> list[Pairing]:
        """The games that have not started yet, in the order of the schedule."""
        gone = self.withdrawn
        return [each for each in self.pairings if each.match_id is None and gone.isdisjoint(each.player_ids)]

    @property
    def startable(self) -> list[Pairing]:
        """The games that can start now, in the order of the schedule."""
        waiting = {each.player_ids: each for each in self.waiting}
        busy = Counter(player_id for each in self.running for player_id in each.player_ids)
        return [waiting[pair] for pair in round_robin.startable(list(waiting), busy, self.at_once)]

    @property
    def finished(self) -> bool:
        """Whether a tournament that has started has no game left."""
        return not self.running and not self.waiting

    def last_loss_on_time(self, player_id: int) -> datetime | None:
        """When a player last lost a game on time; None if they never did."""
        return max(
            (
                each.ended_at
                for each in self.pairings
                if each.has_player(player_id)
                and each.ended_at is not None
                and each.result is not None
                and each.result.ending is Ending.TIME
                and each.result.winner_id != player_id
            ),
            default=None,
        )


def pairings_of(player_ids: Sequence[int]) -> list[Pairing]:
    """The schedule of a round robin of these players."""
    return [
        Pairing(number, player_ids[first], player_ids[second])
        for number, pairs in enumerate(round_robin.schedule(len(player_ids)), 1)
        for first, second in pairs
    ]


class UnknownTournamentError(DomainError):
    """The player can see no tournament with that number here, or no open or running tournament."""

    template = gettext_noop("There is no such tournament here. {create} opens a new one.")


class TournamentStateError(DomainError):
    """The tournament's ``state`` does not allow this."""

    _templates: ClassVar = {
        TournamentState.OPEN: gettext_noop("This tournament has not started yet."),
        TournamentState.RUNNING: gettext_noop("This tournament has already started."),
        TournamentState.OVER: gettext_noop("This tournament is over."),
        TournamentState.CANCELLED: gettext_noop("This tournament was called off."),
    }

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(self._templates[tournament.state])


class TournamentFullError(DomainError):
    template = gettext_noop("This tournament is full. Open another one with {create}.")


class TooFewEntrantsError(DomainError):
    template = gettext_noop("A tournament needs at least three players. Ask someone to join.")


class AlreadyEntrantError(DomainError):
    template = gettext_noop("You have already joined. The tournament starts when its organiser starts it.")


class NoEntrantError(DomainError):
    """The player does not take part, or has withdrawn; ``own`` says whether they asked for themselves."""

    template = gettext_noop("You are not in this tournament.")
    _other = gettext_noop("That player is not in this tournament, or has left it.")

    def __init__(self, *, own: bool = True) -> None:
        super().__init__(None if own else self._other)


class OwnOpponentError(AboutMatchError):
    """Players cannot remove an opponent whom they are playing from a tournament."""

    template = gettext_noop(
        "You are playing match #{match} against them yourself, so you cannot remove them. Finish the match first, or "
        "ask a moderator who is not in the tournament."
    )


class NotAbsentError(DomainError):
    template = gettext_noop(
        "{player} is not absent. You can remove players whose time has run out, even if they have days off left, or "
        "who have kept a match without a clock waiting for three days. Otherwise ask a moderator who is not in the "
        "tournament."
    )

    def __init__(self, player: Player) -> None:
        super().__init__(player=player)


class OwnTournamentError(DomainError):
    """A moderator who takes part decides neither about the tournament nor about its matches."""

    template = gettext_noop(
        "You are in this tournament, so you cannot decide about it as a moderator. Ask a moderator who is not."
    )


class BlockedEntrantError(DomainError):
    """An entrant has blocked the player, or the other way round."""

    template = gettext_noop(
        "You and someone in this tournament do not play each other, so you cannot join it. {create} opens another one."
    )


class NotOrganiserError(DomainError):
    template = gettext_noop("Only {player}, who opened this tournament, can do that.")

    def __init__(self, organiser: Player) -> None:
        super().__init__(player=organiser)
