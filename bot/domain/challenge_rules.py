"""Who may make, answer and withdraw a challenge, and how it becomes a match."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from bot.domain.challenges import (
    Challenge,
    ChallengeClosedError,
    ChallengeState,
    ChannelNotAllowedError,
    First,
    NotYourChallengeError,
    OpenChallengeError,
    OwnChallengeError,
    RoleNeededError,
)
from bot.domain.places import Place
from bot.domain.players import Player
from bot.domain.preferences import ServerSettings


def check_place(settings: ServerSettings, place: Place, parent_id: int | None = None) -> None:
    """Raise if the server allows no matches there; ``parent_id`` is the channel of a thread."""
    if settings.channel_ids and not settings.channel_ids & {place.channel_id, parent_id}:
        raise ChannelNotAllowedError(settings)


def check_challenger(settings: ServerSettings, role_ids: Collection[int]) -> None:
    """Raise if the server lets only members with another role start matches."""
    if settings.challenger_role_id is not None and settings.challenger_role_id not in role_ids:
        raise RoleNeededError(settings.challenger_role_id)


def check_acceptance(challenge: Challenge, player_id: int, now: datetime) -> None:
    """Raise when the player cannot accept the challenge."""
    _check_open(challenge, now)
    if player_id == challenge.challenger.id:
        raise OwnChallengeError
    if challenge.opponent is not None and player_id != challenge.opponent.id:
        raise NotYourChallengeError(challenge, challenge.opponent)


def check_refusal(challenge: Challenge, player_id: int, now: datetime) -> None:
    """Raise when the player cannot decline the challenge."""
    _check_open(challenge, now)
    if player_id == challenge.challenger.id:
        raise OwnChallengeError
    if challenge.opponent is None:
        raise OpenChallengeError
    if player_id != challenge.opponent.id:
        raise NotYourChallengeError(challenge, challenge.opponent)


def check_withdrawal(challenge: Challenge, player_id: int, now: datetime) -> None:
    """Raise when the player cannot withdraw the challenge."""
    _check_open(challenge, now)
    if player_id != challenge.challenger.id:
        raise NotYourChallengeError(challenge, challenge.challenger)


def seats(challenge: Challenge, accepter: Player, *, heads: bool) -> tuple[Player, Player]:
    """Who makes the opening and who chooses a side; ``heads`` decides where the challenge leaves it to chance."""
    both = challenge.challenger, accepter
    challenger_first = heads if challenge.first is First.RANDOM else challenge.first is First.CHALLENGER
    return both if challenger_first else both[::-1]


def _check_open(challenge: Challenge, now: datetime) -> None:
    if challenge.state is not ChallengeState.OPEN:
        raise ChallengeClosedError(challenge.state)
    if challenge.expires_at <= now:
        raise ChallengeClosedError(ChallengeState.EXPIRED)
