"""What the search knows of a game beyond its rules: how its turns are put together, and who stands better."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from typing import Any, Generic, TypeAlias

from rules import Position, Side, Text
from rules.search.moment import Moment, P, filling, whole
from rules.search.tree import Guided, Plain, Primed, Tree, Tuning

#: The terms of an evaluation in the order of its weights, each the first side's share minus the second's.
Terms: TypeAlias = Callable[[P], tuple[float, ...]]
#: Whether a newcomer thinks of a turn in a position.
Habit: TypeAlias = Callable[[P, str], bool]
#: By name of a term its weight on the empty board and on the full one.
Weights: TypeAlias = Mapping[str, tuple[float, float]]
#: The most turns of a position that are listed whole; in Dendria there can be more.
MOST_TURNS = 2000


def chance_of(logit: float) -> float:
    """The chance of winning, from 0 to 1, that belongs to a sum of weighted terms.

    It is as steep in the middle as the logistic function but needs only operations that IEEE 754 defines to the last
    bit, so that every machine finds the same turn.
    """
    return 0.5 + 0.5 * logit / sqrt(logit * logit + 4.0)


class Evaluation(Generic[P]):
    """A weighted sum of terms, whose weights change evenly from the empty board to the full one."""

    def __init__(self, terms: Terms[P], weights: Mapping[str, Weights]) -> None:
        self.terms = terms
        #: By variant.
        self.weights = weights
        self._changing = {
            variant: tuple((early, late - early) for early, late in of_variant.values())
            for variant, of_variant in weights.items()
        }

    def __call__(self, position: P) -> float:
        """The first side's chance of winning."""
        filled = filling(position)
        logit = 0.0
        weights = self._changing[position.ruleset.variant]
        for term, (weight, change) in zip(self.terms(position), weights, strict=True):
            logit += term * (weight + change * filled)
        return chance_of(logit)

    def shares(self, position: P) -> dict[str, float]:
        """What each term, by its name, adds to the logit of that chance."""
        filled = filling(position)
        weights = self.weights[position.ruleset.variant].items()
        return {
            name: term * (early + (late - early) * filled)
            for term, (name, (early, late)) in zip(self.terms(position), weights, strict=True)
        }


def tempo(position: Position) -> float:
    """The turn as a term: 1 when it is the first side's, -1 when it is the second's."""
    return -1.0 if position.turn_of is Side.SECOND else 1.0


@dataclass(frozen=True)
class Reason(Generic[P]):
    """What can be good about a turn: the mover gains, or the enemy loses, some of what the game is about.

    ``terms`` are those of the evaluation that tell how much this means, and ``count`` is what people can count of it.
    ``gain`` and ``loss`` say how much the mover gains and the enemy loses, where that is worth saying. Where ``fewer``
    are better, a side gains by having fewer. ``kept`` says how much more the mover still has than after another turn.
    """

    terms: tuple[str, ...]
    count: Callable[[P, Side], int]
    gain: tuple[str, str] | None = None
    loss: tuple[str, str] | None = None
    fewer: bool = False
    kept: tuple[str, str] | None = None

    def told(self, before: P, after: P, other: P | None = None) -> Text | None:
        """What a turn has changed, for whichever side it has changed more; None if it is no better for the mover.

        With the position after the ``other`` turn that was to be played instead, only what is better than there.
        """
        mover, sign = before.turn_of, -1 if self.fewer else 1
        most, said = 0, None
        for side, words, good in ((mover, self.gain, sign), (mover.other, self.loss, -sign)):
            count = self.count(after, side)
            amount = good * (count - self.count(before, side))
            if words and amount > most and (other is None or good * (count - self.count(other, side)) > 0):
                most, said = amount, words
        if said is None and self.kept and other is not None:
            most = sign * (self.count(after, mover) - self.count(other, mover))
            said = self.kept if most > 0 else None
        return Text.counted(*said, most) if said else None


@dataclass(frozen=True)
class Knowledge(Generic[P]):
    """What the search knows of a game."""

    evaluate: Evaluation[P] | None = None
    tuning: Tuning = field(default_factory=Tuning)
    #: The moment at which a turn of a position is to be decided.
    moment: Callable[[P], Moment] = whole
    #: Of a game that could go on for ever, for how many states nothing has changed that lasts. There a side that is far
    #: ahead passes when that costs it little, and one that is far behind passes too; the longer it lasts, the sooner.
    idle: Callable[[P], int] | None = None
    #: The simulations of the top level by the size of the board, for up to ten seconds a turn on the usual one. What is
    #: listed by size here holds on the nearest sizes too.
    simulations: Mapping[int, int] = field(default_factory=lambda: {1: 500})
    #: By variant, how many times fewer, where a simulation takes longer.
    fewer: Mapping[str, float] = field(default_factory=dict)
    #: How many times too great the odds of the best turns are: what looks best is mostly not quite as good as it looks.
    #: Measured at levels 3 and 4, where a turn's value and that of the best reply then add up to 1 on average.
    hope: float = 1.0
    #: How many times the simulations of the level below it the top level, the fourth and the third have. On large
    #: boards the greatest of these is lowered, again and again, until the second level has the least (by size).
    ratios: tuple[int, int, int] = (4, 4, 4)
    least: Mapping[int, int] = field(default_factory=lambda: {1: 4})
    #: Which part of its chance the first level may seem to give away in a turn. Where the evaluation of one turn cannot
    #: tell, the first level finds a bad one by contrary simulations, or it has the habits of a newcomer.
    slack: float = 0.2
    contrary: int = 0
    habit: Habit[P] | None = None
    #: Which part of its turns the second level chooses as the first does, then the third, and so on; others never do.
    lapses: tuple[float, ...] = ()
    #: By variant, how the second level searches where the usual tuning would not do, and with how many simulations on
    #: the usual board: more on smaller ones and fewer on larger ones, by the number of cells.
    second: Mapping[str, tuple[Tuning, int]] = field(default_factory=dict)
    #: By what turns are explained.
    reasons: tuple[Reason[P], ...] = ()

    def tree(self, moment: Moment, seed: int | str, tuning: Tuning | None = None) -> Tree:
        """The search that fits the game: led by its evaluation or, when it has none, by random playouts."""
        if self.evaluate is None:
            return Plain(moment, seed)
        tuning = tuning or self.tuning
        kind = Primed if tuning.trust else Guided
        return kind(moment, seed, self.evaluate, tuning)


@cache
def knowledge_of(game: str) -> Knowledge[Any]:
    """The ``KNOWLEDGE`` of ``rules/search/games/<game>.py``; of a game without that file nothing but the rules."""
    module = f"rules.search.games.{game}"
    if importlib.util.find_spec(module) is None:
        return Knowledge()
    known = importlib.import_module(module).KNOWLEDGE
    assert isinstance(known, Knowledge)
    return known


def positions_after(position: Position) -> dict[str, Position]:
    """The positions after the turns of a position, put together step by step, by turn; at most :data:`MOST_TURNS`."""
    found: dict[str, Position] = {}
    ahead = [("", knowledge_of(position.ruleset.game.name).moment(position))]
    for begun, moment in ahead:
        for step in moment.steps():
            after = moment.after(step)
            if after.begun:
                ahead.append((begun + step, after))
            else:
                found[begun + step] = after.position
                if len(found) == MOST_TURNS:
                    return found
    return found
