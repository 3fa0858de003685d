"""Palette pictures: smooth shapes, texts, and the PNG.

Shapes are drawn :data:`SCALE` times as large and averaged down, and each pixel gets the nearest colour of the theme's
palette. That is slow, so all of it is done once and kept; a picture is then a copy of the empty board on which tiles
are pasted. What is kept is never changed, so any number of threads may draw at once.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from render.cache import cached
from render.layout import Box, Grid, Label, Layout, Point
from render.theme import Colour, Ink, Theme

SCALE = 8
#: Clear shapes are drawn in full colour, where half of that is fine enough.
_CLEAR_SCALE = 4
#: The height of the bands in which a large picture is drawn.
BAND = 64
#: The radius of the picture's corners, and the opacities, of 255, along their curve.
_CORNER = 36
_FADING = (0, 64, 128, 191)


class Tile(NamedTuple):
    """A small picture, mode P, and its pixels that count, mode 1."""

    image: Image.Image
    mask: Image.Image


class Canvas:
    """A cut-out of a picture on which smooth shapes are drawn; coordinates are pixels of the whole picture.

    Without a ground it is clear, and colours may have an opacity, from 0 to 255, as their fourth number.
    """

    def __init__(self, left: int, top: int, width: int, height: int, ground: Colour | None) -> None:
        self._left, self._top = left, top
        self._scale = scale = _CLEAR_SCALE if ground is None else SCALE
        mode = "RGBA" if ground is None else "RGB"
        self._image = Image.new(mode, (width * scale, height * scale), ground or (0, 0, 0, 0))
        self._draw = ImageDraw.Draw(self._image)

    def _scaled(self, points: Sequence[Point]) -> list[Point]:
        # Pillow takes whole coordinates as the middles of pixels, so true borders lie half a pixel off.
        return [((x - self._left) * self._scale - 0.5, (y - self._top) * self._scale - 0.5) for x, y in points]

    def polygon(self, points: Sequence[Point], fill: Ink, grow: float = 0) -> None:
        """A filled polygon, its border moved outward by ``grow`` pixels with rounded corners."""
        scaled = self._scaled(points)
        self._draw.polygon(scaled, fill)
        if grow > 0:
            self._stroke([*scaled, *scaled[:2]], fill, 2 * grow)

    def line(self, points: Sequence[Point], fill: Ink, width: float) -> None:
        """A line with rounded ends."""
        self._stroke(self._scaled(points), fill, width)

    def _stroke(self, scaled: list[Point], fill: Ink, width: float) -> None:
        thick = max(1, round(width * self._scale))
        self._draw.line(scaled, fill, thick, "curve")
        for x, y in (scaled[0], scaled[-1]):
            self._draw.ellipse((x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2), fill)

    def disc(self, centre: Point, radius: float, fill: Ink) -> None:
        ((x, y),) = self._scaled([centre])
        r = radius * self._scale
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill)

    def ring(self, centre: Point, radius: float, fill: Ink, width: float) -> None:
        """A circular line whose middle runs at ``radius``."""
        ((x, y),) = self._scaled([centre])
        r = (radius + width / 2) * self._scale
        self._draw.ellipse((x - r, y - r, x + r, y + r), None, fill, round(width * self._scale))

    def field(self, box: Box, radius: float, fill: Ink) -> None:
        """A rectangle with rounded corners."""
        (left, top), (right, bottom) = self._scaled([(box[0], box[1]), (box[2], box[3])])
        self._draw.rounded_rectangle((left, top, right, bottom), radius * self._scale, fill)

    def text(self, words: str, centre: Point, size: float, fill: Ink) -> None:
        """A line of text; its figures and capitals are in the middle of its height."""
        ((x, y),) = self._scaled([centre])
        large = font(round(size * self._scale))
        self._draw.text((x, y - large.getbbox("8", anchor="ls")[1] / 2), words, fill, large, anchor="ms")

    def done(self, theme: Theme) -> Image.Image:
        """The cut-out at its true size, in the palette."""
        return in_palette(self.clear(), theme)

    def clear(self) -> Image.Image:
        """The cut-out at its true size, in full colour."""
        return self._image.reduce(self._scale)


@lru_cache(maxsize=64)
def _palette(theme: Theme) -> Image.Image:
    image = Image.new("P", (1, 1))
    image.putpalette([channel for colour in (*theme.palette, *[theme.panel] * len(_FADING)) for channel in colour])
    return image


def in_palette(image: Image.Image, theme: Theme) -> Image.Image:
    """An RGB image with each pixel in the nearest colour of the theme's palette, mode P."""
    palette = _palette(theme)
    quantized = image.quantize(palette=palette, dither=Image.Dither.NONE)
    quantized.palette = palette.palette  # Pillow would keep one for each of thousands of tiles
    return quantized


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(Path(__file__).with_name("fonts") / "Inter-SemiBold.ttf", size)


@lru_cache(maxsize=4096)
def draws(character: str) -> bool:
    """Whether the font has that character."""
    # The basic layout takes every character by itself; that of whole texts fails at half of a pair of surrogates.
    small = ImageFont.truetype(font(16).path, 16, layout_engine=ImageFont.Layout.BASIC)
    return bytes(small.getmask(character)) != bytes(small.getmask("\uffff"))


def cut_out(image: Image.Image, ground: Colour, theme: Theme) -> Tile:
    """A tile of the pixels that differ from that ground."""
    blank = theme.palette.index(ground)
    return Tile(image, image.point([0 if entry == blank else 255 for entry in range(256)], "1"))


@cached
def text(words: str, size: int, colour: Colour, ground: Colour, theme: Theme) -> Tile:
    """A line of text for that ground; figures and capitals are in the middle of its height."""
    width, height = math.ceil(font(size).getlength(words)) + 2, 2 * round(size * 0.7)
    image = Image.new("RGB", (width, height), ground)
    ImageDraw.Draw(image).text((1, round(height / 2 + _figure(size) / 2)), words, colour, font(size), anchor="ls")
    return cut_out(in_palette(image, theme), ground, theme)


def _figure(size: int) -> float:
    """The height of a figure in pixels."""
    return -font(size).getbbox("8", anchor="ls")[1]


def paste(on: Image.Image, tile: Tile, at: Point, align: str = "m") -> None:
    """Paste a tile with its left end (``l``), its middle (``m``) or its right end (``r``) at that pixel."""
    width, height = tile.image.size
    left = at[0] - {"l": 0, "m": width / 2, "r": width}[align]
    on.paste(tile.image, (round(left), round(at[1] - height / 2)), tile.mask)


def label_box(label: Label, place: Layout) -> Box:
    """The pixels that a label's glyphs fill."""
    left, top, right, bottom = font(place.label_size).getbbox(label.text, anchor="ms")
    base = label.y + _figure(place.label_size) / 2
    return label.x + left, base + top, label.x + right, base + bottom


def blank(theme: Theme, width: int, height: int) -> Image.Image:
    """An empty picture, mode P, in the theme's palette."""
    image = Image.new("P", (width, height))
    image.putpalette(_palette(theme).getpalette() or [])
    image.info["transparency"] = bytes([255] * len(theme.palette)) + bytes(_FADING)
    return image


def draw_cell(canvas: Canvas, grid: Grid, centre: Point, fill: Colour) -> None:
    canvas.polygon(grid.hexagon(centre, grid.step * 0.055), fill, grid.step * 0.035)


def round_corners(image: Image.Image, theme: Theme) -> None:
    """Let the picture fade out at its corners, with the entries that follow the theme's in its palette."""
    right, bottom = image.width - _CORNER, image.height - _CORNER
    for corner, masks in zip(((0, 0), (right, 0), (0, bottom), (right, bottom)), _corners(), strict=True):
        for entry, mask in enumerate(masks, len(theme.palette)):
            image.paste(entry, corner, mask)


@lru_cache(maxsize=1)
def _corners() -> list[list[Image.Image]]:
    """For each corner of a picture the pixels of each opacity in :data:`_FADING`, mode 1."""
    quarter = Image.new("L", (_CORNER * SCALE, _CORNER * SCALE), 0)
    ImageDraw.Draw(quarter).ellipse((0, 0, 2 * _CORNER * SCALE, 2 * _CORNER * SCALE), 255)
    opacity = quarter.reduce(SCALE)
    flips = (Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.FLIP_TOP_BOTTOM, Image.Transpose.ROTATE_180)
    return [
        [turned.point([255 * (abs(v - opaque) <= 32) for v in range(256)], "1") for opaque in _FADING]
        for turned in (opacity, *(opacity.transpose(flip) for flip in flips))
    ]


@cached
def cell_mask(grid: Grid) -> Image.Image:
    """The pixels of one cell, mode 1, in a box with even sides; its middle is the cell's.

    The masks of neighbouring cells neither overlap nor leave a pixel out.
    """
    width, height, pitch = 2 * math.ceil(grid.pitch * 2 / 3), grid.step, grid.pitch
    reach = 4 * height * pitch
    inside = bytearray()
    for y in range(1 - height, height, 2):
        slopes = (3 * height * x for x in range(1 - width, width, 2))
        inside += bytes(
            255 * (-reach <= at + 2 * pitch * y < reach and -reach <= at - 2 * pitch * y < reach) for at in slopes
        )
    return Image.frombytes("L", (width, height), bytes(inside)).convert("1")


def png(image: Image.Image, level: int = 3) -> bytes:
    """The picture as a PNG file, compressed at that level of zlib."""
    out = io.BytesIO()
    # Level 6 takes twice as long for a sixth fewer bytes.
    image.save(out, "PNG", compress_level=level)
    return out.getvalue()
