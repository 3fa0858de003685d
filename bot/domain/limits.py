"""Limits on actions that ping people, or that everybody in a channel sees."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from bot.domain.players import Player
from bot.domain.refusals import DomainError
from rules.text import gettext_noop


class LimitedAction(enum.StrEnum):
    """An action that is blocked for an hour after an account has deleted its data.

    Nudges need no such block: in a new match, the first nudge is possible only after a longer time.
    """

    CHALLENGES = "challenges"
    COMPUTER_GAMES = "computer-games"
    TOURNAMENTS = "tournaments"
    ENTRIES = "entries"
    PROPOSALS = "proposals"
    POSTS = "posts"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of ``most`` times within a ``span`` of time."""

    most: int
    span: timedelta

    def again_at(self, times: Iterable[datetime], now: datetime) -> datetime | None:
        """When the next action is allowed; None for now. Future times, from a wrong clock, do not count."""
        counted = sorted(at for at in times if now - self.span < at <= now)
        return None if len(counted) < self.most else counted[-self.most] + self.span

    def check(self, times: Iterable[datetime], now: datetime, refusal: Callable[[datetime], DomainError]) -> None:
        """Raise a refusal with the time of the next allowed action, unless an action is allowed now."""
        again_at = self.again_at(times, now)
        if again_at is not None:
            raise refusal(again_at)


_HOUR = timedelta(hours=1)
#: How long all limits stay full for an account that has deleted its data.
AFTER_DELETION = Limit(1, _HOUR)
CHALLENGE_LIMIT = Limit(20, _HOUR)
#: Games against the computer that a person starts.
COMPUTER_LIMIT = Limit(20, _HOUR)
TOURNAMENT_LIMIT = Limit(3, _HOUR)
#: Tournaments opened in the last hour that a person has joined.
ENTRY_LIMIT = Limit(10, _HOUR)
#: Proposals; accepted ones do not count.
PROPOSAL_LIMIT = Limit(20, _HOUR)
#: Challenges or proposals to the same person, except accepted ones.
IN_VAIN_LIMIT = Limit(5, timedelta(minutes=20))
NUDGE_LIMIT = Limit(20, _HOUR)
#: Nudges by a player in the same match.
NUDGE_AGAIN = Limit(1, timedelta(days=1))
#: How long the opponent must have been to act before a nudge.
NUDGE_AFTER = timedelta(hours=12)
#: Boards that are posted again, and replays that are shared.
POST_LIMIT = Limit(6, timedelta(minutes=10))


class TooManyError(DomainError):
    """Too many actions, towards ``other`` or in total (None). The next is allowed at ``again_at``."""

    def __init__(self, again_at: datetime, other: Player | None = None) -> None:
        super().__init__(None if other is None else "one", when=again_at, player=other)
        self.again_at = again_at
        self.other = other


class RecentlyDeletedError(TooManyError):
    template = gettext_noop("You deleted your data a short time ago. You can do this again {when}.")


class TooManyChallengesError(TooManyError):
    template = gettext_noop("That was a lot of challenges in one hour. You can make the next one {when}.")
    templates: ClassVar = {
        "one": gettext_noop(
            "You have challenged {player} several times, and they have not accepted. Give them some time: you can "
            "challenge them again {when}."
        )
    }


class TooManyComputerGamesError(TooManyError):
    template = gettext_noop(
        "That was a lot of matches against the computer in one hour. You can start the next one {when}."
    )


class TooManyTournamentsError(TooManyError):
    template = gettext_noop("That was a lot of tournaments in one hour. You can open the next one {when}.")


class TooManyEntriesError(TooManyError):
    template = gettext_noop("That was a lot of tournaments in one hour. You can join the next one {when}.")


class TooManyProposalsError(TooManyError):
    template = gettext_noop("That was a lot of proposals in one hour. You can make the next one {when}.")
    templates: ClassVar = {
        "one": gettext_noop(
            "You have asked {player} several times, and they have not agreed. Give them some time: you can ask again "
            "{when}."
        )
    }


class TooManyNudgesError(TooManyError):
    """Too many nudges in total, or the opponent, ``other``, was nudged or came to act only recently."""

    template = gettext_noop("That was a lot of nudges in one hour. You can send the next one {when}.")
    templates: ClassVar = {"one": gettext_noop("Give {player} some time: you can nudge them {when}.")}


class TooManyPostsError(TooManyError):
    """Too many boards shown to everybody."""

    template = gettext_noop(
        "You have shown everyone here a lot of boards in a few minutes. You can show the next one {when}. Until then, "
        "{replay} shows the match to you alone."
    )
