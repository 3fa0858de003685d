"""Find fair openings: ``python -m rules.search.workshop.balance hedu --size 5`` adds them to ``openings.txt``.

The search plays games against itself from every opening; one is fair if either side wins about half of them.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from random import Random
from statistics import fmean

from rules import GAMES, Position, Ruleset, Side
from rules.search.choice import choose
from rules.search.levels import Level
from rules.search.openings import FILE, any_opening
from rules.search.players import play_out
from rules.search.tree import worth

#: How many openings are tried where there are too many to try all.
_CANDIDATES = 12
#: How many fair openings are listed, and how many that are the same up to symmetry.
_MOST_FAIR, _ALIKE = 3, 4


def candidates(ruleset: Ruleset) -> list[list[str]]:
    """The openings to try, in sets that are the same up to symmetry."""
    start = ruleset.start()
    if not start.lists_openings:
        chance = Random(ruleset.id)
        return [[any_opening(start, chance)] for _ in range(_CANDIDATES)]
    board, found = ruleset.board, dict[tuple[int, ...], list[str]]()
    middle = board.size - 1
    for turn in start.legal_turns:
        cell = board.cell(turn)
        assert cell is not None
        across, along = board.column(cell) - middle, board.row(cell) - middle
        # Cells are the same up to symmetry if their distances from the three lines through the centre are the same.
        found.setdefault(tuple(sorted(map(abs, (across, along, across - along)))), []).append(turn)
    return list(found.values())


def result(ruleset: Ruleset, opening: str, simulations: int, seed: int) -> float:
    """The first side's result of a game of the search against itself from an opening; a draw if it takes too long."""
    chance = Random(f"{seed}/{opening}")

    def turn_of(position: Position, _number: int) -> str:
        # A search without random games finds the same turn every time, so they are not all equally long.
        spent = max(1, round(simulations * (0.75 + 0.5 * chance.random())))
        return choose(position, Level(spent), chance.getrandbits(32)).turn

    _, position = play_out(ruleset.replay([opening, ruleset.game.sides[Side.SECOND]]), turn_of)
    return 0.5 if position.outcome is None else worth(position.outcome)


def line_of(ruleset: Ruleset, simulations: int, games: int, margin: float, pool: ProcessPoolExecutor) -> str:
    """The line of a ruleset in the list of fair openings."""
    tried = list[tuple[float, list[str]]]()
    for same in candidates(ruleset):
        # Openings that are the same up to symmetry take turns.
        played = [same[number % len(same)] for number in range(games)]
        won = fmean(pool.map(result, repeat(ruleset), played, repeat(simulations), range(games)))
        tried.append((round(won, 3), same))
        print(f"{ruleset.id} {same[0]}: {won:.3f}", file=sys.stderr)
    tried.sort(key=lambda opening: abs(opening[0] - 0.5))
    # Of the fairest ones, whatever they are, at least one is listed.
    tried = [opening for opening in tried[:_MOST_FAIR] if abs(opening[0] - 0.5) <= margin] or tried[:1]
    listed = [f"{turn} {won:.3f}" for won, same in tried for turn in same[:_ALIKE]]
    return f"{ruleset.id}: {' '.join(listed)}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m rules.search.workshop.balance", description="Find fair openings.")
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--size", type=int, help="only this size of the board; the openings on others stay")
    parser.add_argument("--simulations", type=int, default=20, help="a turn, give or take a quarter (default: 20)")
    parser.add_argument("--games", type=int, default=40, help="from each opening (default: 40)")
    parser.add_argument("--margin", type=float, default=0.1, help="how far from even listed ones may be (default: 0.1)")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args(arguments)
    game = GAMES[options.game]
    if options.size not in {None, *game.sizes}:
        parser.error(f"{game.title} is not played on size {options.size}")
    old = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    lines = {line.partition(":")[0]: line for line in old}
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        for size in game.sizes if options.size is None else [options.size]:
            for variant in game.variants:
                ruleset = Ruleset(game, size, variant)
                line = line_of(ruleset, options.simulations, options.games, options.margin, pool)
                lines[ruleset.id] = line
                print(line)
    known = [
        Ruleset(kind, size, variant).id for kind in GAMES.values() for variant in kind.variants for size in kind.sizes
    ]
    FILE.write_text("".join(f"{lines[identity]}\n" for identity in known if identity in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
