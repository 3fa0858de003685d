"""``python -m tests.benchmarks.rules``: time random games, compared with those of python-chess.

Every ply lists all legal turns (:attr:`rules.Position.legal_turns`, so for Dendria without acts), chooses one at random
and plays it. The opening and the choice of sides are not timed. Turns are played as text, which must be parsed and
checked; python-chess does not have to do that.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import rules
from rules.notation import PASS
from rules.position import Phase, Position, Ruleset

#: The number of turns after which a game is stopped.
LONGEST_GAME = 400
#: How often a game and chess take turns.
_TURNS = 8

#: A random game: for each ply, the seconds spent on listing its legal turns, and on the whole ply.
Game: TypeAlias = Iterator[tuple[float, float]]


class Timing:
    """Random games against the clock, the same in every run.

    ``plies`` is the number of plies played so far, ``seconds`` their total time, and ``longest`` the longest
    time for listing legal turns.
    """

    def __init__(self, game: Callable[[random.Random], Game]) -> None:
        self._plies_ahead = _one_after_the_other(game)
        for _ in zip(range(3), self._plies_ahead, strict=False):
            pass  # The first plies fill the tables of the board.
        self.plies, self.seconds, self.longest = 0, 0.0, 0.0

    def go_on(self, seconds: float) -> None:
        """Continue for this many seconds."""
        until = self.seconds + seconds
        for listing, ply in self._plies_ahead:
            self.plies += 1
            self.seconds += ply
            self.longest = max(self.longest, listing)
            if self.seconds >= until:
                return

    @property
    def plies_per_second(self) -> float:
        return self.plies / self.seconds

    def __str__(self) -> str:
        return f"{self.plies_per_second:>11,.0f} {self.longest * 1000:>15.2f} ms"


def _one_after_the_other(game: Callable[[random.Random], Game]) -> Game:
    chance = random.Random(2023)
    while True:
        yield from islice(game(chance), LONGEST_GAME)


def opened(ruleset: Ruleset, chance: random.Random) -> Position:
    """Play a random opening and a random choice of sides."""
    position = ruleset.start()
    draft = position.draft()
    while not draft.complete:
        draft = position.draft(draft.text + chance.choice(draft.next))
    position, _ = position.play(draft.text)
    position, _ = position.play(chance.choice(ruleset.game.sides))
    return position


def random_game(ruleset: Ruleset, chance: random.Random) -> Game:
    """Play a random game in which sides pass only when they must."""
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
    """Play a random game of chess to its end by the rules."""
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


def run(seconds: float, *, everything: bool = False) -> None:
    """Print a line for each game on its default size or, with ``everything``, for all its variants and sizes.

    Each game alternates with chess, so that other load on the machine slows both.
    """
    print(f"Python {platform.python_version()}, {seconds:g} s a line")
    print(f"{'game':<20} {'plies/s':>11} {'longest listing':>18} {'against chess':>14}")
    try:
        chess = Timing(partial(random_chess, importlib.import_module("chess")))
    except ImportError:
        chess = None
        print("python-chess, the package chess, is not installed: nothing to compare with")
    for ruleset in rulesets(everything=everything):
        timing, ratio = Timing(partial(random_game, ruleset)), "–"
        plies, spent = (0, 0.0) if chess is None else (chess.plies, chess.seconds)
        for _ in range(_TURNS):
            timing.go_on(seconds / _TURNS)
            if chess is not None:
                chess.go_on(seconds / _TURNS)
        if chess is not None:
            ratio = f"{timing.plies_per_second * (chess.seconds - spent) / (chess.plies - plies):.2f}"
        variant = "" if ruleset.variant == ruleset.game.variants[0] else f" {ruleset.variant}"
        print(f"{f'{ruleset.game.name} {ruleset.size}{variant}':<20} {timing} {ratio:>14}", flush=True)
    if chess is not None:
        print(f"{'chess (python-chess)':<20} {chess} {'1.00':>14}")


def rulesets(*, everything: bool) -> Iterator[Ruleset]:
    """Each game with its defaults, or in all its sizes and variants."""
    for game in rules.GAMES.values():
        if everything:
            yield from (Ruleset(game, size, variant) for variant in game.variants for size in game.sizes)
        else:
            yield rules.ruleset(game.name)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.rules", description="Time random games, and those of python-chess."
    )
    parser.add_argument("--all", action="store_true", help="time all sizes and variants, not only the defaults")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to play for each line (default: 2)")
    options = parser.parse_args(arguments)
    run(options.seconds, everything=options.all)
    return 0


if __name__ == "__main__":
    sys.exit(main())
