"""The margin of a turn over all others, by searches that compare whole turns."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from rules import Position
from rules.search.knowledge import knowledge_of
from rules.search.moment import Moment, Whole
from rules.search.tree import ranked


class Turns(Whole[Position]):
    """A position with some of its whole turns, each with the position that it leads to."""

    __slots__ = ("_after",)

    def __init__(self, position: Position, after: Mapping[str, Position]) -> None:
        super().__init__(position)
        self._after = after

    def steps(self) -> tuple[str, ...]:
        return tuple(self._after)

    def after(self, step: str) -> Moment:
        after = self._after[step]
        return knowledge_of(after.name).moment(after)

    def at_random(self, chance: Random) -> tuple[str, Moment]:
        step = chance.choice(self.steps())
        return step, self.after(step)


def ranking(position: Position, after: Mapping[str, Position], simulations: int, seed: int) -> list[tuple[str, float]]:
    """Turns, best first, with the chances of the side to play after them."""
    tree = knowledge_of(position.name).tree(Turns(position, after), seed)
    tree.run(simulations)
    assert tree.root.steps is not None
    return [(tree.root.steps[at], tree.root.worth_to_mover(at)) for at in ranked(tree.root)]


def margin(position: Position, turn: str, after: Mapping[str, Position], simulations: int, seed: int) -> float:
    """How much likelier the side to play is to win after a turn than after the best of the others."""
    others = {other: reached for other, reached in after.items() if other != turn}
    _, best = ranking(position, {turn: after[turn]}, simulations, seed)[0]
    _, second = ranking(position, others, simulations, seed)[0]
    return best - second
