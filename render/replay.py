"""Whole games in one file: an animated picture, and a contact sheet of key positions."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from PIL import Image

from render import sprites, words
from render.face import Face
from render.look import USUAL, Ending, Look, Scene
from render.theme import Theme
from rules import Event, Position, Ruleset

#: Pixels; Discord shows pictures about as wide. Pillow takes twice as long for less than 512 by 512 of them, where it
#: drops unused colours from every frame.
_ANIMATION = 512
#: Besides the theme's own colours: fewer blends make a smaller file.
_BLENDS = 6
#: Longer games leave turns out, so that neither the file nor the time to watch it grows.
_MOST_FRAMES = 120
_FRAME, _LAST = 700, 4000
_LONGEST = 45_000
#: The bar is this high and grows in so many steps: a frame in which it does not grow is smaller.
_BAR, _STEPS = 8, 15

_COLUMNS, _ROWS, _GAP = 3, 4, 20
_CAPTION = 44


@dataclass(frozen=True, slots=True)
class Shot:
    """A game after ``ply`` turns: the last of them, the position, and what that turn did."""

    ply: int
    turn: str
    position: Position
    events: tuple[Event, ...]


def shots(ruleset: Ruleset, turns: Sequence[str]) -> Iterator[Shot]:
    """The game after each of its turns. Raises :class:`rules.TurnError` for turns that cannot be played."""
    position = ruleset.start()
    for ply, turn in enumerate(turns, start=1):
        position, events = position.play(turn)
        yield Shot(ply, turn, position, events)


def _unwatched(frames: Sequence[Shot], _count: int) -> Iterable[Shot]:
    return frames


def animation(
    face: Face,
    game: Sequence[Shot],
    decided: Ending | None = None,
    look: Look = USUAL,
    watch: Callable[[Sequence[Shot], int], Iterable[Shot]] = _unwatched,
) -> bytes:
    """An animated picture of the whole game as a GIF file, 512 pixels wide, with a bar that shows how far it is.

    The last position stays longer. However long the game, there are at most 120 frames, that run for 49 seconds.
    ``watch`` passes the frames on one by one, as they are drawn, to somebody who watches the progress.
    """
    theme = face.themes[look.scheme]
    chosen = _spread(game, _MOST_FRAMES)
    frames = [
        _frame(face, shot, len(game), decided if shot is game[-1] else None, look, theme)
        for shot in watch(chosen, len(chosen))
    ]
    colours = _fewer_colours(frames[-1], theme)
    frames = [frame.point(colours) for frame in frames]
    length = min(_FRAME, _LONGEST // len(frames))
    out = io.BytesIO()
    frames[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[*[length] * (len(frames) - 1), _LAST],
        loop=0,
    )
    return out.getvalue()


def _spread(game: Sequence[Shot], most: int) -> list[Shot]:
    """At most that many of the shots at even distances, the last one among them."""
    if len(game) <= most:
        return list(game)
    return [game[round((i + 1) * len(game) / most) - 1] for i in range(most)]


def _frame(face: Face, shot: Shot, length: int, decided: Ending | None, look: Look, theme: Theme) -> Image.Image:
    image = face.paint_board(_scene(shot, decided, look, _ANIMATION))
    # The animation has no clear corners, and its file no such entry.
    image.info.pop("transparency")
    foot = image.height - _BAR
    bar = image.width * (shot.ply * _STEPS // length) // _STEPS
    image.paste(theme.palette.index(theme.raised), (bar, foot, image.width, image.height))
    image.paste(theme.palette.index(theme.warm), (0, foot, bar, image.height))
    return image


def _fewer_colours(frame: Image.Image, theme: Theme) -> list[int]:
    """For each entry of the palette the one to show instead, of those that are frequent in a frame."""
    palette = theme.palette
    frequent = sorted(range(len(palette)), key=frame.histogram().__getitem__)[-_BLENDS:]
    stones = [colour for stone in theme.stones for colour in (stone.body, stone.edge, stone.vein)]
    own = (theme.panel, theme.raised, theme.warm, theme.fresh, *stones)
    kept = sorted({*frequent, *map(palette.index, own)})

    def nearest(entry: int) -> int:
        return min(
            kept, key=lambda other: sum((a - b) ** 2 for a, b in zip(palette[entry], palette[other], strict=True))
        )

    return [nearest(entry) if entry < len(palette) else entry for entry in range(256)]


def _scene(shot: Shot, decided: Ending | None, look: Look, width: int, *, bare: bool = False) -> Scene:
    return Scene(shot.position, shot.events, words.ending(shot.position, decided), look, width, bare)


def _short(turn: str) -> str:
    return turn if len(turn) <= 14 else turn[:13] + "…"


def key_positions(game: Sequence[Shot], most: int = _COLUMNS * _ROWS) -> list[Shot]:
    """The positions that tell a game: its opening, its end, and the turns between that changed most, in order.

    Each turn is taken from a part of the game of its own, so that no part is left out.
    """
    if len(game) <= most:
        return list(game)
    inner = game[1:-1]
    parts = [inner[len(inner) * i // (most - 2) : len(inner) * (i + 1) // (most - 2)] for i in range(most - 2)]
    return [game[0], *(max(part, key=_change) for part in parts), game[-1]]


def _change(shot: Shot) -> tuple[int, int]:
    """How much a turn did: by the cells that its events name; of equal ones the later."""
    return sum(len(getattr(event, "cells", ())) or 1 for event in shot.events), shot.ply


def contact_sheet(face: Face, game: Sequence[Shot], decided: Ending | None = None, look: Look = USUAL) -> bytes:
    """The key positions of a game in one picture, a PNG file 1,100 pixels wide."""
    theme = face.themes[look.scheme]
    chosen = key_positions(game)
    width = (1100 - (_COLUMNS + 1) * _GAP) // _COLUMNS
    boards = [
        face.paint_board(_scene(shot, decided if shot is game[-1] else None, look, width, bare=True)) for shot in chosen
    ]
    rows, height = -(-len(boards) // _COLUMNS), boards[0].height + _CAPTION
    sheet = sprites.blank(theme, 1100, rows * (height + _GAP) + _GAP)
    sheet.paste(theme.palette.index(theme.panel), (0, 0, *sheet.size))
    for i, (shot, board) in enumerate(zip(chosen, boards, strict=True)):
        x = _GAP + i % _COLUMNS * (width + _GAP)
        y = _GAP + i // _COLUMNS * (height + _GAP)
        sheet.paste(board, (x, y))
        caption = sprites.text(f"{shot.ply}. {_short(shot.turn)}", 26, theme.text, theme.panel, theme)
        sprites.paste(sheet, caption, (x + width / 2, y + height - _CAPTION / 2))
    sprites.round_corners(sheet, theme)
    return sprites.png(sheet)
