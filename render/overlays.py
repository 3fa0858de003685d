"""What is drawn over a picture on request: marks, an overlay of the game's own, and the ghost of a turn not yet played.

The pictures that everybody sees do not need this, so it may take longer: shapes are drawn smoothly in full colour.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

from PIL import Image, ImageChops

from render import sprites
from render.areas import middle
from render.face import Face
from render.layout import Layout
from render.look import Scene
from render.sprites import BAND, Canvas
from render.theme import Theme, readable_on
from rules.text import later

#: The marks that every game has: where a legal turn may begin.
LEGAL = "legal"
#: How much of what a turn changes shows before it is played.
_GHOST = 0.72
#: The opacity, of 255, of what dims the cells that cannot be chosen, and the radius of an area's badge in pixels.
_DIMMED = 150
_AREA_BADGE = 30


def titles(face: Face) -> dict[str, str]:
    """The overlays that pictures of a game have, each in words; a catalogue translates these."""
    return {LEGAL: later("legal turns"), **face.overlay_titles}


def names(face: Face) -> tuple[str, ...]:
    """The overlays that pictures of a game have."""
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
    """The finished picture with an overlay, and with badges on the ``targets``, cells with what to write on each.

    Borders enclose the ``areas``, cells by what to write in their middle; all other cells are dimmed.

    ``cell`` is the one that the overlay is about, where it needs one. Raises ``ValueError`` for an unknown overlay.
    """
    shapes: list[Callable[[Canvas], None]] = []
    theme = face.themes[scene.look.scheme]
    if overlay == LEGAL:
        shapes.append(lambda canvas: _draw_legal(scene, theme, canvas))
    elif overlay is not None:
        try:
            own = face.overlays[overlay]
        except KeyError:
            known = ", ".join(names(face))
            raise ValueError(f"{scene.position.title} has no overlay “{overlay}”; it has {known}") from None
        shapes.append(lambda canvas: own(scene, cell, canvas))
    if areas:
        shapes.append(lambda canvas: _draw_areas(scene.place, theme, areas, canvas))
    if targets:
        shapes.append(lambda canvas: _draw_targets(scene.place, theme, targets, canvas))
    if areas:
        shapes.append(lambda canvas: _draw_area_names(scene.place, theme, areas, canvas))
    return drawn_over(image.convert("RGBA"), shapes)


def drawn_over(image: Image.Image, shapes: list[Callable[[Canvas], None]]) -> Image.Image:
    """The picture, mode RGBA, with shapes drawn over it, in a palette of its own."""
    if shapes:
        for top in range(0, image.height, 2 * BAND):
            canvas = Canvas(0, top, image.width, min(2 * BAND, image.height - top), None)
            for draw_shapes in shapes:
                draw_shapes(canvas)
            image.alpha_composite(canvas.clear(), (0, top))
    # Some 250 colours are enough for the eye and a third of the bytes.
    return image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _draw_legal(scene: Scene, theme: Theme, canvas: Canvas) -> None:
    """A dot on every empty cell where a legal turn may begin, and a ring around every piece that may begin one."""
    position, place = scene.position, scene.place
    for name in position.draft().steps if position.outcome is None else ():
        cell = position.board.find(name)
        if cell is None or cell not in place.cells:
            continue
        centre, unit = place.centres[cell], place.step / 100
        if position.empty >> cell & 1:
            canvas.disc(centre, 15 * unit, theme.panel)
            canvas.disc(centre, 11 * unit, theme.warm)
        else:
            canvas.ring(centre, 43 * unit, theme.panel, 12 * unit)
            canvas.ring(centre, 43 * unit, theme.warm, 7 * unit)


def _draw_targets(place: Layout, theme: Theme, targets: Mapping[int, str], canvas: Canvas) -> None:
    unit = place.step / 100
    for cell, words in targets.items():
        centre = place.centres[cell]
        canvas.disc(centre, (40 if words else 20) * unit, readable_on(theme.warm))
        canvas.disc(centre, (36 if words else 16) * unit, theme.warm)
        if words:
            canvas.text(words, centre, (46 if len(words) < 3 else 34) * unit, readable_on(theme.warm))


def _draw_areas(place: Layout, theme: Theme, areas: Mapping[str, Collection[int]], canvas: Canvas) -> None:
    of = {cell: words for words, cells in areas.items() for cell in cells}
    for cell in place.cells:
        if cell not in of:
            canvas.polygon(place.grid.hexagon(place.centres[cell]), (*theme.panel, _DIMMED))
    for ink, width in ((theme.panel, 0.16), (theme.warm, 0.09)):
        for cell, words in of.items():
            corners = place.grid.hexagon(place.centres[cell])
            for direction, neighbour in enumerate(place.neighbours[cell]):
                if neighbour is None or of.get(neighbour) != words:
                    side = corners[(direction + 1) % 6], corners[(direction + 2) % 6]
                    canvas.line(side, ink, width * place.step)


def _draw_area_names(place: Layout, theme: Theme, areas: Mapping[str, Collection[int]], canvas: Canvas) -> None:
    radius = max(_AREA_BADGE, 0.45 * place.step)
    for words, cells in areas.items():
        centre = place.centres[middle(place.board, cells)]
        canvas.disc(centre, radius + 3, readable_on(theme.warm))
        canvas.disc(centre, radius, theme.warm)
        canvas.text(words, centre, 1.2 * radius, readable_on(theme.warm))


def ghost(before: Image.Image, after: Image.Image, place: Layout) -> Image.Image:
    """The board as it will look, with all that changes still half clear."""
    was, will = before.convert("RGBA"), after.convert("RGBA")
    changed = ImageChops.difference(was.convert("RGB"), will.convert("RGB")).convert("L").point([0] + [255] * 255)
    faded = Image.blend(was, will, _GHOST)
    will.paste(faded, (0, 0), ImageChops.darker(changed, _cells(place)))
    return will


@lru_cache(maxsize=16)
def _cells(place: Layout) -> Image.Image:
    """The pixels of the cells, mode L."""
    mask, image = sprites.cell_mask(place.grid), Image.new("L", (place.width, place.height))
    for cell in place.cells:
        x, y = place.centres[cell]
        image.paste(255, (x - mask.width // 2, y - mask.height // 2), mask)
    return image
