"""What is drawn over a picture on request: overlays, badges, and previews of turns.

Public pictures do without, so this may take longer: shapes are drawn smoothly in full colour.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

from PIL import Image, ImageChops

from render.areas import middle
from render.canvas import BAND, Canvas, cell_mask
from render.colours import Theme, readable_on
from render.face import Face
from render.geometry import Geometry
from render.scene import Scene
from rules.text import gettext_noop

#: The overlay that every game has: where a legal turn can begin.
LEGAL = "legal"
#: The opacity of what a turn that is not played yet changes.
_GHOST = 0.72
#: The opacity (of 255) of the veil over cells that cannot be chosen, and the radius of an area's badge in pixels.
_DIMMED = 150
_AREA_BADGE = 30


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
    """The finished picture with an overlay, badges on the ``targets``, and borders around the ``areas``.

    Targets are cells, each with the text of its badge, which may be empty; areas are groups of cells, each by the text
    of the badge in its middle. Cells in no area are dimmed. ``cell`` is the one that the overlay is about, if it needs
    one. Raises ``ValueError`` for an unknown overlay.
    """
    shapes: list[Callable[[Canvas], None]] = []
    theme = face.themes[scene.look.theme]
    if overlay == LEGAL:
        shapes.append(lambda canvas: _draw_legal(scene, theme, canvas))
    elif overlay is not None:
        try:
            own = face.overlays[overlay]
        except KeyError:
            known = ", ".join(names(face))
            raise ValueError(f"{scene.position.title} has no overlay “{overlay}”; choose from {known}") from None
        shapes.append(lambda canvas: own(scene, cell, canvas))
    if areas:
        shapes.append(lambda canvas: _draw_areas(scene.geometry, theme, areas, canvas))
    if targets:
        shapes.append(lambda canvas: _draw_targets(scene.geometry, theme, targets, canvas))
    if areas:
        badges = {words: middle(scene.geometry.board, cells) for words, cells in areas.items()}
        shapes.append(lambda canvas: _draw_area_names(scene.geometry, theme, badges, canvas))
    return drawn_over(image.convert("RGBA"), shapes)


def drawn_over(image: Image.Image, shapes: list[Callable[[Canvas], None]]) -> Image.Image:
    """The picture, mode RGBA, with shapes drawn over it, reduced to a palette of its own."""
    if shapes:
        for top in range(0, image.height, 2 * BAND):
            canvas = Canvas(0, top, image.width, min(2 * BAND, image.height - top), None)
            for draw_shapes in shapes:
                draw_shapes(canvas)
            image.alpha_composite(canvas.clear(), (0, top))
    # 256 colours are enough for the eye and need a third of the bytes.
    return image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _draw_legal(scene: Scene, theme: Theme, canvas: Canvas) -> None:
    """Draw a dot on every empty cell where a legal turn can begin, and a ring around every piece that can begin one."""
    position, geometry = scene.position, scene.geometry
    for name in position.draft().steps if position.outcome is None else ():
        cell = position.step_cell(name)
        if cell is None or cell not in geometry.cells:
            continue
        centre, unit = geometry.centres[cell], geometry.step / 100
        if position.empty >> cell & 1:
            canvas.disc(centre, 15 * unit, theme.background)
            canvas.disc(centre, 11 * unit, theme.accent)
        else:
            canvas.ring(centre, 43 * unit, theme.background, 12 * unit)
            canvas.ring(centre, 43 * unit, theme.accent, 7 * unit)


def _draw_targets(geometry: Geometry, theme: Theme, targets: Mapping[int, str], canvas: Canvas) -> None:
    unit = geometry.step / 100
    for cell, words in targets.items():
        centre = geometry.centres[cell]
        canvas.disc(centre, (40 if words else 20) * unit, readable_on(theme.accent))
        canvas.disc(centre, (36 if words else 16) * unit, theme.accent)
        if words:
            canvas.text(words, centre, (46 if len(words) < 3 else 34) * unit, readable_on(theme.accent))


def _draw_areas(geometry: Geometry, theme: Theme, areas: Mapping[str, Collection[int]], canvas: Canvas) -> None:
    of = {cell: words for words, cells in areas.items() for cell in cells}
    for cell in geometry.cells:
        if cell not in of:
            canvas.polygon(geometry.grid.hexagon(geometry.centres[cell]), (*theme.background, _DIMMED))
    for ink, width in ((theme.background, 0.16), (theme.accent, 0.09)):
        for cell, words in of.items():
            corners = geometry.grid.hexagon(geometry.centres[cell])
            for direction, neighbour in enumerate(geometry.neighbours[cell]):
                if neighbour is None or of.get(neighbour) != words:
                    side = corners[(direction + 1) % 6], corners[(direction + 2) % 6]
                    canvas.line(side, ink, width * geometry.step)


def _draw_area_names(geometry: Geometry, theme: Theme, badges: Mapping[str, int], canvas: Canvas) -> None:
    radius = max(_AREA_BADGE, 0.45 * geometry.step)
    for words, cell in badges.items():
        centre = geometry.centres[cell]
        canvas.disc(centre, radius + 3, readable_on(theme.accent))
        canvas.disc(centre, radius, theme.accent)
        canvas.text(words, centre, 1.2 * radius, readable_on(theme.accent))


def ghost(before: Image.Image, after: Image.Image, geometry: Geometry) -> Image.Image:
    """The board as it will look, with everything that changes half transparent."""
    was, will = before.convert("RGBA"), after.convert("RGBA")
    changed = ImageChops.difference(was.convert("RGB"), will.convert("RGB")).convert("L").point([0] + [255] * 255)
    faded = Image.blend(was, will, _GHOST)
    will.paste(faded, (0, 0), ImageChops.darker(changed, _cells(geometry)))
    return will


@lru_cache(maxsize=16)
def _cells(geometry: Geometry) -> Image.Image:
    """The pixels of the cells, mode L."""
    mask, image = cell_mask(geometry.grid), Image.new("L", (geometry.width, geometry.height))
    for cell in geometry.cells:
        x, y = geometry.centres[cell]
        image.paste(255, (x - mask.width // 2, y - mask.height // 2), mask)
    return image
