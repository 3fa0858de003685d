"""The marks of overlays, and the key below the board that explains them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias

from PIL import Image

from render.cache import cached
from render.canvas import Canvas, Layer, Pen
from render.colours import Theme
from render.geometry import Point, hexagon
from render.palette import Tile, cut_out, paste_beside, width_beside
from render.scene import P, Scene
from render.text import text_tile
from rules import Position, Side

#: A kind of mark: the name of its sign, and its side.
Mark: TypeAlias = tuple[str, Side]
#: Draws a sign, given a pen, a theme, a side, a hundredth of a cell's height, and the middle of the cell.
Stamp: TypeAlias = Callable[[Pen, Theme, Side, float, Point], object]

#: The heights of an icon and of a row of the key, the key's margin and padding, and the spaces after icons and words.
ICON, _ROW, _INSET, _PADDING, _BESIDE, _BETWEEN = 54, 58, 12, 14, 10, 34


@dataclass(frozen=True)
class Sign:
    """The drawing and the meaning of a kind of mark.

    The ``words`` may name a ``{side}``. In the key, the sign stands on an empty cell, or on the bare ground if its
    ``width`` is given.
    """

    words: str
    draw: Stamp
    width: float | None = None


@dataclass(frozen=True)
class Drawing(Generic[P]):
    """The drawing of an overlay on a layer over a scene's picture, perhaps for a chosen ``cell``.

    The key explains the ``marks`` in the order of their ``signs``.
    """

    scene: Scene[P]
    layer: Layer
    cell: int | None
    signs: Mapping[str, Sign]
    marks: set[Mark] = field(default_factory=set)

    @property
    def unit(self) -> float:
        """A hundredth of a cell's height."""
        return self.scene.geometry.cell_height / 100

    def mark(self, kind: str, cells: Iterable[int | None], side: Side = Side.FIRST) -> None:
        """Draw a sign on each of the cells that the picture shows."""
        geometry = self.scene.geometry
        for cell in set(geometry.cells).intersection(cells):
            self.signs[kind].draw(self.layer, self.scene.theme, side, self.unit, geometry.centres[cell])
            self.explain(kind, side)

    def explain(self, kind: str, side: Side = Side.FIRST) -> None:
        """Add a mark to the key."""
        self.marks.add((kind, side))


@dataclass(frozen=True)
class Overlay(Generic[P]):
    """Marks over a picture, shown on request.

    The ``title`` and the ``legend``, sentences about the marks, are translated where they are shown. An overlay
    ``of_cell`` can be limited to marks about a chosen cell.
    """

    name: str
    title: str
    legend: str
    draw: Callable[[Drawing[P]], None]
    signs: Mapping[str, Sign]
    of_cell: bool = False


def ring(radius: float, width: float, inner: float) -> Stamp:
    """A ring of that width, with an inner line of the width ``inner`` in the accent colour."""

    def draw(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
        pen.ring(at, radius * unit, theme.background, width * unit)
        pen.ring(at, radius * unit, theme.accent, inner * unit)

    return draw


def dot(radius: float) -> Stamp:
    """A dot in the accent colour."""

    def draw(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
        pen.disc(at, (radius + 4) * unit, theme.background)
        pen.disc(at, radius * unit, theme.accent)

    return draw


def with_key(
    image: Image.Image, scene: Scene[Position], signs: Mapping[str, Sign], marks: Collection[Mark]
) -> Image.Image:
    """The picture with a key to its marks below it."""
    unit, theme = scene.geometry.unit, scene.theme
    entries = []
    for kind, side in sorted(marks, key=lambda mark: (list(signs).index(mark[0]), mark[1])):
        words = scene.texts.gettext(signs[kind].words).format(side=scene.side(side))
        icon = _sign_icon(signs[kind], side, round(ICON * unit), theme)
        entries.append([icon, text_tile(words, scene.least_text, theme.text, theme.highlight, theme)])
    return with_rows(image, entries, unit, theme)


def with_rows(image: Image.Image, entries: Sequence[Sequence[Tile]], unit: float, theme: Theme) -> Image.Image:
    """The picture, mode RGB, with a field of entries below it, each within one row.

    Entries are tiles side by side, for the ground ``highlight``.
    """
    if not entries:
        return image
    inset, padding = round(_INSET * unit), round(_PADDING * unit)
    left, right = inset + padding, image.width - inset - padding
    starts, x, row = [], float(left), 0
    for entry in entries:
        wide = width_beside(entry, _BESIDE * unit)
        if x > left and x + wide > right:
            x, row = left, row + 1
        starts.append((x, row))
        x += wide + _BETWEEN * unit
    height = round((row + 1) * _ROW * unit) + 2 * padding
    whole = Image.new("RGB", (image.width, image.height + height + inset), theme.background)
    whole.paste(image)
    whole.paste(_key_ground(theme, image.width - 2 * inset, height, padding), (inset, image.height))
    for entry, (x, row) in zip(entries, starts, strict=True):
        middle = image.height + padding + (row + 0.5) * _ROW * unit
        paste_beside(whole, entry, (x, middle), _BESIDE * unit)
    return whole


@cached
def _key_ground(theme: Theme, width: int, height: int, radius: int) -> Image.Image:
    canvas = Canvas(0, 0, width, height, theme.background)
    canvas.field((0, 0, width, height), radius, theme.highlight)
    return canvas.reduced()


@cached
def _sign_icon(sign: Sign, side: Side, height: int, theme: Theme) -> Tile:
    unit = height / 100
    wide = math.ceil((50 if sign.width is None else sign.width / 2) * unit)
    canvas = Canvas(-wide, -height // 2, 2 * wide, height, theme.highlight)
    if sign.width is None:
        canvas.polygon(hexagon(height * 0.86), theme.cell, 7 * unit)
    sign.draw(canvas, theme, side, unit, (0, 0))
    return cut_out(canvas.done(theme), theme.highlight, theme)
