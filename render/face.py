"""The interface of a game's pictures and descriptions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from inspect import getfile
from pathlib import Path
from typing import Generic

from PIL import Image

from render import turns
from render.canvas import Canvas, Tile, draw_cell
from render.colours import Colour, Theme
from render.formatting import format_score
from render.geometry import Geometry
from render.scene import P, Scene
from render.signs import Overlay
from render.turns import Row
from rules import Record, Side

#: The file beside a face that holds its example.
EXAMPLE = "example.txt"


class Face(ABC, Generic[P]):
    """The pictures and the alternative texts of one game.

    There is one object for each game. It has no state, so any number of threads may use it.
    """

    #: The game's themes by name, one for each of :data:`render.THEME_NAMES`.
    themes: Mapping[str, Theme]
    #: The kinds of :meth:`icon` that the legend can explain, with a word for each.
    legend: Sequence[tuple[str, str]] = ()
    #: An emoji and a colour by which the game is known wherever it is named.
    sign: str = "⬡"
    colour: Colour = (91, 140, 62)
    #: The game's own overlays.
    overlays: Sequence[Overlay[P]] = ()

    @classmethod
    def example(cls) -> Record:
        """The record of a game, whose positions stand for the game in lists and galleries."""
        return Record.parse(Path(getfile(cls)).with_name(EXAMPLE).read_text(encoding="utf-8"))

    @abstractmethod
    def draw(self, image: Image.Image, scene: Scene[P], theme: Theme) -> None:
        """Paste the pieces and the marks of the last turn on a copy of the empty board (mode P)."""

    @abstractmethod
    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        """A piece outside the board, as high as a cell of ``height`` pixels, on that ground; results are cached.

        The kinds are ``plain``, ``placed``, and the kinds in :meth:`legend_rows`, :meth:`counts` and :meth:`turn_rows`.
        """

    @abstractmethod
    def clauses(self, scene: Scene[P]) -> list[list[str]]:
        """The position in words, for :func:`render.alt_text.fit`, to follow the heading and the last turn."""

    def draw_ground(self, canvas: Canvas, geometry: Geometry, cells: Sequence[int], theme: Theme) -> None:
        """Draw the board below the pieces; only ``cells`` can touch the canvas."""
        for cell in cells:
            canvas.polygon(geometry.grid.hexagon(geometry.centres[cell]), theme.tray, geometry.step * 0.06)
        for cell in cells:
            draw_cell(canvas, geometry.grid, geometry.centres[cell], theme.cell)

    def numbered(self, scene: Scene[P]) -> Collection[int]:
        """The empty cells in whose middle there is a number, which marks must not hide."""
        return ()

    def scores(self, scene: Scene[P]) -> tuple[str, str]:
        """The large number of each side, in the header."""
        scores = [format_score(score) for score in scene.position.score().values() if not isinstance(score, list)]
        first, second = scores
        return first, second

    def counts(self, scene: Scene[P], side: Side) -> Sequence[Row]:
        """Further counts of a side, below the header."""
        return ()

    def marks(self, scene: Scene[P]) -> Mapping[str, bool]:
        """Whether the picture shows each kind of :attr:`legend`."""
        return {kind: True for kind, _ in self.legend}

    def legend_rows(self, scene: Scene[P]) -> list[Row]:
        """The pieces and marks on the board and their meanings, without the last turn."""
        shown = self.marks(scene)
        return [[(kind, Side.SECOND), scene.texts.gettext(word)] for kind, word in self.legend if shown.get(kind)]

    def turn_rows(self, scene: Scene[P]) -> list[Row]:
        """The marks of the last turn and their meanings. A picture has room for four rows."""
        tally, ngettext = scene.tally, scene.texts.ngettext
        return [
            *turns.placement_rows(scene),
            *turns.choice_rows(scene),
            *turns.cell_count_rows("flipped", tally.flipped, lambda count: ngettext("flipped", "flipped", count)),
            *turns.cell_count_rows("captured", tally.captured, lambda count: ngettext("captured", "captured", count)),
        ]

    def turn_clauses(self, scene: Scene[P], with_cells: bool) -> list[str]:
        """The last turn in words, with or without lists of the cells where pieces changed."""
        tally, ngettext = scene.tally, scene.texts.ngettext

        def flipped(count: int) -> str:
            return ngettext("{count} stone flipped to {side}", "{count} stones flipped to {side}", count)

        def captured(count: int) -> str:
            return ngettext("{count} stone of {side} captured", "{count} stones of {side} captured", count)

        return [
            *turns.placement_clauses(scene),
            *turns.choice_clauses(scene),
            *turns.change_clauses(scene, tally.flipped, flipped, with_cells),
            *turns.change_clauses(scene, tally.captured, captured, with_cells),
        ]
