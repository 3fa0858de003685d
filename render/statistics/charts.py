"""Rating histories, favourite openings, and the chances in a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from render import painting
from render.canvas import Layer, bands
from render.colours import Theme, blend, readable_on
from render.face import Face
from render.geometry import MARGIN, WIDTH, Point, least_text
from render.palette import Tile, blank_image, in_full_colour, in_own_palette, paste_beside, to_png, width_beside
from render.scene import Look, Scene
from render.text import text_tile, text_width, trimmed, wrapped, write
from rules import Ruleset, Side

#: Font sizes, and the distances between lines.
_TITLE, _SMALL = 48, least_text()
_LINE, _TITLE_LINE = 44, 58
#: The margin on both sides, the room below the title, and the space between the entries of a legend.
SIDE, _GAP, _SPACE = 36, 16, 20
#: The heights of a chart, of the words below it, and of a legend.
_CHART, _FOOT, LEGEND = 420, 84, 84
#: The radius of a numbered mark above a chart, and the height of a side's icon in the legend below it.
_MARK, _ICON = 30, 60
#: The left edge of a chart, right of the numbers at its levels.
_LEFT = 146


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A rating at a time, in seconds, with its uncertainty."""

    at: float
    value: float
    deviation: float


def rating_history(
    title: str, subtitle: str, points: Sequence[RatingPoint], dates: tuple[str, str], theme: Theme
) -> bytes:
    """A rating and its uncertainty over time as a PNG file, as wide as pictures of boards; ``dates`` label both ends.

    There must be at least one point.
    """
    image, top = titled(title, subtitle, _CHART + _FOOT, theme)
    bottom = top + _CHART
    low = min(point.value - point.deviation for point in points)
    high = max(point.value + point.deviation for point in points)
    right, unit = WIDTH - SIDE, (bottom - top) / (high - low)
    levels = _levels(low, high)

    def height(value: float) -> float:
        return bottom - (value - low) * unit

    xs = spread([point.at for point in points], _LEFT, right)
    curve, above, below = (
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
        canvas.line(curve if len(curve) > 1 else curve * 2, theme.accent, 5)
        canvas.disc(curve[-1], 9, theme.accent)
        image.paste(canvas.done(theme), (0, strip))
    for level in levels:
        write(image, str(level), _SMALL, theme.number, (_LEFT - 16, height(level)), theme, "r")
    _label_ends(image, dates, (_LEFT, right), bottom, theme)
    return to_png(image)


def winning_chances(
    title: str,
    subtitle: str,
    chances: Sequence[float],
    points: Sequence[int],
    names: tuple[str, str],
    ends: tuple[str, str],
    face: Face[Any],
    theme: Theme,
) -> bytes:
    """A chart of both sides' chances in a game as a PNG file, as wide as pictures of boards.

    ``chances`` are the first side's after each turn, from 0 to 1: its colour is below the curve, the other side's
    above. The curve is smooth, because estimates depend on the side to play. The ``points``, indices of chances, are
    numbered from 1. ``names`` are the sides' players, and ``ends`` label both ends.
    """
    image, top = titled(title, subtitle, 2 * _MARK + _CHART + _FOOT + LEGEND, theme)
    top += 2 * _MARK
    bottom, left, right = top + _CHART, SIDE, WIDTH - SIDE
    xs = spread(list(range(len(chances))), left, right)
    curve = [(x, bottom - chance * _CHART) for x, chance in zip(xs, _smoothed(chances), strict=True)]
    curve = curve if len(curve) > 1 else [curve[0], (right, curve[0][1])]
    marked = [curve[point] for point in points]
    marks = [(x, top - _MARK - _MARK / 6) for x in _apart([x for x, _ in marked], 2 * _MARK + 6, left, right)]
    first, second = (stone.body for stone in theme.stones)
    for strip, canvas in bands(WIDTH, top - 2 * _MARK - 12, bottom + 12, theme.background):
        canvas.polygon(rectangle(left - 4, top - 4, right + 4, bottom + 4), theme.number)
        canvas.polygon(rectangle(left, top, right, bottom), second)
        canvas.polygon([*curve, (right, bottom), (left, bottom)], first)
        canvas.line([(left, (top + bottom) / 2), (right, (top + bottom) / 2)], theme.tick, 3)
        canvas.line(curve, theme.accent, 5)
        for mark, at in zip(marks, marked, strict=True):
            canvas.line([mark, (at[0], top)], theme.accent, 4)
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


def _smoothed(values: Sequence[float]) -> list[float]:
    """The means of the averages of each value with both neighbours; the first and the last value stay."""
    means = [
        (before + 2 * value + after) / 4 for before, value, after in zip(values, values[1:], values[2:], strict=False)
    ]
    return [*values[:1], *means, *values[1:][-1:]]


def openings(face: Face[Any], ruleset: Ruleset, counts: Mapping[str, int], look: Look) -> bytes:
    """A board, as a PNG file, with a player's number of openings on each cell; ``counts`` are by cell name."""
    scene = Scene(face, ruleset.start(), look=look)
    geometry, most = scene.geometry, max(counts.values(), default=1)
    size = max(scene.least_text, round(geometry.cell_height * 0.36))
    image = in_full_colour(painting.paint_board(scene))
    layer = Layer(image)
    for name, count in counts.items():
        cell = geometry.board.find(name)
        if cell is None or not geometry.mask >> cell & 1:
            continue
        colour = blend(scene.theme.cell, scene.theme.accent, 0.3 + 0.7 * count / most)
        layer.polygon(
            geometry.grid.hexagon(geometry.centres[cell], geometry.cell_height * 0.07),
            colour,
            geometry.cell_height * 0.02,
        )
        if text_width(str(count), size) < 1.2 * geometry.pitch:
            layer.text(str(count), geometry.centres[cell], size, readable_on(colour))
    # No players, so no header.
    return to_png(in_own_palette(image.crop((0, geometry.header, image.width, image.height)), scene.theme))


def titled(title: str, subtitle: str, height: int, theme: Theme) -> tuple[Image.Image, int]:
    """Return a picture with a title and a subtitle above a space of that height, and the upper end of the space.

    The title and the subtitle may be empty.
    """
    room = WIDTH - 2 * SIDE
    lines = [(words, _TITLE, theme.text, _TITLE_LINE) for words in wrapped(title, _TITLE, room) if words]
    lines += [(words, _SMALL, theme.number, _LINE) for words in wrapped(subtitle, _SMALL, room) if words]
    top = MARGIN + sum(space for *_, space in lines) + _GAP
    image = blank_image(theme, WIDTH, top + height)
    image.paste(theme.palette.index(theme.background), (0, 0, image.width, image.height))
    y = MARGIN
    for words, size, colour, space in lines:
        write(image, words, size, colour, (SIDE, y + space / 2), theme, "l")
        y += space
    return image, top


def _label_ends(image: Image.Image, words: Sequence[str], ends: tuple[float, float], bottom: int, theme: Theme) -> None:
    """Words below both ends of a chart."""
    for text, x, align in zip(words, ends, "lr", strict=True):
        write(image, text, _SMALL, theme.number, (x, bottom + 44), theme, align)


def draw_legend(image: Image.Image, entries: Sequence[tuple[Tile, str]], top: int, theme: Theme) -> None:
    """Icons side by side, each with its word, in a line of the height :data:`LEGEND`."""
    x = SIDE
    for icon, word in entries:
        tiles = icon, text_tile(word, _SMALL, theme.number, theme.background, theme)
        paste_beside(image, tiles, (x, top + LEGEND / 2), 8)
        x += int(width_beside(tiles, 8)) + _SPACE


def rectangle(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def spread(values: Sequence[float], left: float, right: float) -> list[float]:
    """Map the values to the range between two ends, or evenly if they are all equal."""
    low, high = min(values), max(values)
    if high == low:
        interval = (right - left) / max(1, len(values) - 1)
        return [left + i * interval for i in range(len(values))]
    return [left + (value - low) / (high - low) * (right - left) for value in values]


def _apart(values: Sequence[float], least: float, left: float, right: float) -> list[float]:
    """Move rising values as little as needed to be at least ``least`` apart, and half as far from both ends."""
    moved = list(values)
    for at, value in enumerate(moved):
        moved[at] = max(value, left + least / 2 if at == 0 else moved[at - 1] + least)
    for at in reversed(range(len(moved))):
        moved[at] = min(moved[at], right - least / 2 if at == len(moved) - 1 else moved[at + 1] - least)
    return moved


def _levels(low: float, high: float) -> list[int]:
    """At most seven round numbers between two values."""
    interval = next(size for size in (25, 50, 100, 200, 500, 1000, 2000) if (high - low) / size < 7)
    return list(range(-int(-low // interval) * interval, int(high) + 1, interval))
