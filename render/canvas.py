"""Images in a palette: smooth shapes, text, and PNG files.

Shapes are drawn :data:`SCALE` times as large and averaged down, and each pixel takes the nearest colour of the theme's
palette. This is slow, so results are cached; a picture is a copy of the empty board with pasted tiles. Cached images
never change, so any number of threads may draw at once.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from PIL import Image, ImageDraw, ImageFont

from render.cache import cached
from render.colours import Colour, Ink, Theme
from render.geometry import WIDTH, Box, Geometry, Grid, Label, Point, hexagon

SCALE = 8
#: The scale of masks. It is smaller than that of tiles, because masks are larger.
_MASK_SCALE = 4
#: Maximum pixels of a mask in the cache.
_MASK_PIXELS = 20_000
#: How many colours a picture has besides its theme's: more make larger files, but no better pictures.
_OWN = 32
#: The size in bytes above which a file of the usual width is compressed more.
_LARGE = 110_000
#: The maximum length, in pixels, of a line that is drawn at once.
_PIECE = 100
#: The height of the bands in which a large picture is drawn.
_BAND = 64
#: The level of compression, from 1 to 9.
_COMPRESSION = 3
#: The radius of the rounded corners of a picture of the usual width, and the opacities (of 255) along their curve.
_CORNER = 36
_FADING = (0, 64, 128, 191)


class Tile(NamedTuple):
    """A small image, mode P, and a mask of the pixels to paste, mode 1."""

    image: Image.Image
    mask: Image.Image


class Canvas:
    """A rectangle of a picture for smooth shapes; coordinates are pixels of the whole picture.

    Its ground and its inks are colours or, for a mask, numbers from 0 to 255.
    """

    def __init__(self, left: int, top: int, width: int, height: int, ground: Colour | int) -> None:
        self._left, self._top, self._ground = left, top, ground
        mode, self._scale = ("L", _MASK_SCALE) if isinstance(ground, int) else ("RGB", SCALE)
        self._image = Image.new(mode, (width * self._scale, height * self._scale), ground)
        self._draw = ImageDraw.Draw(self._image)

    @property
    def height(self) -> int:
        """The height in pixels of the picture."""
        return self._image.height // self._scale

    def wipe(self, top: int) -> None:
        """Start over with a rectangle of the same size at the height ``top``."""
        self._top = top
        self._image.paste(self._ground, (0, 0, *self._image.size))

    def _scaled(self, points: Sequence[Point]) -> list[Point]:
        # For Pillow, whole coordinates are the centres of pixels, so true borders lie half a pixel off.
        return [((x - self._left) * self._scale - 0.5, (y - self._top) * self._scale - 0.5) for x, y in points]

    def _misses(self, scaled: Sequence[Point], reach: float) -> bool:
        """Whether points, and everything within ``reach`` of them, lie above or below the rectangle.

        Boards are drawn in bands, and Pillow clips a shape only after computing all of it; texts cost even more.
        """
        heights = [y for _, y in scaled]
        return max(heights) + reach < 0 or min(heights) - reach > self._image.height

    def polygon(self, points: Sequence[Point], fill: Ink | int, grow: float = 0) -> None:
        """Draw a filled polygon, its border moved outward by ``grow`` pixels, with rounded corners."""
        scaled = self._scaled(points)
        if not self._misses(scaled, grow * self._scale):
            self._draw.polygon(scaled, fill)
        if grow > 0:
            self._stroke([*scaled, scaled[0]], fill, 2 * grow)

    def line(self, points: Sequence[Point], fill: Ink | int, width: float) -> None:
        """Draw a line with rounded ends."""
        self._stroke(self._scaled(points), fill, width)

    def _stroke(self, scaled: list[Point], fill: Ink | int, width: float) -> None:
        thick = max(1, round(width * self._scale))
        if self._misses(scaled, thick):
            return
        self._draw.line(scaled, fill, thick)
        # Discs join the pieces of a line in half the time of Pillow's own joints; thin lines need none.
        for x, y in dict.fromkeys(scaled if thick > 4 else (scaled[0], scaled[-1])):
            self._draw.ellipse((x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2), fill)

    def disc(self, centre: Point, radius: float, fill: Ink | int) -> None:
        ((x, y),) = scaled = self._scaled([centre])
        r = radius * self._scale
        if not self._misses(scaled, r):
            self._draw.ellipse((x - r, y - r, x + r, y + r), fill)

    def ring(self, centre: Point, radius: float, fill: Ink | int, width: float) -> None:
        """Draw a circle whose line is centred on ``radius``."""
        ((x, y),) = scaled = self._scaled([centre])
        r = (radius + width / 2) * self._scale
        if not self._misses(scaled, r):
            self._draw.ellipse((x - r, y - r, x + r, y + r), None, fill, round(width * self._scale))

    def field(self, box: Box, radius: float, fill: Ink | int) -> None:
        """Draw a filled rectangle with rounded corners."""
        (left, top), (right, bottom) = self._scaled([(box[0], box[1]), (box[2], box[3])])
        self._draw.rounded_rectangle((left, top, right, bottom), radius * self._scale, fill)

    def text(self, words: str, centre: Point, size: float, fill: Ink | int) -> None:
        """Draw a line of text, vertically centred on its digits and capitals."""
        ((x, y),) = scaled = self._scaled([centre])
        if self._misses(scaled, size * self._scale):
            return
        large = round(size * self._scale)
        self._draw.text((x, y + figure(large) / 2), words, fill, font_at(large), anchor="ms")

    def done(self, theme: Theme) -> Image.Image:
        """The rectangle at its true size, in the palette."""
        return in_palette(self.reduced(), theme)

    def reduced(self) -> Image.Image:
        """The rectangle at its true size, in full colour or as a mask."""
        return self._image.reduce(self._scale)


def bands(width: int, top: int, bottom: int, ground: Colour) -> Iterator[tuple[int, Canvas]]:
    """The bands of a large picture, each with its upper edge; the last one may extend below the picture.

    They share a canvas, which is wiped each time: at the scale of drawing, the whole picture would take 250 MB, and
    allocating memory for each band would take as long as drawing.
    """
    canvas = Canvas(0, top, width, _BAND, ground)
    for edge in range(top, bottom, _BAND):
        if edge > top:
            canvas.wipe(edge)
        yield edge, canvas


class Layer:
    """Smooth shapes over a finished picture, mode RGB; coordinates are its pixels.

    Ink may have an opacity, from 0 to 255, as its fourth number. The masks of shapes are cached, because most recur on
    many cells.
    """

    def __init__(self, image: Image.Image) -> None:
        self._draw = ImageDraw.Draw(image)

    def polygon(self, points: Sequence[Point], fill: Ink, grow: float = 0) -> None:
        self._paste("polygon", points, fill, grow, reach=grow)

    def line(self, points: Sequence[Point], fill: Ink, width: float) -> None:
        for piece in _pieces(points) if len(fill) == 3 else [points]:
            self._paste("line", piece, fill, width, reach=width / 2)

    def disc(self, centre: Point, radius: float, fill: Ink) -> None:
        self._paste("disc", [centre], fill, radius, reach=radius)

    def ring(self, centre: Point, radius: float, fill: Ink, width: float) -> None:
        self._paste("ring", [centre], fill, radius, width, reach=radius + width / 2)

    def field(self, box: Box, radius: float, fill: Ink) -> None:
        self._paste("field", [(box[0], box[1]), (box[2], box[3])], fill, radius, reach=0)

    def text(self, words: str, centre: Point, size: float, fill: Ink) -> None:
        reach = max(size, text_width(words, math.ceil(size)) / 2)
        self._paste("text", [centre], fill, size, reach=reach, words=words)

    def _paste(
        self, shape: str, points: Sequence[Point], fill: Ink, *numbers: float, reach: float, words: str = ""
    ) -> None:
        xs, ys = zip(*points, strict=True)
        left, top = math.floor(min(xs) - reach) - 1, math.floor(min(ys) - reach) - 1
        size = math.ceil(max(xs) + reach) + 1 - left, math.ceil(max(ys) + reach) + 1 - top
        # Rounding to sixteenths of a pixel is invisible, and gives equal shapes equal keys.
        at = tuple((round((x - left) * 16) / 16, round((y - top) * 16) / 16) for x, y in points)
        *colour, opacity = fill if len(fill) == 4 else (*fill, 255)
        mask = _cached_mask if size[0] * size[1] < _MASK_PIXELS else _mask
        self._draw.bitmap((left, top), mask(shape, at, numbers, size, opacity, words), tuple(colour))


#: A surface for shapes.
Pen: TypeAlias = Canvas | Layer


@lru_cache(maxsize=64)
def _palette(theme: Theme) -> Image.Image:
    image = Image.new("P", (1, 1))
    image.putpalette([channel for colour in (*theme.palette, *[theme.background] * len(_FADING)) for channel in colour])
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


@lru_cache(maxsize=4096)
def text_width(words: str, size: int) -> float:
    """The width of a line of text in pixels."""
    return font_at(size).getlength(words)


def cut_out(image: Image.Image, ground: Colour, theme: Theme) -> Tile:
    """A tile of the pixels that differ from that ground."""
    blank = theme.palette.index(ground)
    image.info.pop("transparency", None)  # the mask has the transparency
    return Tile(image, image.point([0 if entry == blank else 255 for entry in range(256)], "1"))


def _pieces(points: Sequence[Point]) -> list[Sequence[Point]]:
    """A long straight line in pieces, because a mask covers the whole box around a line."""
    if len(points) != 2:
        return [points]
    (x, y), (to_x, to_y) = points
    count = max(1, math.ceil(math.hypot(to_x - x, to_y - y) / _PIECE))
    ends = [(x + (to_x - x) * at / count, y + (to_y - y) * at / count) for at in range(count + 1)]
    return [ends[at : at + 2] for at in range(count)]


def _mask(
    shape: str, at: tuple[Point, ...], numbers: tuple[float, ...], size: tuple[int, int], opacity: int, words: str
) -> Image.Image:
    """The pixels of a shape of a :class:`Layer`, mode L."""
    canvas = Canvas(0, 0, *size, 0)
    number, *others = numbers
    match shape:
        case "polygon":
            canvas.polygon(at, opacity, number)
        case "line":
            canvas.line(at, opacity, number)
        case "disc":
            canvas.disc(at[0], number, opacity)
        case "ring":
            canvas.ring(at[0], number, opacity, *others)
        case "field":
            canvas.field((*at[0], *at[1]), number, opacity)
        case _:
            canvas.text(words, at[0], number, opacity)
    return canvas.reduced()


_cached_mask = cached(_mask)


@cached
def text_tile(words: str, size: int, colour: Colour, ground: Colour, theme: Theme) -> Tile:
    """A line of text for that ground, vertically centred on its digits and capitals."""
    width, height = math.ceil(text_width(words, size)) + 2, 2 * round(size * 0.7)
    image = Image.new("RGB", (width, height), ground)
    ImageDraw.Draw(image).text((1, round(height / 2 + figure(size) / 2)), words, colour, font_at(size), anchor="ls")
    return cut_out(in_palette(image, theme), ground, theme)


@lru_cache(maxsize=64)
def figure(size: int) -> float:
    """The height of a digit in pixels."""
    return -font_at(size).getbbox("8", anchor="ls")[1]


def paste_tile(on: Image.Image, tile: Tile, at: Point, align: str = "m") -> None:
    """Paste a tile with its left edge (``l``), its middle (``m``) or its right edge (``r``) at that pixel."""
    width, height = tile.image.size
    left = at[0] - {"l": 0, "m": width / 2, "r": width}[align]
    on.paste(tile.image, (round(left), round(at[1] - height / 2)), tile.mask)


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


def width_beside(tiles: Sequence[Tile], space: float) -> float:
    """The width of tiles side by side."""
    return sum(tile.image.width for tile in tiles) + space * (len(tiles) - 1)


def paste_beside(on: Image.Image, tiles: Sequence[Tile], at: Point, space: float) -> None:
    """Paste tiles side by side, from the left edge of the first one at that pixel."""
    x, y = at
    for tile in tiles:
        paste_tile(on, tile, (x, y), "l")
        x += tile.image.width + space


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
def _glyphs(words: str, size: int) -> Box:
    """The pixels that the glyphs of a line of text fill, from the middle of its base line."""
    return font_at(size).getbbox(words, anchor="ms")


def blank_image(theme: Theme, width: int, height: int) -> Image.Image:
    """An empty picture, mode P, in the theme's palette."""
    image = Image.new("P", (width, height))
    image.putpalette(_palette(theme).getpalette() or [])
    image.info["transparency"] = bytes([255] * len(theme.palette)) + bytes(_FADING)
    return image


def draw_cell(canvas: Canvas, grid: Grid, centre: Point, fill: Colour) -> None:
    canvas.polygon(grid.hexagon(centre, grid.cell_height * 0.055), fill, grid.cell_height * 0.035)


def blank_cell(grid: Grid, ground: Colour) -> Canvas:
    """A canvas for :func:`cell_mask`, with the middle of the cell at 0, 0."""
    width, height = cell_mask(grid).size
    return Canvas(-width // 2, -height // 2, width, height, ground)


def empty_cell(grid: Grid, theme: Theme, fill: Colour) -> Canvas:
    """A canvas for :func:`cell_mask` with a cell and the edges of its neighbours."""
    canvas = blank_cell(grid, theme.tray)
    for way in grid.ways:
        draw_cell(canvas, grid, way, theme.cell)
    draw_cell(canvas, grid, (0, 0), fill)
    return canvas


def icon_cell(height: int, ground: Colour, fill: Colour, width: float = 1.2) -> Canvas:
    """A canvas for an icon: a cell outside the board; the ``width`` is a multiple of the height."""
    wide = math.ceil(height * width / 2)
    canvas = Canvas(-wide, -height // 2, 2 * wide, height, ground)
    canvas.polygon(hexagon(height * 0.86), fill, 7 * height / 100)
    return canvas


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
    quarter = Image.new("L", (radius * SCALE, radius * SCALE), 0)
    ImageDraw.Draw(quarter).ellipse((0, 0, 2 * radius * SCALE, 2 * radius * SCALE), 255)
    opacity = quarter.reduce(SCALE)
    flips = (Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.FLIP_TOP_BOTTOM, Image.Transpose.ROTATE_180)
    return [
        [quarter.point([255 * (abs(v - opaque) <= 32) for v in range(256)], "1") for opaque in _FADING]
        for quarter in (opacity, *(opacity.transpose(flip) for flip in flips))
    ]


@cached
def cell_mask(grid: Grid) -> Image.Image:
    """The pixels of one cell, mode 1, in a box with even sides and the same middle.

    The masks of neighbouring cells neither overlap nor leave gaps.
    """
    width, height, pitch = 2 * math.ceil(grid.pitch * 2 / 3), grid.cell_height, grid.pitch
    reach = 4 * height * pitch
    inside = bytearray()
    for y in range(1 - height, height, 2):
        slopes = (3 * height * x for x in range(1 - width, width, 2))
        inside += bytes(
            255 * (-reach <= at + 2 * pitch * y < reach and -reach <= at - 2 * pitch * y < reach) for at in slopes
        )
    return Image.frombytes("L", (width, height), bytes(inside)).convert("1")


def paste_cell(on: Image.Image, tile: Image.Image, geometry: Geometry, cell: int) -> None:
    """Paste a tile, of the size of :func:`cell_mask`, on a cell."""
    on.paste(tile, corner(geometry, cell), cell_mask(geometry.grid))


def corner(geometry: Geometry, cell: int) -> tuple[int, int]:
    """The upper left corner of the box of a cell's mask."""
    (x, y), (width, height) = geometry.centres[cell], cell_mask(geometry.grid).size
    return x - width // 2, y - height // 2


def to_png(image: Image.Image) -> bytes:
    """Round the corners of a picture of mode P, and return it as a PNG file."""
    _round_corners(image)
    # Level 6 takes twice as long for a quarter fewer bytes: a crowded board with an overlay needs them.
    data = _compressed(image, _COMPRESSION)
    return data if len(data) < _LARGE * _scale_of(image) ** 2 else _compressed(image, 6)


def _scale_of(image: Image.Image) -> int:
    """How many times as wide as usual a picture is."""
    return max(1, image.width // WIDTH)


def _compressed(image: Image.Image, level: int) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=level)
    return out.getvalue()


def in_full_colour(image: Image.Image) -> Image.Image:
    """A picture whose corners are not rounded yet, mode RGB."""
    del image.info["transparency"]  # no pixel is transparent, and Pillow would warn
    return image.convert("RGB")
