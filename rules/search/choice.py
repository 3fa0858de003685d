"""The choice of a turn, and the values of the alternatives."""

from __future__ import annotations

from dataclasses import dataclass

from rules import PASS, Phase, Position, Side
from rules.search import openings
from rules.search.knowledge import knowledge_of
from rules.search.levels import Level, level_of
from rules.search.moment import chance_in
from rules.search.proof import Prover, TooHard
from rules.search.tree import Contrary, Node, Tree, Tuning, best_option, ranking

#: The chance of winning from which a side may end the game by a pass, and the share by which its risk may then rise.
_SURE, _LITTLE = 0.97, 0.05
#: How many states without a lasting change it takes for a side to pass if that costs little or if it is behind; after
#: three times as many, it passes anyway.
_LONG = 16
#: By how much simulations are divided from each element of a turn to the next, and for the line after a proof.
_REST = 4
#: Up to how many empty cells the search first looks for a proof: as many as a board of side 3 has.
_FEW = 19


@dataclass(frozen=True, slots=True)
class Choice:
    """A turn, its value, and the expected line, which begins with it.

    ``value`` is the chance, from 0 to 1, of the side to play or, before the choice of sides, of the player to act.
    """

    turn: str
    value: float
    simulations: int
    line: tuple[str, ...]


def choose(position: Position, level: int | Level, seed: int) -> Choice:
    """Choose a turn as a computer player of a level. The same arguments give the same turn on every machine.

    Raises ``ValueError`` if the game is over or there is no such level.
    """
    if position.phase is Phase.OVER:
        raise ValueError("the game is over")
    if isinstance(level, int):
        level = level_of(position.ruleset, level)
    chance = chance_in(position, seed)
    if position.phase is Phase.OPENING:
        turn, value = openings.fair(position, chance)
        return Choice(turn, value, 0, (turn,))
    if position.phase is Phase.CHOICE:
        return _side(position, level, seed)
    if level.proof and position.empty.bit_count() <= _FEW and (won := _proof(position, level, seed)) is not None:
        return won
    tree = tree_of(position, seed, level.tuning)
    careless = level.carelessness
    if careless is not None and careless.lapses < 1 and chance.random() >= careless.lapses:
        careless = None
    if careless is not None and careless.knowledge.contrary and (near := careless.plausible(tree.root)):
        tree = Contrary(tree.root.moment, seed, [tree.root.options[at] for at in near])
        tree.run(careless.knowledge.contrary)
        turn, node = tree.turn_from(tree.root, best_option)
        return Choice(turn, 1 - _value_of(node), tree.simulations, (turn, *line_from(node)))
    tree.run(level.simulations)
    root, simulations, left = tree.root, tree.simulations, level.simulations

    def pick(node: Node) -> int:
        nonlocal left
        if node is not root:
            # The search of the rest of the turn keeps what it has found so far.
            left //= _REST
            tree.root = node
            tree.run(left)
        return best_option(node) if careless is None else careless.pick(node, chance)

    idle = knowledge_of(position.name).idle
    if idle is not None and (at := _closing(root, idle(position))) is not None:
        node = root.successor(at)
        return Choice(PASS, _value_of(node), simulations, (PASS, *line_from(node)))
    turn, node = tree.turn_from(root, pick)
    return Choice(turn, _value_of(node), simulations, (turn, *line_from(node)))


def analyse(position: Position, simulations: int, seed: int, count: int = 3) -> tuple[Choice, ...]:
    """The best turns of the side to play, best first; of several with the same first element, only the best.

    Raises ``ValueError`` if there is no side to play.
    """
    if position.phase is not Phase.PLAY:
        raise ValueError("there is no side to play")
    tree = tree_of(position, seed)
    tree.run(simulations)
    if not tree.root.options:
        tree.grow(tree.root)
    found = []
    for at in ranking(tree.root)[:count]:
        turn, node = tree.root.options[at], tree.root.successor(at)
        visits = node.visits
        if node.moment.begun:
            rest, node = tree.turn_from(node, best_option)
            turn += rest
        found.append(Choice(turn, _value_of(node), visits, (turn, *line_from(node))))
    return tuple(found)


def _proof(position: Position, level: Level, seed: int) -> Choice | None:
    """A turn proven to win, with the line that a short search expects; None without a proof."""
    try:
        turn = Prover(position.turn_of, level.proof).winning_turn(position)
    except TooHard:
        return None
    if turn is None:
        return None
    after = position.play(turn)[0]
    if after.outcome is not None:
        return Choice(turn, 1.0, 0, (turn,))
    tree = tree_of(after, seed, level.tuning)
    tree.run(level.simulations // _REST)
    return Choice(turn, 1.0, tree.simulations, (turn, *line_from(tree.root)))


def _closing(root: Node, idle: int) -> int | None:
    """The index of the pass, if it wins about as surely as the best turn, or if the game is lost.

    After many ``idle`` states a pass may cost more.
    """
    if PASS not in root.options:
        return None
    at, best = root.options.index(PASS), root.worth_to_mover(best_option(root))
    passing = root.worth_to_mover(at)
    # Measured by the chance of losing, because a great lead would otherwise shrink, pass by pass.
    closes = passing >= max(_SURE, 1 - (1 - best) * (1 + _LITTLE)) or best <= 1 - _SURE
    if idle >= _LONG:
        closes = closes or best < 0.5 or passing >= best - _LITTLE
    return at if closes or idle >= 3 * _LONG else None


def _value_of(node: Node) -> float:
    """The chance of the side that moved to a node."""
    value = 1.0 - node.value if node.chooser else node.value
    return value / (value + knowledge_of(node.moment.position.name).hope * (1 - value))


def tree_of(position: Position, seed: int | str, tuning: Tuning | None = None) -> Tree:
    """Return a search from a position, as its game is usually searched or with other constants."""
    knowledge = knowledge_of(position.name)
    return knowledge.tree(knowledge.moment(position), seed, tuning)


def line_from(node: Node, longest: int = 12) -> list[str]:
    """The turns that the search expects from a node on, as far as it has visited them."""
    turns, begun = list[str](), ""
    while node.children and len(turns) < longest:
        at = ranking(node)[0]
        if at >= len(node.children) or not (node.children[at].visits or node.children[at].proven is not None):
            break
        begun += node.options[at]
        node = node.children[at]
        if not node.moment.begun:
            turns.append(begun)
            begun = ""
    return turns


def _side(position: Position, level: Level, seed: int) -> Choice:
    """Choose the better side by a search of the position after the choice."""
    side = Side.FIRST
    tree = tree_of(position.play(position.sides[side])[0], seed, level.tuning)
    tree.run(level.simulations)
    value = tree.root.value
    if value < 0.5:
        side, value = Side.SECOND, 1.0 - value
    turn = position.sides[side]
    return Choice(turn, value, tree.simulations, (turn, *line_from(tree.root)))
