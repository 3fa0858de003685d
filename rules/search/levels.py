"""The levels of the computer player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from random import Random
from typing import Any

from rules import PASS, Ruleset, board
from rules.search.knowledge import Habit, Knowledge, knowledge_of
from rules.search.tree import Node, Tuning, best_step

#: The numbers of the levels, the weakest first.
NUMBERS = range(1, 6)
#: How many positions the top level looks at to prove a win, times the square of the cells of the board: on large boards
#: each takes longer, and proofs are longer too. On a board of side 3 they are some 140,000.
_PROOF = 50_000_000


@dataclass(frozen=True, slots=True)
class Carelessness:
    """How a level errs."""

    #: In which part of its turns it does.
    lapses: float
    #: Which part of its chance of winning it may seem to give away in one turn.
    slack: float
    #: The simulations in which it looks for a bad turn among those.
    contrary: int
    #: What turns it thinks of; None for all.
    habit: Habit[Any] | None

    def plausible(self, node: Node) -> list[int]:
        """The steps among which a careless level chooses, by their index, best first; none when the best is a pass.

        By their evaluations they lie within its slack, and none is a pass. Habits count as long as they leave anything.
        """
        steps = node.steps
        assert steps is not None
        values = [node.for_mover(static) for static in node.statics]
        order = sorted(range(len(steps)), key=lambda at: (-values[at], steps[at] == PASS, at))
        most = values[order[0]]
        if steps[order[0]] == PASS:
            return []
        near = [at for at in order if values[at] >= most * (1 - self.slack) and steps[at] != PASS]
        if self.habit is not None:
            position = node.moment.position
            near = [at for at in near if self.habit(position, steps[at])] or near
        return near

    def pick(self, node: Node, chance: Random) -> int:
        """The index of the step to take from a node whose steps are known: a bad plausible one."""
        near = self.plausible(node)
        if not near:
            return best_step(node)
        # Habits alone make many a turn bad, so only the best of those are left out.
        bad = near[len(near) // 6 if self.habit else len(near) * 2 // 3 :]
        return bad[int(chance.random() * len(bad))]


@dataclass(frozen=True, slots=True)
class Level:
    """How strong the computer plays: the simulations it spends on a turn, and how it errs; None if it never does."""

    simulations: int
    carelessness: Carelessness | None = None
    #: How it searches; None for as the game is usually searched.
    tuning: Tuning | None = None
    #: How many positions it may look at to prove a win before it searches.
    proof: int = 0


def level_of(ruleset: Ruleset, number: int) -> Level:
    """The level of that number in a game. Raises ``ValueError`` when there is none.

    From the third level to the top each has as many times the simulations of the one below it as ``ratios`` says, or
    fewer where the second would otherwise have less than the ``least``.
    """
    if number not in NUMBERS:
        raise ValueError(f"the levels are {NUMBERS[0]} to {NUMBERS[-1]}, not {number}")
    knowledge = knowledge_of(ruleset.game.name)
    if number == NUMBERS[0]:
        # Its one simulation goes by the evaluation: a single random game tells luck.
        return Level(1, _carelessness(knowledge, 1.0), replace(knowledge.tuning, playouts=0.0))
    top, least = (_nearest(numbers, ruleset.size) for numbers in (knowledge.simulations, knowledge.least))
    top = int(top / knowledge.fewer.get(ruleset.variant, 1.0))
    ratios = list(knowledge.ratios)
    while max(ratios) > 1 and top // prod(ratios) < least:
        ratios[ratios.index(max(ratios))] -= 1
    simulations = top // prod(ratios[: NUMBERS[-1] - number])
    if number - NUMBERS[1] < len(knowledge.lapses):
        return Level(simulations, _carelessness(knowledge, knowledge.lapses[number - NUMBERS[1]]))
    if number == NUMBERS[1] and ruleset.variant in knowledge.second:
        tuning, simulations = knowledge.second[ruleset.variant]
        usual = len(board(ruleset.game.default_size).cells)
        return Level(simulations * usual // len(ruleset.board.cells), tuning=tuning)
    proof = _PROOF // len(ruleset.board.cells) ** 2 if number == NUMBERS[-1] else 0
    return Level(simulations, proof=proof)


def _nearest(numbers: Mapping[int, int], size: int) -> int:
    """What is listed for a size, or for the nearest one."""
    return numbers[min(numbers, key=lambda listed: abs(listed - size))]


def _carelessness(knowledge: Knowledge[Any], lapses: float) -> Carelessness:
    return Carelessness(lapses, knowledge.slack, knowledge.contrary, knowledge.habit)
