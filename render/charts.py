"""Leaderboards, rating histories and favourite openings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from render import overlays, painting
from render.cache import cached
from render.canvas import (
    BAND,
    Canvas,
    Tile,
    blank_image,
    cut_out,
    font_at,
    paste_tile,
    round_corners,
    text_tile,
    text_width,
    to_png,
    trimmed,
)
from render.colours import Colour, Theme, blend, readable_on
from render.face import Face
from render.geometry import MARGIN, WIDE, Point
from render.scene import Look, Scene
from rules import Ruleset

#: Font sizes. A phone shows a picture at about a quarter of its width, so letters are four times their size there.
_TITLE, _SUBTITLE, _TEXT, _SMALL = 50, 38, 44, 36
#: The smallest font size of a long subtitle.
_LEAST_SUBTITLE = 28
_HEADER, _ROW, _GAP = 148, 92, 14
#: The parts of a row: the right edge of the rank, and the left edges of the name and the drawing.
_RANK, _NAME, _DRAWING = 106, 128, 560
_DRAWN = 216
_CHART, _FOOT = 470, 76
_LEFT = 136


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


def leaderboard(title: str, subtitle: str, rows: Sequence[ChartRow], own: ChartRow | None, theme: Theme) -> bytes:
    """A leaderboard as a PNG file, 1,100 pixels wide; ``own`` is a further row, set apart below the others."""
    height = _HEADER + _ROW * len(rows) + (_GAP + _ROW if own else 0) + MARGIN
    image = _titled(title, subtitle, height, theme)
    for number, row in enumerate(rows):
        _draw_row(image, row, _HEADER + number * _ROW, theme)
    if own is not None:
        _draw_row(image, own, _HEADER + len(rows) * _ROW + _GAP, theme)
    round_corners(image, theme)
    return to_png(image)


def rating_history(
    title: str, subtitle: str, points: Sequence[RatingPoint], dates: tuple[str, str], theme: Theme
) -> bytes:
    """A rating and its uncertainty over time as a PNG file, 1,100 pixels wide; ``dates`` label both ends.

    At least one point is needed.
    """
    top, bottom = _HEADER, _HEADER + _CHART
    image = _titled(title, subtitle, bottom + _FOOT, theme)
    low = min(point.value - point.deviation for point in points)
    high = max(point.value + point.deviation for point in points)
    right, unit = WIDE - MARGIN - 16, (bottom - top) / (high - low)
    levels = _levels(low, high)

    def height(value: float) -> float:
        return bottom - (value - low) * unit

    xs = _spread([point.at for point in points], _LEFT, right)
    line = [(x, height(point.value)) for x, point in zip(xs, points, strict=True)]
    above = [(x, height(point.value + point.deviation)) for x, point in zip(xs, points, strict=True)]
    below = [(x, height(point.value - point.deviation)) for x, point in zip(xs, points, strict=True)]
    for strip in range(top - 8, bottom + 8, BAND):
        canvas = Canvas(0, strip, WIDE, min(BAND, bottom + 8 - strip), theme.background)
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
        number = text_tile(str(level), _SMALL, theme.number, theme.background, theme)
        paste_tile(image, number, (_LEFT - 16, height(level)), "r")
    for date, x, align in ((dates[0], _LEFT, "l"), (dates[1], right, "r")):
        paste_tile(image, text_tile(date, _SMALL, theme.number, theme.background, theme), (x, bottom + 40), align)
    round_corners(image, theme)
    return to_png(image)


def openings(face: Face, ruleset: Ruleset, counts: Mapping[str, int], look: Look) -> bytes:
    """A board as a PNG file that shows how often a player opened on each cell; ``counts`` are by cell name."""
    theme = face.themes[look.theme]
    scene = Scene(ruleset.start(), (), None, look)
    geometry, most = scene.geometry, max(counts.values(), default=1)
    cells = {
        cell: count for name, count in counts.items() if (cell := geometry.board.find(name)) in set(geometry.cells)
    }

    size = max(scene.least_text, round(geometry.step * 0.36))

    def tint(canvas: Canvas) -> None:
        for cell, count in cells.items():
            if cell is None:
                continue
            colour = blend(theme.cell, theme.accent, 0.3 + 0.7 * count / most)
            canvas.polygon(
                geometry.grid.hexagon(geometry.centres[cell], geometry.step * 0.07), colour, geometry.step * 0.02
            )
            if text_width(str(count), size) < 1.2 * geometry.pitch:
                canvas.text(str(count), geometry.centres[cell], size, readable_on(colour))

    image = overlays.drawn_over(painting.paint_board(face, scene).convert("RGBA"), [tint])
    # There are no players, so there is no header.
    out = image.convert("RGBA").crop((0, geometry.header, image.width, image.height))
    out.putalpha(_corners(out.width, out.height, theme))
    return to_png(out.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def _corners(width: int, height: int, theme: Theme) -> Image.Image:
    """The alpha channel of a picture of that size."""
    blank = blank_image(theme, width, height)
    blank.paste(theme.palette.index(theme.background), (0, 0, width, height))
    round_corners(blank, theme)
    return blank.convert("RGBA").getchannel("A")


def _titled(title: str, subtitle: str, height: int, theme: Theme) -> Image.Image:
    image = blank_image(theme, WIDE, height)
    image.paste(theme.palette.index(theme.background), (0, 0, image.width, image.height))
    room = WIDE - 2 * MARGIN - 16
    small = max(_LEAST_SUBTITLE, _fitting(subtitle, _SUBTITLE, room))
    for words, size, colour, y in ((title, _TITLE, theme.text, 50), (subtitle, small, theme.number, 108)):
        tile = text_tile(trimmed(words, size, room), size, colour, theme.background, theme)
        paste_tile(image, tile, (MARGIN + 8, y), "l")
    return image


def _draw_row(image: Image.Image, row: ChartRow, top: int, theme: Theme) -> None:
    middle = top + _ROW / 2
    ground = theme.highlight if row.mine else theme.background
    if row.mine:
        paste_tile(image, _highlight(theme), (WIDE / 2, middle))

    def write(words: str, colour: Colour, x: float, align: str, size: int = _TEXT) -> None:
        paste_tile(image, text_tile(words, size, colour, ground, theme), (x, middle), align)

    if row.rank:
        write(row.rank, theme.letter, _RANK, "r", _fitting(row.rank, _TEXT, _RANK - MARGIN))
    write(trimmed(row.name, _TEXT, _DRAWING - _NAME - 24), theme.text, _NAME, "l")
    write(row.value, theme.text if row.rank else theme.number, WIDE - MARGIN - 16, "r")
    if row.parts is not None:
        paste_tile(image, _bar(row.parts, row.most, ground, theme), (_DRAWING + _DRAWN / 2, middle))
    elif len(row.course) > 1:
        paste_tile(image, _course(tuple(row.course), ground, theme), (_DRAWING + _DRAWN / 2, middle))


@cached
def _highlight(theme: Theme) -> Tile:
    """The highlight of the viewer's own row."""
    canvas = Canvas(0, 0, WIDE - 2 * MARGIN + 16, _ROW, theme.background)
    canvas.field((0, 3, WIDE - 2 * MARGIN + 16, _ROW - 3), 18, theme.highlight)
    return cut_out(canvas.done(theme), theme.background, theme)


def _course(values: tuple[float, ...], ground: Colour, theme: Theme) -> Tile:
    """A line chart without a scale."""
    height = _ROW - 22
    low, high = min(values), max(values)
    unit = (height - 16) / max(high - low, 40)
    shift = (high + low) / 2
    xs = _spread(list(range(len(values))), 8, _DRAWN - 8)
    points = [(x, height / 2 - (value - shift) * unit) for x, value in zip(xs, values, strict=True)]
    canvas = Canvas(0, 0, _DRAWN, height, ground)
    canvas.line(points, theme.number, 4)
    canvas.disc(points[-1], 7, theme.accent)
    return cut_out(canvas.done(theme), ground, theme)


def _bar(parts: tuple[int, int, int], most: int, ground: Colour, theme: Theme) -> Tile:
    """Wins, draws and losses side by side, as long as the number of games."""
    height = 30
    canvas = Canvas(0, 0, _DRAWN, height, ground)
    left, unit = 0.0, _DRAWN / max(most, sum(parts), 1)
    for count, colour in zip(parts, (theme.accent, theme.number, theme.tick), strict=True):
        if count:
            right = left + count * unit
            canvas.polygon(_box(left, 2, max(left + 2, right - 2), height - 2), colour)
            left = right
    return cut_out(canvas.done(theme), ground, theme)


def _box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _fitting(words: str, size: int, room: float) -> int:
    """The largest font size, at most ``size``, at which the words fit."""
    return min(size, int(size * room / max(1, font_at(size).getlength(words))))


def _spread(values: Sequence[float], left: float, right: float) -> list[float]:
    """Map the values to the range between two ends, or evenly if they are all equal."""
    low, high = min(values), max(values)
    if high == low:
        step = (right - left) / max(1, len(values) - 1)
        return [left + i * step for i in range(len(values))]
    return [left + (value - low) / (high - low) * (right - left) for value in values]


def _levels(low: float, high: float) -> list[int]:
    """At most seven round numbers between two values."""
    step = next(each for each in (25, 50, 100, 200, 500, 1000, 2000) if (high - low) / each < 7)
    return list(range(-int(-low // step) * step, int(high) + 1, step))
