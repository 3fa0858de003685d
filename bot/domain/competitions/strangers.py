"""Standing requests: people who want to play anyone, wherever they are, and who plays whom."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.clocks import DAY, TimeControl
from bot.domain.places import Place
from bot.domain.refusals import DomainError
from rules import GAMES
from rules.games import FIRST_GAME
from rules.text import gettext_noop

#: Maximum matches with strangers at once.
MOST_AT_ONCE = 5
#: A request ends after this time without a turn.
ENDS_AFTER = 30 * DAY
#: People who have met are paired again after this time, or once both have waited ``_PATIENCE`` for anyone else.
MEET_AGAIN_AFTER, _PATIENCE = 7 * DAY, 2 * DAY
#: The difference of ratings within which an opponent is near, and by how much it grows each day.
_NEAR, _WIDER = 150.0, 75.0
#: How long a request is paused after its first, second and later offences.
_PAUSES = (DAY, 3 * DAY, 7 * DAY, 30 * DAY)
#: Offences before the first pause, if the player did something: resigning at once is only human once.
_FORGIVEN = 1
#: How long a match without a place for one of its players waits until it is called off.
LOST_FOR = 3 * DAY


class Pace(enum.StrEnum):
    """The two clocks to choose from; there are no more, so that people meet."""

    WEEK = "week"
    DAYS = "days"

    @property
    def control(self) -> TimeControl:
        bank, bonus = (7 * DAY, DAY / 2) if self is Pace.WEEK else (2 * DAY, DAY / 4)
        return TimeControl.banks_of(bank, bonus, hard=True)


class RequestState(enum.StrEnum):
    OPEN = "open"
    PAUSED = "paused"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class StandingRequest:
    """A player's wish to play anyone in some ``games``, with at most so many such matches ``at_once``.

    The opponent is ``near`` the player in rating, or of any strength. Matches are shown to the player at ``home``. The
    player has waited since ``waiting_since`` for the next opponent. A paused request may resume by itself at
    ``resumes_at``. ``offences`` counts matches that the player left at once, and ``version`` counts changes.
    """

    player_id: int
    games: frozenset[str]
    at_once: int
    pace: Pace
    near: bool
    home: Place
    state: RequestState
    waiting_since: datetime
    resumes_at: datetime | None = None
    offences: int = 0
    version: int = 0

    def is_barred(self, now: datetime) -> bool:
        """Whether the player cannot resume the request or ask again yet."""
        return self.resumes_at is not None and self.resumes_at > now

    @property
    def is_paused_by_bot(self) -> bool:
        """Whether the request resumes by itself, and not before."""
        return self.state is RequestState.PAUSED and self.resumes_at is not None

    def changed_to(self, state: RequestState, now: datetime) -> StandingRequest:
        """The request after its player has paused, ended or resumed it.

        A pause ends a request that the bot has paused or that has ended, so that it does not resume by itself.
        """
        if state is RequestState.PAUSED and (self.is_barred(now) or self.state is RequestState.ENDED):
            state = RequestState.ENDED
        if state is self.state:
            return self
        pause_ends = self.resumes_at if self.is_barred(now) else None
        return replace(self, state=state, waiting_since=now, resumes_at=pause_ends)

    def after_offence(self, now: datetime, *, forgivable: bool) -> StandingRequest:
        """The request after one more offence, which pauses it, each time for longer, unless it is forgiven.

        Several matches that are left at the same time are one offence. A request that its player has paused or ended
        does not resume by itself, but ends for at least as long.
        """
        if self.is_barred(now):
            return self
        before = self.offences if forgivable else max(self.offences, _FORGIVEN)
        after = replace(self, offences=before + 1)
        if before < _FORGIVEN:
            return after
        pause = _PAUSES[min(before - _FORGIVEN, len(_PAUSES) - 1)]
        resumes = self.state is RequestState.OPEN or self.is_paused_by_bot
        state = RequestState.PAUSED if resumes else RequestState.ENDED
        return replace(after, state=state, resumes_at=now + pause)


@dataclass(frozen=True, slots=True)
class Lobby:
    """A player's own request (None: never made), and how many such matches they play.

    ``waiting`` counts the others who wait for an opponent in each game, except people whom the player has just met. The
    one who has waited longest plays at the game's pace in ``paces``.
    """

    own: StandingRequest | None
    running: int
    waiting: Counter[str]
    paces: Mapping[str, Pace]


def preselected(own: StandingRequest | None, known: Collection[str]) -> list[str]:
    """The games of the last request or, before the first one, the games that the player knows; at least one."""
    chosen = own.games if own is not None else known
    return [name for name in GAMES if name in chosen] or [FIRST_GAME.name]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that waits for an opponent, with the player's ratings by game.

    ``met`` is when the player's latest matches with others ended.
    """

    request: StandingRequest
    ratings: Mapping[str, float]
    blocked: Collection[int] = ()
    met: Mapping[int, datetime] = field(default_factory=dict)

    @property
    def player_id(self) -> int:
        return self.request.player_id


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two requests that fit, and the game to play."""

    first: StandingRequest
    second: StandingRequest
    game: str


def pairings(waiting: Sequence[Waiting], now: datetime, choose: Callable[[Sequence[str]], str]) -> list[Meeting]:
    """The matches to begin now, each player in at most one.

    Whoever has waited longest comes first, and meets the nearest of the others who fit. ``choose`` picks one of the
    games in which the two are equally near.
    """
    left = sorted(waiting, key=lambda one: (one.request.waiting_since, one.player_id))
    found: list[Meeting] = []
    while left:
        one = left.pop(0)
        gaps = [(gap, number) for number, other in enumerate(left) if (gap := _gap(one, other, now)) is not None]
        if gaps:
            nearest, number = min(gaps)
            other = left.pop(number)
            games = [game for game in _games(one, other, now) if _distance(one, other, game) <= nearest]
            found.append(Meeting(one.request, other.request, choose(sorted(games))))
    return found


def _gap(one: Waiting, other: Waiting, now: datetime) -> float | None:
    """How far apart two players are in their nearest common game; None if they do not fit."""
    mine, theirs = one.request, other.request
    # Perhaps with accounts of one person. Nobody shares a conversation with the bot.
    shares_conversation = mine.home.guild_id is None and mine.home == theirs.home and not mine.home.direct
    if mine.pace is not theirs.pace or shares_conversation:
        return None
    if other.player_id in one.blocked or one.player_id in other.blocked or not _may_meet(one, other, now):
        return None
    gaps = [_distance(one, other, game) for game in _games(one, other, now)]
    return min(gaps, default=None)


def _games(one: Waiting, other: Waiting, now: datetime) -> list[str]:
    """The games that both want, near enough for both."""
    common = one.request.games & other.request.games
    within = min(_reach(one.request, now), _reach(other.request, now))
    return [game for game in common if _distance(one, other, game) <= within]


def _distance(one: Waiting, other: Waiting, game: str) -> float:
    return abs(one.ratings[game] - other.ratings[game])


def _reach(request: StandingRequest, now: datetime) -> float:
    """The difference of ratings that a request allows; it grows while the player waits."""
    return _NEAR + _WIDER * ((now - request.waiting_since) / DAY) if request.near else float("inf")


def _may_meet(one: Waiting, other: Waiting, now: datetime) -> bool:
    """Whether two people have not met for a week, or have waited two days in vain for anyone else."""
    met_at = one.met.get(other.player_id)
    if met_at is None or now - met_at >= MEET_AGAIN_AFTER:
        return True
    return all(now - _alone_since(waiting, now) >= _PATIENCE for waiting in (one, other))


def _alone_since(waiting: Waiting, now: datetime) -> datetime:
    # Whoever goes first after a match without a first turn has not waited as long as the request says.
    return max([waiting.request.waiting_since, *(at for at in waiting.met.values() if at <= now)])


class StrangersOffHereError(DomainError):
    template = gettext_noop(
        "This server does not show matches with people from elsewhere. Ask in your conversation with me."
    )


class NoGamesError(DomainError):
    template = gettext_noop("Choose at least one game.")


class ExcludedError(DomainError):
    template = gettext_noop("The operator of this bot has excluded you from matches with people from elsewhere.")


class NoRequestError(DomainError):
    template = gettext_noop("You have not asked to play anyone. {play} starts that.")


class PausedError(DomainError):
    template = gettext_noop("Matches with you ended too soon, so you have to wait. You can ask again {when}.")
