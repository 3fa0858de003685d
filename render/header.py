"""The header of a picture, with the players, their sides and scores, and the turn; and the footer of shared pictures.

Two fields stand side by side above the board, the first side's on the left. All text is large enough for a phone; long
names end in an ellipsis. Without room for words, only the highlight of a field shows whose turn it is.
"""

from __future__ import annotations

from PIL import Image

from render.cache import cached
from render.canvas import Canvas
from render.colours import Colour, Theme
from render.geometry import HEADER, WIDE, Box, Geometry, least_text
from render.palette import Tile, cut_out, paste_tile
from render.scene import P, Scene
from render.text import text_tile, text_width, trimmed, write
from rules import Phase, Position, Side

#: The space around and between the fields, and between the parts of a field.
_INSET, _BETWEEN, _PADDING, _SPACE = 12, 12, 18, 12
_ICON, _SCORE = 68, 62
#: The distances of a field's two lines from its top.
_NAME, _CAPTION = 38, 104


def field_box(side: Side, geometry: Geometry) -> Box:
    """The box of a side's field in the picture."""
    unit = geometry.unit
    left, right = ((_INSET, (WIDE - _BETWEEN) / 2), ((WIDE + _BETWEEN) / 2, WIDE - _INSET))[side]
    return left * unit, _INSET * unit, right * unit, (HEADER - 4) * unit


def draw(image: Image.Image, scene: Scene[P]) -> None:
    """Draw both fields at the top of the picture and, in a shared picture, the footer."""
    for side, score in zip(Side, scene.face.scores(scene), strict=True):
        _draw_field(image, scene, side, score)
    if scene.footer:
        _draw_footer(image, scene)


def _draw_field(image: Image.Image, scene: Scene[P], side: Side, score: str) -> None:
    """A side's field, highlighted for the side to play and for the winner."""
    theme, unit, size = scene.theme, scene.geometry.unit, least_text(scene.geometry.width)
    name, (captions, active) = scene.player(side), _captions(scene, side)
    if not trimmed(name, size, image.width):
        name, captions = captions[0], [""]
    ground, strong, soft = (
        (theme.highlight, theme.text, theme.letter) if active else (theme.background, theme.number, theme.number)
    )
    if scene.moving:
        # The line around the field suffices.
        captions = captions if _sides_are_open(scene) else captions[-1:]
        ground, strong, soft = theme.background, theme.text, theme.number
    left, top, right, bottom = field_box(side, scene.geometry)
    if active:
        field = _field(theme, round(right - left), round(bottom - top), unit, ground)
        paste_tile(image, field, (left, (top + bottom) / 2), "l")
    # The second side's field mirrors the first one's.
    edge, inward, near, far = (
        (left + _PADDING * unit, 1, "l", "r") if side is Side.FIRST else (right - _PADDING * unit, -1, "r", "l")
    )
    room = right - left - 2 * _PADDING * unit
    write(image, trimmed(name, size, room), size, theme.text, (edge, top + _NAME * unit), theme, near, ground)
    line, far_edge = top + _CAPTION * unit, edge + inward * room
    if not (_sides_are_open(scene) and side is Side.SECOND):
        icon = scene.face.icon("plain", side, round(_ICON * unit), ground, theme)
        paste_tile(image, icon, (edge, line), near)
        taken = icon.image.width + _SPACE * unit
        edge, room = edge + inward * taken, room - taken
    if score and not _sides_are_open(scene):
        large = round(_SCORE * unit)
        # A shorter wording leaves room for a large score.
        beside = room - text_width(score, large) - _SPACE * unit
        captions = [words for words in captions if text_width(words, size) <= beside] or captions
        if text_width(captions[0], size) > beside:
            large = size
        number = text_tile(score, large, strong, ground, theme)
        paste_tile(image, number, (far_edge, line), far)
        room -= number.image.width + _SPACE * unit
    fitting = [words for words in captions if words and text_width(words, size) <= room]
    if fitting:
        write(image, fitting[0], size, soft, (edge, line), theme, near, ground)


def _sides_are_open(scene: Scene[Position]) -> bool:
    """Whether the players are known, but not yet their sides."""
    return scene.header is not None and scene.position.second_player is None


def _captions(scene: Scene[Position], side: Side) -> tuple[list[str], bool]:
    """A side's captions, the longest first, and whether it is to act or has won."""
    conclusion, gettext = scene.conclusion, scene.texts.gettext
    name, sides_are_open = scene.side(side), _sides_are_open(scene)
    if conclusion is not None:
        if conclusion.winner is None:
            drawn = scene.position.second_player is not None and not conclusion.abandoned
            return ([gettext("draw"), name], True) if drawn else (["" if sides_are_open else name], False)
        won = [gettext("{side} wins").format(side=name), gettext("wins"), name]
        return (won, True) if conclusion.winner is side else ([name], False)
    match scene.awaiting.phase:
        case Phase.OPENING:
            if side is Side.FIRST:
                return [gettext("{side} opens").format(side=name), name], True
            return [gettext("then picks a side") if sides_are_open else name], False
        case Phase.CHOICE:
            if not sides_are_open:
                return [f"{name}?"], True
            return ([gettext("picks a side")], True) if side is Side.SECOND else ([gettext("opened")], False)
    to_play = [gettext("{side} to play").format(side=name), gettext("to play"), name]
    return (to_play, True) if scene.awaiting.turn_of is side else ([name], False)


@cached
def _field(theme: Theme, width: int, height: int, unit: float, ground: Colour) -> Tile:
    canvas = Canvas(0, 0, width, height, theme.background)
    canvas.field((0, 0, width, height), 24 * unit, theme.letter)
    inset = 3 * unit
    canvas.field((inset, inset, width - inset, height - inset), 21 * unit, ground)
    return cut_out(canvas.done(theme), theme.background, theme)


def _draw_footer(image: Image.Image, scene: Scene[Position]) -> None:
    """The game, the last turn, the date, the reason for the end, and the product."""
    header, theme, gettext, position = scene.header, scene.theme, scene.texts.gettext, scene.position
    assert header is not None
    unit, size = scene.geometry.unit, least_text(scene.geometry.width)
    which = gettext("{game}, size {size}").format(game=position.title, size=position.ruleset.size)
    turn = "" if header.turn is None else gettext("turn {turn}").format(turn=header.turn)
    conclusion = scene.conclusion
    why = "" if conclusion is None else gettext(conclusion.reason)
    inset = (_INSET + _PADDING) * unit
    for number, (first, second, colour) in enumerate(
        ((" · ".join(filter(None, [which, turn])), header.date, theme.text), (header.product, why, theme.letter))
    ):
        middle = image.height - scene.footer + (32 + 58 * number) * unit
        room = image.width - 2 * inset
        last = trimmed(second, size, room / 2)
        write(image, last, size, theme.number, (image.width - inset, middle), theme, "r")
        words = trimmed(first, size, room - text_width(last, size) - _SPACE * unit)
        write(image, words, size, colour, (inset, middle), theme, "l")
