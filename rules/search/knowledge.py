"""Knowledge of a game beyond its rules: the decisions in its turns, and an evaluation of its positions."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from rules import Position, Side, Text
from rules.search.moment import Moment, filling, whole
from rules.search.tree import Guided, Primed, Tree, Tuning

P = TypeVar("P", bound=Position)
#: Computes the terms of an evaluation in the order of its weights, each the first side's share minus the second's.
Terms: TypeAlias = Callable[[P], tuple[float, ...]]
#: Whether a newcomer considers a turn in a position.
Habit: TypeAlias = Callable[[P, str], bool]
#: The weight of each term, by its name, on the empty board and on the full one.
Weights: TypeAlias = Mapping[str, tuple[float, float]]
#: Maximum whole turns listed for a position; in Dendria there can be more.
MOST_TURNS = 2000


def chance_of(logit: float) -> float:
    """Convert a sum of weighted terms to a chance of winning, from 0 to 1.

    It is as steep in the middle as the logistic function but needs only operations that IEEE 754 defines to the last
    bit, so that every machine finds the same turn.
    """
    return 0.5 + 0.5 * logit / sqrt(logit * logit + 4.0)


class Evaluation(Generic[P]):
    """A weighted sum of terms, whose weights change evenly from the empty board to the full one."""

    def __init__(self, terms: Terms[P], weights: Mapping[str, Weights]) -> None:
        self.terms = terms
        #: The weights by variant.
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
        """The contribution of each term, by its name, to the logit of that chance."""
        filled = filling(position)
        weights = self.weights[position.ruleset.variant].items()
        return {
            name: term * (early + (late - early) * filled)
            for term, (name, (early, late)) in zip(self.terms(position), weights, strict=True)
        }


def tempo(position: Position) -> float:
    """The turn as a term: 1 if it is the first side's, -1 if it is the second's."""
    return -1.0 if position.turn_of is Side.SECOND else 1.0


class Words(NamedTuple):
    """A sentence about an advantage, in the singular and the plural, with the mover's ``side`` and the ``other`` one.

    The mover reads it in other words than anybody else if it is about the mover.
    """

    to_mover: tuple[str, str]
    to_others: tuple[str, str] | None = None


class Advantage(NamedTuple):
    """An advantage of a turn, in words to the mover and to anybody else."""

    to_mover: Text
    to_others: Text

    def __str__(self) -> str:
        return str(self.to_mover)


@dataclass(frozen=True)
class Reason(Generic[P]):
    """A merit that a turn can have: the mover gains, or the enemy loses, something that matters in the game.

    The ``terms`` of the evaluation measure its worth, and ``count`` its amount. ``gain`` and ``loss`` are the sentences
    for the mover's gain and the enemy's loss, and ``remainder`` for having more left than after another turn. With
    ``fewer``, less is better.
    """

    terms: tuple[str, ...]
    count: Callable[[P, Side], int]
    gain: Words | None = None
    loss: Words | None = None
    fewer: bool = False
    remainder: Words | None = None

    def sentence(self, before: P, after: P, other: P | None = None) -> Advantage | None:
        """The sentence for the side with the greater change; None if the turn is no better for the mover.

        With the position after an ``other`` turn, the change must also be better than that turn's.
        """
        mover, sign = before.turn_of, -1 if self.fewer else 1
        most, said = 0, None
        for side, words, good in ((mover, self.gain, sign), (mover.other, self.loss, -sign)):
            count = self.count(after, side)
            amount = good * (count - self.count(before, side))
            if words and amount > most and (other is None or good * (count - self.count(other, side)) > 0):
                most, said = amount, words
        if said is None and self.remainder and other is not None:
            most = sign * (self.count(after, mover) - self.count(other, mover))
            said = self.remainder if most > 0 else None
        if said is None:
            return None
        sides = {"side": before.side_name(mover), "other": before.side_name(mover.other)}
        return Advantage(
            *(Text.counted(*words, most, **sides) for words in (said.to_mover, said.to_others or said.to_mover))
        )


@dataclass(frozen=True)
class Knowledge(Generic[P]):
    """The knowledge of one game."""

    evaluate: Evaluation[P] | None = None
    tuning: Tuning = field(default_factory=Tuning)
    #: The moment at which the side to play begins its turn.
    moment: Callable[[P], Moment] = whole
    #: In a game that could go on for ever, the number of states without a lasting change. A side that is far ahead
    #: passes when that costs little, and a side that is far behind passes too; the more such states, the sooner.
    idle: Callable[[P], int] | None = None
    #: The simulations of the top level by the size of the board, for up to ten seconds a turn on the usual size. Sizes
    #: that are not listed, here and below, use the entry of the nearest size.
    simulations: Mapping[int, int] = field(default_factory=lambda: {1: 500})
    #: The factor by which a variant with slower simulations has fewer.
    fewer: Mapping[str, float] = field(default_factory=dict)
    #: The factor by which the odds of the best turns are too high, since the best turn is mostly not quite as good as
    #: it looks. Measured at levels 3 and 4: with it, the values of a turn and of the best reply add up to 1 on average.
    hope: float = 1.0
    #: The ratios of the simulations of levels 5, 4 and 3 to the simulations of the level below. On large boards, the
    #: greatest ratio is lowered, again and again, until level 2 has its ``least`` number, given by size.
    ratios: tuple[int, int, int] = (4, 4, 4)
    least: Mapping[int, int] = field(default_factory=lambda: {1: 4})
    #: The share of its chance that level 1 may seem to give away in a turn. Where the evaluation does not recognise bad
    #: turns, level 1 finds them by ``contrary`` simulations, or it has the ``habit`` of a newcomer.
    slack: float = 0.2
    contrary: int = 0
    habit: Habit[P] | None = None
    #: The shares of their turns that level 2, level 3 and so on choose as level 1 does; higher levels never do.
    lapses: tuple[float, ...] = ()
    #: By variant, the tuning of level 2 where the usual one would not do, and its simulations on the usual board;
    #: it has more on smaller boards and fewer on larger ones, in inverse proportion to their cells.
    second: Mapping[str, tuple[Tuning, int]] = field(default_factory=dict)
    #: The merits by which turns are explained.
    reasons: tuple[Reason[P], ...] = ()

    def tree(self, moment: Moment, seed: int | str, tuning: Tuning | None = None) -> Tree:
        """Return a search led by the evaluation or, without one, by random playouts."""
        if self.evaluate is None:
            return Tree(moment, seed)
        tuning = tuning or self.tuning
        kind = Primed if tuning.trust else Guided
        return kind(moment, seed, self.evaluate, tuning)


@cache
def knowledge_of(game: str) -> Knowledge[Any]:
    """Return the ``KNOWLEDGE`` of ``rules/search/games/<game>.py``, or the default for a game without that file."""
    module = f"rules.search.games.{game}"
    if importlib.util.find_spec(module) is None:
        return Knowledge()
    known = importlib.import_module(module).KNOWLEDGE
    assert isinstance(known, Knowledge)
    return known


def positions_after(position: Position) -> dict[str, Position]:
    """The positions after the turns of a position, by turn; at most :data:`MOST_TURNS`."""
    found: dict[str, Position] = {}
    ahead = [("", knowledge_of(position.name).moment(position))]
    for begun, moment in ahead:
        for option in moment.options():
            after = moment.after(option)
            if after.begun:
                ahead.append((begun + option, after))
            else:
                found[begun + option] = after.position
                if len(found) == MOST_TURNS:
                    return found
    return found
