"""What is drawn over a picture on request: overlays, badges, and previews of turns.

Public pictures do without, so this may take longer: shapes are drawn smoothly in full colour.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache

from PIL import Image, ImageChops

from render.areas import name_cell
from render.canvas import Layer, Pen, cell_mask, in_own_palette, label_box, round_corners, text_width
from render.colours import Theme, readable_on
from render.face import Face
from render.geometry import Box, Geometry, Point
from render.scene import Scene
from render.signs import Mark, Sign, draw_signs, with_key
from rules import Side
from rules.text import gettext_noop

#: The overlay that every game has: where a legal turn can begin.
LEGAL = "legal"
#: The text of a badge that says that a cell cannot be chosen.
CROSS = "×"
#: The opacity of what a turn that is not played yet changes.
_GHOST = 0.72
#: The opacity (of 255) of the veil over cells that cannot be chosen.
_DIMMED = 150
#: What a badge that covers another counts for, in things that it would hide.
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
        marks = _draw_legal(scene, face, theme, layer)
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
        draw_targets(scene, face, theme, targets, layer)
    if areas:
        _draw_area_names(scene, theme, areas, layer)
    drawn = in_own_palette(with_key(image, scene, {**_SIGNS, **face.signs}, marks, theme), theme)
    round_corners(drawn)
    return drawn


def _draw_legal(scene: Scene, face: Face, theme: Theme, layer: Layer) -> set[Mark]:
    """A dot on every empty cell where a legal turn can begin, and a ring around every piece that can begin one."""
    position = scene.position
    cells = {position.step_cell(name) for name in position.draft().steps} if position.outcome is None else set()
    empty = {cell for cell in cells if cell is not None and position.empty >> cell & 1}
    numbered = empty.intersection(face.numbered(scene))
    marks: dict[Mark, Collection[int | None]] = {
        ("legal", Side.FIRST): empty - numbered,
        ("legal piece", Side.FIRST): cells - empty,
    }
    for cell in numbered:
        _draw_dot(layer, theme, Side.FIRST, scene.geometry.step / 100, _below(scene.geometry, cell))
    return draw_signs(_SIGNS, marks, scene, theme, layer) | {("legal", Side.FIRST) for _ in numbered}


def _below(geometry: Geometry, cell: int) -> Point:
    """The place in a cell below the number in its middle."""
    x, y = geometry.centres[cell]
    return x, y + 0.36 * geometry.step


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


def draw_targets(scene: Scene, face: Face, theme: Theme, targets: Mapping[int, str], layer: Layer) -> None:
    """A badge on each empty cell, or beside it with a dot on it; a ring around each piece with its badge beside it.

    Badges hide as few pieces and labels as possible, and never each other: one for which there is no room gives way to
    a dot, as one without words does. A :data:`CROSS` is drawn rather than written, as small as its cell needs.
    """
    geometry, unit = scene.geometry, scene.geometry.step / 100
    ink, size = readable_on(theme.accent), _badge_size(scene)
    badges = _badges(scene, face, targets)
    for cell in targets:
        if cell not in geometry.cells:
            continue
        at = geometry.centres[cell]
        if not scene.position.empty >> cell & 1:
            layer.ring(at, 46 * unit, ink, 11 * unit)
            layer.ring(at, 46 * unit, theme.accent, 7 * unit)
        elif targets[cell] == CROSS:
            layer.disc(at, 30 * unit, ink)
            layer.disc(at, 26 * unit, theme.accent)
            for x, y in ((11 * unit, 11 * unit), (11 * unit, -11 * unit)):
                layer.line([(at[0] - x, at[1] - y), (at[0] + x, at[1] + y)], ink, 7 * unit)
        elif cell not in badges or math.dist(_middle(badges[cell]), at) > 0.5 * geometry.step:
            layer.disc(at, 20 * unit, ink)
            layer.disc(at, 16 * unit, theme.accent)
    for cell, (left, top, right, bottom) in badges.items():
        (x, y), (to_x, to_y) = geometry.centres[cell], _middle(badges[cell])
        far, away = math.hypot(to_x - x, to_y - y), (18 if scene.position.empty >> cell & 1 else 48) * unit
        if far > 60 * unit:
            start = x + (to_x - x) * away / far, y + (to_y - y) * away / far
            layer.line([start, (to_x, to_y)], ink, 9 * unit)
            layer.line([start, (to_x, to_y)], theme.accent, 5 * unit)
        for grow, fill in ((4 * unit, ink), (0, theme.accent)):
            box = left - grow, top - grow, right + grow, bottom + grow
            layer.field(box, (bottom - top) / 2 + grow, fill)
    for cell, box in badges.items():
        layer.text(targets[cell], _middle(box), size, ink)


def _middle(box: Box) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _badge_size(scene: Scene) -> float:
    return max(scene.least_text, 34 * scene.geometry.step / 100)


def _badges(scene: Scene, face: Face, targets: Mapping[int, str]) -> dict[int, Box]:
    """The boxes of the badges, by cell, for which there is room."""
    geometry, size = scene.geometry, _badge_size(scene)
    position, badges = scene.position, dict[int, Box]()
    # The rim of a piece may be hidden.
    reach = 0.12 * geometry.step
    hideable = {
        cell: (x - reach, y - reach, x + reach, y + reach)
        for cell, (x, y) in geometry.centres.items()
        if cell in targets or not position.empty >> cell & 1
    }
    numbered = set(face.numbered(scene))
    labels = [label_box(label, geometry) for label in geometry.labels] if scene.look.coordinates else []
    # First those whose best place is their own cell.
    for cell in sorted(targets, key=lambda cell: not position.empty >> cell & 1):
        if cell not in geometry.cells or targets[cell] in ("", CROSS):
            continue
        half = max(text_width(targets[cell], round(size)) / 2 + 0.2 * size, 0.55 * size), 0.48 * size
        x, y = geometry.centres[cell]
        others = [box for each, box in hideable.items() if each != cell and _near(box, (x, y), 3 * geometry.step)]
        places = _around(geometry, cell)
        if position.empty >> cell & 1:
            places.insert(0, _below(geometry, cell) if cell in numbered else (x, y))
        best, least = None, _CROWDED
        for at_x, at_y in places:
            box = at_x - half[0], at_y - half[1], at_x + half[0], at_y + half[1]
            hidden = _hidden(box, geometry, [*others, *labels], badges.values())
            if hidden < least:
                best, least = box, hidden
            if not hidden:
                break
        if best is not None:
            badges[cell] = best
    return badges


def _near(box: Box, point: Point, far: float) -> bool:
    return abs(box[0] - point[0]) < far and abs(box[1] - point[1]) < far


def _around(geometry: Geometry, cell: int) -> list[Point]:
    """Places beside a cell, nearer ones first."""
    x, y = geometry.centres[cell]
    turns = [math.radians(30 * turn) for turn in range(12)]
    return [
        (x + far * geometry.step * math.cos(turn), y + far * geometry.step * math.sin(turn))
        for far in (0.75, 0.9, 1.05, 1.3, 1.6)
        for turn in turns
    ]


def _hidden(box: Box, geometry: Geometry, things: Collection[Box], badges: Collection[Box]) -> int:
    """How much a badge in that box would hide: pieces and labels, other badges, and what is outside the picture."""
    left, top, right, bottom = box
    if left < 4 or right > geometry.width - 4 or top < geometry.header or bottom > geometry.height - 4:
        return _CROWDED
    if any(_overlap(box, each) for each in badges):
        return _CROWDED
    return sum(_overlap(box, each) for each in things)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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
        centre = geometry.centres[name_cell(scene.position, cells)]
        radius = max(0.45 * geometry.step, 0.75 * size, text_width(words, size) / 2 + 0.2 * size)
        layer.disc(centre, radius + 3, readable_on(theme.accent))
        layer.disc(centre, radius, theme.accent)
        layer.text(words, centre, size, readable_on(theme.accent))


def ghost(was: Image.Image, will: Image.Image, geometry: Geometry, left: Collection[int] = ()) -> Image.Image:
    """The board as it will look, mode RGB, with everything that changes half transparent.

    Nothing remains visible of the numbers that have ``left`` these empty cells.
    """
    changed = ImageChops.difference(was, will).convert("L").point([0] + [255] * 255)
    faded = Image.blend(was, will, _GHOST)
    mask = cell_mask(geometry.grid)
    for cell in left:
        x, y = geometry.centres[cell]
        changed.paste(0, (x - mask.width // 2, y - mask.height // 2), mask)
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
