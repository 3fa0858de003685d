"""Challenges, their terms, and refusals about them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bot.domain.clocks import TimeControl
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings
from bot.domain.refusals import Channel, DomainError, Role
from rules import Ruleset
from rules.text import gettext_noop


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

    Acceptance sets ``match_id`` and makes ``opponent`` the person who accepted. Without a clock, ``control`` is None.
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


class SelfChallengeError(DomainError):
    template = gettext_noop(
        "You cannot challenge yourself. Choose a friend, or leave the opponent out so that anyone can accept."
    )


class DuplicateChallengeError(DomainError):
    """The same two people have an open challenge in the same channel."""

    template = gettext_noop(
        "{challenger} has already challenged {opponent} in this channel. "
        "That challenge has to be answered or withdrawn first."
    )
    _to_anyone = gettext_noop(
        "You already have an open challenge to anyone in this channel. Withdraw it first, or wait for an answer."
    )

    def __init__(self, challenge: Challenge) -> None:
        if challenge.opponent is None:
            super().__init__(self._to_anyone)
        else:
            super().__init__(challenger=challenge.challenger, opponent=challenge.opponent)
        self.challenge = challenge


class UnknownChallengeError(DomainError):
    template = gettext_noop("This challenge no longer exists. Start a new one with {challenge}.")


class ChallengeClosedError(DomainError):
    """The challenge was answered, withdrawn or has expired."""

    _templates: ClassVar = {
        ChallengeState.OPEN: gettext_noop("This challenge is no longer open. {challenge} starts a new one."),
        ChallengeState.ACCEPTED: gettext_noop("This challenge was already accepted. {challenge} starts a new one."),
        ChallengeState.DECLINED: gettext_noop("This challenge was declined. {challenge} starts a new one."),
        ChallengeState.WITHDRAWN: gettext_noop("This challenge was withdrawn. {challenge} starts a new one."),
        ChallengeState.EXPIRED: gettext_noop("This challenge has expired. {challenge} starts a new one."),
    }

    def __init__(self, state: ChallengeState) -> None:
        super().__init__(self._templates[state])


class NotYourChallengeError(DomainError):
    """Only ``allowed`` may answer or withdraw this challenge."""

    template = gettext_noop("This challenge is for {player}. You can make your own with {challenge}.")
    _withdrawing = gettext_noop("Only {player} can withdraw this challenge.")

    def __init__(self, challenge: Challenge, allowed: Player) -> None:
        super().__init__(self._withdrawing if allowed.id == challenge.challenger.id else None, player=allowed)


class OwnChallengeError(DomainError):
    """Challengers cannot answer their own challenge, only withdraw it."""

    template = gettext_noop("This is your own challenge, so someone else has to answer it. You can withdraw it.")


class OpenChallengeError(DomainError):
    """A challenge to anyone cannot be declined, only left alone."""

    template = gettext_noop("This challenge is open to anyone, so there is nothing to decline. Just leave it alone.")


class ChannelNotAllowedError(DomainError):
    """The server allows matches only in the channels of its ``settings``."""

    template = gettext_noop("This server plays in other channels: {channels}. Please try there.")

    def __init__(self, settings: ServerSettings) -> None:
        super().__init__(channels=[Channel(each) for each in sorted(settings.channel_ids)])


class RoleNeededError(DomainError):
    """On this server, challenging takes a role."""

    template = gettext_noop(
        "On this server, you need the role {role} to challenge others and to open tournaments. You can still accept "
        "challenges and join tournaments."
    )

    def __init__(self, role_id: int) -> None:
        super().__init__(role=Role(role_id))


class BlockedError(DomainError):
    """One player has blocked the other, ``other``; ``own`` says whether the asking player did."""

    template = gettext_noop("{player} does not want to play with you. There are others who do!")
    _own = gettext_noop("You have blocked {player}. You can change that in {settings} → Privacy.")

    def __init__(self, other: Player, *, own: bool) -> None:
        super().__init__(self._own if own else None, player=other)
