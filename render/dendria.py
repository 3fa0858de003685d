"""Dendria: Seeds, Trees and Dryads in two lightnesses of brown, and the Trees of a forest as one wood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PIL import Image

from render import sprites, words
from render.dendria_overlays import OVERLAYS, TITLES, position_of
from render.dendria_pieces import (
    ATTACKED,
    DRYAD,
    NOURISHED,
    PROTECTED,
    SEED,
    THEMES,
    TREE,
    DendriaTheme,
    Show,
    icon,
    tile,
)
from render.face import Face
from render.layout import Layout
from render.look import Scene
from render.sprites import Tile
from render.theme import Colour, Theme
from rules import Germinated, Moved, Placed, Side, Sprouted, Territory, bits
from rules.text import later


class DendriaFace(Face):
    themes = THEMES
    overlays = OVERLAYS
    overlay_titles = TITLES
    legend = ((PROTECTED, later("protected")), (ATTACKED, later("attacked")), (NOURISHED, later("nourished")))

    def draw(self, image: Image.Image, scene: Scene, theme: Theme) -> None:
        assert isinstance(theme, DendriaTheme)
        place = scene.place
        mask = sprites.cell_mask(place.grid)
        left, up = mask.width // 2, mask.height // 2
        shown = set(place.cells)
        for cell, show in _shows(scene).items():
            if cell in shown:
                x, y = place.centres[cell]
                image.paste(tile(theme, place.grid, show), (x - left, y - up), mask)

    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        assert isinstance(theme, DendriaTheme)
        return icon(kind, side, height, ground, theme)

    def counts(self, scene: Scene, side: Side) -> Sequence[tuple[str, str]]:
        # In the corners of a small window there is no room for them.
        kinds = (TREE, DRYAD, SEED) if scene.place.shown > 5 else ()
        return [(kind, str(_pieces(scene, kind)(side).bit_count())) for kind in kinds]

    def clauses(self, scene: Scene) -> list[list[str]]:
        position, gettext = position_of(scene), scene.texts.gettext
        scores = self.scores(scene)
        leafiness = gettext("Leafiness: {first} {of_first}, {second} {of_second}.").format(
            first=scene.side(Side.FIRST),
            of_first=scores[Side.FIRST],
            second=scene.side(Side.SECOND),
            of_second=scores[Side.SECOND],
        )
        return [
            [leafiness],
            words.listed(scene, gettext("Dryads"), _pieces(scene, DRYAD)),
            words.listed(scene, gettext("Trees"), _pieces(scene, TREE)),
            words.listed(scene, gettext("Seeds"), _pieces(scene, SEED)),
            _forests(scene, gettext("Protected forests"), position.protected),
            _forests(scene, gettext("Attacked forests"), position.attacked),
            words.listed(
                scene, gettext("Nourished Seeds"), lambda side: position.seeds & position.field.nourished(side)
            ),
        ]


def _pieces(scene: Scene, kind: str) -> Callable[[Side], int]:
    """The masks of each side's pieces of that kind."""
    position = position_of(scene)
    of_kind = {SEED: position.seeds, TREE: position.trees, DRYAD: position.dryads}[kind]
    return lambda side: of_kind & position.stones(side)


def _forests(scene: Scene, title: str, of: Callable[[Side], list[int]]) -> list[str]:
    """The wordings of :func:`words.listed`, with the number of forests, not of Trees, in the shorter one."""
    long, *_ = words.listed(scene, title, lambda side: sum(of(side)))
    counted = ", ".join(f"{scene.side(side)} {len(of(side))}" for side in Side if of(side))
    return [long, f"{title}: {counted}."] if counted else [long]


# --------------------------------------------------------------------------------------------------------------------
# What each cell shows.


def _shows(scene: Scene) -> dict[int, Show]:
    """What the cells show that are not just empty soils."""
    position, near = position_of(scene), scene.place.neighbours
    shows: dict[int, Show] = {}
    for side in Side:
        own = position.stones(side)
        for cell in bits(own & position.dryads):
            shows[cell] = Show(DRYAD, side)
        for cell in bits(own & position.seeds):
            shows[cell] = Show(SEED, side)
        protected, attacked = sum(position.protected(side)), sum(position.attacked(side))
        trees = own & position.trees
        for cell in bits(trees):
            state = PROTECTED if protected >> cell & 1 else ATTACKED if attacked >> cell & 1 else ""
            friends = sum(1 << i for i, other in enumerate(near[cell]) if other is not None and trees >> other & 1)
            shows[cell] = Show(TREE, side, state, friends=friends)
    for side in Side:
        for cell in bits(position.seeds & position.field.nourished(side)):
            shows[cell] = replace(shows[cell], state=NOURISHED, by=side)
    _show_turn(scene, shows)
    return shows


def _show_turn(scene: Scene, shows: dict[int, Show]) -> None:
    """Add what the last turn did."""
    for event in scene.events:
        match event:
            case Placed(_, cell):
                shows[cell] = replace(shows[cell], fresh=True)
            case Sprouted(_, cell):
                shows[cell] = replace(shows[cell], made=True)
            case Germinated(_, cells):
                for cell in cells:
                    shows[cell] = replace(shows[cell], made=True)
            case Moved(side, start, stops):
                for cell, trail in _trail(scene.place, start, stops[-1]).items():
                    shows[cell] = replace(shows.get(cell, Show()), trail=trail, stop=cell in stops[:-1])
                shows[start] = replace(shows[start], side=side, ghost=True)
                shows[stops[-1]] = replace(shows[stops[-1]], fresh=True)
            case Territory(side, cells):
                for cell in cells:
                    shows[cell] = replace(shows.get(cell, Show()), counts=side)


def _trail(place: Layout, start: int, end: int) -> dict[int, int]:
    """The cells from ``start`` to ``end``, each with the bits of the directions in which the way goes on from there."""
    rays = place.board.rays[start]
    way = next(ray[: ray.index(end) + 1] for ray in rays if end in ray)
    trail = dict.fromkeys((start, *way), 0)
    for one, other in zip((start, *way), way, strict=False):
        trail[one] |= 1 << place.neighbours[one].index(other)
        trail[other] |= 1 << place.neighbours[other].index(one)
    return trail
