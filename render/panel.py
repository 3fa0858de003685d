"""The fields in the corners of a picture: the two sides above, the last turn and the legend below."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache

from PIL import Image

from render import sprites
from render.layout import MARGIN, Box
from render.sprites import Canvas, Tile
from render.theme import Colour, Theme
from render.words import Ending
from rules import Event, Flipped, Passed, Phase, Placed, Position, Side, SideChosen

#: Draws a cell outside the board: what its stone is, the stone's side, the cell's height in pixels, the ground.
Icon = Callable[[str, Side, int, Colour], Tile]

_WIDTH, _HEIGHT, _INSET = 268, 90, 16
_LARGE, _SMALL = 46, 25
_ICON, _ROW = 46, 54


def field_box(side: Side, width: int) -> Box:
    """Where a side's field lies in a picture of that width."""
    left = _INSET if side is Side.FIRST else width - _INSET - _WIDTH
    return left, _INSET, left + _WIDTH, _INSET + _HEIGHT


def sides(
    image: Image.Image, theme: Theme, position: Position, ended: Ending | None, scores: Sequence[str], icon: Icon
) -> None:
    """Each side's score in an upper corner; the field of the side to play, or that won, stands out."""
    for side in Side:
        caption, active = _caption(position, ended, side)
        ground, strong, soft = (
            (theme.raised, theme.text, theme.letter) if active else (theme.panel, theme.number, theme.number)
        )
        left, top, right, bottom = field_box(side, image.width)
        # The second side's field is the first one's seen in a mirror.
        edge, inward, align = (left, 1, "l") if side is Side.FIRST else (right, -1, "r")
        middle = (top + bottom) / 2
        if active:
            sprites.paste(image, _field(theme), (left, middle), "l")
        sprites.paste(image, icon("plain", side, 70, ground), (edge + inward * 49, middle))
        score = sprites.text(scores[side], _LARGE, strong, ground, theme)
        sprites.paste(image, score, (edge + inward * 100, middle - 16), align)
        sprites.paste(
            image, sprites.text(caption, _SMALL, soft, ground, theme), (edge + inward * 101, middle + 25), align
        )


def _caption(position: Position, ended: Ending | None, side: Side) -> tuple[str, bool]:
    """What stands below a side's score, and whether the side is to act, or won."""
    name = position.sides[side].capitalize()
    if ended is not None:
        if ended.winner is None:
            return (name, False) if position.second_player is None else ("draw", True)
        return (f"{name} wins", True) if ended.winner is side else (name, False)
    match position.phase:
        case Phase.OPENING:
            return (f"{name} opens", True) if side is Side.FIRST else (name, False)
        case Phase.CHOICE:
            return f"{name}?", True
    return (f"{name} to play", True) if position.turn_of is side else (name, False)


@cache
def _field(theme: Theme) -> Tile:
    canvas = Canvas(0, 0, _WIDTH, _HEIGHT, theme.panel)
    canvas.field((0, 0, _WIDTH, _HEIGHT), 24, theme.letter)
    canvas.field((3, 3, _WIDTH - 3, _HEIGHT - 3), 21, theme.raised)
    return sprites.cut_out(canvas.done(theme), theme.panel, theme)


def last_turn(image: Image.Image, theme: Theme, position: Position, events: Sequence[Event], icon: Icon) -> None:
    """What the last turn did, in the lower right corner: the marks on the board and what they mean."""

    def stone(kind: str, side: Side) -> Tile:
        return icon(kind, side, _ICON, theme.panel)

    def text(words: str) -> Tile:
        return sprites.text(words, _SMALL, theme.text, theme.panel, theme)

    rows: list[list[Tile]] = []
    flips = [0, 0]
    for event in events:
        match event:
            case Placed(side, cell):
                rows.append([stone("placed", side), text(position.board.name(cell))])
            case Passed(side):
                rows.append([stone("plain", side), text("passed")])
            case SideChosen(side):
                rows.append([stone("plain", side), text("chosen")])
            case Flipped(side, cells):
                flips[side] += len(cells)
    if any(flips):
        counts = [(stone("flipped", side), text(str(flips[side]))) for side in Side if flips[side]]
        rows.append([*itertools.chain(*counts), text("flipped")])
    for row, tiles in enumerate(reversed(rows)):
        x: float = image.width - MARGIN
        for tile in reversed(tiles):
            sprites.paste(image, tile, (x, _row_middle(image, row)), "r")
            x -= tile.image.width + 6


def _row_middle(image: Image.Image, row: int) -> float:
    """The middle of a row in the lower corners, counted from below."""
    return image.height - MARGIN - _ICON / 2 - row * _ROW


def legend(image: Image.Image, theme: Theme, kinds: Sequence[str], icon: Icon) -> None:
    """What the stones' shapes mean, in the lower left corner."""
    for row, kind in enumerate(reversed(kinds)):
        y = _row_middle(image, row)
        sprites.paste(image, icon(kind, Side.SECOND, _ICON, theme.panel), (MARGIN, y), "l")
        sprites.paste(image, sprites.text(kind, _SMALL, theme.number, theme.panel, theme), (MARGIN + 66, y), "l")
