"""The interface for a game's pictures and descriptions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from inspect import getfile
from pathlib import Path
from typing import Generic

from PIL import Image

from render.alt_text import change_clauses, choice_clauses, placement_clauses
from render.canvas import Canvas, draw_cell
from render.colours import Colour, Theme
from render.corners import Row, cell_count_rows, choice_rows, placement_rows
from render.geometry import Geometry
from render.palette import Tile
from render.scene import P, Scene
from render.signs import Overlay
from rules import Record, Side
from rules.text import format_score, ngettext_noop


class Face(ABC, Generic[P]):
    """The pictures and the alternative texts of one game.

    Each game has a single object, which has no state and serves any number of threads.
    """

    #: The game's themes by name, one for each of :data:`render.THEME_NAMES`.
    themes: Mapping[str, Theme]
    #: The kinds of :meth:`icon` that the legend can explain, with a word for each.
    legend: Sequence[tuple[str, str]] = ()
    #: An emoji and a colour that stand for the game wherever it is named.
    emoji: str = "⬡"
    colour: Colour = (91, 140, 62)
    #: The game's own overlays.
    overlays: Sequence[Overlay[P]] = ()

    @classmethod
    def example(cls) -> Record:
        """The record in ``example.txt`` beside the face, for positions in lists and galleries."""
        return Record.parse(Path(getfile(cls)).with_name("example.txt").read_text(encoding="utf-8"))

    @abstractmethod
    def draw(self, image: Image.Image, scene: Scene[P]) -> None:
        """Paste the pieces and the marks of the last turn on the empty board (mode P)."""

    @abstractmethod
    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        """A piece outside the board, as high as a cell of ``height`` pixels, on that ground; results are cached.

        The kinds are ``plain``, ``placed``, and the kinds in :meth:`legend_rows`, :meth:`counts` and :meth:`turn_rows`.
        """

    @abstractmethod
    def clauses(self, scene: Scene[P]) -> list[list[str]]:
        """The position in words, for :func:`render.alt_text.fit`, after the heading and the last turn."""

    def draw_ground(self, canvas: Canvas, geometry: Geometry, cells: Sequence[int], theme: Theme) -> None:
        """Draw the board below the pieces; only the given ``cells`` can touch the canvas."""
        for cell in cells:
            canvas.polygon(geometry.grid.hexagon(geometry.centres[cell]), theme.tray, geometry.cell_height * 0.06)
        for cell in cells:
            draw_cell(canvas, geometry.grid, geometry.centres[cell], self.ground(cell, geometry, theme))

    def ground(self, cell: int, geometry: Geometry, theme: Theme) -> Colour:
        """The colour of an empty cell."""
        return theme.cell

    def numbered(self, scene: Scene[P]) -> Collection[int]:
        """The empty cells with a number in the middle, which marks must not hide."""
        return ()

    def scores(self, scene: Scene[P]) -> tuple[str, str]:
        """The large number of each side in the header; empty in a game without points."""
        numbers = [format_score(score) for score in scene.position.score().values() if not isinstance(score, list)]
        first, second = numbers or ("", "")
        return first, second

    def counts(self, scene: Scene[P], side: Side) -> Sequence[Row]:
        """Further counts of a side, below the header."""
        return ()

    def marks(self, scene: Scene[P]) -> Mapping[str, bool]:
        """Whether the picture shows each kind of :attr:`legend`."""
        return {kind: True for kind, _ in self.legend}

    def legend_rows(self, scene: Scene[P]) -> list[Row]:
        """The pieces and marks on the board with their meanings, without the last turn."""
        shown = self.marks(scene)
        return [[(kind, Side.SECOND), scene.texts.gettext(word)] for kind, word in self.legend if shown.get(kind)]

    def placement_rows(self, scene: Scene[P]) -> list[Row]:
        """The new pieces of the last turn."""
        return placement_rows(scene)

    def turn_rows(self, scene: Scene[P]) -> list[Row]:
        """The marks of the last turn with their meanings. A picture has room for four rows."""
        tally = scene.tally
        return [
            *self.placement_rows(scene),
            *choice_rows(scene),
            *cell_count_rows(scene, "flipped", tally.flipped, ngettext_noop("flipped", "flipped")),
            *cell_count_rows(scene, "captured", tally.captured, ngettext_noop("captured", "captured")),
        ]

    def turn_clauses(self, scene: Scene[P], with_cells: bool) -> list[str]:
        """The last turn in words, with or without lists of the cells on which pieces changed."""
        flipped = ngettext_noop("{count} stone flipped to {side}", "{count} stones flipped to {side}")
        captured = ngettext_noop("{count} stone of {side} captured", "{count} stones of {side} captured")
        return [
            *placement_clauses(scene),
            *choice_clauses(scene),
            *change_clauses(scene, scene.tally.flipped, flipped, with_cells),
            *change_clauses(scene, scene.tally.captured, captured, with_cells),
        ]
