"""The cross table of a tournament, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PIL import Image

from render import sprites
from render.layout import MARGIN, WIDTH
from render.sprites import Canvas
from render.tables import trimmed
from render.theme import Colour, Theme, contrast

_TITLE, _SUBTITLE, _HEAD, _ROW = 42, 28, 174, 62
_RANK, _NAME = 74, 94
#: The columns of the points and of the tie-break, from the right border to their right ends.
_POINTS, _BERGER = 128, MARGIN + 10
_LEAST_NAME, _WIDEST_CELL = 240, 72
_INSET = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """A row: the place, the name, what was scored against each player in the order of the rows (None against oneself,
    empty for a game that is not over), the points and the tie-break. Whoever has the best place of those who count
    ``leads`` and stands out."""

    place: str
    name: str
    scores: Sequence[str | None]
    points: str
    tie_break: str
    wins: frozenset[int] = frozenset()
    leads: bool = False


def cross_table(title: str, subtitle: str, heads: tuple[str, str], entries: Sequence[Entry], theme: Theme) -> bytes:
    """A cross table as a PNG file, 1,100 pixels wide, for at most 16 players.

    ``heads`` are those of the points and of the tie-break. Of names only what the font has is shown, cut off where it
    is too long; of a name in another script the number of its row remains.
    """
    count = len(entries)
    right = WIDTH - _POINTS - 96
    cell = min(_WIDEST_CELL, (right - _NAME - _LEAST_NAME) / max(1, count))
    left = right - count * cell
    size = round(min(30, cell * 0.6))
    image = sprites.blank(theme, WIDTH, _HEAD + _ROW * count + MARGIN)
    image.paste(theme.palette.index(theme.panel), (0, 0, image.width, image.height))

    def write(words: str, text_size: int, colour: Colour, at: tuple[float, float], align: str, ground: Colour) -> None:
        if words:
            sprites.paste(image, sprites.text(words, text_size, colour, ground, theme), at, align)

    room = WIDTH - 2 * MARGIN - 16
    write(trimmed(title, _TITLE, room), _TITLE, theme.text, (MARGIN + 8, 46), "l", theme.panel)
    write(trimmed(subtitle, _SUBTITLE, room), _SUBTITLE, theme.number, (MARGIN + 8, 96), "l", theme.panel)
    for number in range(count):
        write(str(number + 1), 22, theme.number, (left + (number + 0.5) * cell, _HEAD - 22), "m", theme.panel)
    for words, end in zip(heads, (_POINTS, _BERGER), strict=True):
        write(trimmed(words, 22, 110), 22, theme.number, (WIDTH - end, _HEAD - 22), "r", theme.panel)

    for number, entry in enumerate(entries):
        top = _HEAD + number * _ROW
        middle = top + _ROW / 2
        ground = theme.raised if entry.leads else theme.panel
        if entry.leads:
            _paint_row(image, top, theme)
        _paint_cells(image, (left, top, cell), entry, number, theme, ground)
        for column, score in enumerate(entry.scores):
            if score:
                field = _field(entry, number, column, theme)
                ink = max(theme.text, theme.panel, key=partial(contrast, field))
                write(score, size, ink, (left + (column + 0.5) * cell, middle), "m", field)
        write(entry.place, 30, theme.letter, (_RANK, middle), "r", ground)
        name = trimmed(entry.name, 32, left - _NAME - 20).strip() or f"#{number + 1}"
        write(name, 32, theme.text, (_NAME, middle), "l", ground)
        write(entry.points, 34, theme.text, (WIDTH - _POINTS, middle), "r", ground)
        write(entry.tie_break, 26, theme.number, (WIDTH - _BERGER, middle), "r", ground)
    sprites.round_corners(image, theme)
    return sprites.png(image)


def _paint_row(image: Image.Image, top: int, theme: Theme) -> None:
    canvas = Canvas(MARGIN - 8, top, WIDTH - 2 * MARGIN + 16, _ROW, theme.panel)
    canvas.field((MARGIN - 8, top + 1, WIDTH - MARGIN + 8, top + _ROW - 1), 16, theme.raised)
    image.paste(canvas.done(theme), (MARGIN - 8, top))


def _paint_cells(
    image: Image.Image, at: tuple[float, int, float], entry: Entry, number: int, theme: Theme, ground: Colour
) -> None:
    """The fields of a row; that of the player against themselves is dark."""
    left, top, cell = at
    start, width = round(left), round(cell * len(entry.scores)) + 1
    canvas = Canvas(start, top, width, _ROW, ground)
    for column in range(len(entry.scores)):
        box = (left + column * cell + _INSET, top + _INSET, left + (column + 1) * cell - _INSET, top + _ROW - _INSET)
        canvas.field(box, 10, _field(entry, number, column, theme))
    image.paste(canvas.done(theme), (start, top))


def _field(entry: Entry, row: int, column: int, theme: Theme) -> Colour:
    """The ground of a score: wins stand out."""
    if row == column:
        return theme.tray
    return theme.fresh if column in entry.wins else theme.cell
