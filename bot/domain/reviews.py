"""Reviews: who stood better turn by turn in a match that is over, and the turns that changed most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.computer import SearchRequest, SearchResult
from bot.domain.matches import AboutMatchError, Game
from bot.domain.refusals import DomainError
from rules import Position, Side
from rules.text import gettext_noop

#: The level at which every position of a match is searched: much faster than the top level, for there are many.
_LEVEL = 3
#: The number of turns that stand before the first one that is reviewed: the opening and the choice of side.
FIRST_PLY = 2
#: The most turning points, and the least chance that a turn has to give away to be one.
MOST_POINTS, _LEAST_LOSS = 3, 0.05
#: The turns of the line after a better turn that are told.
_LINE = 3


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The turn of number ``ply``, by which its player's chance of winning fell from ``before`` to ``after``, which are
    from 0 to 1.

    ``better`` would have kept it, and ``line`` is how the game could have gone on then.
    """

    ply: int
    better: str
    line: tuple[str, ...]
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Review:
    """The first side's ``chances`` of winning, from 0 to 1, after the choice of side and after each turn since, and the
    turning ``points`` in their order.
    """

    chances: tuple[float, ...]
    points: tuple[TurningPoint, ...]


def check_review(game: Game) -> None:
    """Raise unless the game is over, and something was played that can be reviewed."""
    if game.match.result is None:
        raise StillRunningError(game.match)
    if game.ply <= FIRST_PLY:
        raise NothingToReviewError(game.match)


def review_requests(game: Game) -> list[SearchRequest]:
    """What is searched for a review: every position from the choice of side on in which somebody was to play."""
    last = game.ply if game.outcome is None else game.ply - 1
    return [SearchRequest(game.match.ruleset, game.turns[:ply], _LEVEL, seed=0) for ply in range(FIRST_PLY, last + 1)]


def review_of(game: Game, found: Sequence[SearchResult]) -> Review:
    """The review of a game, from what was found. This replays the game, so call it outside the event loop."""
    position, played = game.match.ruleset.start(), []
    for turn in game.turns:
        position = position.play(turn)[0]
        played.append(position)
    del played[: FIRST_PLY - 1]
    chances = [_turned(position, result.value) for position, result in zip(played, found, strict=False)]
    if game.outcome is not None:
        winner = game.outcome.winner
        chances.append(0.5 if winner is None else float(winner is Side.FIRST))
    points = []
    for at, turn in enumerate(game.turns[FIRST_PLY:]):
        result, after = found[at], _turned(played[at], chances[at + 1])
        if result.turn != turn and result.value - after >= _LEAST_LOSS:
            line = result.line[1 : 1 + _LINE]
            points.append(TurningPoint(FIRST_PLY + at + 1, result.turn, line, result.value, after))
    points.sort(key=lambda point: point.after - point.before)
    return Review(tuple(chances), tuple(sorted(points[:MOST_POINTS], key=lambda point: point.ply)))


def _turned(position: Position, chance: float) -> float:
    """The first side's chance as the mover's, or the other way round."""
    return 1 - chance if position.turn_of else chance


class StillRunningError(AboutMatchError):
    """The match is still running, so it cannot be reviewed."""

    template = gettext_noop("Match #{match} is still running. I review it when it is over.")


class NothingToReviewError(AboutMatchError):
    """Nothing was played but an opening and a choice of side."""

    template = gettext_noop("Too few turns were played in match #{match} for a review.")


class ManyReviewsError(DomainError):
    """So many reviews are waited for that another one would take too long."""

    template = gettext_noop("I am reviewing as many matches as I can right now. Please try again in a few minutes.")
