"""Mine puzzles from games of the search against itself: ``python -m rules.search.mine dalen --size 5 --count 10``.

It looks at the last positions of each game, takes at most one puzzle of it, and adds those found to the file of the
game, such as ``rules/dalen.puzzles.jsonl``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import repeat
from multiprocessing import get_context
from random import Random

from rules import GAMES, PASS, Board, Phase, Position, Ruleset, bits
from rules.puzzles import DIFFICULTIES, Puzzle, file_of, puzzles
from rules.search.choice import choose, tree_of
from rules.search.openings import any_opening
from rules.search.players import at_random, greedy
from rules.search.proof import Prover, TooHard, reached
from rules.search.tree import best_step

#: How often a turn is random, and the simulations that are spent on the others.
_RANDOM, _SIMULATIONS = 0.2, 3
#: The most turns of a game, for each cell of the board.
_LONGEST = 4
#: The positions that a proof may look at: that of a puzzle, so that tests can repeat it, and that of the line after it.
PROOF, _LINE = 1500, 6000
#: After so many positions in a row without a proof, earlier ones are not tried.
_HOPELESS = 2
#: The least different turns in the position, and in those after the opponent's replies.
_CHOICES, _LATER_CHOICES = 6, 3
#: The most turns of a solution.
_PLIES = 5
#: The level that does not find the solution of a hard puzzle, and how often it may try.
_LEVEL, _TRIES = 2, 3
#: Two puzzles are alike if one board can be turned and mirrored so that it differs from the other in so few stones.
_ALIKE = 5


def game_of(ruleset: Ruleset, seed: int) -> tuple[str, ...]:
    """The turns of a game between careless players."""
    chance = Random(f"{seed}/{ruleset.id}")
    position = ruleset.start()
    turns = list[str]()
    while position.phase is not Phase.OVER and len(turns) < _LONGEST * len(ruleset.board.cells):
        match position.phase:
            case Phase.OPENING:
                turn = any_opening(position, chance)
            case Phase.CHOICE:
                turn = chance.choice(position.sides)
            case _ if chance.random() < _RANDOM:
                turn = at_random(position, seed)
            case _:
                tree = tree_of(position, seed)
                tree.run(_SIMULATIONS)
                turn, _ = tree.turn_from(tree.root, best_step)
        turns.append(turn)
        position = position.play(turn)[0]
    return tuple(turns)


def mined(ruleset: Ruleset, seed: int) -> Puzzle | None:
    """The hardest puzzle that is found in a game."""
    turns = game_of(ruleset, seed)
    found, hopeless = list[Puzzle](), 0
    for end in range(len(turns) - 1, 1, -1):
        position = ruleset.replay(turns[:end])
        if len(reached(position)) < _CHOICES:
            continue
        try:
            solution = solution_of(position)
            hopeless = 0
        except TooHard:
            hopeless += 1
            if hopeless == _HOPELESS:
                break
            continue
        if solution:
            puzzle = Puzzle(ruleset, turns[:end], solution, difficulty_of(position, solution), proven=True)
            if is_proven(puzzle):
                found.append(puzzle)
    return max(found, key=lambda puzzle: (puzzle.difficulty, len(puzzle.solution)), default=None)


def solution_of(position: Position) -> tuple[str, ...]:
    """The line in which each of the solver's turns is the only one that wins; empty if there is none.

    The opponent replies so that the solver has the fewest ways to win. Raises :class:`TooHard`.
    """
    turn = only_win(position, Prover(position.turn_of, PROOF))
    if turn is None or turn == PASS:
        return ()
    solution = [turn]
    prover = Prover(position.turn_of, _LINE)
    while len(solution) < _PLIES:
        position = position.play(turn)[0]
        try:
            hard = [
                (reply, answer)
                for reply, after in reached(position).items()
                if after.outcome is None
                and len(reached(after)) >= _LATER_CHOICES
                and (answer := only_win(after, prover)) is not None
            ]
        except TooHard:
            break
        if not hard:
            break
        order = tree_of(position, 0).root.steps
        assert order is not None
        reply, turn = min(hard, key=lambda each: order.index(each[0]) if each[0] in order else len(order))
        solution += (reply, turn)
        position = position.play(reply)[0]
    return tuple(solution)


def only_win(position: Position, prover: Prover) -> str | None:
    """The turn that wins if no other does. Raises :class:`TooHard`."""
    winning = prover.winning_turns(position)
    return winning[0] if len(winning) == 1 else None


def is_proven(puzzle: Puzzle, most: int = PROOF) -> bool:
    """Whether a proof that looks at no more positions than that shows each of the solver's turns to be the only win."""
    prover = Prover(puzzle.position.turn_of, most)
    try:
        for ply in range(0, len(puzzle.solution), 2):
            turn = only_win(puzzle.after(ply), prover)
            if turn is None or not puzzle.solves(ply, turn):
                return False
    except TooHard:
        return False
    return True


def difficulty_of(position: Position, solution: tuple[str, ...]) -> int:
    """Easy if looking one turn ahead finds the first turn, and hard if a low level misses one of the turns."""
    tree = tree_of(position, 0)
    first_looks = {tree.turn_from(tree.root, best_step)[0], *(greedy(position, seed) for seed in range(_TRIES))}
    if any(same(position, turn, solution[0]) for turn in first_looks):
        return DIFFICULTIES[0]
    for ply, turn in enumerate(solution):
        if ply % 2 == 0 and not all(
            same(position, choose(position, _LEVEL, seed).turn, turn) for seed in range(_TRIES)
        ):
            return DIFFICULTIES[2]
        position = position.play(turn)[0]
    return DIFFICULTIES[1]


def same(position: Position, one: str, other: str) -> bool:
    """Whether two turns lead to the same position."""
    return one == other or position.play(one)[0] == position.play(other)[0]


@cache
def symmetries(board: Board) -> tuple[dict[int, int], ...]:
    """The twelve ways to turn and mirror the board: by cell, where it comes to lie."""
    middle = board.size - 1
    at = {(board.column(cell) - middle, board.row(cell) - middle): cell for cell in board.cells}
    places = list(at)
    found = []
    for _ in range(6):
        places = [(u - v, u) for u, v in places]
        found += [
            dict(zip(at.values(), map(at.__getitem__, images), strict=True))
            for images in (places, [(v, u) for u, v in places])
        ]
    return tuple(found)


def alike(one: Puzzle, other: Puzzle) -> bool:
    """Whether the boards of two puzzles are nearly the same, however they lie and whoever is to play."""
    if one.ruleset != other.ruleset:
        return False
    (mine, theirs), stones = _stones(one), _stones(other)
    return any(
        sum((moved ^ kept).bit_count() for moved, kept in zip(_moved(stones, images), (mine, theirs), strict=True))
        <= _ALIKE
        for images in symmetries(one.ruleset.board)
    )


def _stones(puzzle: Puzzle) -> tuple[int, int]:
    """The solver's stones and the opponent's."""
    position = puzzle.position
    return position.stones(position.turn_of), position.stones(position.turn_of.other)


def _moved(stones: tuple[int, int], images: dict[int, int]) -> Iterator[int]:
    return (sum(1 << images[cell] for cell in bits(mask)) for mask in stones)


def mine(ruleset: Ruleset, seeds: Iterable[int], processes: int) -> Iterator[Puzzle | None]:
    """What is found in the game of each seed, in order."""
    if processes == 1:
        yield from map(mined, repeat(ruleset), seeds)
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        yield from pool.map(mined, repeat(ruleset), seeds)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m rules.search.mine", description="Mine puzzles.")
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--size", type=int, help="the size of the board, also one that is not offered for matches")
    parser.add_argument("--count", type=int, default=10, help="how many puzzles to add (default: 10)")
    parser.add_argument("--games", type=int, default=10_000, help="the most games to play (default: 10,000)")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first game (default: 0)")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args(arguments)
    game = GAMES[options.game]
    ruleset = Ruleset(game, options.size or game.default_size, game.variants[0])
    known, wanted = list(puzzles(game.name)), options.count
    with file_of(game.name).open("a", encoding="utf-8") as file:
        for number, puzzle in enumerate(
            mine(ruleset, range(options.seed, options.seed + options.games), options.processes), 1
        ):
            if puzzle is not None and not any(alike(puzzle, other) for other in known):
                known.append(puzzle)
                wanted -= 1
                print(puzzle.as_json(), file=file, flush=True)
                print(f"after {number} games: {Counter(each.difficulty for each in known)}", file=sys.stderr)
                if not wanted:
                    break


if __name__ == "__main__":
    main()
