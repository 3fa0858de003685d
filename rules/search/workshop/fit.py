"""Fit the weights of an evaluation to games that it plays against itself.

``python -m rules.search.workshop.fit hedu --sizes 5 7 --games 300 --rounds 3`` prints the weights of a game.
In each round the computer plays games against itself with the weights of the round before, looking one turn ahead and
often playing something else; then the weights are set by logistic regression, so that the evaluation of the positions
of all games best predicts the winner.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from math import exp
from random import Random
from typing import Any, TypeAlias

import rules
from rules import Position, Ruleset
from rules.search.knowledge import Evaluation, knowledge_of
from rules.search.moment import filling
from rules.search.players import at_random, play_out
from rules.search.tree import Guided, Node, worth
from rules.search.workshop.arena import opening_turns

#: The probability of a random turn, and the chance that other turns may give away.
_RANDOM, _NOISE = 0.1, 0.04
#: The number of turns from one sampled position to the next.
_EVERY = 2
#: The strength of the pull of weights towards zero, which spreads weight among correlated terms.
_RIDGE = 3.0

#: The terms of a position, each early and late, and the first side's result.
Sample: TypeAlias = tuple[list[float], float]


def sampled(ruleset: Ruleset, evaluation: Evaluation[Any], seed: int, *, blind: bool) -> list[Sample]:
    """Positions of a game of the evaluation against itself; none if it did not end. ``blind`` games are random."""
    chance = Random(seed)
    found: list[list[float]] = []

    def turn_of(position: Position, number: int) -> str:
        if number % _EVERY == _EVERY - 1:
            found.append(inputs(evaluation, position))
        if blind or chance.random() < _RANDOM:
            return at_random(position, seed + number)
        return _ahead(position, evaluation, chance)

    _, position = play_out(ruleset.replay(opening_turns(ruleset, seed)), turn_of)
    if position.outcome is None:
        return []
    result = worth(position.outcome)
    return [(sample, result) for sample in found]


def inputs(evaluation: Evaluation[Any], position: Position) -> list[float]:
    """Every term of the position twice: weighted for the early game and for the late game."""
    filled = filling(position)
    terms = evaluation.terms(position)
    return [term * (1 - filled) for term in terms] + [term * filled for term in terms]


def _ahead(position: Position, evaluation: Evaluation[Any], chance: Random) -> str:
    """A turn after which the evaluation is good."""
    knowledge = knowledge_of(position.name)
    tree = Guided(knowledge.moment(position), 0, evaluation, knowledge.tuning)

    def pick(node: Node) -> int:
        noisy = [node.for_mover(value) - chance.random() * _NOISE for value in node.statics]
        return noisy.index(max(noisy))

    return tree.turn_from(tree.root, pick)[0]


def regression(samples: Sequence[Sample], rounds: int = 12) -> list[float]:
    """The weights that make the results most likely, by Newton's method."""
    width = len(samples[0][0])
    weights = [0.0] * width
    for _ in range(rounds):
        gradient = [-_RIDGE * weight for weight in weights]
        curvature = [[_RIDGE if row == column else 0.0 for column in range(width)] for row in range(width)]
        for inputs_, result in samples:
            logit = sum([weight * value for weight, value in zip(weights, inputs_, strict=True)])
            expected = 1 / (1 + exp(-max(-30.0, min(30.0, logit))))
            error, steep = result - expected, expected * (1 - expected) + 1e-6
            for row, value in enumerate(inputs_):
                if value:
                    gradient[row] += error * value
                    scaled, line = steep * value, curvature[row]
                    for column in range(row, width):
                        line[column] += scaled * inputs_[column]
        for row in range(width):
            for column in range(row):
                curvature[row][column] = curvature[column][row]
        weights = [weight + change for weight, change in zip(weights, solve(curvature, gradient), strict=True)]
    return weights


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for row in range(size):
            if row != at and rows[row][at]:
                factor = rows[row][at] / rows[at][at]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at], strict=True)]
    return [rows[at][size] / rows[at][at] for at in range(size)]


def wrong(samples: Sequence[Sample], weights: Sequence[float]) -> float:
    """The mean squared error of the evaluation."""
    total = 0.0
    for inputs_, result in samples:
        logit = sum([weight * value for weight, value in zip(weights, inputs_, strict=True)])
        total += (result - 1 / (1 + exp(-max(-30.0, min(30.0, logit))))) ** 2
    return total / len(samples)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m rules.search.workshop.fit", description="Fit the weights of an evaluation."
    )
    parser.add_argument("game", help="the name of the game, such as hedu")
    parser.add_argument("--sizes", type=int, nargs="+", help="the sizes of board on which to play, in turns")
    parser.add_argument("--variant", help="a variant of the rules")
    parser.add_argument("--games", type=int, default=200, help="games a round (default: 200)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blind", action="store_true", help="begin with random games instead of the present weights")
    options = parser.parse_args(arguments)
    default = rules.ruleset(options.game, None, options.variant)
    rulesets = [Ruleset(default.game, size, default.variant) for size in options.sizes or [default.size]]
    evaluation = knowledge_of(options.game).evaluate
    assert evaluation is not None
    samples: list[Sample] = []
    for number in range(options.rounds):
        blind = options.blind and number == 0
        new: list[Sample] = []
        for game in range(options.games):
            seed = (options.seed * 100 + number) * 100_000 + game
            new += sampled(rulesets[game % len(rulesets)], evaluation, seed, blind=blind)
        if not new:
            parser.exit(1, "no game came to an end\n")
        # The games of the previous round still count; earlier games no longer do.
        fitted = regression([*samples, *new])
        samples = [] if blind else new
        names = tuple(evaluation.weights[default.variant])
        pairs = zip(fitted[: len(names)], fitted[len(names) :], strict=True)
        weights = {name: (round(early, 3), round(late, 3)) for name, (early, late) in zip(names, pairs, strict=True)}
        evaluation = Evaluation(evaluation.terms, {**evaluation.weights, default.variant: weights})
        print(f"# round {number + 1}: {len(new)} positions, squared error {wrong(new, fitted):.4f}", file=sys.stderr)
        for name, pair in weights.items():
            print(f'    "{name}": {pair},', flush=True)


if __name__ == "__main__":
    main()
