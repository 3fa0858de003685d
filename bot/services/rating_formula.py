"""The rating formula: what a game does to the ratings of its players."""

from __future__ import annotations

import math
from datetime import datetime
from statistics import NormalDist

from openskill.models import ThurstoneMostellerFull

from bot.domain.ratings import NARROWEST, START, WIDEST, Rating

#: Increase this with every change of the formula; the next start then recomputes all ratings.
VERSION = "1"
#: The deviation of performances with which a lead of 400 points means ten wins to one, as in chess.
_BETA = 400 / NormalDist().inv_cdf(10 / 11) / math.sqrt(2)


def _unchecked(*_: object, **__: object) -> float:
    """Let ratings become certain at full speed."""
    return 1.0


# A model has no state. Here uncertainty grows with time (tau is 0), not with games.
_MODEL = ThurstoneMostellerFull(mu=START, sigma=WIDEST, beta=_BETA, tau=0.0, gamma=_unchecked)


def rate(first: Rating, second: Rating, score: float, at: datetime) -> tuple[Rating, Rating]:
    """Both ratings after a game that ended at that time; ``score`` is the first player's: 1, ½ or 0."""
    before = first.on(at), second.on(at)
    teams = [[_MODEL.rating(each.value, each.deviation)] for each in before]
    [[one], [other]] = _MODEL.rate(teams, scores=[score, 1 - score])
    after = [Rating(each.mu, max(NARROWEST, each.sigma), at) for each in (one, other)]
    return after[0], after[1]
