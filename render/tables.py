"""Pictures that are not of a board: leaderboards, the course of a rating, and where somebody likes to open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from render import overlays, sprites
from render.cache import cached
from render.face import Face
from render.layout import MARGIN, WIDTH, Point
from render.look import Look, Scene
from render.sprites import Canvas, Tile
from render.theme import Colour, Theme, blend, readable_on
from rules import Ruleset

#: A phone shows a picture at about a quarter of its width, so letters are four times as large as they are to look.
_TITLE, _SUBTITLE, _TEXT, _SMALL = 50, 38, 44, 36
#: A long subtitle is written smaller, but not smaller than that.
_LEAST_SUBTITLE = 28
_HEADER, _ROW, _GAP = 148, 92, 14
#: Where the parts of a row lie: the right end of the rank, the left ends of the name and of the drawing.
_RANK, _NAME, _DRAWING = 106, 128, 560
_DRAWN = 216
_CHART, _FOOT = 470, 76
_LEFT = 136


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a leaderboard: the rank (empty for somebody who stands apart), the name and what they are ranked by.

    ``course`` draws a line of numbers, and ``parts`` a bar of wins, draws and losses against ``most`` games.
    """

    rank: str
    name: str
    value: str
    mine: bool = False
    course: Sequence[float] = ()
    parts: tuple[int, int, int] | None = None
    most: int = 1


@dataclass(frozen=True, slots=True)
class Spot:
    """A rating at a time, in seconds, with its uncertainty."""

    at: float
    value: float
    deviation: float


def leaderboard(title: str, subtitle: str, lines: Sequence[Line], own: Line | None, theme: Theme) -> bytes:
    """A leaderboard as a PNG file, 1,100 pixels wide; ``own`` is a further row that stands apart below the others."""
    height = _HEADER + _ROW * len(lines) + (_GAP + _ROW if own else 0) + MARGIN
    image = _titled(title, subtitle, height, theme)
    for number, line in enumerate(lines):
        _draw_line(image, line, _HEADER + number * _ROW, theme)
    if own is not None:
        _draw_line(image, own, _HEADER + len(lines) * _ROW + _GAP, theme)
    sprites.round_corners(image, theme)
    return sprites.png(image)


def rating_history(title: str, subtitle: str, spots: Sequence[Spot], dates: tuple[str, str], theme: Theme) -> bytes:
    """The course of a rating within its uncertainty as a PNG file, 1,100 pixels wide; ``dates`` name both its ends.

    It needs one spot at least.
    """
    top, bottom = _HEADER, _HEADER + _CHART
    image = _titled(title, subtitle, bottom + _FOOT, theme)
    low = min(spot.value - spot.deviation for spot in spots)
    high = max(spot.value + spot.deviation for spot in spots)
    right, unit = WIDTH - MARGIN - 16, (bottom - top) / (high - low)
    levels = _levels(low, high)

    def height(value: float) -> float:
        return bottom - (value - low) * unit

    xs = _spread([spot.at for spot in spots], _LEFT, right)
    line = [(x, height(spot.value)) for x, spot in zip(xs, spots, strict=True)]
    above = [(x, height(spot.value + spot.deviation)) for x, spot in zip(xs, spots, strict=True)]
    below = [(x, height(spot.value - spot.deviation)) for x, spot in zip(xs, spots, strict=True)]
    for strip in range(top - 8, bottom + 8, sprites.BAND):
        canvas = Canvas(0, strip, WIDTH, min(sprites.BAND, bottom + 8 - strip), theme.panel)
        if len(spots) > 1:
            canvas.polygon([*above, *reversed(below)], theme.raised)
        else:
            canvas.line([above[0], below[0]], theme.raised, 16)
        for level in levels:
            canvas.line([(_LEFT, height(level)), (right, height(level))], theme.tick, 1.5)
        canvas.line(line if len(line) > 1 else line * 2, theme.warm, 5)
        canvas.disc(line[-1], 9, theme.warm)
        image.paste(canvas.done(theme), (0, strip))
    for level in levels:
        number = sprites.text(str(level), _SMALL, theme.number, theme.panel, theme)
        sprites.paste(image, number, (_LEFT - 16, height(level)), "r")
    for date, x, align in ((dates[0], _LEFT, "l"), (dates[1], right, "r")):
        sprites.paste(image, sprites.text(date, _SMALL, theme.number, theme.panel, theme), (x, bottom + 40), align)
    sprites.round_corners(image, theme)
    return sprites.png(image)


def openings(face: Face, ruleset: Ruleset, counts: Mapping[str, int], look: Look) -> bytes:
    """How often somebody opened on each cell, by its name, as tints of the board, a PNG file."""
    theme = face.themes[look.scheme]
    scene = Scene(ruleset.start(), (), None, look)
    place, most = scene.place, max(counts.values(), default=1)
    cells = {cell: count for name, count in counts.items() if (cell := place.board.find(name)) in set(place.cells)}

    def tint(canvas: Canvas) -> None:
        for cell, count in cells.items():
            if cell is None:
                continue
            colour = blend(theme.cell, theme.warm, 0.3 + 0.7 * count / most)
            canvas.polygon(place.grid.hexagon(place.centres[cell], place.step * 0.07), colour, place.step * 0.02)
            canvas.text(str(count), place.centres[cell], place.step * 0.36, readable_on(colour))

    image = overlays.drawn_over(face.paint_board(scene).convert("RGBA"), [tint])
    out = image.convert("RGBA")
    out.putalpha(_corners(out.width, out.height, theme))
    return sprites.png(out.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def _corners(width: int, height: int, theme: Theme) -> Image.Image:
    """The opacity of a picture of that size."""
    blank = sprites.blank(theme, width, height)
    blank.paste(theme.palette.index(theme.panel), (0, 0, width, height))
    sprites.round_corners(blank, theme)
    return blank.convert("RGBA").getchannel("A")


def _titled(title: str, subtitle: str, height: int, theme: Theme) -> Image.Image:
    image = sprites.blank(theme, WIDTH, height)
    image.paste(theme.palette.index(theme.panel), (0, 0, image.width, image.height))
    room = WIDTH - 2 * MARGIN - 16
    small = max(_LEAST_SUBTITLE, _fitting(subtitle, _SUBTITLE, room))
    for words, size, colour, y in ((title, _TITLE, theme.text, 50), (subtitle, small, theme.number, 108)):
        tile = sprites.text(trimmed(words, size, room), size, colour, theme.panel, theme)
        sprites.paste(image, tile, (MARGIN + 8, y), "l")
    return image


def _draw_line(image: Image.Image, line: Line, top: int, theme: Theme) -> None:
    middle = top + _ROW / 2
    ground = theme.raised if line.mine else theme.panel
    if line.mine:
        sprites.paste(image, _highlight(theme), (WIDTH / 2, middle))

    def write(words: str, colour: Colour, x: float, align: str, size: int = _TEXT) -> None:
        sprites.paste(image, sprites.text(words, size, colour, ground, theme), (x, middle), align)

    if line.rank:
        write(line.rank, theme.letter, _RANK, "r", _fitting(line.rank, _TEXT, _RANK - MARGIN))
    write(trimmed(line.name, _TEXT, _DRAWING - _NAME - 24), theme.text, _NAME, "l")
    write(line.value, theme.text if line.rank else theme.number, WIDTH - MARGIN - 16, "r")
    if line.parts is not None:
        sprites.paste(image, _bar(line.parts, line.most, ground, theme), (_DRAWING + _DRAWN / 2, middle))
    elif len(line.course) > 1:
        sprites.paste(image, _course(tuple(line.course), ground, theme), (_DRAWING + _DRAWN / 2, middle))


@cached
def _highlight(theme: Theme) -> Tile:
    """The ground of the viewer's own row."""
    canvas = Canvas(0, 0, WIDTH - 2 * MARGIN + 16, _ROW, theme.panel)
    canvas.field((0, 3, WIDTH - 2 * MARGIN + 16, _ROW - 3), 18, theme.raised)
    return sprites.cut_out(canvas.done(theme), theme.panel, theme)


def _course(values: tuple[float, ...], ground: Colour, theme: Theme) -> Tile:
    """A line of numbers without a scale."""
    height = _ROW - 22
    low, high = min(values), max(values)
    unit = (height - 16) / max(high - low, 40)
    shift = (high + low) / 2
    xs = _spread(list(range(len(values))), 8, _DRAWN - 8)
    points = [(x, height / 2 - (value - shift) * unit) for x, value in zip(xs, values, strict=True)]
    canvas = Canvas(0, 0, _DRAWN, height, ground)
    canvas.line(points, theme.number, 4)
    canvas.disc(points[-1], 7, theme.warm)
    return sprites.cut_out(canvas.done(theme), ground, theme)


def _bar(parts: tuple[int, int, int], most: int, ground: Colour, theme: Theme) -> Tile:
    """Wins, draws and losses side by side, as long as there were games."""
    height = 30
    canvas = Canvas(0, 0, _DRAWN, height, ground)
    left, unit = 0.0, _DRAWN / max(most, sum(parts), 1)
    for count, colour in zip(parts, (theme.warm, theme.number, theme.tick), strict=True):
        if count:
            right = left + count * unit
            canvas.polygon(_box(left, 2, max(left + 2, right - 2), height - 2), colour)
            left = right
    return sprites.cut_out(canvas.done(theme), ground, theme)


def _box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _fitting(words: str, size: int, room: float) -> int:
    """The size in which the words fit into the room, if that ``size`` is too large."""
    return min(size, int(size * room / max(1, sprites.font(size).getlength(words))))


def trimmed(words: str, size: int, width: float) -> str:
    """The words in characters that the font has, cut off with an ellipsis where they are too wide."""
    words = "".join(character for character in words if sprites.draws(character))
    font = sprites.font(size)
    if font.getlength(words) <= width:
        return words
    while words and font.getlength(f"{words}…") > width:
        words = words[:-1]
    return f"{words.rstrip()}…"


def _spread(values: Sequence[float], left: float, right: float) -> list[float]:
    """The values at their places between two ends; evenly when they are all the same."""
    low, high = min(values), max(values)
    if high == low:
        step = (right - left) / max(1, len(values) - 1)
        return [left + i * step for i in range(len(values))]
    return [left + (value - low) / (high - low) * (right - left) for value in values]


def _levels(low: float, high: float) -> list[int]:
    """Round numbers between two values, at most seven."""
    step = next(each for each in (25, 50, 100, 200, 500, 1000, 2000) if (high - low) / each < 7)
    return list(range(-int(-low // step) * step, int(high) + 1, step))
