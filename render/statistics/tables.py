"""Leaderboards and the cross tables of tournaments, as pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PIL import Image

from render.cache import cached
from render.canvas import Canvas
from render.colours import Colour, Theme
from render.geometry import MARGIN, WIDTH, least_text
from render.palette import Tile, cut_out, paste_tile, to_png
from render.statistics.charts import LEGEND, SIDE, draw_legend, rectangle, spread, titled
from render.text import text_width, wrapped, write

#: Font sizes of names, of the values in a leaderboard and of the points in a cross table.
_SMALL, _VALUE, _POINTS = least_text(), 42, 44
#: Minimum width of the ranks.
_RANK = 48
#: In a leaderboard: the heights of a row with a name on one line or two, the distance between these lines, the space
#: between columns, the room above and below the rows, and the size of a drawing.
_ROWS, _LINE, _SPACE, _GAP = (82, 104), 44, 20, 16
_DRAWN, _BAR = 120, 30
#: In a cross table: the same without drawings, and the height of the headings.
_CROSS_ROWS, _CROSS_LINE, _CROSS_SPACE, _HEAD = (68, 92), 42, 16, 52
#: Maximum number of players with room for the tie-break.
_FEW = 6
#: Maximum width of a column of results, and minimum width of the names.
_WIDEST, _NAMES = 64, 240
#: The marks of a result; a game that is not over is ``open``, and nobody plays themselves.
_WON, _DREW, _LOST, _OPEN, _SELF = "won", "drawn", "lost", "open", "self"


@dataclass(frozen=True, slots=True)
class RankingRow:
    """A row of a leaderboard: rank (empty for players without one), name and value.

    ``course`` is drawn as a line, and ``results`` as a bar of wins, draws and losses as a share of ``most`` games.
    """

    rank: str
    name: str
    value: str
    mine: bool = False
    course: Sequence[float] = ()
    results: tuple[int, int, int] | None = None
    most: int = 1


@dataclass(frozen=True, slots=True)
class CrossTableRow:
    """A row of a cross table: rank, name, points and tie-break.

    ``wins``, ``draws`` and ``losses`` are the opponents of finished games, by the numbers of their rows, counted from
    0. A row that ``leads`` shares the first rank and is highlighted.
    """

    rank: str
    name: str
    points: str
    tie_break: str
    wins: frozenset[int] = frozenset()
    draws: frozenset[int] = frozenset()
    losses: frozenset[int] = frozenset()
    leads: bool = False


class CrossTableWords(NamedTuple):
    """The headings of the points and the tie-break, and the words for games won, drawn and lost."""

    points: str
    tie_break: str
    results: tuple[str, str, str]


def leaderboard(
    title: str,
    subtitle: str,
    rows: Sequence[RankingRow],
    own: RankingRow | None,
    theme: Theme,
    words: Sequence[str] = (),
) -> bytes:
    """A leaderboard as a PNG file, as wide as pictures of boards; ``own`` is a further row, set apart below the others.

    Names that do not fit on a line take two. ``words`` explain the colours of the bars below the rows.
    """
    rows = [*rows, *([own] if own else [])]
    rank = _rank_end([row.rank for row in rows])
    drawing = WIDTH - SIDE - max((text_width(row.value, _VALUE) for row in rows), default=0) - _SPACE - _DRAWN
    names = [wrapped(row.name, _SMALL, drawing - 2 * _SPACE - rank) for row in rows]
    heights = [_ROWS[len(name) - 1] for name in names]
    below = (_GAP if own else 0) + (LEGEND if words else MARGIN)
    image, top = titled(title, subtitle, sum(heights) + below, theme)
    for row, name, height in zip(rows, names, heights, strict=True):
        top += _GAP if row is own else 0
        middle = top + height / 2
        ground = _start_row(image, row.rank, name, row.mine, rank, (top, height), _LINE, _SPACE, theme)
        ink = theme.text if row.rank else theme.number
        write(image, row.value, _VALUE, ink, (WIDTH - SIDE, middle), theme, "r", ground)
        if row.results is not None:
            paste_tile(image, _bar(row.results, row.most, ground, theme), (drawing, middle), "l")
        elif len(row.course) > 1:
            paste_tile(image, _course(row.course, ground, theme), (drawing, middle), "l")
        top += height
    patches = (_patch(colour, theme) for colour in _result_colours(theme))
    draw_legend(image, list(zip(patches, words, strict=False)), top, theme)
    return to_png(image)


def cross_table(
    title: str, subtitle: str, words: CrossTableWords, rows: Sequence[CrossTableRow], theme: Theme
) -> bytes:
    """A cross table as a PNG file, as wide as pictures of boards, for at most 16 players.

    Names that do not fit on a line take two, and lose characters that the font lacks; the row's number replaces a name
    in another script.
    """
    rank, count = _rank_end([row.rank for row in rows]), len(rows)
    points = float(WIDTH - SIDE)
    wide = max(text_width(row.points, _POINTS) for row in rows)
    tie_break = None if count > _FEW else points
    if tie_break is not None:
        points -= max(text_width(text, _SMALL) for text in (words.tie_break, *(row.tie_break for row in rows)))
        points -= 2 * _CROSS_SPACE
        wide = max(wide, text_width(words.points, _SMALL))
    end = points - wide - 1.5 * _CROSS_SPACE
    cell = min(_WIDEST, (end - rank - 2 * _CROSS_SPACE - _NAMES) / count)
    centres = [end - cell * (count - number - 0.5) for number in range(count)]
    names = [wrapped(row.name, _SMALL, end - cell * count - 2 * _CROSS_SPACE - rank) for row in rows]
    heights = [_CROSS_ROWS[len(name) - 1] for name in names]
    image, top = titled(title, subtitle, _HEAD + sum(heights) + LEGEND, theme)
    # Where the numbers would touch, every second one is left out.
    for number in range(0, count, 1 if text_width(str(count), _SMALL) + 4 < cell else 2):
        write(image, str(number + 1), _SMALL, theme.number, (centres[number], top + _HEAD / 2), theme)
    if tie_break is not None:
        for word, right in ((words.points, points), (words.tie_break, tie_break)):
            write(image, word, _SMALL, theme.number, (right, top + _HEAD / 2), theme, "r")
    top += _HEAD
    for number, (row, name, height) in enumerate(zip(rows, names, heights, strict=True)):
        middle, lines = top + height / 2, name if any(name) else [f"#{number + 1}"]
        ground = _start_row(image, row.rank, lines, row.leads, rank, (top, height), _CROSS_LINE, _CROSS_SPACE, theme)
        results = {_SELF: (number,), _WON: row.wins, _DREW: row.draws, _LOST: row.losses}
        for column, centre in enumerate(centres):
            kind = next((kind for kind, columns in results.items() if column in columns), _OPEN)
            paste_tile(image, _mark(kind, round(cell), ground, theme), (centre, middle))
        write(image, row.points, _POINTS, theme.text, (points, middle), theme, "r", ground)
        if tie_break is not None:
            write(image, row.tie_break, _SMALL, theme.number, (tie_break, middle), theme, "r", ground)
        top += height
    marks = (_mark(kind, _CROSS_LINE, theme.background, theme) for kind in (_WON, _DREW, _LOST))
    draw_legend(image, list(zip(marks, words.results, strict=True)), top, theme)
    return to_png(image)


def _rank_end(ranks: Sequence[str]) -> float:
    """The right edge of the ranks."""
    return MARGIN + max([_RANK, *(text_width(rank, _SMALL) for rank in ranks)])


def _start_row(
    image: Image.Image,
    rank: str,
    lines: Sequence[str],
    marked: bool,
    end: float,
    span: tuple[int, int],
    distance: int,
    space: int,
    theme: Theme,
) -> Colour:
    """Draw the rank, up to its ``end``, and the lines of the name; return the ground of the row.

    The ``span`` is the upper end and the height of the row; a ``marked`` row stands out.
    """
    top, height = span
    middle, ground = top + height / 2, theme.highlight if marked else theme.background
    if marked:
        paste_tile(image, _highlight(height, theme), (WIDTH / 2, middle))
    write(image, rank, _SMALL, theme.letter, (end, middle), theme, "r", ground)
    for number, words in enumerate(lines):
        y = middle + (number - (len(lines) - 1) / 2) * distance
        write(image, words, _SMALL, theme.text, (end + space, y), theme, "l", ground)
    return ground


@cached
def _highlight(height: int, theme: Theme) -> Tile:
    canvas = Canvas(0, 0, WIDTH - MARGIN, height, theme.background)
    canvas.field((0, 3, WIDTH - MARGIN, height - 3), 18, theme.highlight)
    return cut_out(canvas.done(theme), theme.background, theme)


def _result_colours(theme: Theme) -> tuple[Colour, Colour, Colour]:
    """The colours of games won, drawn and lost."""
    return theme.accent, theme.number, theme.tick


@cached
def _patch(colour: Colour, theme: Theme) -> Tile:
    canvas = Canvas(0, 0, _BAR, _BAR, theme.background)
    canvas.polygon(rectangle(0, 0, _BAR, _BAR), colour)
    return cut_out(canvas.done(theme), theme.background, theme)


def _course(values: Sequence[float], ground: Colour, theme: Theme) -> Tile:
    """A line chart without a scale."""
    height, low, high = _ROWS[0] - 22, min(values), max(values)
    unit, shift = (height - 16) / max(high - low, 40), (high + low) / 2
    xs = spread(list(range(len(values))), 8, _DRAWN - 8)
    points = [(x, height / 2 - (value - shift) * unit) for x, value in zip(xs, values, strict=True)]
    canvas = Canvas(0, 0, _DRAWN, height, ground)
    canvas.line(points, theme.number, 4)
    canvas.disc(points[-1], 7, theme.accent)
    return cut_out(canvas.done(theme), ground, theme)


def _bar(results: tuple[int, int, int], most: int, ground: Colour, theme: Theme) -> Tile:
    """Wins, draws and losses side by side; the length stands for the number of games."""
    canvas = Canvas(0, 0, _DRAWN, _BAR, ground)
    left, unit = 0.0, _DRAWN / max(most, sum(results), 1)
    for count, colour in zip(results, _result_colours(theme), strict=True):
        if count:
            right = left + count * unit
            canvas.polygon(rectangle(left, 2, max(left + 2, right - 2), _BAR - 2), colour)
            left = right
    return cut_out(canvas.done(theme), ground, theme)


@cached
def _mark(kind: str, width: int, ground: Colour, theme: Theme) -> Tile:
    """The mark of a result: a disc, half a disc or a ring; for a game that is not over, a dot."""
    height = min(width, _CROSS_ROWS[0])
    canvas = Canvas(-(width // 2), -(height // 2), width, height, ground)
    radius = 0.4 * min(width, _CROSS_LINE)
    if kind == _SELF:
        canvas.field((-radius, -3, radius, 3), 3, theme.tick)
    elif kind == _OPEN:
        canvas.disc((0, 0), 0.22 * radius, theme.tick)
    else:
        canvas.disc((0, 0), radius, theme.number if kind == _LOST else theme.accent)
    if kind in (_DREW, _LOST):
        canvas.disc((0, 0), 0.72 * radius, ground)
    if kind == _DREW:
        turns = (math.pi * (0.5 + i / 24) for i in range(25))
        canvas.polygon([(0.8 * radius * math.cos(at), 0.8 * radius * math.sin(at)) for at in turns], theme.accent)
    return cut_out(canvas.done(theme), ground, theme)
