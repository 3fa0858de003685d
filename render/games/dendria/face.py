"""Dendria: Seeds, Trees and Dryads in dark and light brown; the Trees of a forest grow together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PIL import Image

from render.alt_text import cells_clause, change_clauses, totals_clause
from render.canvas import paste_cell
from render.colours import Colour, Theme
from render.corners import Row, cell_count_rows
from render.face import Face
from render.games.dendria.overlays import OVERLAYS
from render.games.dendria.pieces import ATTACKED, DRYAD, LEAFY, NOURISHED, PROTECTED, SEED, TREE, Show, icon, tile
from render.games.dendria.theme import THEMES
from render.geometry import Geometry
from render.palette import Tile
from render.scene import Scene
from rules import Placed, Side, Territory, bits
from rules.dendria import Dendria, Germinated, Moved, Sprouted
from rules.text import gettext_noop, ngettext_noop


class DendriaFace(Face[Dendria]):
    themes = THEMES
    overlays = OVERLAYS
    legend = (
        (SEED, gettext_noop("Seed")),
        (PROTECTED, gettext_noop("protected")),
        (ATTACKED, gettext_noop("attacked")),
        (NOURISHED, gettext_noop("nourished")),
        (LEAFY, gettext_noop("leafy cell")),
    )
    emoji = "🌰"
    colour = (201, 138, 66)

    def draw(self, image: Image.Image, scene: Scene[Dendria]) -> None:
        geometry, theme = scene.geometry, scene.theme
        for cell, show in _shows(scene).items():
            if geometry.mask >> cell & 1:
                paste_cell(image, tile(theme, geometry.grid, show), geometry, cell)

    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        return icon(kind, side, height, ground, theme)

    def counts(self, scene: Scene[Dendria], side: Side) -> Sequence[Row]:
        # Seeds come last, where there is the least room: the legend explains them, too.
        words = {
            TREE: ngettext_noop("Tree", "Trees"),
            DRYAD: ngettext_noop("Dryad", "Dryads"),
            SEED: ngettext_noop("Seed", "Seeds"),
        }
        counts = {kind: _pieces(scene, kind)(side).bit_count() for kind in words}
        ngettext = scene.texts.ngettext
        return [[(kind, side), str(count), ngettext(*words[kind], count)] for kind, count in counts.items() if count]

    def legend_rows(self, scene: Scene[Dendria]) -> list[Row]:
        rows = super().legend_rows(scene)
        # Each side has its own rims.
        return [[(LEAFY, Side.FIRST), *row] if row[0] == (LEAFY, Side.SECOND) else row for row in rows]

    def marks(self, scene: Scene[Dendria]) -> Mapping[str, bool]:
        position = scene.position
        seeds = bool(position.trees and position.seeds)
        if _is_decided(scene):
            return {SEED: seeds, LEAFY: any(isinstance(event, Territory) for event in scene.events)}
        return {
            SEED: seeds,
            PROTECTED: any(map(position.protected, Side)),
            ATTACKED: any(map(position.attacked, Side)),
            NOURISHED: any(position.seeds & position.field.nourished(side) for side in Side),
        }

    def turn_rows(self, scene: Scene[Dendria]) -> list[Row]:
        tally, board = scene.tally, scene.position.board
        sprouted, germinated = tally.changed(Sprouted), tally.changed(Germinated)
        moves: list[Row] = [
            [("moved", event.side), f"{board.name(event.start)} → {board.name(event.stops[-1])}"]
            for event in scene.events
            if isinstance(event, Moved)
        ]
        return [
            *super().turn_rows(scene),
            *moves,
            *cell_count_rows(scene, "sprouted", sprouted, ngettext_noop("sprouted", "sprouted")),
            *cell_count_rows(scene, "germinated", germinated, ngettext_noop("germinated", "germinated")),
        ]

    def turn_clauses(self, scene: Scene[Dendria], with_cells: bool) -> list[str]:
        gettext, board = scene.texts.gettext, scene.position.board
        clauses = super().turn_clauses(scene, with_cells)
        for event in scene.events:
            match event:
                case Moved(side, start, stops):
                    way = " ".join(board.name(cell) for cell in (start, *stops))
                    clause = gettext("a Dryad of {side} moved {way}")
                    clauses.append(clause.format(side=scene.side(side), way=way))
                case Sprouted(side, cell):
                    clause = gettext("the Seed on {cell} sprouted for {side}")
                    clauses.append(clause.format(cell=board.name(cell), side=scene.side(side)))
        words = ngettext_noop("{count} Seed became a Tree of {side}", "{count} Seeds became Trees of {side}")
        return [*clauses, *change_clauses(scene, scene.tally.changed(Germinated), words, with_cells)]

    def clauses(self, scene: Scene[Dendria]) -> list[list[str]]:
        position, gettext = scene.position, scene.texts.gettext
        return [
            totals_clause(scene, gettext("Leafiness: {first} {one}, {second} {two}."), self.scores(scene)),
            cells_clause(scene, gettext("Dryads"), _pieces(scene, DRYAD)),
            cells_clause(scene, gettext("Trees"), _pieces(scene, TREE)),
            cells_clause(scene, gettext("Seeds"), _pieces(scene, SEED)),
            _forests(scene, gettext("Protected forests"), position.protected),
            _forests(scene, gettext("Attacked forests"), position.attacked),
            cells_clause(
                scene, gettext("Nourished Seeds"), lambda side: position.seeds & position.field.nourished(side)
            ),
        ]


def _pieces(scene: Scene[Dendria], kind: str) -> Callable[[Side], int]:
    """A function that returns the mask of a side's pieces of that kind."""
    position = scene.position
    of_kind = {SEED: position.seeds, TREE: position.trees, DRYAD: position.dryads}[kind]
    return lambda side: of_kind & position.stones(side)


def _forests(scene: Scene[Dendria], title: str, of: Callable[[Side], list[int]]) -> list[str]:
    """Wordings of each side's forests: the cells of their Trees, or the number of forests."""
    long, *_ = cells_clause(scene, title, lambda side: sum(of(side)))
    counted = ", ".join(f"{scene.side(side)} {len(of(side))}" for side in Side if of(side))
    return [long, f"{title}: {counted}."] if counted else [long]


def _is_decided(scene: Scene[Dendria]) -> bool:
    """Whether the game is over, so the picture shows the cells that count, not the stakes."""
    return scene.position.outcome is not None


def _shows(scene: Scene[Dendria]) -> dict[int, Show]:
    """The content of each cell, except for plain empty soils."""
    position = scene.position
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
            state = "" if _is_decided(scene) else state
            friends = scene.geometry.adjoining(cell, trees)
            shows[cell] = Show(TREE, side, state, friends=friends)
    for side in Side if not _is_decided(scene) else ():
        for cell in bits(position.seeds & position.field.nourished(side)):
            shows[cell] = replace(shows[cell], state=NOURISHED, by=side)
    _show_turn(scene, shows)
    return shows


def _show_turn(scene: Scene[Dendria], shows: dict[int, Show]) -> None:
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
                for cell, trail in _trail(scene.geometry, start, stops[-1]).items():
                    shows[cell] = replace(shows.get(cell, Show()), trail=trail, stop=cell in stops[:-1])
                shows[start] = replace(shows[start], side=side, ghost=True)
                shows[stops[-1]] = replace(shows[stops[-1]], fresh=True)
            case Territory(side, cells):
                for cell in cells:
                    shows[cell] = replace(shows.get(cell, Show()), counts=side)


def _trail(geometry: Geometry, start: int, end: int) -> dict[int, int]:
    """The cells from ``start`` to ``end``, each with the bits of the directions of its neighbours on the trail."""
    rays = geometry.board.rays[start]
    way = next(ray[: ray.index(end) + 1] for ray in rays if end in ray)
    trail = dict.fromkeys((start, *way), 0)
    for one, other in zip((start, *way), way, strict=False):
        trail[one] |= 1 << geometry.neighbours[one].index(other)
        trail[other] |= 1 << geometry.neighbours[other].index(one)
    return trail
