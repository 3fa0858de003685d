"""What the pictures of all games share: the order of painting, and what a game's own face has to draw."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from PIL import Image

from render import panel, sprites, words
from render.cache import cached
from render.layout import Layout
from render.look import Scene
from render.sprites import Canvas, Tile
from render.theme import Colour, Theme
from rules import Side

#: Draws marks over a picture: what it shows, the chosen cell (None when there is none), and the layer to draw on.
Overlay: TypeAlias = Callable[[Scene, int | None, Canvas], None]


class Face(ABC):
    """How one game looks. There is one object a game; it holds no state, so any number of threads may use it."""

    #: A theme of each scheme.
    themes: Mapping[str, Theme]
    #: The kinds of :meth:`icon` that the legend in the lower left corner explains, each with its word.
    legend: Sequence[tuple[str, str]] = ()
    #: Whether a turn is a run of cells, of which some may be flipped.
    runs: bool = False
    #: Marks that a picture shows on request, by name.
    overlays: Mapping[str, Overlay] = {}
    #: The same in words.
    overlay_titles: Mapping[str, str] = {}

    @abstractmethod
    def draw(self, image: Image.Image, scene: Scene, theme: Theme) -> None:
        """Paste the pieces, and the marks of the last turn, on a copy of the empty board (mode P)."""

    @abstractmethod
    def icon(self, kind: str, side: Side, height: int, ground: Colour, theme: Theme) -> Tile:
        """A piece outside the board, as high as a cell of ``height`` pixels, for that ground. Keep what you draw.

        Kinds are ``plain``, those of the legend and of :meth:`counts`, and those that :func:`panel.turn_rows` names for
        the events of this game.
        """

    @abstractmethod
    def clauses(self, scene: Scene) -> list[list[str]]:
        """The position in words, for :func:`words.fit`, after the heading and the last turn."""

    def draw_ground(self, canvas: Canvas, place: Layout, cells: Sequence[int], theme: Theme) -> None:
        """Draw the board below the pieces, of which ``cells`` may touch the canvas."""
        for cell in cells:
            canvas.polygon(place.grid.hexagon(place.centres[cell]), theme.tray, place.step * 0.06)
        for cell in cells:
            sprites.draw_cell(canvas, place.grid, place.centres[cell], theme.cell)

    def scores(self, scene: Scene) -> tuple[str, str]:
        """The large number of each side, in its upper corner."""
        scores = [words.number(score) for score in scene.position.score().values() if not isinstance(score, list)]
        first, second = scores
        return first, second

    def counts(self, scene: Scene, side: Side) -> Sequence[tuple[str, str]]:
        """Smaller numbers below a side's score, each with the kind of the :meth:`icon` before it."""
        return ()

    def paint(self, scene: Scene) -> Image.Image:
        """The whole picture, mode P."""
        theme = self.themes[scene.look.scheme]
        image = self.paint_board(scene)
        panel.draw(image, scene, self, theme)
        sprites.round_corners(image, theme)
        return image

    def paint_board(self, scene: Scene) -> Image.Image:
        """The picture without its corners, mode P."""
        theme = self.themes[scene.look.scheme]
        image = empty_board(self, theme, scene.place, scene.look.coordinates and not scene.bare)
        self.draw(image, scene, theme)
        return image

    def describe(self, scene: Scene) -> str:
        """The picture in words, in less than 1,024 characters."""
        return words.fit([[words.heading(scene)], words.last_turn(scene), *self.clauses(scene)])


def empty_board(face: Face, theme: Theme, place: Layout, coordinates: bool) -> Image.Image:
    """The picture without pieces: panel, cells and labels."""
    image = sprites.blank(theme, place.width, place.height)
    image.frombytes(zlib.decompress(_packed_board(face, theme, place, coordinates)))
    return image


@cached
def _packed_board(face: Face, theme: Theme, place: Layout, coordinates: bool) -> bytes:
    """Its pixels, packed: unpacking takes a millisecond, drawing takes three hundred; plain they are a megabyte."""
    image = sprites.blank(theme, place.width, place.height)
    # In bands, since the whole board would take 250 MB at the scale at which it is drawn.
    for top in range(0, place.height, sprites.BAND):
        canvas = Canvas(0, top, place.width, min(sprites.BAND, place.height - top), theme.panel)
        if coordinates:
            for tick in place.ticks:
                canvas.line(tick, theme.tick, 2)
        near = [
            cell for cell in place.cells if top - place.step < place.centres[cell][1] < top + sprites.BAND + place.step
        ]
        face.draw_ground(canvas, place, near, theme)
        image.paste(canvas.done(theme), (0, top))
    if coordinates:
        for labels, colour in (
            (place.letters, theme.letter),
            (place.numbers, theme.number),
            (place.names, theme.letter),
        ):
            for label in labels:
                tile = sprites.text(label.text, place.label_size, colour, theme.panel, theme)
                sprites.paste(image, tile, (label.x, label.y))
    return zlib.compress(image.tobytes(), 1)
