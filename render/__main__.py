"""The command line: ``python -m render RECORD`` and ``gallery``."""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from PIL import Image

import render
from render import replay
from render.geometry import ORIENTATIONS
from rules import Board, Record, Side
from rules.record import RecordError, text_of

#: The exit status for wrong input.
WRONG = 2
_RESULTS = {"1-0": Side.FIRST, "0-1": Side.SECOND, "1/2-1/2": None}
#: Seconds after which a progress bar appears.
_PATIENCE = 0.5
_FOLDER = Path(__file__).parent
_PAGE = _FOLDER / "README.md"
#: The width in pixels of the gallery's pictures, which are half as wide as the bot's.
_WIDTH = 550
_HEADER = render.Header(("Ada", "Grace"))

T = TypeVar("T")


class _OptionsError(Exception):
    """The options do not suit the record; the message says why."""


def progress(items: Iterable[T], count: int) -> Iterator[T]:
    """Yield the items, with a progress bar on the terminal if they take long."""
    started, shown = time.monotonic(), False
    for done, item in enumerate(items, start=1):
        yield item
        if sys.stderr.isatty() and time.monotonic() - started > _PATIENCE:
            shown = True
            filled = 40 * done // count
            print(f"\r[{'#' * filled}{' ' * (40 - filled)}] {done}/{count}", end="", file=sys.stderr, flush=True)
    if shown:
        print(file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m render",
        description="Draw a game from its record.",
        epilog="python -m render gallery renews render/README.md and its pictures.",
    )
    parser.add_argument("record", help="a file with the record of a game, or - for standard input")
    parser.add_argument(
        "-o", "--output", type=Path, help="the file to write (default: the record's path with .png or .gif)"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--animation", action="store_true", help="draw the whole game as an animation (GIF)")
    kind.add_argument("--sheet", action="store_true", help="draw a contact sheet of key positions")
    kind.add_argument("--words", action="store_true", help="describe the position in words, on standard output")
    parser.add_argument("--turn", type=int, metavar="N", help="stop after N turns (default: all)")
    parser.add_argument("--theme", choices=render.THEME_NAMES, default=render.THEME_NAMES[0], help="the colours")
    parser.add_argument(
        "--orientation", type=int, choices=range(ORIENTATIONS), default=0, help="how the board is rotated or mirrored"
    )
    parser.add_argument("--no-coordinates", action="store_true", help="leave out the coordinates")
    parser.add_argument("--window", metavar="CELL:SIZE", help="draw only the part around a cell, such as e5:4")
    parser.add_argument("--overlay", metavar="NAME[:CELL]", help="draw marks, such as legal; some are about a cell")
    parser.add_argument("--preview", metavar="TURN", help="draw a further turn half transparent")
    return parser


def _cell(board: Board, name: str) -> int:
    cell = board.find(name.strip().lower())
    if cell is None:
        raise _OptionsError(f"“{name}” is not a cell of this board")
    return cell


def _window(board: Board, text: str) -> tuple[int, int]:
    cell, _, size = text.partition(":")
    if not (size.isascii() and size.isdecimal() and 2 <= int(size) <= board.size):
        raise _OptionsError(f"a window is written CELL:SIZE, such as e5:4, with a size from 2 to {board.size}")
    return _cell(board, cell), int(size)


def _decision(record: Record) -> render.Conclusion | None:
    """The end that the players decided, if the game is not over by its rules."""
    if record.result == "*" or record.position().outcome is not None:
        return None
    return render.Conclusion(_RESULTS[record.result], f"by {record.tags.get('Termination', 'agreement')}")


def _draw(record: Record, options: argparse.Namespace) -> tuple[bytes | str, str]:
    """The picture or description, and the suffix of its file."""
    board, count = record.ruleset.board, len(record.turns)
    if options.turn is not None and not 0 <= options.turn <= count:
        raise _OptionsError(f"the game has {count} turns, so there is no position after {options.turn}")
    if options.turn not in (None, count):
        record = replace(record, turns=record.turns[: options.turn], result="*")
    window = _window(board, options.window) if options.window else None
    look = render.Look(options.theme, options.orientation, not options.no_coordinates, window)
    game = list(progress(replay.shots(record.ruleset, record.turns), len(record.turns)))
    face, decision = render.face(record.ruleset.game), _decision(record)
    if not game and (options.sheet or options.animation):
        raise _OptionsError("the game has no turns yet, so there is nothing to replay")
    if options.sheet:
        return replay.contact_sheet(face, game, decision, look), ".png"
    if options.animation:
        return replay.animation(face, game, decision, look, watch=progress), ".gif"
    position, events = (game[-1].position, game[-1].events) if game else (record.ruleset.start(), ())
    if options.words:
        return render.describe(position, events, decision, look), ""
    overlay, _, name = (options.overlay or "").partition(":")
    cell, before = _cell(board, name) if name else None, None
    if options.preview:
        before, (position, events) = position, position.play(options.preview)
    return render.picture(position, events, decision, look, overlay=overlay or None, cell=cell, before=before), ".png"


def main(arguments: list[str]) -> int:
    if arguments == ["gallery"]:
        return renew_gallery()
    options = _parser().parse_args(arguments)
    try:
        data = sys.stdin.buffer.read() if options.record == "-" else Path(options.record).read_bytes()
        made, ending = _draw(Record.parse(text_of(data)), options)
    except (OSError, UnicodeDecodeError, RecordError, ValueError, _OptionsError) as error:
        print(f"{options.record}: {error}", file=sys.stderr)
        return WRONG
    if isinstance(made, str):
        print(made)
        return 0
    output = options.output or Path("game" if options.record == "-" else options.record).with_suffix(ending)
    output.write_bytes(made)
    print(f"{output}: {len(made) / 1000:.0f} kB")
    return 0


def renew_gallery() -> int:
    """Draw the pictures of ``render/README.md`` from the record in each game's folder, and list them below its
    introduction.
    """
    introduction, _, _ = _PAGE.read_text(encoding="utf-8").partition("\n## ")
    page = [introduction]
    for game, face in sorted(render.FACES.items()):
        record = face.example()
        page.append(f"## {record.ruleset.game.title}\n")
        for name, title, data in _pictures(record):
            file = _FOLDER / "games" / game / "pictures" / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)
            page.append(f"**{title}**\n\n![{title}]({file.relative_to(_FOLDER).as_posix()})\n")
    _PAGE.write_text("\n".join(page), encoding="utf-8")
    return 0


def _pictures(record: Record) -> Iterator[tuple[str, str, bytes]]:
    """The pictures of a game: the file name, title and data of each."""
    game = list(replay.shots(record.ruleset, record.turns))
    shot, title = game[-1], record.ruleset.game.title
    shared = replace(_HEADER, product="Hexgrove", date="2026-01-01")
    for theme in render.THEME_NAMES:
        data = render.picture(shot.position, shot.events, None, render.Look(theme), header=_HEADER)
        yield f"{theme}.png", f"{title}, theme {theme}", _smaller(data)
    for overlay in render.overlays_of(record.ruleset.game):
        data = render.picture(shot.position, shot.events, overlay=overlay, header=_HEADER)
        yield f"{overlay}.png", f"{title}, overlay {overlay}", _smaller(data)
    preview = render.picture(shot.position, shot.events, before=game[-2].position, header=_HEADER)
    yield "preview.png", f"{title}, preview of a turn", _smaller(preview)
    board = shot.position.board
    look = render.Look(orientation=4, window=(board.centre, max(4, board.size // 2)))
    window = render.picture(shot.position, (), None, look, header=_HEADER)
    yield "window.png", f"{title}, part of a rotated board", _smaller(window)
    face = render.face(record.ruleset.game)
    yield "replay.gif", f"{title}, a whole game", replay.animation(face, game, header=shared)
    yield "sheet.png", f"{title}, key positions", _smaller(replay.contact_sheet(face, game, header=shared))


def _smaller(data: bytes) -> bytes:
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    image = image.resize((_WIDTH, round(image.height * _WIDTH / image.width)), Image.Resampling.BOX, reducing_gap=2)
    out = io.BytesIO()
    image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
