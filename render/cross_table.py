"""The cross table of a tournament, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PIL import Image

from render.canvas import Canvas, blank_image, paste_tile, round_corners, text_tile, to_png, trimmed
from render.colours import Colour, Theme, contrast
from render.geometry import MARGIN, WIDE

_TITLE, _SUBTITLE, _HEAD, _ROW = 50, 38, 192, 92
#: The number of players for whom there is room for large letters, and the scale for more of them.
_FEW, _SHRUNK = 8, 0.68
_RANK, _NAME = 74, 94
#: The distances from the right border to the right edges of the points and of the tie-break.
_POINTS, _BERGER = 154, MARGIN + 10
_LEAST_NAME = 270
_INSET = 3


@dataclass(frozen=True, slots=True)
class CrossTableRow:
    """A row of a cross table: rank, name, scores, points and tie-break.

    The scores are in the order of the rows: None for the player themselves and empty for games in progress. ``wins``
    are the columns of games won. Players who share the first rank have ``leads`` and are highlighted.
    """

    rank: str
    name: str
    scores: Sequence[str | None]
    points: str
    tie_break: str
    wins: frozenset[int] = frozenset()
    leads: bool = False


def cross_table(
    title: str, subtitle: str, heads: tuple[str, str], rows: Sequence[CrossTableRow], theme: Theme
) -> bytes:
    """A cross table as a PNG file, 1,100 pixels wide, for at most 16 players.

    ``heads`` are the headings of the points and the tie-break. Names are cut off if they are too long, and lose
    characters that the font lacks; a name in another script is replaced by the number of its row.
    """
    count = len(rows)
    unit = 1 if count <= _FEW else _SHRUNK
    height, name_size, rank_size, points_size, tie_size, head_size = (
        round(size * unit) for size in (_ROW, 46, 42, 48, 34, 32)
    )
    right = WIDE - _POINTS - 116
    cell = min(height, (right - _NAME - _LEAST_NAME) / max(1, count))
    left = right - count * cell
    size = round(min(points_size, cell * 0.6))
    image = blank_image(theme, WIDE, _HEAD + height * count + MARGIN)
    image.paste(theme.palette.index(theme.background), (0, 0, image.width, image.height))

    def write(words: str, text_size: int, colour: Colour, at: tuple[float, float], align: str, ground: Colour) -> None:
        if words:
            paste_tile(image, text_tile(words, text_size, colour, ground, theme), at, align)

    room = WIDE - 2 * MARGIN - 16
    write(trimmed(title, _TITLE, room), _TITLE, theme.text, (MARGIN + 8, 50), "l", theme.background)
    write(trimmed(subtitle, _SUBTITLE, room), _SUBTITLE, theme.number, (MARGIN + 8, 108), "l", theme.background)
    for number in range(count):
        write(
            str(number + 1), head_size, theme.number, (left + (number + 0.5) * cell, _HEAD - 24), "m", theme.background
        )
    for words, end in zip(heads, (_POINTS, _BERGER), strict=True):
        write(trimmed(words, head_size, 120), head_size, theme.number, (WIDE - end, _HEAD - 24), "r", theme.background)

    for number, row in enumerate(rows):
        top = _HEAD + number * height
        middle = top + height / 2
        ground = theme.highlight if row.leads else theme.background
        if row.leads:
            _paint_row(image, top, height, theme)
        _paint_cells(image, (left, top, cell, height), row, number, theme, ground)
        for column, score in enumerate(row.scores):
            if score:
                field = _field(row, number, column, theme)
                ink = max(theme.text, theme.background, key=partial(contrast, field))
                write(score, size, ink, (left + (column + 0.5) * cell, middle), "m", field)
        write(row.rank, rank_size, theme.letter, (_RANK, middle), "r", ground)
        name = trimmed(row.name, name_size, left - _NAME - 20).strip() or f"#{number + 1}"
        write(name, name_size, theme.text, (_NAME, middle), "l", ground)
        write(row.points, points_size, theme.text, (WIDE - _POINTS, middle), "r", ground)
        write(row.tie_break, tie_size, theme.number, (WIDE - _BERGER, middle), "r", ground)
    round_corners(image, theme)
    return to_png(image)


def _paint_row(image: Image.Image, top: int, height: int, theme: Theme) -> None:
    canvas = Canvas(MARGIN - 8, top, WIDE - 2 * MARGIN + 16, height, theme.background)
    canvas.field((MARGIN - 8, top + 1, WIDE - MARGIN + 8, top + height - 1), 16, theme.highlight)
    image.paste(canvas.done(theme), (MARGIN - 8, top))


def _paint_cells(
    image: Image.Image,
    at: tuple[float, int, float, int],
    row: CrossTableRow,
    number: int,
    theme: Theme,
    ground: Colour,
) -> None:
    """Draw the fields of a row."""
    left, top, cell, height = at
    start, width = round(left), round(cell * len(row.scores)) + 1
    canvas = Canvas(start, top, width, height, ground)
    for column in range(len(row.scores)):
        box = (left + column * cell + _INSET, top + _INSET, left + (column + 1) * cell - _INSET, top + height - _INSET)
        canvas.field(box, 10, _field(row, number, column, theme))
    image.paste(canvas.done(theme), (start, top))


def _field(row: CrossTableRow, number: int, column: int, theme: Theme) -> Colour:
    """The ground of a score: wins stand out, and players do not meet themselves."""
    if number == column:
        return theme.tray
    return theme.fresh if column in row.wins else theme.cell
