"""Drawings over a picture on request: overlays, badges, and previews of turns.

Public pictures have none of these, so they may be slow: shapes are drawn smoothly in full colour.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render import painting
from render.areas import name_cell
from render.cache import remembered
from render.canvas import Layer, Pen, cell_mask, corner
from render.colours import Colour, colour, readable_on
from render.games import face
from render.geometry import WIDTH, Box, Geometry, Point
from render.palette import in_full_colour, in_own_palette
from render.scene import P, Scene
from render.signs import Drawing, Mark, Overlay, Sign, dot, ring, with_key
from render.text import extents, label_box, text_width
from rules import Position, Side, bits
from rules.text import gettext_noop

#: The overlay of every game: where a legal turn can begin.
LEGAL = "legal"
#: The texts of badges on cells of forbidden and of allowed turns, and their red and green, which also differ in
#: lightness.
CROSS, DOT = "×", "●"
_INKS: Mapping[str, Colour] = {CROSS: colour("c8102e"), DOT: colour("4be37a")}
#: The opacity of an unplayed turn's changes.
_GHOST = 0.72
#: The opacity (of 255) of the veil over cells that cannot be chosen.
_DIMMED = 150
#: The width of an overview, in pictures of the usual width.
_OVERVIEW = 260
#: The room beside and above the words of a badge, the smaller room where pieces are close, and the breadth of its rim,
#: as multiples of the font size.
_PADDINGS, _RIM = ((0.2, 0.12), (0.08, 0.02)), 0.06
#: The distances of badges from the middles of their cells, as fractions of a cell's height.
_FAR = (0, 0.14, 0.28, 0.42)
#: The scale at which the fading of a part of the board is drawn; its softness, and the distance of the corners of the
#: rim from the middles of the cells there, as fractions of a cell's height.
_STEP, _SOFT, _RIM_REACH = 4, 0.3, 0.75
#: How much lighter or darker than the ground a piece's pixel is, at least.
_INK = 24


def overlays_of(game: type[P]) -> dict[str, Overlay[P]]:
    """The overlays of a game by name, beginning with the overlay of all games."""
    return {overlay.name: overlay for overlay in (_LEGAL, *face(game).overlays)}


def draw(
    image: Image.Image,
    scene: Scene[P],
    overlay: str | None = None,
    cell: int | None = None,
    targets: Mapping[int, str] | None = None,
    areas: Mapping[str, Collection[int]] | None = None,
    overview: bool = False,
) -> Image.Image:
    """Draw all requested marks over a picture of mode P; return it in mode RGB. See :func:`render.picture`."""
    layer = Layer(image)
    signs: Mapping[str, Sign] = {}
    marks: Collection[Mark] = ()
    if overlay is not None:
        offered = overlays_of(type(scene.position))
        if overlay not in offered:
            known = ", ".join(offered)
            raise ValueError(f"{scene.position.title} has no overlay “{overlay}”; choose from {known}")
        signs = offered[overlay].signs
        marked: Scene[Any] = scene
        if scene.before is not None:
            marked = replace(marked, position=scene.before, events=(), before=None)
        drawing = Drawing(marked, layer, cell, signs)
        offered[overlay].draw(drawing)
        marks = drawing.marks
    if areas:
        _draw_areas(scene, areas, layer)
    if targets:
        draw_targets(scene, targets, layer)
    if areas:
        _draw_area_names(scene, areas, layer)
    if overview:
        image = _with_overview(image, scene)
    return in_own_palette(with_key(image, scene, signs, marks), scene.theme)


def _draw_legal(drawing: Drawing[Position]) -> None:
    """A dot on every empty cell, and a ring around every piece, where a legal turn can begin."""
    scene = drawing.scene
    position, tall = scene.position, scene.geometry.cell_height
    cells = {position.element_cell(name) for name in position.draft().next} if position.outcome is None else set()
    empty = {cell for cell in cells if cell is not None and position.empty >> cell & 1}
    numbered = empty.intersection(scene.face.numbered(scene))
    for cell in numbered:
        # Below the number.
        x, y = scene.geometry.centres[cell]
        _SIGNS["legal"].draw(drawing.layer, scene.theme, Side.FIRST, drawing.unit, (x, y + 0.36 * tall))
        drawing.explain("legal")
    drawing.mark("legal", empty - numbered)
    drawing.mark("legal piece", cells - empty)


_SIGNS = {
    "legal": Sign(gettext_noop("legal turns"), dot(11)),
    "legal piece": Sign(gettext_noop("pieces that can begin one"), ring(43, 12, 7)),
}
_LEGAL = Overlay[Any](
    LEGAL,
    gettext_noop("legal turns"),
    gettext_noop("Where a legal turn can begin."),
    _draw_legal,
    _SIGNS,
)


def draw_targets(scene: Scene[P], targets: Mapping[int, str], layer: Layer) -> None:
    """A badge or a dot on each empty cell, and a ring around each piece, with a badge on its rim.

    A badge lies on its own cell, hides as little as possible, and touches no other piece or badge. Without room or
    text, there is only the dot or ring. A red :data:`CROSS` and a green :data:`DOT` are drawn rather than written.
    """
    geometry, unit = scene.geometry, scene.geometry.cell_height / 100
    badges, size = badge_boxes(scene, targets), _badge_size(scene)
    for cell in set(targets).intersection(geometry.cells):
        at, accent = geometry.centres[cell], _INKS.get(targets[cell], scene.theme.accent)
        ink = readable_on(accent)
        if not scene.position.empty >> cell & 1:
            layer.ring(at, 46 * unit, ink, 11 * unit)
            layer.ring(at, 46 * unit, accent, 7 * unit)
        elif targets[cell] == CROSS:
            layer.disc(at, 30 * unit, ink)
            layer.disc(at, 26 * unit, accent)
            for x, y in ((11 * unit, 11 * unit), (11 * unit, -11 * unit)):
                layer.line([(at[0] - x, at[1] - y), (at[0] + x, at[1] + y)], ink, 7 * unit)
        elif cell not in badges:
            layer.disc(at, 20 * unit, ink)
            layer.disc(at, 16 * unit, accent)
    for cell, box in badges.items():
        draw_badge(layer, targets[cell], box, size, readable_on(scene.theme.accent), scene.theme.accent)


def draw_badge(pen: Pen, words: str, box: Box, size: int, ink: Colour, ground: Colour) -> None:
    """A badge in its box, with corners as round as the words allow."""
    left, top, right, bottom = box
    (wide, over, under), rim = extents(words, size), _RIM * size
    beside, above = (right - left) / 2 - rim - wide, (bottom - top - over - under) / 2 - rim
    radius = min((bottom - top) / 2 - rim, beside + above + math.sqrt(2 * beside * above))
    pen.field(box, radius + rim, ink)
    pen.field((left + rim, top + rim, right - rim, bottom - rim), radius, ground)
    pen.text(words, ((left + right) / 2, top + rim + above + over), size, ink)


def _badge_size(scene: Scene[Position]) -> int:
    return max(scene.least_text, round(34 * scene.geometry.cell_height / 100))


def _badge_box(words: str, size: int, at: Point, padding: tuple[float, float]) -> Box:
    wide, over, under = extents(words, size)
    beside, above = (part * size + _RIM * size for part in padding)
    tall = (over + under) / 2 + above
    half = max(wide + beside, tall)
    return at[0] - half, at[1] - tall, at[0] + half, at[1] + tall


def badge_boxes(scene: Scene[P], targets: Mapping[int, str]) -> dict[int, Box]:
    """The boxes of all badges with room, by cell."""
    geometry, size, empty = scene.geometry, _badge_size(scene), scene.position.empty
    badges = dict[int, Box]()
    wanted = [cell for cell in geometry.cells if targets.get(cell, "") not in ("", *_INKS)]
    if not wanted:
        return badges
    pieces, mask = _pieces(scene), cell_mask(geometry.grid)
    held = {*scene.face.numbered(scene), *(cell for cell in wanted if not empty >> cell & 1)}
    labels = [label_box(label, geometry) for label in geometry.labels] if scene.coordinates else []
    middles = {cell: _grown(geometry.centres[cell] * 2, 0.2 * geometry.cell_height) for cell in targets}
    # Badges that suit the middle of their cells best go first.
    for cell in sorted(wanted, key=lambda cell: cell in held):
        others = pieces.copy()
        others.paste(0, corner(geometry, cell), mask)
        reach = _grown(
            _badge_box(targets[cell], size, geometry.centres[cell], _PADDINGS[0]), _FAR[-1] * geometry.cell_height
        )
        taken = [*badges.values(), *(box for target, box in middles.items() if target != cell)]
        taken = [box for box in taken if _overlap(box, reach)]
        hideable = [box for box in labels if _overlap(box, reach)]
        hideable += [middles[cell]] if cell in held else []
        best, least = None, len(hideable) + 1
        for padding, spot in itertools.product(_PADDINGS, _badge_spots(geometry, cell, free=cell not in held)):
            box = _badge_box(targets[cell], size, spot, padding)
            hidden = sum(_overlap(box, covered) for covered in hideable)
            if hidden < least and _has_room(box, geometry, others, taken):
                best, least = box, hidden
            if not least:
                break
        if best is not None:
            badges[cell] = best
    return badges


def _badge_spots(geometry: Geometry, cell: int, *, free: bool) -> Iterator[Point]:
    """Spots for a badge in its cell, beginning near the middle if ``free``, or else near the rim."""
    x, y = geometry.centres[cell]
    for far in _FAR if free else reversed(_FAR):
        for turn in range(12) if far else (0,):
            # The first spot is below the middle, where a badge hides the least.
            angle = math.radians(90 + 30 * turn)
            yield x + far * geometry.cell_height * math.cos(angle), y + far * geometry.cell_height * math.sin(angle)


def _has_room(box: Box, geometry: Geometry, pieces: Image.Image, taken: Collection[Box]) -> bool:
    """Whether a box lies within the picture and touches no piece and no other box."""
    left, top, right, bottom = box
    if left < 4 or right > geometry.width - 4 or top < geometry.header or bottom > geometry.height - 4:
        return False
    if any(_overlap(box, other) for other in taken):
        return False
    return pieces.crop((math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom))).getbbox() is None


def _pieces(scene: Scene[P]) -> Image.Image:
    """The pixels that pieces cover, mode L."""
    geometry = scene.geometry
    plain = replace(scene, events=(), header=None, look=replace(scene.look, coordinates=False))
    before, after = (in_full_colour(paint(plain)) for paint in (painting.empty_board, painting.paint_board))
    changed = ImageChops.difference(before, after).convert("L").point([0] * _INK + [255] * (256 - _INK))
    mask, pieces = cell_mask(geometry.grid), Image.new("L", before.size)
    for cell in geometry.cells:
        if not scene.position.empty >> cell & 1:
            left, top = corner(geometry, cell)
            pieces.paste(changed.crop((left, top, left + mask.width, top + mask.height)), (left, top), mask)
    return pieces


def _grown(box: Box, by: float) -> Box:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _draw_areas(scene: Scene[Position], areas: Mapping[str, Collection[int]], layer: Layer) -> None:
    geometry = scene.geometry
    words_of = {cell: words for words, cells in areas.items() for cell in cells}
    for cell in geometry.cells:
        if cell not in words_of:
            layer.polygon(geometry.grid.hexagon(geometry.centres[cell]), (*scene.theme.background, _DIMMED))
    _draw_borders(scene, words_of, layer, geometry.cell_height)


def _draw_borders(scene: Scene[Position], words_of: Mapping[int, str], layer: Layer, size: float) -> None:
    """Lines around the cells of each area, as wide as the lines between cells of height ``size``."""
    geometry, theme = scene.geometry, scene.theme
    for ink, width in ((theme.background, 0.16), (theme.accent, 0.09)):
        for cell, words in words_of.items():
            corners = geometry.grid.hexagon(geometry.centres[cell])
            for direction, neighbour in enumerate(geometry.neighbours[cell]):
                if neighbour is None or words_of.get(neighbour) != words:
                    side = corners[(direction + 1) % 6], corners[(direction + 2) % 6]
                    layer.line(side, ink, width * size)


def _draw_area_names(scene: Scene[Position], areas: Mapping[str, Collection[int]], layer: Layer) -> None:
    geometry, size, accent = scene.geometry, scene.least_text, scene.theme.accent
    for words, cells in areas.items():
        centre = geometry.centres[name_cell(scene.position, cells)]
        radius = max(0.45 * geometry.cell_height, 0.75 * size, text_width(words, size) / 2 + 0.2 * size)
        layer.disc(centre, radius + 3, readable_on(accent))
        layer.disc(centre, radius, accent)
        layer.text(words, centre, size, readable_on(accent))


def _with_overview(image: Image.Image, scene: Scene[P]) -> Image.Image:
    """The picture of a part of the board, mode RGB, with a border around that part on a small whole board below it."""
    width = round(_OVERVIEW * image.width / WIDTH)
    look = replace(scene.look, window=None)
    whole = Scene(scene.face, scene.position, look=look, width=width, bare=True, within=image.width)
    board = in_full_colour(painting.paint_board(whole))
    _draw_borders(whole, dict.fromkeys(scene.geometry.cells, ""), Layer(board), width / 6)
    both = Image.new("RGB", (image.width, image.height + board.height), scene.theme.background)
    both.paste(image)
    both.paste(board, ((image.width - width) // 2, image.height))
    return both


def ghost(image: Image.Image, scene: Scene[P], before: Position) -> Image.Image:
    """The picture, mode RGB, with every change of the board since the position ``before`` half transparent.

    Only the new numbers show, and they are opaque: a number through which another one shines is not readable.
    """
    geometry = scene.geometry
    earlier = Scene(scene.face, before, look=scene.look, width=scene.width, header=scene.header)
    was, now = (in_full_colour(painting.paint_board(replace(of, unnumbered=True))) for of in (earlier, scene))
    board = in_full_colour(painting.paint_board(scene))
    changed = _differing(in_full_colour(painting.paint_board(earlier)), board)
    faded = Image.blend(was, now, _GHOST)
    faded.paste(board, (0, 0), _differing(board, now))
    image.paste(faded, (0, 0), ImageChops.darker(changed, _cells(geometry, image.height)))
    return image


def _differing(one: Image.Image, other: Image.Image) -> Image.Image:
    """The pixels that differ, mode L."""
    return ImageChops.difference(one, other).convert("L").point([0] + [255] * 255)


def fade(image: Image.Image, scene: Scene[P]) -> Image.Image:
    """The picture of a part of the board, mode RGB, without a rim and fading where the board goes on."""
    image.paste(scene.theme.background, mask=_fading(scene.geometry, image.height))
    if scene.coordinates:
        # Some labels touch the rim.
        painting.write_labels(image, scene.geometry, scene.theme)
    return image


@remembered(16)
def _fading(geometry: Geometry, height: int) -> Image.Image:
    """How much of each pixel fades in a picture of that height, mode L: all of the rim, and less towards the middle."""
    reach, step = geometry.window_size + 1, _STEP * geometry.scale
    size = math.ceil(geometry.width / step), math.ceil(height / step)
    beyond, shown = Image.new("L", size), Image.new("L", (geometry.width, height))
    for cell in bits(geometry.board.within(reach, geometry.middle) & ~geometry.mask):
        corners = geometry.grid.hexagon(geometry.centres[cell])
        ImageDraw.Draw(beyond).polygon([(x / step, y / step) for x, y in corners], 255)
    # The rim and no more, because words are near.
    x, y = geometry.centres[geometry.middle]
    far = geometry.window_size - 1 + _RIM_REACH
    ImageDraw.Draw(shown).polygon([(x + far * dx, y + far * dy) for dx, dy in geometry.grid.ways], 255)
    soft = beyond.filter(ImageFilter.GaussianBlur(_SOFT * geometry.cell_height / step))
    # The blur leaves half at the border, and less at corners that jut out.
    fading = soft.point([min(255, 3 * value) for value in range(256)]).resize((size[0] * step, size[1] * step))
    return ImageChops.darker(fading.crop((0, 0, *shown.size)), shown)


@remembered(16)
def _cells(geometry: Geometry, height: int) -> Image.Image:
    """The pixels of the cells in a picture of that height, mode L."""
    mask, image = cell_mask(geometry.grid), Image.new("L", (geometry.width, height))
    for cell in geometry.cells:
        image.paste(255, corner(geometry, cell), mask)
    return image
