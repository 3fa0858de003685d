"""The cross table of a tournament, as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PIL import Image

from render.cache import cached
from render.canvas import Canvas, Tile, cut_out, paste_tile, text_width, to_png, wrapped, write
from render.charts import LEGEND, draw_legend, highlighted, titled, write_lines
from render.colours import Colour, Theme
from render.geometry import MARGIN, WIDTH, least_text

#: Font sizes, and the distance between the lines of a name.
_POINTS, _SMALL, _LINE = 44, least_text(), 42
#: The heights of the headings and of a row whose name is on one line or on two.
_HEAD, _ROW, _TALL_ROW = 52, 68, 92
#: The margin at the sides, the least width of the ranks, and the space between columns.
_SIDE, _RANK, _SPACE = 36, 48, 16
#: The most players for whom there is room for the tie-break.
_FEW = 6
#: The largest width of the column of a result, and the room that names have at least.
_WIDEST, _NAMES = 64, 240
#: The marks of a result: a player does not meet themselves, and a game that is not over is ``open``.
_WON, _DRAWN, _LOST, _OPEN, _SELF = "won", "drawn", "lost", "open", "self"


@dataclass(frozen=True, slots=True)
class CrossTableRow:
    """A row of a cross table: rank, name, points and tie-break.

    ``won``, ``drawn`` and ``lost`` are the games that are over, each as the opponent's row, counted from 0. Players who
    share the first rank have ``leads`` and are highlighted.
    """

    rank: str
    name: str
    points: str
    tie_break: str
    won: frozenset[int] = frozenset()
    drawn: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()
    leads: bool = False


class CrossTableWords(NamedTuple):
    """The headings of the points and the tie-break, and the words for games won, drawn and lost."""

    points: str
    tie_break: str
    results: tuple[str, str, str]


class _Columns(NamedTuple):
    """Where the columns are: ``rank``, ``points`` and ``tie_break`` by their right edges, the others by their left
    ones; ``cell`` is the width of a result. There may be no room for the tie-break.
    """

    rank: float
    name: float
    results: float
    cell: float
    points: float
    tie_break: float | None

    @classmethod
    def of(cls, rows: Sequence[CrossTableRow], words: CrossTableWords) -> _Columns:
        rank = MARGIN + max(_RANK, *(text_width(row.rank, _SMALL) for row in rows))
        points, tie_break = float(WIDTH - _SIDE), None
        wide = max(text_width(row.points, _POINTS) for row in rows)
        if len(rows) <= _FEW:
            tie_break = points
            points -= max(text_width(each, _SMALL) for each in (words.tie_break, *(row.tie_break for row in rows)))
            points -= 2 * _SPACE
            wide = max(wide, text_width(words.points, _SMALL))
        end = points - wide - 1.5 * _SPACE
        cell = min(_WIDEST, (end - rank - 2 * _SPACE - _NAMES) / len(rows))
        return cls(rank, rank + _SPACE, end - cell * len(rows), cell, points, tie_break)


def cross_table(
    title: str, subtitle: str, words: CrossTableWords, rows: Sequence[CrossTableRow], theme: Theme
) -> bytes:
    """A cross table as a PNG file, as wide as pictures of boards, for at most 16 players.

    Names that do not fit on a line take two, and lose characters that the font lacks; a name in another script is
    replaced by the number of its row.
    """
    columns = _Columns.of(rows, words)
    names = [wrapped(row.name, _SMALL, columns.results - _SPACE - columns.name) for row in rows]
    heights = [_ROW if len(lines) == 1 else _TALL_ROW for lines in names]
    image, top = titled(title, subtitle, _HEAD + sum(heights) + LEGEND, theme)
    _draw_heads(image, columns, words, len(rows), top + _HEAD / 2, theme)
    top += _HEAD
    for number, (row, name, height) in enumerate(zip(rows, names, heights, strict=True)):
        _draw_row(image, row, number, name, columns, (top, height), len(rows), theme)
        top += height
    marks = (_mark(kind, _LINE, theme.background, theme) for kind in (_WON, _DRAWN, _LOST))
    draw_legend(image, list(zip(marks, words.results, strict=True)), top, theme)
    return to_png(image)


def _draw_heads(
    image: Image.Image, columns: _Columns, words: CrossTableWords, count: int, middle: float, theme: Theme
) -> None:
    """The numbers of the rows above their columns, every second one if they would touch, and what the others are."""
    step = 1 if text_width(str(count), _SMALL) + 4 < columns.cell else 2
    for number in range(0, count, step):
        at = columns.results + (number + 0.5) * columns.cell, middle
        write(image, str(number + 1), _SMALL, theme.number, at, theme)
    if columns.tie_break is not None:
        for word, right in ((words.points, columns.points), (words.tie_break, columns.tie_break)):
            write(image, word, _SMALL, theme.number, (right, middle), theme, "r")


def _draw_row(
    image: Image.Image,
    row: CrossTableRow,
    number: int,
    name: Sequence[str],
    columns: _Columns,
    place: tuple[int, int],
    count: int,
    theme: Theme,
) -> None:
    """A row with the lines of its name; its place is its upper end and its height."""
    top, height = place
    middle, ground = top + height / 2, theme.highlight if row.leads else theme.background
    if row.leads:
        paste_tile(image, highlighted(height, theme), (WIDTH / 2, middle))
    for column in range(count):
        of_row = {_SELF: (number,), _WON: row.won, _DRAWN: row.drawn, _LOST: row.lost}
        kind = next((kind for kind, of in of_row.items() if column in of), _OPEN)
        mark = _mark(kind, round(columns.cell), ground, theme)
        paste_tile(image, mark, (columns.results + (column + 0.5) * columns.cell, middle))
    write(image, row.rank, _SMALL, theme.letter, (columns.rank, middle), theme, "r", ground)
    write_lines(image, name if any(name) else [f"#{number + 1}"], (columns.name, middle), _LINE, theme, ground)
    write(image, row.points, _POINTS, theme.text, (columns.points, middle), theme, "r", ground)
    if columns.tie_break is not None:
        write(image, row.tie_break, _SMALL, theme.number, (columns.tie_break, middle), theme, "r", ground)


@cached
def _mark(kind: str, width: int, ground: Colour, theme: Theme) -> Tile:
    """The mark of a result: a disc, half a disc or a ring; for a game that is not over, a dot."""
    height = min(width, _ROW)
    canvas = Canvas(-(width // 2), -(height // 2), width, height, ground)
    radius = 0.4 * min(width, _LINE)
    if kind == _SELF:
        canvas.field((-radius, -3, radius, 3), 3, theme.tick)
    elif kind == _OPEN:
        canvas.disc((0, 0), 0.22 * radius, theme.tick)
    else:
        canvas.disc((0, 0), radius, theme.number if kind == _LOST else theme.accent)
    if kind in (_DRAWN, _LOST):
        canvas.disc((0, 0), 0.72 * radius, ground)
    if kind == _DRAWN:
        turns = (math.pi * (0.5 + step / 24) for step in range(25))
        canvas.polygon([(0.8 * radius * math.cos(at), 0.8 * radius * math.sin(at)) for at in turns], theme.accent)
    return cut_out(canvas.done(theme), ground, theme)
