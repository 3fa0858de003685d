"""Mine puzzles from games of the search against itself: ``python -m rules.search.workshop.mine dalen --count 15``.

At most one puzzle is taken of each game, and added to the file of the game, such as ``rules/dalen/puzzles.jsonl``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random

from rules import GAMES, PASS, Board, Phase, Position, Ruleset, bits
from rules.puzzles import DIFFICULTIES, Puzzle, file_of, read
from rules.search.choice import choose, tree_of
from rules.search.knowledge import knowledge_of
from rules.search.levels import Level
from rules.search.moment import Moment
from rules.search.openings import any_opening
from rules.search.players import at_random, greedy, play_out
from rules.search.proof import Prover, TooHard, successors
from rules.search.tree import best_option, ranking
from rules.search.workshop.arena import in_processes

#: The probability of a random turn, and the simulations for any other turn.
_RANDOM, _SIMULATIONS = 0.2, 3
#: How many positions a proof may look at: a proof that tests repeat, and a proof of the line after it.
_PROOF, _LINE = 20_000, 60_000
#: The simulations to find a turn, to show its margin at first and in tests, and to make sure of it.
_FIND = 40
_SHOW, _BETTER = 24, 0.2
_SURE, _FAR_BETTER = (400, 800), 0.35
#: For a search to begin, the minimum evaluation of the best turn, and the maximum of the next one.
_LOST, _WON = 0.25, 0.75
#: Minimum chance of the solver after the turn to find.
_HOPEFUL = 0.4
#: How many different turns the position may have, and how many after each of the opponent's replies.
_CHOICES, _LATER_CHOICES = range(6, 200), range(3, 200)
#: Maximum turns of a solution.
_PLIES = 5
#: The simulations that rank the opponent's replies.
_QUICK = 20
#: The simulations to find an easy solution where turns have many elements, and a medium one; how often both are tried.
_EASY, _MEDIUM, _TRIES = 4, 50, 3
#: Two puzzles are alike if one board, turned and mirrored, differs from the other in at most this many stones.
_ALIKE = 5


def game_of(ruleset: Ruleset, seed: int) -> tuple[str, ...]:
    """The turns of a game between careless players."""
    chance = Random(f"{seed}/{ruleset.id}")

    def turn_of(position: Position, _number: int) -> str:
        match position.phase:
            case Phase.OPENING:
                return any_opening(position, chance)
            case Phase.CHOICE:
                return chance.choice(position.sides)
            case _ if chance.random() < _RANDOM:
                return at_random(position, seed)
            case _:
                tree = tree_of(position, seed)
                tree.run(_SIMULATIONS)
                return tree.turn_from(tree.root, best_option)[0]

    return tuple(play_out(ruleset.start(), turn_of)[0])


def mined(ruleset: Ruleset, seed: int, searched: bool = False, least: int = DIFFICULTIES[0]) -> Puzzle | None:
    """The hardest puzzle in a game, at ``least`` that hard; its solution is proven or found by a deep search."""
    turns = game_of(ruleset, seed)
    found = []
    for end, solution in (searched_in if searched else proven_in)(ruleset, turns, least):
        # A line that is too long to be confirmed in tests is cut short.
        for length in range(len(solution), 0, -2):
            puzzle = Puzzle(ruleset, turns[:end], solution[:length], least, proven=not searched)
            if puzzle.solution[-1] != PASS and holds(puzzle):
                found.append(graded(puzzle))
                break
    return max(found, key=lambda puzzle: (puzzle.difficulty, len(puzzle.solution)), default=None)


def proven_in(ruleset: Ruleset, turns: tuple[str, ...], least: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The positions at the end of a game in which one turn alone is proven to win, by their ply, with the solution."""
    for end in range(len(turns) - 1, 1, -1):
        position = ruleset.replay(turns[:end])
        if len(successors(position)) not in _CHOICES:
            continue
        try:
            winning = Prover(position.turn_of, _PROOF).winning_turns(position)
        except TooHard:
            # Earlier positions hardly ever have a shorter proof.
            return
        if len(winning) == 1 and fits(position, winning[0], least):
            only = partial(only_win, Prover(position.turn_of, _LINE))
            yield end, solution_from(position, winning[0], only, replies=len(ruleset.board.cells))


def searched_in(ruleset: Ruleset, turns: tuple[str, ...], least: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Like :func:`proven_in`, but a turn is far better than all others; the positions are in the last two thirds."""
    for end in range(len(turns) // 3, len(turns)):
        position = ruleset.replay(turns[:end])
        if len(successors(position)) in _CHOICES:
            turn = far_better(position, least)
            if turn is not None:
                yield end, solution_from(position, turn, far_better, replies=1)


def fits(position: Position, turn: str, least: int) -> bool:
    """Whether a turn may begin the solution of a puzzle that is at least ``least`` hard."""
    return turn != PASS and (least == DIFFICULTIES[0] or not is_easy(position, (turn,)))


def solution_from(
    position: Position, turn: str, only: Callable[[Position], str | None], replies: int, plies: int = _PLIES
) -> tuple[str, ...]:
    """A turn, followed by one of the opponent's best replies and the solver's ``only`` turn as long as there is one."""
    position = position.play(turn)[0]
    if plies > 1 and position.outcome is None:
        after = successors(position)
        for reply, _ in turn_values(position, after, _QUICK, 0)[:replies]:
            if after[reply].outcome is None and len(successors(after[reply])) in _LATER_CHOICES:
                answer = only(after[reply])
                if answer is not None:
                    rest = solution_from(after[reply], answer, only, replies, plies - 2)
                    # A pass at the end of the line would leave nothing to find.
                    if rest[-1] != PASS:
                        return turn, reply, *rest
    return (turn,)


def only_win(prover: Prover, position: Position) -> str | None:
    """The turn that is proven to win, if all others are proven not to win; otherwise None."""
    try:
        winning = prover.winning_turns(position)
    except TooHard:
        return None
    return winning[0] if len(winning) == 1 else None


def far_better(position: Position, least: int = DIFFICULTIES[0]) -> str | None:
    """The turn that fits and is far better than all others by two deep searches; None without one."""
    after = successors(position)
    (_, best), *others = turn_values(position, after, 0, 0)
    if best < _LOST or (others and others[0][1] > _WON):
        return None
    turn, chance = turn_values(position, after, _FIND, 0)[0]
    if chance < _HOPEFUL or not fits(position, turn, least) or margin(position, turn, after, _SHOW, 0) < _BETTER:
        return None
    sure = all(
        margin(position, turn, after, simulations, seed) >= _FAR_BETTER for seed, simulations in enumerate(_SURE)
    )
    return turn if sure else None


class Turns(Moment):
    """A position with some of its whole turns, each with the position that it leads to."""

    __slots__ = ("_after",)

    def __init__(self, position: Position, after: Mapping[str, Position]) -> None:
        super().__init__(position)
        self._after = after

    def options(self) -> tuple[str, ...]:
        return tuple(self._after)

    def after(self, option: str) -> Moment:
        after = self._after[option]
        return knowledge_of(after.name).moment(after)


def turn_values(
    position: Position, after: Mapping[str, Position], simulations: int, seed: int
) -> list[tuple[str, float]]:
    """Turns, best first, with the chances of the side to play after them."""
    tree = knowledge_of(position.name).tree(Turns(position, after), seed)
    tree.run(simulations)
    return [(tree.root.options[at], tree.root.worth_to_mover(at)) for at in ranking(tree.root)]


def margin(position: Position, turn: str, after: Mapping[str, Position], simulations: int, seed: int) -> float:
    """How much likelier the side to play is to win after a turn than after the best other turn."""
    others = {other: reached for other, reached in after.items() if other != turn}
    _, best = turn_values(position, {turn: after[turn]}, simulations, seed)[0]
    _, second = turn_values(position, others, simulations, seed)[0]
    return best - second


def holds(puzzle: Puzzle) -> bool:
    """Whether a short proof or search confirms each of the solver's turns."""
    prover = Prover(puzzle.position.turn_of, _PROOF)
    for ply in range(0, len(puzzle.solution), 2):
        position, turn = puzzle.after(ply), puzzle.solution[ply]
        if puzzle.proven:
            only = only_win(prover, position)
            if only is None or not puzzle.solves(ply, only):
                return False
        elif margin(position, turn, successors(position), _SHOW, 0) < _BETTER:
            return False
    return True


def is_easy(position: Position, solution: tuple[str, ...]) -> bool:
    """Whether the greedy player may find the first turn or, where turns have many elements, a short search finds all
    turns."""
    if not position.lists_all_turns:
        return found_by_search(position, solution, _EASY)
    return any(position.same_turn(greedy(position, seed), solution[0]) for seed in range(_TRIES))


def graded(puzzle: Puzzle) -> Puzzle:
    """The puzzle with its difficulty: easy, else medium if a short search always finds the solution, else hard."""
    easy, medium, hard = DIFFICULTIES
    if is_easy(puzzle.position, puzzle.solution):
        return replace(puzzle, difficulty=easy)
    found = found_by_search(puzzle.position, puzzle.solution, _MEDIUM)
    return replace(puzzle, difficulty=medium if found else hard)


def found_by_search(position: Position, solution: tuple[str, ...], simulations: int) -> bool:
    """Whether a search always finds all of the solver's turns."""
    for ply, turn in enumerate(solution):
        if ply % 2 == 0:
            found = (choose(position, Level(simulations), seed).turn for seed in range(_TRIES))
            if not all(position.same_turn(choice, turn) for choice in found):
                return False
        position = position.play(turn)[0]
    return True


@cache
def symmetries(board: Board) -> tuple[dict[int, int], ...]:
    """The twelve ways to turn and mirror the board, each as a map from cells to their images."""
    middle = board.size - 1
    at = {(board.column(cell) - middle, board.row(cell) - middle): cell for cell in board.cells}
    points = list(at)
    found = []
    for _ in range(6):
        points = [(u - v, u) for u, v in points]
        found += [
            dict(zip(at.values(), map(at.__getitem__, images), strict=True))
            for images in (points, [(v, u) for u, v in points])
        ]
    return tuple(found)


def alike(one: Puzzle, other: Puzzle) -> bool:
    """Whether the boards of two puzzles are nearly the same, in any orientation and for either side."""
    if one.ruleset != other.ruleset:
        return False
    pairs = tuple(zip(_stones(one), _stones(other), strict=True))
    return any(
        sum((mask ^ sum(1 << images[cell] for cell in bits(moved))).bit_count() for mask, moved in pairs) <= _ALIKE
        for images in symmetries(one.ruleset.board)
    )


def _stones(puzzle: Puzzle) -> tuple[int, int]:
    """The solver's stones and the opponent's."""
    position = puzzle.position
    return position.stones(position.turn_of), position.stones(position.turn_of.other)


def mine(ruleset: Ruleset, seeds: Iterable[int], searched: bool, least: int, processes: int) -> Iterator[Puzzle | None]:
    """The puzzle in the game of each seed, in order."""
    return in_processes(mined, ((ruleset, seed, searched, least) for seed in seeds), processes)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m rules.search.workshop.mine", description="Mine puzzles.")
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--size", type=int, help="the size of the board, also one that is not offered for matches")
    parser.add_argument("--count", type=int, default=15, help="puzzles of each difficulty to reach (default: 15)")
    parser.add_argument("--games", type=int, default=1000, help="the most games to play (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first game (default: 0)")
    parser.add_argument("--searched", action="store_true", help="instead of proven wins, turns that are far better")
    parser.add_argument("--least", type=int, choices=DIFFICULTIES, default=1, help="the least difficulty (default: 1)")
    parser.add_argument("--grade", action="store_true", help="mine nothing, but grade the puzzles in the file again")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--file", type=Path, help="the file to add to (default: that of the game)")
    options = parser.parse_args(arguments)
    game = GAMES[options.game]
    ruleset = Ruleset(game, options.size or game.default_size, game.variants[0])
    file = options.file or file_of(game.name)
    known = read(game.name, file)
    if options.grade:
        file.write_text("".join(f"{graded(puzzle).as_json()}\n" for puzzle in known), encoding="utf-8")
        return
    counts = Counter(puzzle.difficulty for puzzle in known)
    seeds = range(options.seed, options.seed + options.games)
    with file.open("a", encoding="utf-8") as out:
        for seed, puzzle in zip(
            seeds, mine(ruleset, seeds, options.searched, options.least, options.processes), strict=True
        ):
            if puzzle is None or counts[puzzle.difficulty] >= options.count:
                continue
            if not any(alike(puzzle, other) for other in known):
                known.append(puzzle)
                counts[puzzle.difficulty] += 1
                print(puzzle.as_json(), file=out, flush=True)
                print(f"seed {seed}: {' + '.join(str(counts[level]) for level in DIFFICULTIES)}", file=sys.stderr)
            if all(counts[level] >= options.count for level in DIFFICULTIES[options.least - 1 :]):
                break


if __name__ == "__main__":
    main()
