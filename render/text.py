"""Lines of text: their width, and tiles of them."""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from render.cache import cached
from render.colours import Colour, Theme
from render.geometry import Box, Geometry, Label, Point
from render.palette import Tile, cut_out, in_palette, paste_tile


@lru_cache(maxsize=64)
def font_at(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(Path(__file__).with_name("fonts") / "Inter-SemiBold.ttf", size)


@cache
def _probe() -> tuple[ImageFont.FreeTypeFont, bytes]:
    """A font for single characters, and the image that stands for characters it lacks."""
    # The basic layout engine draws each character separately; the other engine fails on a lone surrogate.
    font = ImageFont.truetype(font_at(16).path, 16, layout_engine=ImageFont.Layout.BASIC)
    return font, bytes(font.getmask("\uffff"))


@lru_cache(maxsize=4096)
def has_glyph(character: str) -> bool:
    """Whether the font has that character. Draws it to find out: call this in a thread."""
    font, missing = _probe()
    return bytes(font.getmask(character)) != missing


@lru_cache(maxsize=4096)
def text_width(words: str, size: int) -> float:
    """The width of a line of text in pixels."""
    return font_at(size).getlength(words)


@lru_cache(maxsize=64)
def figure(size: int) -> float:
    """The height of a digit in pixels."""
    return -font_at(size).getbbox("8", anchor="ls")[1]


@lru_cache(maxsize=1024)
def _glyphs(words: str, size: int) -> Box:
    """The pixels that the glyphs of a line of text fill, from the middle of its base line."""
    return font_at(size).getbbox(words, anchor="ms")


def extents(words: str, size: int) -> tuple[float, float, float]:
    """How far a line of text extends from the middle of its digits: to the sides, upward and downward."""
    left, top, right, bottom = _glyphs(words, size)
    middle = figure(size) / 2
    return max(-left, right), -top - middle, bottom + middle


def label_box(label: Label, geometry: Geometry) -> Box:
    """The pixels that a label's glyphs fill."""
    left, top, right, bottom = _glyphs(label.text, geometry.label_size)
    base = label.y + figure(geometry.label_size) / 2
    return label.x + left, base + top, label.x + right, base + bottom


@lru_cache(maxsize=1024)
def trimmed(words: str, size: int, width: float) -> str:
    """The words without characters that the font lacks, and with an ellipsis if they are too wide."""
    words = "".join(character for character in words if has_glyph(character))
    font = font_at(size)
    if font.getlength(words) <= width:
        return words
    while words and font.getlength(f"{words}…") > width:
        words = words[:-1]
    return f"{words.rstrip()}…"


def wrapped(words: str, size: int, width: float, most: int = 2) -> tuple[str, ...]:
    """The words in at most ``most`` lines, without characters that the font lacks.

    Lines end at a ``·`` if possible, or else at a space; words that do not fit become an ellipsis.
    """
    words = trimmed(words, size, math.inf)
    if most == 1 or text_width(words, size) <= width:
        return (trimmed(words, size, width),)
    for between in (" · ", " "):
        ends = [found.start() for found in re.finditer(re.escape(between), words)]
        fitting = [end for end in ends if text_width(words[:end], size) <= width]
        if fitting:
            rest = words[fitting[-1] + len(between) :]
            return words[: fitting[-1]], *wrapped(rest, size, width, most - 1)
    end = max(end for end in range(len(words)) if not end or text_width(words[:end], size) <= width)
    return words[:end], *wrapped(words[end:], size, width, most - 1)


@cached
def text_tile(words: str, size: int, colour: Colour, ground: Colour, theme: Theme) -> Tile:
    """A line of text for that ground, vertically centred on its digits and capitals."""
    width, height = math.ceil(text_width(words, size)) + 2, 2 * round(size * 0.7)
    image = Image.new("RGB", (width, height), ground)
    ImageDraw.Draw(image).text((1, round(height / 2 + figure(size) / 2)), words, colour, font_at(size), anchor="ls")
    return cut_out(in_palette(image, theme), ground, theme)


def write(
    on: Image.Image,
    words: str,
    size: int,
    colour: Colour,
    at: Point,
    theme: Theme,
    align: str = "m",
    ground: Colour | None = None,
) -> None:
    """Paste a :func:`text_tile` for a ground, by default the background, with :func:`paste_tile`."""
    paste_tile(on, text_tile(words, size, colour, ground or theme.background, theme), at, align)
