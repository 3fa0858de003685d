"""Matches between players: ``python -m rules arena A B --game hedu --pairs 20 --seed 1``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import starmap
from math import inf, log10, sqrt
from multiprocessing import get_context
from random import Random
from typing import Any, TextIO, TypeVar

from rules import Phase, Position, Ruleset, Side
from rules.search import openings
from rules.search.players import at_random, play_out, player
from rules.search.tree import worth

T = TypeVar("T")
#: The turns that are played at random after the opening, so that games differ.
_SCATTERED = 2


@dataclass(frozen=True, slots=True)
class ArenaGame:
    """A finished game: its value to A, its turns, and each player's seconds of one core and turns."""

    pair: int
    result: float
    turns: tuple[str, ...]
    seconds: tuple[float, float]
    counts: tuple[int, int]


@dataclass(slots=True)
class ArenaScore:
    """The games of a match so far."""

    games: list[ArenaGame] = field(default_factory=list)

    @property
    def points(self) -> float:
        """A's points: 1 for a win, ½ for a draw."""
        return sum(game.result for game in self.games)

    @property
    def rate(self) -> float:
        """A's share of all points, from 0 to 1."""
        return self.points / len(self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of a rate, by Wilson's formula."""
        games, z = len(self.games), 1.959964
        middle = (self.rate + z * z / (2 * games)) / (1 + z * z / games)
        half = z / (1 + z * z / games) * sqrt(self.rate * (1 - self.rate) / games + z * z / (4 * games * games))
        return max(0.0, middle - half), min(1.0, middle + half)

    def seconds(self, of: int) -> float:
        """The mean time for a turn of A (0) or B (1), in seconds."""
        return sum(game.seconds[of] for game in self.games) / max(1, sum(game.counts[of] for game in self.games))


def elo(rate: float) -> float:
    """The difference in Elo points that leads to such a rate."""
    if not 1e-9 < rate < 1 - 1e-9:
        return inf if rate > 0.5 else -inf
    return 400 * log10(rate / (1 - rate))


def opening_turns(ruleset: Ruleset, seed: int) -> list[str]:
    """The first turns of a pair of games: a fair opening, a side, and a few random turns."""
    chance = Random(f"{seed}/{ruleset.id}")
    position = ruleset.start()
    turns = [openings.fair(position, chance)[0], ruleset.game.sides[Side.SECOND]]
    position = ruleset.replay(turns)
    for number in range(_SCATTERED):
        turn = at_random(position, seed * _SCATTERED + number)
        after = position.play(turn)[0]
        if after.phase is Phase.OVER:
            break
        turns.append(turn)
        position = after
    return turns


def play(names: tuple[str, str], ruleset: Ruleset, first: int, pair: int, seed: int) -> ArenaGame:
    """One game, in which A (0) or B (1) has the first side; a draw if it takes too long."""
    players = player(names[0]), player(names[1])
    seconds, counts = [0.0, 0.0], [0, 0]

    def turn_of(position: Position, number: int) -> str:
        of = first if position.turn_of is Side.FIRST else 1 - first
        started = time.process_time()
        turn = players[of](position, seed + number)
        seconds[of] += time.process_time() - started
        counts[of] += 1
        return turn

    first_turns = opening_turns(ruleset, seed)
    turns, position = play_out(ruleset.replay(first_turns), turn_of)
    result = 0.5 if position.outcome is None else worth(position.outcome)
    if first:
        result = 1 - result
    return ArenaGame(pair, result, (*first_turns, *turns), (seconds[0], seconds[1]), (counts[0], counts[1]))


def in_processes(function: Callable[..., T], tasks: Iterable[tuple[Any, ...]], processes: int) -> Iterator[T]:
    """The results of calls with these arguments, in order, computed in ``processes`` processes."""
    if processes == 1:
        yield from starmap(function, tasks)
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        yield from pool.map(function, *zip(*tasks, strict=True))


def games(names: tuple[str, str], ruleset: Ruleset, pairs: int, seed: int, processes: int) -> Iterator[ArenaGame]:
    """The games of a match, in order: in each pair the same first turns, and the sides swapped."""
    tasks = [(names, ruleset, first, pair, seed * 10_000 + pair) for pair in range(pairs) for first in (0, 1)]
    return in_processes(play, tasks, processes)


def run(
    names: tuple[str, str], ruleset: Ruleset, pairs: int, seed: int, processes: int, out: TextIO, progress: TextIO
) -> ArenaScore:
    """Play a match, report how it goes, and print the result."""
    score = ArenaScore()
    for game in games(names, ruleset, pairs, seed, processes):
        score.games.append(game)
        print(f"\r{len(score.games)} of {2 * pairs}: {score.points:g}", end="", file=progress, flush=True)
    print(file=progress)
    print(report(names, score), file=out)
    return score


def report(names: tuple[str, str], score: ArenaScore) -> str:
    """The result of a match in words."""
    low, high = score.interval
    length = sum(len(game.turns) for game in score.games) / len(score.games)
    return "\n".join(
        (
            f"{names[0]} against {names[1]}: {score.points:g} of {len(score.games)}, {score.rate:.1%}"
            f" (95 %: {low:.1%} to {high:.1%})",
            f"Elo: {elo(score.rate):+.0f} ({elo(low):+.0f} to {elo(high):+.0f})",
            f"seconds a turn: {score.seconds(0):.3f} and {score.seconds(1):.3f}; turns a game: {length:.0f}",
        )
    )
