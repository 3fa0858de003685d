"""The players of the arena, each known by a name such as ``random`` or ``level:3``."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from typing import TypeAlias

from rules import PASS, Phase, Position
from rules.search.choice import choose
from rules.search.knowledge import knowledge_of, positions_after
from rules.search.levels import NUMBERS, Level
from rules.search.moment import chance_in
from rules.search.tree import Tree, best_option, worth

#: What a player does: the turn in a position, given a seed.
Player: TypeAlias = Callable[[Position, int], str]

#: A game is broken off after this many turns a cell of the board.
_LONGEST = 4
_SPENDING = re.compile(r"(uct|search):([1-9][0-9]{0,5})")


def player(name: str) -> Player:
    """The player of that name. Raises ``ValueError``, in words, if there is none.

    ``random`` plays any turn; ``greedy`` the one after which the score is best for it; ``uct:1000`` is plain UCT with
    1,000 full random playouts; ``search:100`` the search of the levels with 100 simulations; ``level:3`` a level.
    """
    if name == "random":
        return at_random
    if name == "greedy":
        return greedy
    if name in {f"level:{number}" for number in NUMBERS}:
        level = int(name[-1])
        return lambda position, seed: choose(position, level, seed).turn
    spending = _SPENDING.fullmatch(name)
    if spending is None:
        raise ValueError(f"there is no player “{name}”; there are random, greedy, uct:1000, search:100 and level:1")
    kind, simulations = spending[1], int(spending[2])
    if kind == "uct":
        return lambda position, seed: uct(position, simulations, seed)
    return lambda position, seed: choose(position, Level(simulations), seed).turn


def play_out(position: Position, turn_of: Callable[[Position, int], str]) -> tuple[list[str], Position]:
    """The turns of a game from a position on, at most four a cell of the board, and the position after them.

    ``turn_of`` finds a turn by the position and the number of turns so far.
    """
    turns = list[str]()
    while position.phase is not Phase.OVER and len(turns) < _LONGEST * len(position.board.cells):
        turns.append(turn_of(position, len(turns)))
        position = position.play(turns[-1])[0]
    return turns, position


def at_random(position: Position, seed: int) -> str:
    """A random turn; it is a pass only if nothing can be placed or sown."""
    chance = chance_in(position, seed)
    moment = knowledge_of(position.name).moment(position)
    turn = ""
    while True:
        option, moment = moment.at_random(chance)
        turn += option
        if not moment.begun:
            return turn


def greedy(position: Position, seed: int) -> str:
    """A turn that wins or, failing that, one with the best score afterwards; a pass only when there is no other turn.

    Scores that are lists are compared from their first entry on.
    """
    chance = chance_in(position, seed)
    mover, best, turns = position.turn_of, None, list[str]()
    for turn, after in positions_after(position).items():
        points = (score if isinstance(score, list) else [score] for score in after.score().values())
        leads = [first - second for first, second in zip_longest(*points, fillvalue=0)]
        result = worth(after.outcome) if after.outcome is not None else 0.5
        rank = (
            1.0 - result if mover else result,
            turn != PASS,
            [-lead for lead in leads] if mover else leads,
        )
        if best is None or rank > best:
            best, turns = rank, []
        if rank == best:
            turns.append(turn)
    return turns[int(chance.random() * len(turns))]


def uct(position: Position, simulations: int, seed: int) -> str:
    """The most visited turn of plain UCT."""
    tree = Tree(knowledge_of(position.name).moment(position), seed)
    tree.run(simulations)
    return tree.turn_from(tree.root, best_option)[0]
