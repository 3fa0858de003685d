"""The fields in the corners of a picture: the two sides above, the legend and the last turn below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from PIL import Image

from render import sprites
from render.cache import cached
from render.layout import MARGIN, Box, Layout
from render.look import Scene
from render.sprites import Canvas, Tile
from render.theme import Theme
from rules import Flipped, Moved, Passed, Phase, Placed, Side, SideChosen, Tally
from rules.text import later

if TYPE_CHECKING:
    from render.face import Face

#: A part of a line in a corner: an icon's kind and side, or words.
Part: TypeAlias = tuple[str, Side] | str

_WIDTH, _HEIGHT, _INSET = 268, 90, 16
_LARGE, _SMALL = 46, 25
_ICON, _ROW = 46, 54
#: Between the parts of a line. An icon belongs to the number beside it, so an empty part keeps it from other numbers.
_SPACE = 6
_APART = ""

_DONE = {
    "flipped": later("flipped"),
    "captured": later("captured"),
    "lowered": later("lowered"),
    "raised": later("raised"),
    "sprouted": later("sprouted"),
    "germinated": later("germinated"),
}


def field_box(side: Side, width: int) -> Box:
    """Where a side's field lies in a picture of that width."""
    left = _INSET if side is Side.FIRST else width - _INSET - _WIDTH
    return left, _INSET, left + _WIDTH, _INSET + _HEIGHT


def draw(image: Image.Image, scene: Scene, face: Face, theme: Theme) -> None:
    """Fill the four corners."""
    scores = face.scores(scene)
    for side in Side:
        _draw_side(image, scene, face, theme, side, scores[side])
    legend: list[list[Part]] = [[(kind, Side.SECOND), scene.texts.gettext(word)] for kind, word in face.legend]
    for row, parts in enumerate(reversed(legend)):
        _draw_row(image, scene.place, face, theme, parts, (MARGIN, _row_middle(image, row)), 1, theme.number)
    for row, parts in enumerate(reversed(turn_rows(scene, face))):
        at = image.width - MARGIN, _row_middle(image, row)
        _draw_row(image, scene.place, face, theme, parts, at, -1, theme.text)


def _draw_side(image: Image.Image, scene: Scene, face: Face, theme: Theme, side: Side, score: str) -> None:
    """A side's score in its upper corner; the field of the side to play, or that won, stands out."""
    caption, active = _caption(scene, side)
    ground, strong, soft = (
        (theme.raised, theme.text, theme.letter) if active else (theme.panel, theme.number, theme.number)
    )
    left, top, right, bottom = field_box(side, image.width)
    # The second side's field is the first one's seen in a mirror.
    edge, inward, align = (left, 1, "l") if side is Side.FIRST else (right, -1, "r")
    middle = (top + bottom) / 2
    if active:
        sprites.paste(image, _field(theme), (left, middle), "l")
    sprites.paste(image, face.icon("plain", side, 70, ground, theme), (edge + inward * 49, middle))
    number = sprites.text(score, _LARGE, strong, ground, theme)
    sprites.paste(image, number, (edge + inward * 95, middle - 16), align)
    size = _fitting(caption, _SMALL, _WIDTH - 106)
    sprites.paste(image, sprites.text(caption, size, soft, ground, theme), (edge + inward * 96, middle + 25), align)
    counts = face.counts(scene, side)
    for row, first in enumerate(range(0, len(counts), 2)):
        # The board leaves no room for more than two side by side.
        parts: list[Part] = []
        for kind, count in counts[first : first + 2]:
            parts += [*([_APART] if parts else []), (kind, side), count]
        at = edge + inward * 26, bottom + 34 + row * 42
        _draw_row(image, scene.place, face, theme, parts[::inward], at, inward, theme.number)


@lru_cache(maxsize=1024)
def _fitting(text: str, size: int, width: int) -> int:
    """The largest font size, up to that one, at which the text is no wider."""
    while size > 14 and sprites.font(size).getlength(text) > width:
        size -= 1
    return size


def _caption(scene: Scene, side: Side) -> tuple[str, bool]:
    """What stands below a side's score, and whether the side is to act, or won."""
    position, ended, texts = scene.position, scene.ended, scene.texts
    name = scene.side(side)
    if ended is not None:
        if ended.winner is None:
            drawn = position.second_player is not None and not ended.abandoned
            return (texts.gettext("draw"), True) if drawn else (name, False)
        return (texts.gettext("{side} wins").format(side=name), True) if ended.winner is side else (name, False)
    match position.phase:
        case Phase.OPENING:
            return (texts.gettext("{side} opens").format(side=name), True) if side is Side.FIRST else (name, False)
        case Phase.CHOICE:
            return f"{name}?", True
    return (texts.gettext("{side} to play").format(side=name), True) if position.turn_of is side else (name, False)


@cached
def _field(theme: Theme) -> Tile:
    canvas = Canvas(0, 0, _WIDTH, _HEIGHT, theme.panel)
    canvas.field((0, 0, _WIDTH, _HEIGHT), 24, theme.letter)
    canvas.field((3, 3, _WIDTH - 3, _HEIGHT - 3), 21, theme.raised)
    return sprites.cut_out(canvas.done(theme), theme.panel, theme)


def _draw_row(
    image: Image.Image,
    place: Layout,
    face: Face,
    theme: Theme,
    parts: Sequence[Part],
    at: tuple[float, float],
    inward: int,
    colour: tuple[int, int, int],
) -> None:
    """Icons and words in a line, from the left (``inward`` 1) or up to the right (-1) rim of the picture.

    The words shrink where a label of the board would be in their way.
    """
    x, y = at
    tiles = {part: face.icon(*part, _ICON, theme.panel, theme) for part in parts if not isinstance(part, str)}
    taken = _SPACE * len(parts) + (x if inward == 1 else place.width - x)
    taken += sum(tiles[part].image.width if part in tiles else 2 for part in parts)
    room = _room(place, round(y - _ICON / 2), round(y + _ICON / 2), inward)
    size = _fitting("".join(part for part in parts if isinstance(part, str)), _SMALL, int(room - taken))
    for part in parts[::inward]:
        tile = sprites.text(part, size, colour, theme.panel, theme) if isinstance(part, str) else tiles[part]
        sprites.paste(image, tile, (x, y), "l" if inward == 1 else "r")
        x += inward * (tile.image.width + _SPACE)


@lru_cache(maxsize=256)
def _room(place: Layout, top: int, bottom: int, inward: int) -> float:
    """The width of what is free between two heights, from the left (1) or the right (-1) rim to the board's labels."""
    labels = [sprites.label_box(label, place) for label in (*place.letters, *place.numbers, *place.names)]
    beside = [box for box in labels if box[1] < bottom and box[3] > top]
    if inward == 1:
        return min((box[0] for box in beside if box[0] < place.width / 2), default=place.width / 2)
    return place.width - max((box[2] for box in beside if box[2] > place.width / 2), default=place.width / 2)


def _row_middle(image: Image.Image, row: int) -> float:
    """The middle of a row in the lower corners, counted from below."""
    return image.height - MARGIN - _ICON / 2 - row * _ROW


def turn_rows(scene: Scene, face: Face) -> list[list[Part]]:
    """What the last turn did, in at most four lines: the marks on the board and what they mean.

    The icons' kinds are ``plain``, ``placed``, ``flipped``, ``captured``, ``lowered``, ``raised``, ``moved``,
    ``sprouted`` and ``germinated``, each for the side that has the piece.
    """
    return [*_placed(scene, runs=face.runs), *_acts(scene), *_done(scene)][:4]


def _placed(scene: Scene, *, runs: bool) -> list[list[Part]]:
    """A line for each side with new pieces: the cell, or the first and the last one of a run."""
    on = scene.position.board
    placed: dict[Side, list[int]] = {}
    last: dict[Side, int] = {}
    for event in scene.events:
        if isinstance(event, Placed):
            placed.setdefault(event.side, []).append(event.cell)
            last[event.side] = event.cell
        elif isinstance(event, Flipped) and runs:
            placed.setdefault(event.side, []).extend(event.cells)
    rows: list[list[Part]] = []
    for side, end in last.items():
        _, start = max((on.distance(cell, end), cell) for cell in placed[side])
        rows.append([("placed", side), " – ".join(dict.fromkeys((on.name(start), on.name(end))))])
    return rows


def _acts(scene: Scene) -> list[list[Part]]:
    gettext, on = scene.texts.gettext, scene.position.board
    rows: list[list[Part]] = []
    for event in scene.events:
        match event:
            case Passed(side):
                rows.append([("plain", side), gettext("passed")])
            case SideChosen(side):
                rows.append([("plain", side), gettext("chosen")])
            case Moved(side, start, stops):
                rows.append([("moved", side), f"{on.name(start)} → {on.name(stops[-1])}"])
    return rows


def _done(scene: Scene) -> list[list[Part]]:
    """What was done to how many pieces of each side, or by how much their heights changed."""
    tally = Tally(scene.events)
    done = {
        "flipped": [cells.bit_count() for cells in tally.flipped],
        "captured": [cells.bit_count() for cells in tally.captured],
        "lowered": tally.lowered,
        "raised": tally.raised,
        "sprouted": [cells.bit_count() for cells in tally.sprouted],
        "germinated": [cells.bit_count() for cells in tally.germinated],
    }
    rows: list[list[Part]] = []
    for kind, counts in done.items():
        parts: list[Part] = []
        for side in Side:
            if counts[side]:
                parts += [*([_APART] if parts else []), (kind, side), str(counts[side])]
        if parts:
            rows.append([*parts, scene.texts.gettext(_DONE[kind])])
    return rows
