"""The rating formula: the effect of a game on the ratings of its players."""

from __future__ import annotations

import math
from datetime import datetime
from statistics import NormalDist

from openskill.models import ThurstoneMostellerFull

from bot.domain.ratings import NARROWEST, START, WIDEST, Rating

#: Increase this with every change of the formula; the next start then recomputes all ratings.
VERSION = "2"
#: The deviation of performances at which a lead of 400 points means ten wins to one, as in chess.
_BETA = 400 / NormalDist().inv_cdf(10 / 11) / math.sqrt(2)
#: A game of fewer turns says less about its players, and counts less: with four turns, a fifth.
_FULL_PLY = 20


def _unchecked(*_: object, **__: object) -> float:
    """Let a game reduce the uncertainty in full."""
    return 1.0


# Uncertainty grows with time, not with games, so tau is 0.
_MODEL = ThurstoneMostellerFull(mu=START, sigma=WIDEST, beta=_BETA, tau=0.0, gamma=_unchecked)


def rate(first: Rating, second: Rating, score: float, ply: int, at: datetime) -> tuple[Rating, Rating]:
    """Both ratings after a game of ``ply`` turns that ended at that time; the first player's score is 1, ½ or 0."""
    before = first.on(at), second.on(at)
    teams = [[_MODEL.rating(each.value, each.deviation)] for each in before]
    [[one], [other]] = _MODEL.rate(teams, scores=[score, 1 - score])
    weight = min(1, ply / _FULL_PLY)

    def after(own: Rating, value: float, deviation: float) -> Rating:
        variance = own.deviation**2 + weight * (deviation**2 - own.deviation**2)
        return Rating(own.value + weight * (value - own.value), max(NARROWEST, math.sqrt(variance)), at)

    return after(before[0], one.mu, one.sigma), after(before[1], other.mu, other.sigma)
