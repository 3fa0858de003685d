"""Whole pictures of positions: the empty board, the pieces on it, the header and the corners."""

from __future__ import annotations

import zlib
from typing import Any

from PIL import Image

from render import corners, header
from render.cache import cached
from render.canvas import bands
from render.colours import Theme
from render.face import Face
from render.geometry import Geometry
from render.palette import blank_image
from render.scene import P, Scene
from render.text import write


def paint(scene: Scene[P]) -> Image.Image:
    """The whole picture, mode P."""
    image = paint_board(scene)
    header.draw(image, scene)
    corners.draw(image, scene)
    return image


def paint_board(scene: Scene[P]) -> Image.Image:
    """The picture with the board alone, mode P."""
    image = empty_board(scene)
    scene.face.draw(image, scene)
    return image


def empty_board(scene: Scene[P]) -> Image.Image:
    """The picture without pieces: background, cells and labels, and room for a footer below."""
    geometry, theme = scene.geometry, scene.theme
    image = blank_image(theme, geometry.width, geometry.height + scene.footer)
    board = zlib.decompress(_packed_board(scene.face, theme, geometry, scene.coordinates))
    image.frombytes(board + bytes([theme.palette.index(theme.background)]) * (geometry.width * scene.footer))
    return image


@cached
def _packed_board(face: Face[Any], theme: Theme, geometry: Geometry, coordinates: bool) -> bytes:
    """The pixels of :func:`empty_board`, compressed to far less than a megabyte.

    Decompressing takes a millisecond; drawing takes more than a hundred.
    """
    image = blank_image(theme, geometry.width, geometry.height)
    for top, canvas in bands(geometry.width, 0, geometry.height, theme.background):
        reach, bottom = geometry.cell_height, top + canvas.height
        near = [cell for cell in geometry.cells if top - reach < geometry.centres[cell][1] < bottom + reach]
        face.draw_ground(canvas, geometry, near, theme)
        image.paste(canvas.done(theme), (0, top))
    if coordinates:
        write_labels(image, geometry, theme)
    return zlib.compress(image.tobytes(), 1)


def write_labels(image: Image.Image, geometry: Geometry, theme: Theme) -> None:
    for label in geometry.labels:
        colour = theme.number if label.text.isdecimal() else theme.letter
        write(image, label.text, geometry.label_size, colour, (label.x, label.y), theme)
