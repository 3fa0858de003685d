"""Tournaments: entrants, pairings and states, who may do what, and refusals."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import ClassVar

from bot.domain.clocks import TimeControl
from bot.domain.competitions import round_robin
from bot.domain.competitions.cups import WEEK, Cup, groups_of
from bot.domain.matches import AboutMatchError, Ending, Game, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from rules import Ruleset
from rules.text import gettext_noop

MIN_ENTRANTS, MAX_ENTRANTS = 3, 16
#: Maximum games of a player at the same time.
MAX_AT_ONCE = 4
#: A player who keeps a game without a clock waiting for so long counts as absent.
ABSENCE = timedelta(days=3)


class TournamentState(enum.StrEnum):
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


#: The states in which a tournament can still change.
ONGOING = (TournamentState.OPEN, TournamentState.RUNNING)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player in a tournament; ``withdrawn_at`` is set when they withdraw after the start."""

    player: Player
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players who meet in a tournament, with the match once it has started and the result once it is over.

    The winner of ``group`` 0 wins the tournament. If a cup has several groups before it, they are numbered from 1.
    """

    round: int
    first_id: int
    second_id: int
    match_id: int | None = None
    result: Result | None = None
    ended_at: datetime | None = None
    group: int = 0

    @property
    def player_ids(self) -> tuple[int, int]:
        return self.first_id, self.second_id

    def has_player(self, player_id: int) -> bool:
        return player_id in self.player_ids


@dataclass(frozen=True, slots=True)
class Tournament:
    """A round robin or a cup in a channel.

    Every player of a group meets every other once, with at most ``at_once`` games at the same time. A round robin is
    one group. A ``cup`` has one group, or several groups followed by a group of their winners. ``entrants`` are in the
    order of joining; once the tournament has started, they are in the order of the schedule or, in a cup, of strength.
    ``pairings`` are the schedule. ``open_next`` is the id of the next edition while players can join it.
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
    cup: Cup | None = None
    edition: int = 1
    previous_id: int | None = None
    open_next: int | None = None

    @property
    def most(self) -> int:
        """Maximum number of entrants."""
        return MAX_ENTRANTS if self.cup is None else self.cup.most

    @property
    def starts_at(self) -> datetime:
        """When a cup starts at the latest, or is called off for lack of entrants."""
        return self.created_at + WEEK

    @property
    def filled(self) -> bool:
        """Whether a cup has as many entrants as it needs to start."""
        return self.cup is not None and len(self.entrants) == self.cup.starts_with

    @property
    def ongoing(self) -> bool:
        return self.state in ONGOING

    @property
    def withdrawals(self) -> frozenset[int]:
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
        """The player who takes over from an organiser; None if nobody is left."""
        return next((player for player in self.active if player.id != player_id), None)

    @property
    def running(self) -> list[Pairing]:
        """The games that have started and are not over."""
        return [pairing for pairing in self.pairings if pairing.match_id is not None and pairing.result is None]

    def running_of(self, *player_ids: int) -> list[Pairing]:
        """The running games in which all these players meet."""
        return [pairing for pairing in self.running if all(map(pairing.has_player, player_ids))]

    @property
    def upcoming(self) -> list[Pairing]:
        """The games that have not started yet, in the order of the schedule."""
        gone = self.withdrawals
        return [pairing for pairing in self.pairings if not pairing.match_id and gone.isdisjoint(pairing.player_ids)]

    @property
    def startable(self) -> list[Pairing]:
        """The games that can start now, in the order of the schedule."""
        waiting = {pairing.player_ids: pairing for pairing in self.upcoming}
        busy = Counter(player_id for pairing in self.running for player_id in pairing.player_ids)
        return [waiting[pair] for pair in round_robin.startable(list(waiting), busy, self.at_once)]

    @property
    def finished(self) -> bool:
        """Whether a tournament that has started has no game left."""
        return not self.running and not self.upcoming

    def lost_on_time(self, player_id: int, last_turn_at: datetime | None) -> bool:
        """Whether a player has lost a game on time and has made no turn in the tournament since."""
        return any(
            pairing.has_player(player_id)
            and pairing.result is not None
            and pairing.result.ending is Ending.TIME
            and pairing.result.winner_id != player_id
            and pairing.ended_at is not None
            and (last_turn_at is None or last_turn_at < pairing.ended_at)
            for pairing in self.pairings
        )

    # Permissions: each raises the error with the reason.

    def check_state(self, *states: TournamentState) -> None:
        if self.state not in states:
            raise TournamentStateError(self.state)

    def check_organiser(self, player_id: int, *, moderator: bool, judging: bool = False) -> None:
        """Allow the organiser and moderators; moderators who are ``judging`` must not take part."""
        if player_id == self.organiser.id:
            return
        if not moderator:
            raise NotOrganiserError(player=self.organiser)
        if judging and self.has_player(player_id):
            raise OwnTournamentError

    def check_join(self, player_id: int) -> None:
        if self.state is TournamentState.RUNNING and self.open_next is not None:
            raise TournamentStateError("next")
        self.check_state(TournamentState.OPEN)
        if self.has_player(player_id):
            raise AlreadyEntrantError(None if self.cup is None else "cup")

    def check_room(self) -> None:
        if len(self.entrants) >= self.most:
            raise TournamentFullError

    def check_leave(self, player_id: int, *, own: bool = True) -> None:
        """Allow a player to leave an open or running tournament, by their ``own`` wish or another person's."""
        self.check_state(*ONGOING)
        if not self.has_active(player_id):
            raise NoEntrantError(None if own else "other")

    def check_start(self, player_id: int, *, moderator: bool) -> None:
        self.check_state(TournamentState.OPEN)
        self.check_organiser(player_id, moderator=moderator)
        if len(self.entrants) < MIN_ENTRANTS:
            raise TooFewEntrantsError

    def check_calling_off(self, player_id: int, *, moderator: bool) -> None:
        self.check_organiser(player_id, moderator=moderator, judging=True)
        self.check_state(*ONGOING)

    def check_removal(self, player_id: int, by_id: int, *, moderator: bool) -> None:
        """Allow the organiser and moderators to remove a player; after the start, these moderators must not take part.

        :meth:`needs_absence` says whether the player has to be absent.
        """
        self.check_leave(player_id, own=False)
        self.check_organiser(by_id, moderator=moderator, judging=self.state is TournamentState.RUNNING)

    def needs_absence(self, by_id: int, *, moderator: bool) -> bool:
        """Whether a person may remove only absent players, and none of their own opponents."""
        neutral = moderator and not self.has_player(by_id)
        return self.state is TournamentState.RUNNING and not neutral


def pairings_of(player_ids: Sequence[int], group: int = 0, rounds: int = 0) -> list[Pairing]:
    """The schedule of a round robin of these players, after ``rounds`` earlier rounds."""
    return [
        Pairing(number, player_ids[first], player_ids[second], group=group)
        for number, pairs in enumerate(round_robin.schedule(len(player_ids)), rounds + 1)
        for first, second in pairs
    ]


def cup_pairings(player_ids: Sequence[int], chance: Random) -> list[Pairing]:
    """The schedule of a cup's groups, for players in order of strength. Lots decide who opens."""
    groups = groups_of(player_ids)
    numbered = enumerate(groups, 1) if len(groups) > 1 else [(0, player_ids)]
    return [pairing for number, group in numbered for pairing in pairings_of(chance.sample(group, len(group)), number)]


def is_absent(game: Game, player_id: int, now: datetime, days_off: int) -> bool:
    """Whether a player has kept a game waiting too long: for days without a clock, or until their time was up.

    ``days_off`` since the last turn save the game, but the player still counts as absent.
    """
    match = game.match
    if match.waiting or not match.shown or game.to_act is None or game.to_act.id != player_id:
        return False
    if match.clock is None:
        return now - match.moved_at >= ABSENCE
    if match.clock.fallen(now):
        return True
    since = match.clock.since
    # A day off restarts the clock.
    return since is not None and since > match.moved_at and days_off > 0


class UnknownTournamentError(DomainError):
    """The player can see no such tournament here."""

    template = gettext_noop("There is no such tournament here. {tournament} opens a new one.")


class TournamentStateError(DomainError):
    """The state of the tournament does not allow this; in the case ``next``, the next edition is open."""

    templates: ClassVar = {
        TournamentState.OPEN: gettext_noop("This tournament has not started yet."),
        TournamentState.RUNNING: gettext_noop("This tournament has already started."),
        TournamentState.OVER: gettext_noop("This tournament is over."),
        TournamentState.CANCELLED: gettext_noop("This tournament was called off."),
        "next": gettext_noop(
            "This edition has already begun. You can still join the next one: its card is in the same channel."
        ),
    }


class TournamentFullError(DomainError):
    template = gettext_noop("This tournament is full. Open another one with {tournament}.")


class CupClockError(DomainError):
    template = gettext_noop("In a cup, every match must end, so it needs a clock, such as “3 days + 1 day”.")


class TooFewEntrantsError(DomainError):
    template = gettext_noop("A tournament needs at least three players. Ask someone to join.")


class AlreadyEntrantError(DomainError):
    """The player has joined the tournament, which may be a ``cup``."""

    template = gettext_noop("You have already joined. The tournament starts when its organiser starts it.")
    templates: ClassVar = {
        "cup": gettext_noop("You have already joined. There is nothing left to do: the cup starts on its own.")
    }


class NoEntrantError(DomainError):
    """The player, or the ``other`` player in question, does not take part or has withdrawn."""

    template = gettext_noop("You are not in this tournament.")
    templates: ClassVar = {"other": gettext_noop("That player is not in this tournament, or has left it.")}


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


class OwnTournamentError(DomainError):
    """Moderators who take part cannot decide about the tournament or its matches."""

    template = gettext_noop(
        "You are in this tournament, so you cannot decide about it as a moderator. Ask a moderator who is not."
    )


class BlockedEntrantError(DomainError):
    """An entrant has blocked the player or is blocked by them."""

    template = gettext_noop(
        "You and someone in this tournament do not play each other, so you cannot join it. Open another one with "
        "{tournament}."
    )


class NotOrganiserError(DomainError):
    template = gettext_noop("Only {player}, who opened this tournament, can do that.")
