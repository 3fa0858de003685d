"""The gallery in ``render/README.md``: every game, theme and overlay, drawn from the record in each game's folder."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

import render
from render import replay
from rules import Record

_FOLDER = Path(__file__).parent
_PAGE = _FOLDER / "README.md"
#: The width in pixels: the gallery's pictures are half as wide as the bot's.
_WIDTH = 550
_HEADER = render.Header(("Ada", "Grace"))


def main(arguments: Sequence[str]) -> int:
    """Update the pictures, and the part of the page below its introduction, which shows them."""
    argparse.ArgumentParser(
        prog="python -m render gallery",
        description="Renew render/README.md and its pictures from the record in the folder of each game.",
    ).parse_args(arguments)
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
