"""The tree search: UCT with proven wins and losses, with an evaluation or with random playouts.

:class:`Tree` is textbook UCT: UCB1, and a random game to its end from each new node. :class:`Guided` grows a node after
as many visits as the ``patience`` of the tuning: it lists the options and evaluates the positions after them. The best
value becomes the node's own, and promising children are visited earlier and more often (PUCT).

Both are MCTS-Solvers: a finished game proves the value of its node, and a node is proven when one child is proven to
win for its mover, or when all children are proven. All values are chances of the first side, from 0 to 1. The position,
the number of simulations and the seed alone decide a search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import sqrt
from random import Random
from typing import Any, TypeAlias

from rules import PASS, Outcome, Side
from rules.search.moment import Moment, filling

#: The first side's chance of winning in a position of the game that is searched.
Evaluate: TypeAlias = Callable[[Any], float]

#: Maximum decisions in a playout for each cell of the board; no meaningful game is longer.
_LONGEST = 4
#: The occupied share of the board up to which a side with other turns does not pass, unless that ends the game.
_EARLY = 0.4
#: The weight of exploration without an evaluation.
_EXPLORE = 0.7
#: The games, half of them won, with which every option begins.
_EVEN = 4


class Node:
    """A moment, with the results of the search so far."""

    __slots__ = (
        "children",
        "chooser",
        "leaves_out_pass",
        "moment",
        "mover",
        "options",
        "proven",
        "static",
        "statics",
        "visits",
        "won",
    )

    def __init__(self, moment: Moment, chooser: Side, static: float = 0.5) -> None:
        self.moment = moment
        #: The side that moved here, and the sum of its values over all visits.
        self.chooser = chooser
        self.won = 0.0
        self.visits = 0
        #: The first side's value: by the evaluation before the first visit, and once it is proven.
        self.static = static
        outcome = moment.position.outcome
        self.proven: float | None = None if outcome is None else worth(outcome)
        self.mover = moment.mover
        #: The options from here, none until the node is grown, with their evaluations; the first ones have children.
        self.options: list[str] = []
        self.statics: list[float] = []
        self.children: list[Node] = []
        #: Whether the options lack the pass, although it is legal.
        self.leaves_out_pass = False

    def for_mover(self, value: float) -> float:
        """Convert a value of the first side to one of the mover."""
        return 1.0 - value if self.mover else value

    @property
    def value(self) -> float:
        """The first side's value."""
        if self.proven is not None:
            return self.proven
        if not self.visits:
            return self.static
        mean = self.won / self.visits
        return 1.0 - mean if self.chooser else mean

    def worth_to_mover(self, at: int) -> float:
        """The mover's value of an option."""
        return self.for_mover(self.children[at].value if at < len(self.children) else self.statics[at])

    def successor(self, at: int) -> Node:
        """The node after an option, visited or not."""
        if at < len(self.children):
            return self.children[at]
        return Node(self.moment.after(self.options[at]), self.mover, self.statics[at])

    def learn(self) -> None:
        """Prove the value of this node if its children suffice for that.

        If no option wins, a pass that was left out becomes one, because it may be better.
        """
        winning = 0.0 if self.mover else 1.0
        proven = [child.proven for child in self.children]
        if winning in proven:
            self.proven = winning
        elif len(proven) < len(self.options) or None in proven:
            return
        elif self.leaves_out_pass:
            self.leaves_out_pass = False
            self.options.append(PASS)
            self.statics.append(self.statics[-1])
        else:
            self.proven = 0.5 if 0.5 in proven else 1.0 - winning


def worth(outcome: Outcome) -> float:
    """The value of the end of a game for the first side."""
    return 0.5 if outcome.winner is None else 0.0 if outcome.winner else 1.0


@cache
def logarithm(visits: int) -> float:
    """The natural logarithm, equal on every machine to the last bit, unlike that of ``math``."""
    return float(Decimal(visits).ln())


class Tree:
    """A search from one moment: textbook UCT with full random playouts."""

    def __init__(self, moment: Moment, seed: int | str) -> None:
        self.root = Node(moment, moment.mover.other)
        self.chance = Random(seed)
        self.simulations = 0

    def run(self, simulations: int) -> None:
        """Add simulations; stop early once the root is proven."""
        for _ in range(simulations):
            if self.root.proven is not None:
                break
            self._simulate()
            self.simulations += 1

    def turn_from(self, node: Node, pick: Callable[[Node], int]) -> tuple[str, Node]:
        """Complete a turn with the options that ``pick`` chooses by index; return its text and the node after it."""
        turn = ""
        while True:
            if not node.options:
                self.grow(node)
            at = pick(node)
            turn, node = turn + node.options[at], node.successor(at)
            if not node.moment.begun:
                return turn, node

    def _simulate(self) -> None:
        node = self.root
        path = [node]
        while node.proven is None and node.options:
            node = self._descend(node)
            path.append(node)
        value = self._value(node) if node.proven is None else node.proven
        learning = node.proven is not None
        node.visits += 1
        node.won += 1.0 - value if node.chooser else value
        for node in reversed(path[:-1]):
            if learning:
                node.learn()
                learning = node.proven is not None
                if learning:
                    assert node.proven is not None
                    value = node.proven
            node.visits += 1
            node.won += 1.0 - value if node.chooser else value

    def _child(self, node: Node) -> Node:
        """The next child of a node, in the order of its options."""
        at = len(node.children)
        child = Node(node.moment.after(node.options[at]), node.mover, node.statics[at])
        node.children.append(child)
        return child

    def _value(self, node: Node) -> float:
        """The value of a node at the end of a simulation, which may grow it."""
        self.grow(node)
        return playout(node.moment, self.chance)

    def grow(self, node: Node) -> None:
        """List the options of a node."""
        options = list(node.moment.options())
        last = options.pop() if options[-1] == PASS else None
        self.chance.shuffle(options)
        node.options = options if last is None else [*options, last]
        node.statics = [0.5] * len(node.options)

    def _descend(self, node: Node) -> Node:
        """Return the child to visit next."""
        children = node.children
        if len(children) < len(node.options):
            return self._child(node)
        losing = 1.0 if node.mover else 0.0
        wide = _EXPLORE * _EXPLORE * logarithm(node.visits)
        best, best_score = children[0], -1.0
        for child in children:
            if child.proven != losing:
                score = child.won / child.visits + sqrt(wide / child.visits)
                if score > best_score:
                    best, best_score = child, score
        return best


class Contrary(Tree):
    """UCT that lets the enemy choose among some options at the root, to find a bad one."""

    def __init__(self, moment: Moment, seed: int | str, options: list[str]) -> None:
        super().__init__(moment, seed)
        self.root.mover = self.root.mover.other
        self.root.options, self.root.statics = options, [0.5] * len(options)


class Experience:
    """The success of each option for each side in the random games of a search, wherever the option was taken."""

    __slots__ = ("_results",)

    def __init__(self) -> None:
        #: By side and option, the sum of the side's values of the games with that option, and the number of games.
        self._results: tuple[dict[str, tuple[float, int]], dict[str, tuple[float, int]]] = {}, {}

    def best(self, side: Side, options: list[str]) -> str:
        """The most successful option for the side; an option that has never been taken counts as even."""
        results, best, most = self._results[side], options[0], -1.0
        for option in options:
            won, games = results.get(option, (0.0, 0))
            rate = (won + _EVEN / 2) / (games + _EVEN)
            if rate > most:
                best, most = option, rate
        return best

    def add(self, taken: list[tuple[Side, str]], value: float) -> None:
        """Learn from the options of a game and its value for the first side."""
        for side, option in taken:
            results = self._results[side]
            won, games = results.get(option, (0.0, 0))
            results[option] = won + (1.0 - value if side else value), games + 1


def playout(
    moment: Moment,
    chance: Random,
    experience: Experience | None = None,
    evaluate: Evaluate | None = None,
    horizon: int = 0,
) -> float:
    """The first side's result of a random game; a draw if it does not end.

    With experience, each side takes the most successful of a few random options, and the game adds to the experience.
    With a ``horizon``, the evaluation gives the value after that many decisions.
    """
    taken = list[tuple[Side, str]]()
    for _ in range(horizon or _LONGEST * len(moment.position.board.cells)):
        if moment.position.outcome is not None:
            break
        if experience is None:
            _, moment = moment.at_random(chance)
        else:
            option = experience.best(moment.mover, moment.some_at_random(chance))
            taken.append((moment.mover, option))
            moment = moment.after(option)
    if moment.position.outcome is not None:
        value = worth(moment.position.outcome)
    else:
        value = evaluate(moment.position) if evaluate is not None and horizon else 0.5
    if experience is not None:
        experience.add(taken, value)
    return value


@dataclass(frozen=True)
class Tuning:
    """The constants of :class:`Guided`."""

    #: The weight of exploration, and how sharply it falls with a worse evaluation.
    explore: float = 0.25
    sharpness: float = 12.0
    #: The same without random games, whose luck takes many visits to even out; None for the same values.
    explore_alone: float | None = None
    sharpness_alone: float | None = None
    #: The share of a random game, from 0 to 1, in the value of a simulation; the evaluation has the rest.
    playouts: float = 0.5
    #: Minimum simulations for each cell of the board for random games to be played: a few only show luck.
    playouts_from: int = 0
    #: Whether the sides of a random game choose among a few random options by :class:`Experience`.
    learning: bool = False
    #: The decisions after which a random game stops and the evaluation gives its value; 0 for none.
    horizon: int = 0
    #: The visits for which the evaluation of a child counts in :class:`Primed`; 0 for :class:`Guided`.
    trust: float = 0.0
    #: The visits of a node before it is grown.
    patience: int = 1


class Guided(Tree):
    """UCT led by an evaluation."""

    def __init__(self, moment: Moment, seed: int | str, evaluate: Evaluate, tuning: Tuning) -> None:
        super().__init__(moment, seed)
        self._evaluate, self._tuning = evaluate, tuning
        self._playouts, self._explore, self._sharpness = tuning.playouts, tuning.explore, tuning.sharpness
        self._experience = Experience() if tuning.learning else None
        self.grow(self.root)

    def run(self, simulations: int) -> None:
        tuning = self._tuning
        least = tuning.playouts_from * len(self.root.moment.position.board.cells)
        self._playouts = tuning.playouts if simulations >= least else 0.0
        self._explore, self._sharpness = tuning.explore, tuning.sharpness
        if not self._playouts:
            self._explore = tuning.explore if tuning.explore_alone is None else tuning.explore_alone
            self._sharpness = tuning.sharpness if tuning.sharpness_alone is None else tuning.sharpness_alone
        super().run(simulations)

    def _value(self, node: Node) -> float:
        tuning = self._tuning
        if node.visits >= tuning.patience:
            self.grow(node)
            if node.proven is not None:
                return node.proven
            value = node.statics[0]
        else:
            value = node.static
        if self._playouts:
            played = playout(node.moment, self.chance, self._experience, self._evaluate, tuning.horizon)
            value += self._playouts * (played - value)
        return value

    def grow(self, node: Node) -> None:
        evaluate, moment = self._evaluate, node.moment
        found: list[tuple[float, int, str, float]] = []
        for at, option in enumerate(moment.options()):
            after = moment.after(option)
            outcome = after.position.outcome
            value = evaluate(after.position) if outcome is None else worth(outcome)
            if option == PASS and found and outcome is None and filling(moment.position) < _EARLY:
                node.leaves_out_pass = True
                continue
            mine = node.for_mover(value)
            if outcome is not None and mine == 1.0:
                node.options, node.statics, node.children = [option], [value], [Node(after, node.mover, value)]
                node.proven = value
                return
            # Equal options are visited in the order of the board, and a pass last.
            found.append((-mine, at if option != PASS else 1 << 30, option, value))
        found.sort()
        node.options = [option for _, _, option, _ in found]
        node.statics = [value for _, _, _, value in found]

    def _descend(self, node: Node) -> Node:
        children, statics = node.children, node.statics
        mover, sharpness = node.mover, self._sharpness
        losing = 1.0 if mover else 0.0
        sign = -1.0 if mover else 1.0
        # Every child's prior is measured by the evaluation of the most promising one.
        top = sign * statics[0] + 1.0 / sharpness
        wide = self._explore * sqrt(node.visits) / (sharpness * sharpness)
        best, best_score = None, -1.0
        for child in children:
            if child.proven != losing:
                behind = top - sign * child.static
                score = child.won / child.visits + wide / (behind * behind * (1 + child.visits))
                if score > best_score:
                    best, best_score = child, score
        if len(children) < len(statics):
            static = sign * statics[len(children)]
            behind = top - static
            if best is None or static + mover + wide / (behind * behind) > best_score:
                return self._child(node)
        assert best is not None
        return best


class Primed(Guided):
    """UCB1 that counts the evaluation as a number of visits: it leads short searches, and results lead long ones."""

    def _descend(self, node: Node) -> Node:
        children, statics, trust = node.children, node.statics, self._tuning.trust
        losing = 1.0 if node.mover else 0.0
        wide = self._explore * self._explore * logarithm(node.visits + 1)
        best, best_score = None, -1.0
        for child in children:
            if child.proven != losing:
                visits = child.visits + trust
                score = (child.won + trust * node.for_mover(child.static)) / visits + sqrt(wide / visits)
                if score > best_score:
                    best, best_score = child, score
        if len(children) < len(statics):
            score = node.for_mover(statics[len(children)]) + sqrt(wide / trust)
            if best is None or score > best_score:
                return self._child(node)
        assert best is not None
        return best


def best_option(node: Node) -> int:
    """The index of the best option of a node."""
    return ranking(node)[0]


def ranking(node: Node) -> list[int]:
    """The options of a node by their index, best first: proven wins, then the most visited, proven losses last."""
    options, losing = node.options, 1.0 if node.mover else 0.0

    def rank(at: int) -> tuple[int, int, float, bool, int]:
        child = node.children[at] if at < len(node.children) else None
        proven = None if child is None else child.proven
        certain = 1 if proven is None or proven == 0.5 else 2 if proven == losing else 0
        return certain, 0 if child is None else -child.visits, -node.worth_to_mover(at), options[at] == PASS, at

    return sorted(range(len(options)), key=rank)
