"""Whole pictures of positions: the empty board, the pieces on it, the header and the corners."""

from __future__ import annotations

import zlib
from typing import Any

from PIL import Image

from render import corners, header
from render.cache import cached
from render.canvas import bands, blank_image, paste_tile, round_corners, text_tile
from render.colours import Theme
from render.face import Face
from render.geometry import Geometry
from render.scene import P, Scene


def paint(face: Face[P], scene: Scene[P]) -> Image.Image:
    """The whole picture, mode P."""
    image = paint_square(face, scene)
    round_corners(image)
    return image


def paint_square(face: Face[P], scene: Scene[P]) -> Image.Image:
    """The picture before its corners are rounded, mode P."""
    theme = face.themes[scene.look.theme]
    image = paint_board(face, scene)
    header.draw(image, scene, face, theme)
    corners.draw(image, scene, face, theme)
    return image


def in_full_colour(image: Image.Image) -> Image.Image:
    """A picture whose corners are not rounded yet, mode RGB."""
    del image.info["transparency"]  # no pixel is transparent, and Pillow warns of it
    return image.convert("RGB")


def paint_board(face: Face[P], scene: Scene[P]) -> Image.Image:
    """The picture with the board alone, mode P."""
    theme = face.themes[scene.look.theme]
    image = empty_board(face, theme, scene.geometry, scene.coordinates, scene.footer)
    face.draw(image, scene, theme)
    return image


def empty_board(face: Face[Any], theme: Theme, geometry: Geometry, coordinates: bool, footer: int = 0) -> Image.Image:
    """The picture without pieces: background, cells and labels, and below them the room for a footer."""
    image = blank_image(theme, geometry.width, geometry.height + footer)
    board = zlib.decompress(_packed_board(face, theme, geometry, coordinates))
    image.frombytes(board + bytes([theme.palette.index(theme.background)]) * (geometry.width * footer))
    return image


@cached
def _packed_board(face: Face[Any], theme: Theme, geometry: Geometry, coordinates: bool) -> bytes:
    """The pixels of :func:`empty_board`, compressed to far less than a megabyte.

    Decompressing them takes a millisecond, drawing them more than a hundred.
    """
    image = blank_image(theme, geometry.width, geometry.height)
    for top, canvas in bands(geometry.width, 0, geometry.height, theme.background):
        reach, bottom = geometry.step, top + canvas.height
        near = [cell for cell in geometry.cells if top - reach < geometry.centres[cell][1] < bottom + reach]
        face.draw_ground(canvas, geometry, near, theme)
        image.paste(canvas.done(theme), (0, top))
    if coordinates:
        for labels, colour in ((geometry.letters, theme.letter), (geometry.numbers, theme.number)):
            for label in labels:
                tile = text_tile(label.text, geometry.label_size, colour, theme.background, theme)
                paste_tile(image, tile, (label.x, label.y))
    return zlib.compress(image.tobytes(), 1)
