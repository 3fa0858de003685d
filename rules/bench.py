"""How fast the rules are: random games against the clock, and python-chess at the same task beside them.

At every ply all legal turns are listed (as :attr:`rules.Position.legal_turns` has them: those of Dendria without acts),
one of them is drawn by lot, and it is played. The opening and the choice of sides are left out of the time. A turn is
played as its text, which is read and checked; python-chess is spared that.
"""

from __future__ import annotations

import importlib
import platform
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import rules
from rules.game import PASS, Phase, Position, Ruleset

#: Games are broken off after so many turns.
LONGEST_GAME = 400

#: A random game: for each ply the seconds that listing its legal turns took, and the whole ply.
Game: TypeAlias = Iterator[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Timing:
    """The plies that were played, the seconds for all of them, and the longest time for listing legal turns."""

    plies: int
    seconds: float
    longest: float

    @property
    def plies_per_second(self) -> float:
        return self.plies / self.seconds

    def __str__(self) -> str:
        return f"{self.plies_per_second:>11,.0f} {self.longest * 1000:>15.2f} ms"


def opened(ruleset: Ruleset, chance: random.Random) -> Position:
    """The position after a random opening, found step by step, and a random choice of sides."""
    position = ruleset.start()
    draft = position.draft()
    while not draft.complete:
        draft = position.draft(draft.text + chance.choice(draft.steps))
    position, _ = position.play(draft.text)
    position, _ = position.play(chance.choice(ruleset.game.sides))
    return position


def random_game(ruleset: Ruleset, chance: random.Random) -> Game:
    """A random game in which nobody passes who can do something else."""
    position = opened(ruleset, chance)
    clock = time.perf_counter
    while position.phase is not Phase.OVER:
        started = clock()
        turns = position.legal_turns
        listed = clock()
        turn = chance.choice(turns)
        while turn == PASS and len(turns) > 1:
            turn = chance.choice(turns)
        position, _ = position.play(turn)
        yield listed - started, clock() - started


def random_chess(chess: Any, chance: random.Random) -> Game:
    """A random game of chess, up to its end by the rules."""
    board = chess.Board()
    clock = time.perf_counter
    while True:
        started = clock()
        if board.is_game_over():
            return
        moves = list(board.legal_moves)
        listed = clock()
        board.push(chance.choice(moves))
        yield listed - started, clock() - started


def timed(game: Callable[[random.Random], Game], seconds: float) -> Timing:
    """Plays games, the same ones in every run, until the time is over."""
    chance = random.Random(2023)
    for _ in zip(range(3), game(chance), strict=False):
        pass  # The first plies fill the tables of the board.
    plies, spent, longest = 0, 0.0, 0.0
    while True:
        for _, (listing, ply) in zip(range(LONGEST_GAME), game(chance), strict=False):
            plies += 1
            spent += ply
            longest = max(longest, listing)
            if spent >= seconds:
                return Timing(plies, spent, longest)


def run(seconds: float, *, everything: bool = False) -> None:
    """Prints a line for each game on its default size; with ``everything`` for all its variants on all its sizes."""
    print(f"Python {platform.python_version()}, {seconds:g} s a line")
    print(f"{'game':<20} {'plies/s':>11} {'longest listing':>18} {'against chess':>14}")
    try:
        chess = importlib.import_module("chess")
    except ImportError:
        chess_timing = None
        print("python-chess, the package chess, is not installed: nothing to compare with")
    else:
        chess_timing = timed(partial(random_chess, chess), seconds)
        print(f"{'chess (python-chess)':<20} {chess_timing} {'1.00':>14}", flush=True)
    for ruleset in rulesets(everything=everything):
        timing = timed(partial(random_game, ruleset), seconds)
        variant = "" if ruleset.variant == ruleset.game.variants[0] else f" {ruleset.variant}"
        ratio = "–" if chess_timing is None else f"{timing.plies_per_second / chess_timing.plies_per_second:.2f}"
        print(f"{f'{ruleset.game.name} {ruleset.size}{variant}':<20} {timing} {ratio:>14}", flush=True)


def rulesets(*, everything: bool) -> Iterator[Ruleset]:
    """Each game with its defaults, or with all its sizes and variants."""
    for game in rules.GAMES.values():
        if everything:
            yield from (Ruleset(game, size, variant) for variant in game.variants for size in game.sizes)
        else:
            yield rules.ruleset(game.name)
