"""Leaderboards, rating histories, favourite openings, and who stood better in a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from PIL import Image

from render import painting
from render.cache import cached
from render.canvas import (
    Canvas,
    Layer,
    Tile,
    bands,
    blank_image,
    cut_out,
    in_full_colour,
    in_own_palette,
    paste_beside,
    paste_tile,
    text_tile,
    text_width,
    to_png,
    trimmed,
    width_beside,
    wrapped,
    write,
)
from render.colours import Colour, Theme, blend, readable_on
from render.face import Face
from render.geometry import MARGIN, WIDTH, Point, least_text
from render.scene import Look, Scene
from rules import Ruleset, Side

#: Font sizes, and the distance between lines.
_TITLE, _TEXT, _SMALL = 48, 42, least_text()
_LINE, _TITLE_LINE = 44, 58
#: The margin on both sides, and the room above and below the rows of a leaderboard.
_SIDE, _GAP = 36, 16
#: The heights of a row whose name is on one line or on two.
_ROW, _TALL_ROW = 82, 104
#: The least width of the ranks, that of the drawings, and the space between columns.
_RANK, _DRAWN, _SPACE = 48, 120, 20
_CHART, _FOOT = 420, 84
#: The height of a bar, and that of the legend below a table.
_BAR, LEGEND = 30, 84
#: The radius of a numbered mark above a chart, and the height of a side's icon in the legend below it.
_MARK, _ICON = 30, 60
#: The left edge of a chart, right of the numbers at its levels.
_LEFT = 146


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A row of a leaderboard: the rank (empty for a player who is not ranked), the name and the value ranked by.

    ``course`` is drawn as a line, and ``parts`` as a bar of wins, draws and losses as a share of ``most`` games.
    """

    rank: str
    name: str
    value: str
    mine: bool = False
    course: Sequence[float] = ()
    parts: tuple[int, int, int] | None = None
    most: int = 1


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A rating at a time, in seconds, with its uncertainty."""

    at: float
    value: float
    deviation: float


def leaderboard(
    title: str, subtitle: str, rows: Sequence[ChartRow], own: ChartRow | None, theme: Theme, words: Sequence[str] = ()
) -> bytes:
    """A leaderboard as a PNG file, as wide as pictures of boards; ``own`` is a further row, set apart below the others.

    Names that do not fit on a line take two. ``words`` explain the parts of the bars below the rows.
    """
    listed = [*rows, *([own] if own else [])]
    columns = _Columns.of(listed)
    names = [_name_lines(row.name, columns.drawing - _SPACE - columns.name) for row in listed]
    heights = [_ROW if len(name) == 1 else _TALL_ROW for name in names]
    below = (_GAP if own else 0) + (LEGEND if words else MARGIN)
    image, top = titled(title, subtitle, sum(heights) + below, theme)
    for row, name, height in zip(listed, names, heights, strict=True):
        top += _GAP if row is own else 0
        _draw_row(image, row, name, columns, (top, height), theme)
        top += height
    patches = (_patch(colour, theme) for colour in _result_colours(theme))
    draw_legend(image, list(zip(patches, words, strict=False)), top, theme)
    return to_png(image)


class _Columns(NamedTuple):
    """The right edge of the ranks, and the left edges of the names and of the drawings."""

    rank: float
    name: float
    drawing: float

    @classmethod
    def of(cls, rows: Sequence[ChartRow]) -> _Columns:
        ranks, values = (
            max((text_width(each, size) for each in texts), default=0)
            for texts, size in (([row.rank for row in rows], _SMALL), ([row.value for row in rows], _TEXT))
        )
        rank = MARGIN + max(_RANK, ranks)
        return cls(rank, rank + _SPACE, WIDTH - _SIDE - values - _SPACE - _DRAWN)


def _name_lines(name: str, width: float) -> tuple[str, ...]:
    one = trimmed(name, _SMALL, width)
    return wrapped(name, _SMALL, width) if one.endswith("…") else (one,)


def rating_history(
    title: str, subtitle: str, points: Sequence[RatingPoint], dates: tuple[str, str], theme: Theme
) -> bytes:
    """A rating and its uncertainty over time as a PNG file, as wide as pictures of boards; ``dates`` label both ends.

    At least one point is needed.
    """
    image, top = titled(title, subtitle, _CHART + _FOOT, theme)
    bottom = top + _CHART
    low = min(point.value - point.deviation for point in points)
    high = max(point.value + point.deviation for point in points)
    right, unit = WIDTH - _SIDE, (bottom - top) / (high - low)
    levels = _levels(low, high)

    def height(value: float) -> float:
        return bottom - (value - low) * unit

    xs = _spread([point.at for point in points], _LEFT, right)
    line, above, below = (
        [(x, height(point.value + way * point.deviation)) for x, point in zip(xs, points, strict=True)]
        for way in (0, 1, -1)
    )
    for strip, canvas in bands(WIDTH, top - 8, bottom + 8, theme.background):
        if len(points) > 1:
            canvas.polygon([*above, *reversed(below)], theme.highlight)
        else:
            canvas.line([above[0], below[0]], theme.highlight, 16)
        for level in levels:
            canvas.line([(_LEFT, height(level)), (right, height(level))], theme.tick, 1.5)
        canvas.line(line if len(line) > 1 else line * 2, theme.accent, 5)
        canvas.disc(line[-1], 9, theme.accent)
        image.paste(canvas.done(theme), (0, strip))
    for level in levels:
        write(image, str(level), _SMALL, theme.number, (_LEFT - 16, height(level)), theme, "r")
    _label_ends(image, dates, (_LEFT, right), bottom, theme)
    return to_png(image)


def standings(
    title: str,
    subtitle: str,
    chances: Sequence[float],
    points: Sequence[int],
    names: tuple[str, str],
    ends: tuple[str, str],
    face: Face[Any],
    theme: Theme,
) -> bytes:
    """Who stood better in a game as a PNG file, as wide as pictures of boards.

    ``chances`` are the first side's after each turn, from 0 to 1: its colour rises from below, the other side's comes
    down from above. The ``points``, indices of chances, are numbered from 1. ``names`` are the sides' players, and
    ``ends`` label both ends.
    """
    image, top = titled(title, subtitle, 2 * _MARK + _CHART + _FOOT + LEGEND, theme)
    top += 2 * _MARK
    bottom, left, right = top + _CHART, _SIDE, WIDTH - _SIDE
    xs = _spread(list(range(len(chances))), left, right)
    line = [(x, bottom - chance * _CHART) for x, chance in zip(xs, chances, strict=True)]
    line = line if len(line) > 1 else [line[0], (right, line[0][1])]
    marked = [line[point] for point in points]
    marks = [(x, top - _MARK - _MARK / 6) for x in _apart([x for x, _ in marked], 2 * _MARK + 6, left, right)]
    first, second = (stone.body for stone in theme.stones)
    for strip, canvas in bands(WIDTH, top - 2 * _MARK - 12, bottom + 12, theme.background):
        canvas.polygon(_box(left - 4, top - 4, right + 4, bottom + 4), theme.number)
        canvas.polygon(_box(left, top, right, bottom), second)
        canvas.polygon([*line, (right, bottom), (left, bottom)], first)
        canvas.line([(left, (top + bottom) / 2), (right, (top + bottom) / 2)], theme.tick, 3)
        canvas.line(line, theme.accent, 5)
        for mark, at in zip(marks, marked, strict=True):
            canvas.line([mark, at], theme.accent, 4)
            canvas.disc(at, 11, theme.accent)
            canvas.disc(mark, _MARK, theme.accent)
        image.paste(canvas.done(theme), (0, strip))
    for number, mark in enumerate(marks, 1):
        write(image, str(number), _SMALL, theme.background, mark, theme, ground=theme.accent)
    _label_ends(image, ends, (left, right), bottom, theme)
    room = (right - left) / 2 - _ICON - 2 * _SPACE
    sides = [
        (face.icon("plain", side, _ICON, theme.background, theme), trimmed(names[side], _SMALL, room)) for side in Side
    ]
    draw_legend(image, sides, bottom + _FOOT, theme)
    return to_png(image)


def openings(face: Face[Any], ruleset: Ruleset, counts: Mapping[str, int], look: Look) -> bytes:
    """A board as a PNG file that shows how often a player opened on each cell; ``counts`` are by cell name."""
    scene = Scene(face, ruleset.start(), look=look)
    geometry, most = scene.geometry, max(counts.values(), default=1)
    size = max(scene.least_text, round(geometry.step * 0.36))
    image = in_full_colour(painting.paint_board(scene))
    layer = Layer(image)
    for name, count in counts.items():
        cell = geometry.board.find(name)
        if cell is None or not geometry.mask >> cell & 1:
            continue
        colour = blend(scene.theme.cell, scene.theme.accent, 0.3 + 0.7 * count / most)
        layer.polygon(geometry.grid.hexagon(geometry.centres[cell], geometry.step * 0.07), colour, geometry.step * 0.02)
        if text_width(str(count), size) < 1.2 * geometry.pitch:
            layer.text(str(count), geometry.centres[cell], size, readable_on(colour))
    # There are no players, so there is no header.
    return to_png(in_own_palette(image.crop((0, geometry.header, image.width, image.height)), scene.theme))


def titled(title: str, subtitle: str, height: int, theme: Theme) -> tuple[Image.Image, int]:
    """A picture with a title and a line below it, and the upper end of the room of that height below them."""
    room = WIDTH - 2 * _SIDE
    lines = [(words, _TITLE, theme.text, _TITLE_LINE) for words in wrapped(title, _TITLE, room)]
    lines += [(words, _SMALL, theme.number, _LINE) for words in wrapped(subtitle, _SMALL, room)]
    top = MARGIN + sum(space for *_, space in lines) + _GAP
    image = blank_image(theme, WIDTH, top + height)
    image.paste(theme.palette.index(theme.background), (0, 0, image.width, image.height))
    y = MARGIN
    for words, size, colour, space in lines:
        write(image, words, size, colour, (_SIDE, y + space / 2), theme, "l")
        y += space
    return image, top


def _label_ends(image: Image.Image, words: Sequence[str], ends: tuple[float, float], bottom: int, theme: Theme) -> None:
    """Words below both ends of a chart."""
    for text, x, align in zip(words, ends, "lr", strict=True):
        write(image, text, _SMALL, theme.number, (x, bottom + 44), theme, align)


def draw_legend(image: Image.Image, entries: Sequence[tuple[Tile, str]], top: int, theme: Theme) -> None:
    """Icons side by side, each with its word, in a line of the height :data:`LEGEND`."""
    x = _SIDE
    for icon, word in entries:
        tiles = icon, text_tile(word, _SMALL, theme.number, theme.background, theme)
        paste_beside(image, tiles, (x, top + LEGEND / 2), 8)
        x += int(width_beside(tiles, 8)) + _SPACE


def _draw_row(
    image: Image.Image, row: ChartRow, name: Sequence[str], columns: _Columns, place: tuple[int, int], theme: Theme
) -> None:
    """A row with the lines of its name; its place is its upper end and its height."""
    top, height = place
    middle = top + height / 2
    ground = theme.highlight if row.mine else theme.background
    if row.mine:
        paste_tile(image, highlighted(height, theme), (WIDTH / 2, middle))
    if row.rank:
        write(image, row.rank, _SMALL, theme.letter, (columns.rank, middle), theme, "r", ground)
    write_lines(image, name, (columns.name, middle), _LINE, theme, ground)
    ink = theme.text if row.rank else theme.number
    write(image, row.value, _TEXT, ink, (WIDTH - _SIDE, middle), theme, "r", ground)
    if row.parts is not None:
        paste_tile(image, _bar(row.parts, row.most, ground, theme), (columns.drawing, middle), "l")
    elif len(row.course) > 1:
        paste_tile(image, _course(tuple(row.course), ground, theme), (columns.drawing, middle), "l")


def write_lines(
    image: Image.Image, lines: Sequence[str], at: Point, distance: float, theme: Theme, ground: Colour
) -> None:
    """Write the lines of a name, from that left end and around that height."""
    for number, words in enumerate(lines):
        y = at[1] + (number - (len(lines) - 1) / 2) * distance
        write(image, words, _SMALL, theme.text, (at[0], y), theme, "l", ground)


@cached
def highlighted(height: int, theme: Theme) -> Tile:
    """The ground of a row that stands out."""
    canvas = Canvas(0, 0, WIDTH - MARGIN, height, theme.background)
    canvas.field((0, 3, WIDTH - MARGIN, height - 3), 18, theme.highlight)
    return cut_out(canvas.done(theme), theme.background, theme)


def _result_colours(theme: Theme) -> tuple[Colour, Colour, Colour]:
    """The colours of games won, drawn and lost."""
    return theme.accent, theme.number, theme.tick


@cached
def _patch(colour: Colour, theme: Theme) -> Tile:
    canvas = Canvas(0, 0, _BAR, _BAR, theme.background)
    canvas.polygon(_box(0, 0, _BAR, _BAR), colour)
    return cut_out(canvas.done(theme), theme.background, theme)


def _course(values: tuple[float, ...], ground: Colour, theme: Theme) -> Tile:
    """A line chart without a scale."""
    height, low, high = _ROW - 22, min(values), max(values)
    unit, shift = (height - 16) / max(high - low, 40), (high + low) / 2
    xs = _spread(list(range(len(values))), 8, _DRAWN - 8)
    points = [(x, height / 2 - (value - shift) * unit) for x, value in zip(xs, values, strict=True)]
    canvas = Canvas(0, 0, _DRAWN, height, ground)
    canvas.line(points, theme.number, 4)
    canvas.disc(points[-1], 7, theme.accent)
    return cut_out(canvas.done(theme), ground, theme)


def _bar(parts: tuple[int, int, int], most: int, ground: Colour, theme: Theme) -> Tile:
    """Wins, draws and losses side by side, as long as the number of games."""
    canvas = Canvas(0, 0, _DRAWN, _BAR, ground)
    left, unit = 0.0, _DRAWN / max(most, sum(parts), 1)
    for count, colour in zip(parts, _result_colours(theme), strict=True):
        if count:
            right = left + count * unit
            canvas.polygon(_box(left, 2, max(left + 2, right - 2), _BAR - 2), colour)
            left = right
    return cut_out(canvas.done(theme), ground, theme)


def _box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _spread(values: Sequence[float], left: float, right: float) -> list[float]:
    """Map the values to the range between two ends, or evenly if they are all equal."""
    low, high = min(values), max(values)
    if high == low:
        step = (right - left) / max(1, len(values) - 1)
        return [left + i * step for i in range(len(values))]
    return [left + (value - low) / (high - low) * (right - left) for value in values]


def _apart(values: Sequence[float], least: float, left: float, right: float) -> list[float]:
    """Move values, which rise, as little as it takes for each to be that far from the next and from both ends."""
    moved = list(values)
    for at, value in enumerate(moved):
        moved[at] = max(value, left + least / 2 if at == 0 else moved[at - 1] + least)
    for at in reversed(range(len(moved))):
        moved[at] = min(moved[at], right - least / 2 if at == len(moved) - 1 else moved[at + 1] - least)
    return moved


def _levels(low: float, high: float) -> list[int]:
    """At most seven round numbers between two values."""
    step = next(each for each in (25, 50, 100, 200, 500, 1000, 2000) if (high - low) / each < 7)
    return list(range(-int(-low // step) * step, int(high) + 1, step))
