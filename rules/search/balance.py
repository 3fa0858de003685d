"""Find fair openings: ``python -m rules.search.balance --simulations 6`` writes ``rules/search/openings.txt``.

The value of an opening is the mean of what a search says of it along a short game from there, in which it plays both
sides: so it looks farther ahead than a single search.
"""

from __future__ import annotations

import argparse
import sys
from random import Random

import rules
from rules import Phase, Ruleset, Side
from rules.search.choice import tree_of
from rules.search.openings import FILE, any_opening
from rules.search.tree import best_step

#: The openings that are tried where there are too many for all.
_TRIED = 12
#: How many of the fairest openings are listed, and how many of those that are the same up to symmetry.
_LISTED, _ALIKE = 3, 4
#: How far from even a listed opening may be, unless none is nearer.
_UNEVEN = 0.06
#: The turns that a search plays on from an opening.
_TURNS = 4


def candidates(ruleset: Ruleset) -> list[list[str]]:
    """The openings to try, in sets of those that are the same up to symmetry."""
    start = ruleset.start()
    if not start.lists_openings:
        chance = Random(ruleset.id)
        return [[any_opening(start, chance)] for _ in range(_TRIED)]
    board, found = ruleset.board, dict[tuple[int, ...], list[str]]()
    middle = board.size - 1
    for turn in start.legal_turns:
        cell = board.cell(turn)
        assert cell is not None
        across, along = board.column(cell) - middle, board.row(cell) - middle
        # The three distances from the lines through the centre, in any order, are what symmetry leaves of a cell.
        found.setdefault(tuple(sorted(map(abs, (across, along, across - along)))), []).append(turn)
    return list(found.values())


def value(ruleset: Ruleset, opening: str, simulations: int) -> float:
    """The first side's chance after an opening."""
    position = ruleset.replay([opening, ruleset.game.sides[Side.SECOND]])
    values = list[float]()
    for _ in range(_TURNS):
        if position.phase is Phase.OVER:
            break
        tree = tree_of(position, opening)
        tree.run(simulations)
        values.append(tree.root.value)
        turn, _ = tree.turn_from(tree.root, best_step)
        position = position.play(turn)[0]
    return sum(values) / len(values)


def line_of(ruleset: Ruleset, simulations: int) -> str:
    """The line of a ruleset in the list of fair openings."""
    tried = sorted((round(value(ruleset, same[0], simulations), 3), same) for same in candidates(ruleset))
    tried.sort(key=lambda each: abs(each[0] - 0.5))
    # Of the fairest ones, whatever they are, at least one is listed.
    tried = [each for each in tried[:_LISTED] if abs(each[0] - 0.5) <= _UNEVEN] or tried[:1]
    listed = [f"{turn} {chance:.3f}" for chance, same in tried for turn in same[:_ALIKE]]
    return f"{ruleset.id}: {' '.join(listed)}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m rules.search.balance", description="Find fair openings.")
    parser.add_argument("--game", help="only this game; the openings of the others stay")
    parser.add_argument("--simulations", type=int, default=6, help="for each turn (default: 6)")
    options = parser.parse_args(arguments)
    old = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    lines = {line.partition(":")[0]: line for line in old}
    for name, game in rules.GAMES.items():
        for size in game.sizes if options.game in {None, name} else ():
            for variant in game.variants:
                ruleset = Ruleset(game, size, variant)
                lines[ruleset.id] = line_of(ruleset, options.simulations)
                print(lines[ruleset.id], file=sys.stderr)
    known = [
        Ruleset(game, size, variant).id
        for game in rules.GAMES.values()
        for variant in game.variants
        for size in game.sizes
    ]
    FILE.write_text("".join(f"{lines[identity]}\n" for identity in known if identity in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
