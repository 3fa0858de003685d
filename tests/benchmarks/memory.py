"""The memory that the pictures of many games take: it must not grow with their number.

Set the variables ``MALLOC_…`` of the Dockerfile first.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from gettext import NullTranslations
from pathlib import Path

import render
import rules
from render import replay
from render.cache import cached
from render.overlays import LEGAL
from render.scene import Look
from rules import Event, Position, Ruleset

#: The number of games in progress at once, and the most turns of each.
_GAMES, _LONGEST = 30, 150
#: The intervals, in turns, of a picture for one player, one with an overlay, one of the whole game, and a line of
#: figures.
_OWN, _OVERLAY, _REPLAY, _LINE = 3, 25, 500, 1000


class _Backwards(NullTranslations):
    """A second language, in which every word differs."""

    def gettext(self, message: str) -> str:
        return message if "{" in message else message[::-1]


_LANGUAGES = (NullTranslations(), _Backwards())


def resident() -> float:
    """The resident memory of the process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class _Game:
    """A random game with a look of its own."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        kind = rules.GAMES[chance.choice(list(rules.GAMES))]
        self.ruleset = Ruleset(kind, chance.choice(kind.sizes), chance.choice(kind.variants))
        self.position: Position = self.ruleset.start()
        self.events: tuple[Event, ...] = ()
        self.turns: list[str] = []
        #: The public look, and that of one player.
        self.look = Look(chance.choice(render.THEME_NAMES), texts=chance.choice(_LANGUAGES))
        self.own_look = Look(
            chance.choice(render.THEME_NAMES), 3, chance.random() < 0.8, texts=chance.choice(_LANGUAGES)
        )

    @property
    def over(self) -> bool:
        return self.position.outcome is not None or len(self.turns) == _LONGEST

    def play(self) -> None:
        legal = self.position.legal_turns
        turn = self._chance.choice([turn for turn in legal if turn != rules.PASS] or legal)
        self.position, self.events = self.position.play(turn)
        self.turns.append(turn)


def rounds(chance: random.Random, at_once: int) -> Iterator[list[_Game]]:
    """Yield some of the games again and again, each after a further turn; new games replace those that are over."""
    running = [_Game(chance) for _ in range(_GAMES)]
    while True:
        picked = chance.sample(range(_GAMES), at_once)
        for at in picked:
            if running[at].over:
                running[at] = _Game(chance)
            running[at].play()
        yield [running[at] for at in picked]


def draw(turn: int, game: _Game) -> None:
    """Draw what is shown after a turn, counted from 1: a picture and its description, and now and then another."""
    shown = (game.position, game.events, None)
    render.picture(*shown, game.look)
    render.describe(*shown, game.look)
    if turn % _OWN == 0:
        render.picture(*shown, game.own_look)
    if turn % _OVERLAY == 0:
        render.picture(*shown, game.look, overlay=LEGAL)
    if turn % _REPLAY == 0:
        shots, face = list(replay.shots(game.ruleset, game.turns)), render.face(game.ruleset.game)
        replay.animation(face, shots, look=game.look)
        replay.contact_sheet(face, shots, look=game.look)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.memory", description="Measure the memory of pictures."
    )
    parser.add_argument("--turns", type=int, default=20_000, help="turns of all games together (default: 20,000)")
    parser.add_argument("--threads", type=int, default=4, help="threads that draw at once (default: 4)")
    options = parser.parse_args(arguments)
    print(f"{_GAMES} games, {options.threads} threads; {resident():.0f} MB before the first turn")
    print(f"{'turns':>7} {'MB':>6} {'kept MB':>8}")
    done = 0
    with ThreadPoolExecutor(options.threads) as threads:
        for games in rounds(random.Random(1), options.threads):
            list(threads.map(draw, range(done + 1, done + len(games) + 1), games))
            done += len(games)
            if done % _LINE < len(games) or done >= options.turns:
                print(f"{done:>7} {resident():>6.0f} {cached.bytes / 1e6:>8.1f}", flush=True)
            if done >= options.turns:
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
