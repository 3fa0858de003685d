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
from render.face import EXAMPLE
from rules.record import Record

_FOLDER = Path(__file__).parent
#: The folder for the pictures, in that of each game.
PICTURES = "pictures"
#: In pixels; the gallery's pictures are half as wide as those of the bot.
_WIDTH = 550
_HEADER = render.Header(("Ada", "Grace"))


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(
        prog="python -m render gallery",
        description="Renew render/README.md and its pictures from the record in the folder of each game.",
    ).parse_args(arguments)
    make()
    return 0


def make() -> None:
    """Renew the pictures and the page that shows them."""
    page = [_INTRODUCTION]
    for path in sorted(_FOLDER.glob(f"games/*/{EXAMPLE}")):
        record = Record.parse(path.read_text(encoding="utf-8"))
        page.append(f"## {record.ruleset.game.title}\n")
        for name, title, data in _pictures(record):
            file = path.parent / PICTURES / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)
            page.append(f"**{title}**\n\n![{title}]({file.relative_to(_FOLDER).as_posix()})\n")
    (_FOLDER / "README.md").write_text("\n".join(page), encoding="utf-8")


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
    part = render.picture(shot.position, (), None, look, header=_HEADER)
    yield "window.png", f"{title}, part of a rotated board", _smaller(part)
    face = render.face(record.ruleset.game)
    yield "replay.gif", f"{title}, a whole game", replay.animation(face, game, header=shared)
    yield "sheet.png", f"{title}, key positions", _smaller(replay.contact_sheet(face, game, header=shared))


def _smaller(data: bytes) -> bytes:
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    image = image.resize((_WIDTH, round(image.height * _WIDTH / image.width)), Image.Resampling.BOX, reducing_gap=2)
    out = io.BytesIO()
    image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


_INTRODUCTION = """\
# Pictures

`render` draws positions of all games and describes them in words. It also turns whole games into animations and
contact sheets.

```python
import render, rules

position = rules.ruleset("dalen").start()
position, events = position.play("g7")
png = render.picture(position, events, header=render.Header(("Ada", "Grace")))
text = render.describe(position, events)
```

`python -m render RECORD` draws a record, the text form of a game that `rules/record.py` describes; `--help` lists the
options. `python -m render gallery` renews this page and its pictures from the file `example.txt` in each game's folder.

| module | holds |
| --- | --- |
| `geometry.py` | where cells and labels lie, in twelve orientations, on whole boards and windows |
| `areas.py` | parts of a board |
| `colours.py` | themes and their palettes |
| `cache.py` | what was drawn, within a fixed number of bytes |
| `canvas.py` | smooth shapes, text and PNG files |
| `scene.py` | what a picture shows, and how it is to look |
| `turns.py` | what the last turn did |
| `face.py` | what a game must offer to be drawn and described |
| `header.py`, `corners.py` | the players, their scores and who is to play; counts, legend and last turn |
| `painting.py`, `overlays.py` | the whole picture, and what is drawn over it on request |
| `signs.py` | the marks of overlays, and the key that explains them |
| `pairs.py` | the positions before and after a turn, side by side |
| `alt_text.py` | the picture in words |
| `replay.py` | animations and contact sheets |
| `thumbnails.py` | small pictures by which games are recognised in lists |
| `charts.py`, `cross_table.py` | leaderboards, rating histories, openings, who stood better, and cross tables |
| `games/` | the faces of the games, one folder each, and their registry |

To add a game, add a folder to `games/` with a subclass of `Face`, enter it in `games/__init__.py`, and put the record
of a game in `example.txt` for this page and the game's thumbnail.

Every game has four themes: `dark`, its own; `light`; `contrast`, with the strongest contrasts; and `safe`, with blue
and orange, which people with nearly any colour vision can tell apart. In every theme the two sides differ in lightness,
by at least 3 : 1, and in the marks on their pieces; black and white look black and white.

Phones show a picture about 265 pixels wide. No text in it is smaller than 11 pixels there, whatever the size of the
board; names and labels for which there is no room are shortened or left out.

A picture is a copy of an empty board on which cached tiles are pasted, in a fixed palette. Overlays and previews, which
are drawn on request, add cached shapes and colours of their own. Below the board, a key names the marks of an overlay.
"""
