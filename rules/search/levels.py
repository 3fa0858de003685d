"""The levels of the computer player."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from rules import PASS, Ruleset, board
from rules.search.knowledge import knowledge_of
from rules.search.tree import Node, ranked

#: The numbers of the levels, the weakest first.
NUMBERS = range(1, 6)
#: On smaller boards than the usual one more simulations are made, and on larger ones fewer, at most by this factor.
_STRETCH = 8
#: The least simulations of a level but the first.
_LEAST = 4


@dataclass(frozen=True, slots=True)
class Level:
    """How strong the computer plays: the simulations it spends on a turn, and how carelessly it chooses."""

    simulations: int
    #: How much of its chance of winning it may give away in one turn, from 0 to 1.
    slack: float = 0.0
    #: The simulations in which it looks for a bad turn instead.
    contrary: int = 0

    def pick(self, node: Node, chance: Random) -> int:
        """The index of the step to take from a node whose steps are known.

        A careless level takes one of the worst third of the steps within its slack, but it never passes and never
        misses a win that it sees.
        """
        assert node.steps is not None
        order = ranked(node)
        best = order[0]
        most = node.worth_to_mover(best)
        if not self.slack or most == 1.0 or node.steps[best] == PASS:
            return best
        near = [at for at in order if node.worth_to_mover(at) >= most - self.slack and node.steps[at] != PASS]
        near.sort(key=lambda at: (-node.worth_to_mover(at), at))
        worst = near[len(near) * 2 // 3 :]
        return worst[int(chance.random() * len(worst))]


def level_of(ruleset: Ruleset, number: int) -> Level:
    """The level of that number in a game. Raises ``ValueError`` when there is none.

    From the second level to the top each has four times the simulations of the one below it.
    """
    if number not in NUMBERS:
        raise ValueError(f"the levels are {NUMBERS[0]} to {NUMBERS[-1]}, not {number}")
    knowledge = knowledge_of(ruleset.game.name)
    if number == NUMBERS[0]:
        return Level(1, knowledge.slack, knowledge.contrary)
    usual, cells = len(board(ruleset.game.default_size).cells), len(ruleset.board.cells)
    # A simulation takes about as long as the square of the number of cells.
    top = knowledge.simulations * usual * usual // (cells * cells)
    top = max(knowledge.simulations // _STRETCH, min(knowledge.simulations * _STRETCH, top))
    return Level(max(_LEAST, top // 4 ** (NUMBERS[-1] - number)))
