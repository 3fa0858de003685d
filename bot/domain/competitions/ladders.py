"""Ladders: their rungs, who may challenge whom, pauses and absences, and refusals."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bot.domain.challenges import ChallengeState
from bot.domain.clocks import DAY, TimeControl
from bot.domain.matches import Match, Result
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.refusals import DomainError
from rules import Position
from rules.text import gettext_noop

#: How many rungs up a player can challenge, not counting players who pause.
REACH = 3
#: The time to answer a challenge. Players who withdraw one must wait until it would have expired.
ANSWER = 3 * DAY
#: The time between an unsuccessful challenge and the next one to the same player.
AGAIN = 7 * DAY
#: After an absence or a pause of this length, a player is out.
AWAY, LONGEST_PAUSE = 30 * DAY, 30 * DAY
#: How long players must wait for their next pause: after a pause, and after joining or winning a rung.
BETWEEN_PAUSES, UNPAUSED = 30 * DAY, 7 * DAY
#: The duration after which an unfinished match no longer matters to the ladder.
LONGEST_MATCH = 90 * DAY
#: The clock of ladder matches. Running out of time loses without a claim.
CONTROL = TimeControl.banks_of(7 * DAY, DAY / 2, hard=True)


class Loss(enum.StrEnum):
    """Why a player lost their rung without playing for it."""

    SILENCE = "silence"
    """A challenge expired without an answer."""
    BLOCK = "block"
    """A player whom they have blocked challenged them; a block counts as declining."""
    AWAY = "away"
    PAUSE = "pause"
    """The pause was too long."""


@dataclass(frozen=True, slots=True)
class LostRung:
    """A lost rung whose player does not know it yet. Without a ``winner``, the player is off the ladder."""

    id: int
    player: Player
    number: int
    loss: Loss
    winner: Player | None


@dataclass(frozen=True, slots=True)
class Rung:
    """A rung of a ladder with its player; number 1 is the top.

    ``active_at`` is the time of the player's last challenge, answer or match. ``paused_at`` is the beginning of a
    pause, and ``may_pause_at`` is the earliest time for the next one.
    """

    number: int
    player: Player
    active_at: datetime
    paused_at: datetime | None
    may_pause_at: datetime

    @property
    def paused_until(self) -> datetime | None:
        return None if self.paused_at is None else self.paused_at + LONGEST_PAUSE

    @property
    def out_at(self) -> datetime:
        """When the player is out, if they stay idle without a contest."""
        return self.paused_until or self.active_at + AWAY


@dataclass(frozen=True, slots=True)
class Contest:
    """An open challenge on a ladder, or its running match."""

    challenger_id: int
    opponent_id: int
    match_id: int | None

    @property
    def player_ids(self) -> tuple[int, int]:
        return self.challenger_id, self.opponent_id


@dataclass(frozen=True, slots=True)
class PastChallenge:
    """A player's earlier challenge on a ladder, with the ``result`` and end of its match."""

    challenger_id: int
    opponent_id: int
    state: ChallengeState
    created_at: datetime
    result: Result | None
    ended_at: datetime | None

    @property
    def withdrawn(self) -> bool:
        return self.state is ChallengeState.WITHDRAWN

    @property
    def again_at(self) -> datetime | None:
        """When the challenger may challenge the same player again; None for now."""
        if self.withdrawn:
            return self.created_at + AGAIN
        result = self.result
        if result is None or self.ended_at is None or not result.counts or result.winner_id == self.challenger_id:
            return None
        return self.ended_at + AGAIN


@dataclass(frozen=True, slots=True)
class Ladder:
    """The ladder of a game on a server, with its rungs from the top and its contests."""

    id: int
    place: Place
    game: type[Position]
    rungs: tuple[Rung, ...] = ()
    contests: tuple[Contest, ...] = ()

    def rung(self, player_id: int) -> Rung | None:
        return next((rung for rung in self.rungs if rung.player.id == player_id), None)

    def contest(self, player_id: int) -> Contest | None:
        """The contest of a player, who has at most one."""
        return next((contest for contest in self.contests if player_id in contest.player_ids), None)

    def above(self, player_id: int) -> list[Rung]:
        """The rungs within a player's reach, the nearest first."""
        own = self._own(player_id)
        return [rung for rung in reversed(self.rungs[: own.number - 1]) if rung.paused_at is None][:REACH]

    def overdue(self, now: datetime) -> list[tuple[Rung, Loss]]:
        """The rungs whose players are out, each with the reason."""
        return [
            (rung, Loss.AWAY if rung.paused_at is None else Loss.PAUSE) for rung in self._idle() if rung.out_at <= now
        ]

    @property
    def next_out_at(self) -> datetime | None:
        """When the next player will be out; None if no player can be."""
        return min((rung.out_at for rung in self._idle()), default=None)

    def _idle(self) -> list[Rung]:
        """The rungs of players without a contest; a contest has its own deadlines."""
        return [rung for rung in self.rungs if self.contest(rung.player.id) is None]

    def _own(self, player_id: int) -> Rung:
        rung = self.rung(player_id)
        if rung is None:
            raise NotOnLadderError
        return rung

    # Permissions: each raises the error with the reason.

    def check_join(self, player_id: int) -> None:
        own = self.rung(player_id)
        if own is not None:
            raise AlreadyOnLadderError(number=own.number)

    def check_challenger(self, player_id: int, attempts: Iterable[PastChallenge], now: datetime) -> None:
        """Raise unless the player may challenge anybody, given their earlier attempts."""
        if self._own(player_id).paused_at is not None:
            raise PausingError
        self._check_free(player_id)
        for attempt in attempts:
            if attempt.withdrawn and attempt.created_at + ANSWER > now:
                raise ChallengedLatelyError("withdrawn", when=attempt.created_at + ANSWER)

    def check_challenged(self, player_id: int, rung: Rung, attempts: Iterable[PastChallenge], now: datetime) -> None:
        """Raise unless the player may challenge the player on that rung. Call :meth:`check_challenger` first."""
        if rung not in self.above(player_id):
            raise OutOfReachError
        other = rung.player
        if self.contest(other.id) is not None:
            raise LadderBusyError("other", player=other)
        times = [attempt.again_at for attempt in attempts if attempt.opponent_id == other.id]
        again_at = max(filter(None, times), default=now)
        if again_at > now:
            raise ChallengedLatelyError(player=other, when=again_at)

    def check_pause(self, player_id: int, now: datetime) -> None:
        own = self._own(player_id)
        if own.paused_at is not None:
            raise PausingError
        self._check_free(player_id)
        if own.may_pause_at > now:
            raise NoPauseYetError(when=own.may_pause_at)

    def check_return(self, player_id: int) -> None:
        if self._own(player_id).paused_at is None:
            raise NotPausingError

    def check_leave(self, player_id: int) -> None:
        self._own(player_id)
        self._check_free(player_id)

    def _check_free(self, player_id: int) -> None:
        if self.contest(player_id) is not None:
            raise LadderBusyError


def wins_rung(match: Match) -> bool:
    """Whether the challenger wins the opponent's rung by a ladder match that has ended."""
    assert match.ladder is not None
    assert match.ended_at is not None
    won = match.result is not None and match.result.winner_id == match.ladder.challenger_id
    return won and match.ended_at < match.started_at + LONGEST_MATCH


class UnknownLadderError(DomainError):
    template = gettext_noop("This ladder is in a channel that you cannot see. Ask a moderator to move it.")


class AlreadyOnLadderError(DomainError):
    template = gettext_noop("You are already on this ladder, in place {number}.")


class NotOnLadderError(DomainError):
    """The player, or the ``other`` player in question, is not on the ladder."""

    template = gettext_noop("You are not on this ladder. Join it first: that takes one press.")
    templates: ClassVar = {"other": gettext_noop("That player is no longer on this ladder. Choose another one.")}


class OutOfReachError(DomainError):
    template = gettext_noop(
        "You can challenge the next three players above you; players who pause do not count. Places have changed: "
        "{ladder} shows them."
    )


class LadderBusyError(DomainError):
    """The player, or the ``other`` player, has a challenge or a match on the ladder."""

    template = gettext_noop("You have an open challenge or a running match on this ladder. Finish that first.")
    templates: ClassVar = {
        "other": gettext_noop(
            "{player} has an open challenge or a running match on this ladder. Challenge them when that is over."
        )
    }


class PausingError(DomainError):
    template = gettext_noop("You are pausing on this ladder. Come back first: {ladder} has a button for it.")


class NotPausingError(DomainError):
    template = gettext_noop("You are not pausing on this ladder.")


class NoPauseYetError(DomainError):
    template = gettext_noop(
        "You can pause {when}. Wait a week after you join or take a place, and thirty days after a pause."
    )


class ChallengedLatelyError(DomainError):
    """The player has recently challenged that player without success, or has ``withdrawn`` a challenge."""

    template = gettext_noop(
        "Your last challenge to {player} did not win you the place. You can challenge them again {when}, and "
        "other players before that."
    )
    templates: ClassVar = {
        "withdrawn": gettext_noop("You have withdrawn a challenge on this ladder. You can make the next one {when}.")
    }


class OwnLadderError(DomainError):
    """Moderators who are on a ladder do not decide about its matches."""

    template = gettext_noop(
        "You are on this ladder, so you cannot decide about its matches as a moderator. Ask a moderator who is not."
    )
