"""Speed and file size of pictures of random games, compared with chess.svg and CairoSVG."""

from __future__ import annotations

import argparse
import importlib
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import PIL

import render
import rules
from render import painting, replay
from render.palette import to_png
from render.scene import Header, Look, Scene
from rules import Ruleset
from tests.support.render import random_game

_REPLAY = 60
_HEADER = Header(("Wolfgang Amadeus", "Grace"))


def _median(run: Callable[[int], object], times: int) -> float:
    """The median CPU milliseconds of a run, with warm caches."""
    for i in range(times):
        run(i)
    spent = []
    for i in range(times):
        started = time.process_time()
        run(i)
        spent.append((time.process_time() - started) * 1000)
    return statistics.median(spent)


def _chess() -> float | None:
    """The milliseconds for chess.svg with CairoSVG at 1,000 pixels; None if they are not installed."""
    try:
        chess, svg, cairo = (importlib.import_module(name) for name in ("chess", "chess.svg", "cairosvg"))
    except (ImportError, OSError):
        return None
    board, chance = chess.Board(), random.Random(7)
    positions: list[Any] = []
    while len(positions) < 20 and not board.is_game_over():
        board.push(chance.choice(list(board.legal_moves)))
        positions.append(board.copy())
    return _median(
        lambda i: cairo.svg2png(svg.board(positions[i], size=1000, lastmove=positions[i].peek()).encode()),
        len(positions),
    )


def _picture(ruleset: Ruleset, theme: str, chess: float | None) -> str:
    """The line of a game: pictures at even intervals of a whole game, and the slowest overlay."""
    face, look = render.face(ruleset.game), Look(theme)
    game = random_game(ruleset, 400)
    shots = [game[i * (len(game) - 1) // 23] for i in range(24)]
    scenes = [Scene(face, shot.position, shot.events, None, look, header=_HEADER) for shot in shots]
    images = [painting.paint(scene) for scene in scenes]
    for scene in scenes:
        _ = scene.position.legal_turns
    draw = _median(lambda i: painting.paint(scenes[i]), len(scenes))
    png = _median(lambda i: to_png(images[i]), len(scenes))
    size = max(len(to_png(image)) for image in images) / 1000
    overlay = max(_overlay(shots[::4], name, look) for name in render.overlays_of(ruleset.game))
    beside = "–" if chess is None else f"{chess / (draw + png):.1f}"
    return (
        f"{ruleset.game.name:>8} {ruleset.size:>4} {theme:>6} {draw:>9.1f} {png:>8.1f} {size:>7.0f} {beside:>9}"
        f" {overlay[0]:>11.1f} {overlay[1]:>7.0f}  {overlay[2]}"
    )


def _overlay(shots: Sequence[replay.Shot], name: str, look: Look) -> tuple[float, float, str]:
    """The time and largest size of the picture with an overlay, and the overlay's name."""
    sizes = []

    def run(i: int) -> None:
        sizes.append(len(render.picture(shots[i].position, shots[i].events, None, look, overlay=name, header=_HEADER)))

    return _median(run, len(shots)), max(sizes) / 1000, name


def _replay(ruleset: Ruleset) -> str:
    face, game = render.face(ruleset.game), random_game(ruleset, _REPLAY)
    spent = _median(lambda _: replay.animation(face, game), 5)
    size = len(replay.animation(face, game)) / 1000
    return f"{ruleset.game.name:>8} {ruleset.size:>4} {len(game):>6} {spent:>8.0f} {size:>7.0f}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.render", description="Measure the speed and size of pictures."
    )
    parser.add_argument("--game", choices=list(render.FACES), help="only this game")
    options = parser.parse_args(arguments)
    games = [rules.GAMES[options.game]] if options.game else [rules.GAMES[name] for name in render.FACES]
    print(f"Python {platform.python_version()}, Pillow {PIL.__version__}; medians of CPU time")
    chess = _chess()
    if chess is None:
        print("chess.svg with CairoSVG: not installed (the packages chess and CairoSVG), so there is no comparison")
    else:
        print(f"chess.svg with CairoSVG at 1,000 pixels: {chess:.0f} ms")
    print(
        f"\n{'game':>8} {'size':>4} {'theme':>6} {'draw ms':>9} {'PNG ms':>8} {'most kB':>7} {'x chess':>9}"
        f" {'overlay ms':>11} {'most kB':>7}"
    )
    for game in games:
        for size in sorted({game.sizes[0], game.default_size, game.sizes[-1]}):
            for theme in ("dark", "light"):
                print(_picture(Ruleset(game, size, game.variants[0]), theme, chess), flush=True)
    print(f"\n{'replay':>8} {'size':>4} {'turns':>6} {'ms':>8} {'kB':>7}")
    for game in games:
        print(_replay(rules.ruleset(game.name)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
