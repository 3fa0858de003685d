"""The levels of the computer player."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from rules import PASS, Ruleset
from rules.search.tree import Node, ranked

NUMBERS = range(1, 6)


@dataclass(frozen=True, slots=True)
class Level:
    """How strong the computer plays: the simulations it spends on a turn, and how carelessly it chooses."""

    simulations: int
    #: How much of its chance of winning it may give away in one turn, from 0 to 1.
    slack: float = 0.0

    def pick(self, node: Node, chance: Random) -> int:
        """The index of the step to take from a node that has been searched."""
        assert node.steps is not None
        order = ranked(node)
        best = order[0]
        if not self.slack or node.steps[best] == PASS:
            return best

        def value(at: int) -> float:
            return node.for_mover(node.children[at].value if at < len(node.children) else node.statics[at])

        least = value(best) - self.slack
        near = [at for at in order if value(at) >= least and node.steps[at] != PASS]
        return near[int(chance.random() * len(near))] if near else best


_LEVELS = (Level(1, 0.3), Level(1, 0.08), Level(10), Level(50), Level(300))


def level_of(ruleset: Ruleset, number: int) -> Level:
    """The level of that number in a game. Raises ``ValueError`` when there is none."""
    if number not in NUMBERS:
        raise ValueError(f"the levels are {NUMBERS[0]} to {NUMBERS[-1]}, not {number}")
    return _LEVELS[number - 1]
