"""Challenges: their terms, who may make and answer them, their refusals, and matches that continue a position."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bot.domain.clocks import TimeControl
from bot.domain.matches import AboutMatchError, Game
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.domain.refusals import Channel, DomainError, Role
from rules import Phase, Position, Ruleset, Side, continued, ruleset, ruleset_from
from rules.pages import Example
from rules.text import gettext_noop

#: So many first matches of a game are small and casual, unless the player chooses otherwise.
FIRST_MATCHES = 2


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
    """A challenge. Without an ``opponent``, anyone but the challenger may accept it and become the opponent."""

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
    #: The ladder, for a challenge for the opponent's rung.
    ladder_id: int | None = None

    def check_accept(self, player_id: int, now: datetime) -> None:
        """Raise unless the player may accept the challenge."""
        self._check_open(now)
        if player_id == self.challenger.id:
            raise OwnChallengeError
        if self.opponent is not None and player_id != self.opponent.id:
            raise NotYourChallengeError(player=self.opponent)

    def check_decline(self, player_id: int, now: datetime) -> None:
        """Raise unless the player may decline the challenge."""
        self.check_accept(player_id, now)
        if self.opponent is None:
            raise OpenChallengeError

    def check_withdraw(self, player_id: int, now: datetime) -> None:
        """Raise unless the player may withdraw the challenge."""
        self._check_open(now)
        if player_id != self.challenger.id:
            raise NotYourChallengeError("withdraw", player=self.challenger)

    def _check_open(self, now: datetime) -> None:
        if self.state is not ChallengeState.OPEN:
            raise ChallengeClosedError(self.state)
        if self.expires_at <= now:
            raise ChallengeClosedError(ChallengeState.EXPIRED)


def suggested_terms(game: type[Position], played: int) -> tuple[Ruleset, bool]:
    """The ruleset for a player who has ``played`` so many matches of the game, and whether the match is rated."""
    new = played < FIRST_MATCHES
    return ruleset(game.name, game.sizes[0] if new else None), not new


def check_place(settings: ServerSettings, place: Place) -> None:
    """Raise if the server allows no matches there."""
    if settings.channel_ids and not settings.channel_ids & {place.channel_id, place.parent_id}:
        raise ChannelNotAllowedError(channels=[Channel(channel_id) for channel_id in sorted(settings.channel_ids)])


def check_roles(settings: ServerSettings, role_ids: Collection[int]) -> None:
    """Raise if starting a match here needs a role that the player does not have."""
    if settings.challenger_role_id is not None and settings.challenger_role_id not in role_ids:
        raise RoleNeededError(role=Role(settings.challenger_role_id))


def assign_seats(first: First, challenger: Player, opponent: Player, *, heads: bool) -> tuple[Player, Player]:
    """Return the player who opens and the player who chooses a side; ``heads`` is the toss for a random opener."""
    challenger_first = heads if first is First.RANDOM else first is First.CHALLENGER
    return (challenger, opponent) if challenger_first else (opponent, challenger)


class SelfChallengeError(DomainError):
    template = gettext_noop(
        "You cannot challenge yourself. Choose a friend, or leave the opponent out so that anyone can accept."
    )


class DuplicateChallengeError(DomainError):
    """The same two people already have an open challenge in this channel."""

    template = gettext_noop(
        "{challenger} has already challenged {opponent} in this channel. "
        "That challenge has to be answered or withdrawn first."
    )
    templates: ClassVar = {
        "anyone": gettext_noop(
            "You already have an open challenge to anyone in this channel. Withdraw it first, or wait for an answer."
        )
    }

    def __init__(self, challenge: Challenge) -> None:
        case = "anyone" if challenge.opponent is None else None
        super().__init__(case, challenger=challenge.challenger, opponent=challenge.opponent)
        self.challenge = challenge


class UnknownChallengeError(DomainError):
    template = gettext_noop("This challenge no longer exists. Start a new one with {challenge}.")


class ChallengeClosedError(DomainError):
    """The challenge has been answered or withdrawn, or has expired."""

    templates: ClassVar = {
        ChallengeState.OPEN: gettext_noop("This challenge is no longer open. {challenge} starts a new one."),
        ChallengeState.ACCEPTED: gettext_noop("This challenge was already accepted. {challenge} starts a new one."),
        ChallengeState.DECLINED: gettext_noop("This challenge was declined. {challenge} starts a new one."),
        ChallengeState.WITHDRAWN: gettext_noop("This challenge was withdrawn. {challenge} starts a new one."),
        ChallengeState.EXPIRED: gettext_noop("This challenge has expired. {challenge} starts a new one."),
    }


class NotYourChallengeError(DomainError):
    """Only ``player`` may answer the challenge or, in the case ``withdraw``, withdraw it."""

    template = gettext_noop("This challenge is for {player}. You can make your own with {challenge}.")
    templates: ClassVar = {"withdraw": gettext_noop("Only {player} can withdraw this challenge.")}


class OwnChallengeError(DomainError):
    """Challengers cannot answer their own challenge, only withdraw it."""

    template = gettext_noop("This is your own challenge, so someone else has to answer it. You can withdraw it.")


class OpenChallengeError(DomainError):
    """Nobody can decline a challenge to anyone."""

    template = gettext_noop("This challenge is open to anyone, so there is nothing to decline. Just ignore it.")


class ChannelNotAllowedError(DomainError):
    """The server allows matches only in these ``channels``."""

    template = gettext_noop("This server plays in other channels: {channels}. Please try there.")


class RoleNeededError(DomainError):
    """On this server, only members with the ``role`` can challenge."""

    template = gettext_noop(
        "On this server, you need the role {role} to challenge others and to open tournaments. You can still accept "
        "challenges and join tournaments."
    )


class BlockedError(DomainError):
    """``player`` has blocked the person who asks or, in the cases ``own`` and ``stranger``, is blocked by them."""

    template = gettext_noop("{player} does not want to play with you. Others do!")
    templates: ClassVar = {
        "own": gettext_noop("You have blocked {player}. You can change that in {settings} → Privacy."),
        "stranger": gettext_noop("You have blocked {player}, so you two do not play again."),
    }


def from_match(game: Game, ply: int) -> Ruleset:
    """The ruleset of a match that continues a finished one after ``ply`` turns.

    Raises :class:`ContinuesRunningMatchError` and :class:`NothingToContinueError`. Replays the turns: call it in a
    thread.
    """
    if game.match.result is None:
        raise ContinuesRunningMatchError(game.match)
    return from_turns(game.match.ruleset, game.turns[:ply])


def from_turns(ruleset: Ruleset, turns: tuple[str, ...]) -> Ruleset:
    """The ruleset of a match that begins after these turns.

    Raises :class:`NothingToContinueError` if the turns end the game.
    """
    if ruleset.replay(turns).phase is Phase.OVER:
        raise NothingToContinueError
    return continued(ruleset, turns)


def from_example(example: Example) -> Ruleset:
    """The ruleset of a match that begins with an example of a page. Raises :class:`NothingToContinueError`."""
    position = example.position()
    if not can_continue(position):
        raise NothingToContinueError
    turns = dict(example.claims[:1]).get("turns")
    return ruleset_from(position) if turns is None else continued(example.ruleset, tuple(turns.split()))


def example_among(content: Iterable[object]) -> Example | None:
    """The first example in a section from which a match can begin; None without one."""
    examples = (piece for piece in content if isinstance(piece, Example))
    return next((example for example in examples if can_continue(example.position())), None)


def can_continue(position: Position) -> bool:
    """Whether a match can begin with a position, even on a smaller board than usual."""
    match position.phase:
        case Phase.OVER:
            return False
        case Phase.PLAY:
            return position.can_stand()
    return position.ruleset.size in position.ruleset.game.sizes


def seat_for(side: Side, start: Position) -> First:
    """Who opens if the challenger is to play ``side`` from a position.

    Before the choice of sides, the first side stands for the player who opens.
    """
    second = Side.SECOND if start.second_player is None else start.second_player
    return First.OPPONENT if side is second else First.CHALLENGER


class ContinuesRunningMatchError(AboutMatchError):
    template = gettext_noop("Match #{match} is still running. You can continue from its positions when it is over.")


class NothingToContinueError(DomainError):
    template = gettext_noop("There is nothing left to play in this position. Choose an earlier one.")
