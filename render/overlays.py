"""What is drawn over a picture on request: overlays, badges, and previews of turns.

Public pictures do without, so this may take longer: shapes are drawn smoothly in full colour.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from PIL import Image, ImageChops

from render.areas import middle
from render.canvas import Layer, Pen, cell_mask, in_own_palette, round_corners, text_width
from render.colours import Theme, readable_on
from render.face import Face
from render.geometry import Box, Geometry, Point
from render.scene import Scene
from render.signs import Mark, Sign, draw_signs, with_key
from rules import Side, bits
from rules.text import gettext_noop

#: The overlay that every game has: where a legal turn can begin.
LEGAL = "legal"
#: The opacity of what a turn that is not played yet changes.
_GHOST = 0.72
#: The opacity (of 255) of the veil over cells that cannot be chosen.
_DIMMED = 150
#: What a badge that covers another counts for, in pieces that it would hide.
_CROWDED = 100


def titles(face: Face) -> dict[str, str]:
    """The titles of a game's overlays by name, to be translated where they are shown."""
    return {LEGAL: gettext_noop("legal turns"), **face.overlay_titles}


def legends(face: Face) -> dict[str, str]:
    """What the marks of a game's overlays mean by name, to be translated where it is shown."""
    legal = gettext_noop("A dot marks a cell, and a ring a piece, with which a legal turn can begin.")
    return {LEGAL: legal, **face.overlay_legends}


def names(face: Face) -> tuple[str, ...]:
    """The names of a game's overlays."""
    return (LEGAL, *face.overlays)


def draw(
    image: Image.Image,
    scene: Scene,
    face: Face,
    *,
    overlay: str | None = None,
    cell: int | None = None,
    targets: Mapping[int, str] | None = None,
    areas: Mapping[str, Collection[int]] | None = None,
) -> Image.Image:
    """The picture, mode RGB, with an overlay, badges on the ``targets``, and borders around the ``areas``; mode P.

    Targets are cells, each with the text of its badge, which may be empty; areas are groups of cells, each by the text
    of the badge in its middle. Cells in no area are dimmed. ``cell`` is the one that the overlay is about, if it needs
    one. What the overlay draws is explained below the board. Raises ``ValueError`` for an unknown overlay.
    """
    theme, layer = face.themes[scene.look.theme], Layer(image)
    marks: Collection[Mark] = ()
    if overlay == LEGAL:
        marks = _draw_legal(scene, theme, layer)
    elif overlay is not None:
        try:
            own = face.overlays[overlay]
        except KeyError:
            known = ", ".join(names(face))
            raise ValueError(f"{scene.position.title} has no overlay “{overlay}”; choose from {known}") from None
        marks = own(scene, cell, layer)
    if areas:
        _draw_areas(scene.geometry, theme, areas, layer)
    if targets:
        _draw_targets(scene, theme, targets, layer)
    if areas:
        _draw_area_names(scene, theme, areas, layer)
    drawn = in_own_palette(with_key(image, scene, {**_SIGNS, **face.signs}, marks, theme), theme)
    round_corners(drawn)
    return drawn


def _draw_legal(scene: Scene, theme: Theme, layer: Layer) -> set[Mark]:
    """A dot on every empty cell where a legal turn can begin, and a ring around every piece that can begin one."""
    position = scene.position
    cells = {position.step_cell(name) for name in position.draft().steps} if position.outcome is None else set()
    empty = {cell for cell in cells if cell is not None and position.empty >> cell & 1}
    marks: dict[Mark, Collection[int | None]] = {
        ("legal", Side.FIRST): empty,
        ("legal piece", Side.FIRST): cells - empty,
    }
    return draw_signs(_SIGNS, marks, scene, theme, layer)


def _draw_dot(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    pen.disc(at, 15 * unit, theme.background)
    pen.disc(at, 11 * unit, theme.accent)


def _draw_ring(pen: Pen, theme: Theme, side: Side, unit: float, at: Point) -> None:
    pen.ring(at, 43 * unit, theme.background, 12 * unit)
    pen.ring(at, 43 * unit, theme.accent, 7 * unit)


_SIGNS = {
    "legal": Sign(gettext_noop("legal turns"), _draw_dot),
    "legal piece": Sign(gettext_noop("pieces that can begin one"), _draw_ring),
}


def _draw_targets(scene: Scene, theme: Theme, targets: Mapping[int, str], layer: Layer) -> None:
    """A badge on each empty cell, and a ring around each piece with its badge beside it; without words, a dot.

    Badges hide neither pieces nor each other: one for which there is no room gives way to a dot.
    """
    geometry, unit = scene.geometry, scene.geometry.step / 100
    ink, size = readable_on(theme.accent), _badge_size(scene)
    badges, plain = _badges(scene, targets)
    for cell in targets:
        if cell not in geometry.cells:
            continue
        if not scene.position.empty >> cell & 1:
            layer.ring(geometry.centres[cell], 46 * unit, ink, 11 * unit)
            layer.ring(geometry.centres[cell], 46 * unit, theme.accent, 7 * unit)
        elif cell in plain:
            layer.disc(geometry.centres[cell], 20 * unit, ink)
            layer.disc(geometry.centres[cell], 16 * unit, theme.accent)
    for cell, (left, top, right, bottom) in badges.items():
        (x, y), (to_x, to_y) = geometry.centres[cell], ((left + right) / 2, (top + bottom) / 2)
        far = math.hypot(to_x - x, to_y - y)
        if far > 60 * unit:
            ring = x + (to_x - x) * 48 * unit / far, y + (to_y - y) * 48 * unit / far
            layer.line([ring, (to_x, to_y)], ink, 9 * unit)
            layer.line([ring, (to_x, to_y)], theme.accent, 5 * unit)
        for grow, fill in ((4 * unit, ink), (0, theme.accent)):
            box = left - grow, top - grow, right + grow, bottom + grow
            layer.field(box, (bottom - top) / 2 + grow, fill)
    for cell, (left, top, right, bottom) in badges.items():
        layer.text(targets[cell], ((left + right) / 2, (top + bottom) / 2), size, ink)


def _badge_size(scene: Scene) -> float:
    return max(scene.least_text, 34 * scene.geometry.step / 100)


def _badges(scene: Scene, targets: Mapping[int, str]) -> tuple[dict[int, Box], set[int]]:
    """The boxes of the badges, by cell, and the cells that have none."""
    geometry, size = scene.geometry, _badge_size(scene)
    badges: dict[int, Box] = {}
    plain = set()
    # First those that can only be in one place.
    for cell in sorted(targets, key=lambda cell: not scene.position.empty >> cell & 1):
        if cell not in geometry.cells or not targets[cell]:
            plain.add(cell)
            continue
        half = max(text_width(targets[cell], round(size)) / 2 + 0.2 * size, 0.55 * size), 0.48 * size
        on_it = bool(scene.position.empty >> cell & 1)
        places: Sequence[Point] = [geometry.centres[cell]] if on_it else _around(geometry, cell)
        boxes = [(x - half[0], y - half[1], x + half[0], y + half[1]) for x, y in places]
        hidden, _, box = min((_hidden(scene, box, badges.values()), at, box) for at, box in enumerate(boxes))
        if hidden >= _CROWDED:
            plain.add(cell)
        else:
            badges[cell] = box
    return badges, plain


def _around(geometry: Geometry, cell: int) -> list[Point]:
    """Places beside a cell, nearer ones first."""
    x, y = geometry.centres[cell]
    turns = [math.radians(30 * turn) for turn in range(12)]
    return [
        (x + far * geometry.step * math.cos(turn), y + far * geometry.step * math.sin(turn))
        for far in (0.75, 0.9, 1.05, 1.3, 1.6)
        for turn in turns
    ]


def _hidden(scene: Scene, box: Box, others: Collection[Box]) -> int:
    """How much a badge in that box would hide: pieces, other badges, and what is outside the picture."""
    geometry, reach = scene.geometry, 0.3 * scene.geometry.step
    left, top, right, bottom = box
    inside = left > 4 and right < geometry.width - 4 and geometry.header < top and bottom < geometry.height - 4
    hidden = 0 if inside else _CROWDED
    hidden += _CROWDED * sum(
        left < each[2] and each[0] < right and top < each[3] and each[1] < bottom for each in others
    )
    for piece in bits(scene.position.first | scene.position.second):
        x, y = geometry.centres[piece]
        hidden += left - reach < x < right + reach and top - reach < y < bottom + reach
    return hidden


def _draw_areas(geometry: Geometry, theme: Theme, areas: Mapping[str, Collection[int]], layer: Layer) -> None:
    of = {cell: words for words, cells in areas.items() for cell in cells}
    for cell in geometry.cells:
        if cell not in of:
            layer.polygon(geometry.grid.hexagon(geometry.centres[cell]), (*theme.background, _DIMMED))
    for ink, width in ((theme.background, 0.16), (theme.accent, 0.09)):
        for cell, words in of.items():
            corners = geometry.grid.hexagon(geometry.centres[cell])
            for direction, neighbour in enumerate(geometry.neighbours[cell]):
                if neighbour is None or of.get(neighbour) != words:
                    side = corners[(direction + 1) % 6], corners[(direction + 2) % 6]
                    layer.line(side, ink, width * geometry.step)


def _draw_area_names(scene: Scene, theme: Theme, areas: Mapping[str, Collection[int]], layer: Layer) -> None:
    geometry, size = scene.geometry, scene.least_text
    for words, cells in areas.items():
        free = [cell for cell in cells if scene.position.empty >> cell & 1]
        centre = geometry.centres[middle(geometry.board, cells, free)]
        radius = max(0.45 * geometry.step, 0.75 * size, text_width(words, size) / 2 + 0.2 * size)
        layer.disc(centre, radius + 3, readable_on(theme.accent))
        layer.disc(centre, radius, theme.accent)
        layer.text(words, centre, size, readable_on(theme.accent))


def ghost(was: Image.Image, will: Image.Image, geometry: Geometry) -> Image.Image:
    """The board as it will look, mode RGB, with everything that changes half transparent."""
    changed = ImageChops.difference(was, will).convert("L").point([0] + [255] * 255)
    faded = Image.blend(was, will, _GHOST)
    will.paste(faded, (0, 0), ImageChops.darker(changed, _cells(geometry, will.height)))
    return will


@lru_cache(maxsize=16)
def _cells(geometry: Geometry, height: int) -> Image.Image:
    """The pixels of the cells in a picture of that height, mode L."""
    mask, image = cell_mask(geometry.grid), Image.new("L", (geometry.width, height))
    for cell in geometry.cells:
        x, y = geometry.centres[cell]
        image.paste(255, (x - mask.width // 2, y - mask.height // 2), mask)
    return image
