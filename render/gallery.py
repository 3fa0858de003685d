"""The gallery of ``render/README.md``: every game, theme and overlay, made from the records in ``render/examples``."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

import render
from render import replay
from render.replay import Shot
from rules import Position
from rules.record import Record

FOLDER = Path(__file__).with_name("examples")
#: Pixels; the gallery's pictures are half as wide as those of the bot.
_WIDTH = 550


def make() -> None:
    """Renews the pictures and the page that shows them."""
    page = [_INTRODUCTION]
    for path in sorted(FOLDER.glob("*.txt")):
        record = Record.parse(path.read_text(encoding="utf-8"))
        page.append(f"## {record.ruleset.game.title}\n")
        for name, title, data in _pictures(record):
            file = FOLDER / f"{path.stem}-{name}"
            file.write_bytes(data)
            page.append(f"**{title}**\n\n![{title}](examples/{file.name})\n")
    Path(__file__).with_name("README.md").write_text("\n".join(page), encoding="utf-8")


def _pictures(record: Record) -> Iterator[tuple[str, str, bytes]]:
    """The pictures of a game: the name of each one's file, its title and its data."""
    game = list(replay.shots(record.ruleset, record.turns))
    shot, title = game[-1], record.ruleset.game.title
    for scheme in render.SCHEMES:
        data = render.picture(shot.position, shot.events, None, render.Look(scheme))
        yield f"{scheme}.png", f"{title}, scheme {scheme}", _smaller(data)
    for overlay in render.overlays_of(record.ruleset.game):
        data = render.picture(shot.position, shot.events, overlay=overlay)
        yield f"{overlay}.png", f"{title}, overlay {overlay}", _smaller(data)
    yield "preview.png", f"{title}, a turn before it is played", _smaller(_preview(game))
    look = render.Look(turned=4, window=(shot.position.board.centre, max(4, shot.position.board.size // 2)))
    yield "window.png", f"{title}, a part of the board, turned", _smaller(render.picture(shot.position, (), None, look))
    face = render.face(record.ruleset.game)
    yield "replay.gif", f"{title}, a whole game", replay.animation(face, game)
    yield "sheet.png", f"{title}, its key positions", _smaller(replay.contact_sheet(face, game))


def _preview(game: list[Shot]) -> bytes:
    before: Position = game[-2].position
    return render.picture(game[-1].position, game[-1].events, before=before)


def _smaller(data: bytes) -> bytes:
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    image = image.resize((_WIDTH, round(image.height * _WIDTH / image.width)), Image.Resampling.BOX, reducing_gap=2)
    out = io.BytesIO()
    image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


_INTRODUCTION = """\
# Pictures

`render` draws every position of every game, in words too, and whole games as animated pictures and contact sheets:

```python
import render, rules

position = rules.ruleset("dalen").start()
position, events = position.play("g7")
png = render.picture(position, events)
text = render.describe(position, events)
```

`python -m render RECORD` makes a picture of a record, the text form of a game that `rules/record.py` describes;
`--help` lists its options. `python -m render bench` measures time and size, `python -m render memory` what thousands of
pictures leave behind. `python -m render gallery` makes this page and its pictures, from the records in `examples/`.

A game's face is a class in the module of its name, and `face.py` says what such a class has to offer. Its colours come
in four schemes: `dark`, the game's own; `light`; `contrast`, with the strongest contrasts; and `safe`, in blue and
orange, which nearly all eyes can tell apart. In all of them the two sides differ in lightness, at least 3 : 1, and in
their marks. `layout.py` knows where cells lie: a board may be turned into any of twelve orientations, and a picture may
show a part of it. Pictures are copies of an empty board on which cached tiles are pasted, in a fixed palette; only
overlays and previews, which are made on request, are drawn in full colour. `cache.py` keeps boards and tiles in a fixed
number of bytes, whatever games are played.
"""
