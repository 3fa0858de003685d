"""Images in a theme's palette, tiles to paste on them, and PNG files.

A picture is a copy of an empty board with pasted tiles. Each pixel has a colour of the palette, the nearest one.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from render.colours import Colour, Theme
from render.geometry import WIDTH, Point

#: How many colours a picture has besides its theme's: more make larger files, but no better pictures.
_OWN = 64
#: The size in bytes above which a file of the usual width is compressed more.
_LARGE = 110_000
#: The level of compression, from 1 to 9.
_COMPRESSION = 3
#: The radius of the rounded corners of a picture of the usual width, the scale at which they are drawn, and the
#: opacities (of 255) along their curve.
_CORNER, _FINE = 36, 8
_FADING = (0, 64, 128, 191)


class Tile(NamedTuple):
    """A small image, mode P, and a mask of the pixels to paste, mode 1."""

    image: Image.Image
    mask: Image.Image


@lru_cache(maxsize=64)
def _palette(theme: Theme) -> Image.Image:
    image = Image.new("P", (1, 1))
    image.putpalette([channel for colour in (*theme.palette, *[theme.background] * len(_FADING)) for channel in colour])
    return image


def blank_image(theme: Theme, width: int, height: int) -> Image.Image:
    """An empty picture, mode P, in the theme's palette."""
    image = Image.new("P", (width, height))
    image.putpalette(_palette(theme).getpalette() or [])
    image.info["transparency"] = bytes([255] * len(theme.palette)) + bytes(_FADING)
    return image


def in_palette(image: Image.Image, theme: Theme) -> Image.Image:
    """An RGB image with each pixel in the nearest colour of the theme's palette, mode P."""
    palette = _palette(theme)
    quantized = image.quantize(palette=palette, dither=Image.Dither.NONE)
    quantized.palette = palette.palette  # Pillow would keep one for each of thousands of tiles
    return quantized


def in_own_palette(image: Image.Image, theme: Theme) -> Image.Image:
    """An RGB image with the colours of the theme's palette and the most important of its others, mode P."""
    kept = [channel for colour in theme.palette for channel in colour]
    # Every fourth pixel suffices to find them.
    sample = image.resize((image.width // 2, image.height // 2), Image.Resampling.NEAREST)
    own = sample.quantize(_OWN, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*kept, *own])
    found = image.quantize(palette=palette, dither=Image.Dither.NONE)
    found.putpalette([*kept, *own, *theme.background * len(_FADING)])
    found.info["transparency"] = bytes([255] * ((len(kept) + len(own)) // 3)) + bytes(_FADING)
    return found


def in_full_colour(image: Image.Image) -> Image.Image:
    """A picture whose corners are not rounded yet, mode RGB."""
    del image.info["transparency"]  # no pixel is transparent, and Pillow would warn
    return image.convert("RGB")


def cut_out(image: Image.Image, ground: Colour, theme: Theme) -> Tile:
    """A tile of the pixels that differ from that ground."""
    blank = theme.palette.index(ground)
    image.info.pop("transparency", None)  # the mask has the transparency
    return Tile(image, image.point([0 if entry == blank else 255 for entry in range(256)], "1"))


def paste_tile(on: Image.Image, tile: Tile, at: Point, align: str = "m") -> None:
    """Paste a tile with its left edge (``l``), its middle (``m``) or its right edge (``r``) at that pixel."""
    width, height = tile.image.size
    left = at[0] - {"l": 0, "m": width / 2, "r": width}[align]
    on.paste(tile.image, (round(left), round(at[1] - height / 2)), tile.mask)


def width_beside(tiles: Sequence[Tile], space: float) -> float:
    """The width of tiles side by side."""
    return sum(tile.image.width for tile in tiles) + space * (len(tiles) - 1)


def paste_beside(on: Image.Image, tiles: Sequence[Tile], at: Point, space: float) -> None:
    """Paste tiles side by side, from the left edge of the first one at that pixel."""
    x, y = at
    for tile in tiles:
        paste_tile(on, tile, (x, y), "l")
        x += tile.image.width + space


def to_png(image: Image.Image) -> bytes:
    """Round the corners of a picture of mode P, and return it as a PNG file."""
    _round_corners(image)
    # Level 6 takes twice as long for a quarter fewer bytes: a crowded board with an overlay needs them.
    data = _compressed(image, _COMPRESSION)
    return data if len(data) < _LARGE * _scale_of(image) ** 2 else _compressed(image, 6)


def _compressed(image: Image.Image, level: int) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=level)
    return out.getvalue()


def _scale_of(image: Image.Image) -> int:
    """How many times as wide as usual a picture is."""
    return max(1, image.width // WIDTH)


def _round_corners(image: Image.Image) -> None:
    """Round the corners with the transparent entries at the end of the palette."""
    radius = _CORNER * _scale_of(image)
    right, bottom = image.width - radius, image.height - radius
    first = len(image.info["transparency"]) - len(_FADING)
    for corner, masks in zip(((0, 0), (right, 0), (0, bottom), (right, bottom)), _corners(radius), strict=True):
        for entry, mask in enumerate(masks, first):
            image.paste(entry, corner, mask)


@lru_cache(maxsize=2)
def _corners(radius: int) -> list[list[Image.Image]]:
    """The pixels of each opacity in :data:`_FADING`, mode 1, for each corner of a picture."""
    quarter = Image.new("L", (radius * _FINE, radius * _FINE), 0)
    ImageDraw.Draw(quarter).ellipse((0, 0, 2 * radius * _FINE, 2 * radius * _FINE), 255)
    opacity = quarter.reduce(_FINE)
    flips = (Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.FLIP_TOP_BOTTOM, Image.Transpose.ROTATE_180)
    return [
        [quarter.point([255 * (abs(v - opaque) <= 32) for v in range(256)], "1") for opaque in _FADING]
        for quarter in (opacity, *(opacity.transpose(flip) for flip in flips))
    ]
