"""Smooth shapes: canvases for tiles and boards, layers over finished pictures, and cells.

Shapes are drawn :data:`SCALE` times as large and averaged down. This is slow, so tiles are cached. Cached images never
change, so any number of threads may draw at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from PIL import Image, ImageDraw

from render.cache import cached
from render.colours import Colour, Ink, Theme
from render.geometry import Box, Geometry, Grid, Point, hexagon
from render.palette import in_palette
from render.text import figure, font_at, text_width

SCALE = 8
#: The scale of masks. It is smaller than that of tiles, because masks are larger.
_MASK_SCALE = 4
#: Maximum pixels of a mask in the cache.
_MASK_PIXELS = 20_000
#: The maximum length, in pixels, of a line that is drawn at once.
_PIECE = 100
#: The height of the bands in which a large picture is drawn.
_BAND = 64


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


def draw_cell(canvas: Canvas, grid: Grid, centre: Point, fill: Colour) -> None:
    canvas.polygon(grid.hexagon(centre, grid.cell_height * 0.055), fill, grid.cell_height * 0.035)


def blank_cell(grid: Grid, ground: Colour | int) -> Canvas:
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
