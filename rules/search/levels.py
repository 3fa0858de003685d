"""The levels of the computer player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from random import Random
from typing import Any

from rules import PASS, Ruleset, board
from rules.search.knowledge import Knowledge, knowledge_of
from rules.search.tree import Node, Tuning, best_option

#: The numbers of the levels, the weakest first.
NUMBERS = range(1, 6)
#: Maximum positions that the top level visits for a proof, times the square of the number of cells: on large boards
#: each position takes longer, and proofs are longer too. On a board of side 3 there are some 140,000.
_PROOF = 50_000_000


@dataclass(frozen=True, slots=True)
class Carelessness:
    """The errors that a level makes on purpose."""

    #: The share of its turns in which it errs.
    lapses: float
    knowledge: Knowledge[Any]

    def plausible(self, node: Node) -> list[int]:
        """The indices of the options among which a careless level chooses, best first; none when the best is a pass.

        Their evaluations lie within the slack, and none is a pass. The habit applies unless it would exclude them all.
        """
        options = node.options
        values = [node.for_mover(static) for static in node.statics]
        order = sorted(range(len(options)), key=lambda at: (-values[at], options[at] == PASS, at))
        most = values[order[0]]
        if options[order[0]] == PASS:
            return []
        near = [at for at in order if values[at] >= most * (1 - self.knowledge.slack) and options[at] != PASS]
        if habit := self.knowledge.habit:
            position = node.moment.position
            near = [at for at in near if habit(position, options[at])] or near
        return near

    def pick(self, node: Node, chance: Random) -> int:
        """Pick a bad option among the plausible ones of a grown node, by its index."""
        near = self.plausible(node)
        if not near:
            return best_option(node)
        # Habits alone make many turns bad, so only the very best are left out.
        bad = near[len(near) // 6 if self.knowledge.habit else len(near) * 2 // 3 :]
        return bad[int(chance.random() * len(bad))]


@dataclass(frozen=True, slots=True)
class Level:
    """A strength of the computer: its simulations for a turn, and its carelessness if it is careless."""

    simulations: int
    carelessness: Carelessness | None = None
    #: The constants of its search; None for the usual ones of the game.
    tuning: Tuning | None = None
    #: Maximum positions that it visits for a proof before it searches.
    proof: int = 0


def level_of(ruleset: Ruleset, number: int) -> Level:
    """The level of that number in a game. Raises ``ValueError`` if there is none.

    The simulations of levels 3 to 5 follow from the ``ratios``, which are lowered where level 2 would have too few.
    """
    if number not in NUMBERS:
        raise ValueError(f"the levels are {NUMBERS[0]} to {NUMBERS[-1]}, not {number}")
    knowledge = knowledge_of(ruleset.game.name)
    if number == NUMBERS[0]:
        # Its only simulation goes by the evaluation, because a single random game shows only luck.
        return Level(1, Carelessness(1.0, knowledge), replace(knowledge.tuning, playouts=0.0))
    top, least = (_nearest(numbers, ruleset.size) for numbers in (knowledge.simulations, knowledge.least))
    top = int(top / knowledge.fewer.get(ruleset.variant, 1.0))
    ratios = list(knowledge.ratios)
    while max(ratios) > 1 and top // prod(ratios) < least:
        ratios[ratios.index(max(ratios))] -= 1
    simulations = top // prod(ratios[: NUMBERS[-1] - number])
    if number - NUMBERS[1] < len(knowledge.lapses):
        return Level(simulations, Carelessness(knowledge.lapses[number - NUMBERS[1]], knowledge))
    if number == NUMBERS[1] and ruleset.variant in knowledge.second:
        tuning, simulations = knowledge.second[ruleset.variant]
        usual = len(board(ruleset.game.default_size).cells)
        return Level(simulations * usual // len(ruleset.board.cells), tuning=tuning)
    proof = _PROOF // len(ruleset.board.cells) ** 2 if number == NUMBERS[-1] else 0
    return Level(simulations, proof=proof)


def _nearest(numbers: Mapping[int, int], size: int) -> int:
    """The entry of a size, or of the nearest one."""
    return numbers[min(numbers, key=lambda listed: abs(listed - size))]
