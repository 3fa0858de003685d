"""Whole games in one file: animations and contact sheets."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

from PIL import Image

from render import painting
from render.colours import Theme
from render.face import Face
from render.geometry import WIDE, least_text
from render.header import draw as draw_header
from render.palette import blank_image, to_png
from render.scene import DEFAULT_LOOK, Conclusion, Header, Look, Scene
from render.text import trimmed, write
from rules import Event, Position, Ruleset, Text
from rules.position import Swing

#: The width of an animation in pixels, about that of pictures on Discord. Pillow needs twice as long for frames of less
#: than 512 by 512 pixels, because it drops unused colours from each.
_ANIMATION = 512
#: How many frequent blends to keep besides the theme's colours: fewer make a smaller file.
_BLENDS = 6
#: Animations of longer games skip turns, which limits size and duration.
_MOST_FRAMES = 120
_FRAME, _LAST = 700, 4000
_LONGEST = 45_000
#: The height of the progress bar in pixels, and the number of its lengths: a frame without a change of length is
#: smaller.
_BAR, _LENGTHS = 8, 15

#: A contact sheet shows few key positions, two to a row, so that their boards are large.
_COLUMNS, _ROWS, _GAP = 2, 2, 20
#: The minimum of a change that is worth mentioning. A placement in most games changes the lead by 1.
_LEAST_CHANGE = 3
_CAPTION = 64


@dataclass(frozen=True, slots=True)
class Shot:
    """A game after ``ply`` turns: the last turn, its events, and the position after it."""

    ply: int
    turn: str
    position: Position
    events: tuple[Event, ...]


def shots(ruleset: Ruleset, turns: Sequence[str]) -> Iterator[Shot]:
    """Yield the game after each of its turns. Raises :class:`rules.TurnError` for a turn that cannot be played."""
    position = ruleset.start()
    for ply, turn in enumerate(turns, start=1):
        position, events = position.play(turn)
        yield Shot(ply, turn, position, events)


def animation(
    face: Face[Any],
    game: Sequence[Shot],
    decision: Conclusion | None = None,
    look: Look = DEFAULT_LOOK,
    watch: Callable[[Sequence[Shot], int], Iterable[Shot]] = lambda frames, _count: frames,
    header: Header | None = None,
) -> bytes:
    """An animation of the whole game as a GIF file, 512 pixels wide, with a progress bar.

    The last position stays longer. There are at most 120 frames, together 49 seconds. ``watch`` wraps the frames to
    report progress while they are drawn; ``header`` names the players.
    """
    chosen = _spread(game, _MOST_FRAMES)
    end = Scene(face, game[-1].position, (), decision, look, _ANIMATION, header=header, within=WIDE)
    frames = []
    for shot in watch(chosen, len(chosen)):
        scene = replace(_scene_of(shot, end, game), moving=shot is not game[-1])
        frames.append(_frame(scene, shot.ply / len(game)))
    colours = _fewer_colours(frames[-1], face.themes[look.theme])
    frames = [frame.point(colours) for frame in frames]
    length = min(_FRAME, _LONGEST // len(frames))
    out = io.BytesIO()
    frames[0].save(
        out, "GIF", save_all=True, append_images=frames[1:], duration=[*[length] * (len(frames) - 1), _LAST], loop=0
    )
    return out.getvalue()


def _spread(game: Sequence[Shot], most: int) -> list[Shot]:
    """At most ``most`` of the shots, at even intervals, including the last one."""
    count = min(most, len(game))
    return [game[round((i + 1) * len(game) / count) - 1] for i in range(count)]


def _frame(scene: Scene[Position], progress: float) -> Image.Image:
    theme, board = scene.theme, painting.paint(scene)
    image = blank_image(theme, board.width, board.height + _BAR)
    # The animation has no transparent corners.
    image.info.pop("transparency")
    image.paste(board)
    bar = image.width * int(progress * _LENGTHS) // _LENGTHS
    image.paste(theme.palette.index(theme.highlight), (bar, board.height, image.width, image.height))
    image.paste(theme.palette.index(theme.accent), (0, board.height, bar, image.height))
    return image


def _fewer_colours(frame: Image.Image, theme: Theme) -> list[int]:
    """A replacement for each of 256 palette entries: a main colour of the theme, or a frequent colour of the frame."""
    palette = theme.palette
    frequent = sorted(range(len(palette)), key=frame.histogram().__getitem__)[-_BLENDS:]
    stones = [colour for stone in theme.stones for colour in (stone.body, stone.edge, stone.vein)]
    texts = (theme.text, theme.letter, theme.number)
    own = (theme.background, theme.highlight, theme.accent, theme.fresh, *texts, *stones, *chain(*theme.mixes))
    kept = sorted({*frequent, *map(palette.index, own)})
    nearest = [min(kept, key=lambda entry: math.dist(palette[entry], colour)) for colour in palette]
    return [*nearest, *range(len(nearest), 256)]


def _scene_of(shot: Shot, end: Scene[Position], game: Sequence[Shot]) -> Scene[Position]:
    """The scene of a position, like that of the game's end, but with no decision before the end."""
    header = None if end.header is None else replace(end.header, turn=shot.ply)
    decision = end.decision if shot is game[-1] else None
    return replace(end, position=shot.position, events=shot.events, decision=decision, header=header)


def key_positions(game: Sequence[Shot], most: int = _COLUMNS * _ROWS) -> list[Shot]:
    """The positions that sum up a game, in order: the opening, the end, and the most eventful turns between them.

    Each is from a different part of the game.
    """
    if len(game) <= most:
        return list(game)
    # The last few turns look much like the end.
    inner = game[1 : -1 - len(game) // 10]
    spans = [inner[len(inner) * i // (most - 2) : len(inner) * (i + 1) // (most - 2)] for i in range(most - 2)]
    return [game[0], *(max(span, key=_change) for span in spans), game[-1]]


def biggest_change(game: Sequence[Shot]) -> tuple[Shot, Text | None] | None:
    """The turn that changed most of what decides the game, and the change; None if every turn only placed a piece.

    In a game without points, the turn that changed pieces on most cells. The first turns, which leave most of the board
    to either side, do not count.
    """
    swings = [
        (before.position.swing(shot.position) or Swing(_change(shot)[0]), shot) for before, shot in pairwise(game[2:])
    ]
    notable = [(swing.amount, shot.ply, shot, swing.text) for swing, shot in swings if swing.amount >= _LEAST_CHANGE]
    return max(notable, key=lambda found: found[:2])[2:] if notable else None


def _change(shot: Shot) -> tuple[int, int]:
    """The number of cells on which a turn changed pieces; later turns win ties."""
    return sum(len(event.changed_cells) for event in shot.events), shot.ply


def contact_sheet(
    face: Face[Any],
    game: Sequence[Shot],
    decision: Conclusion | None = None,
    look: Look = DEFAULT_LOOK,
    header: Header | None = None,
) -> bytes:
    """The key positions of a game in one picture, a PNG file 1,100 pixels wide; ``header`` names the players."""
    theme, size = face.themes[look.theme], least_text(WIDE)
    end = Scene(face, game[-1].position, (), decision, look, WIDE, header=header, within=WIDE)
    width = (WIDE - (_COLUMNS + 1) * _GAP) // _COLUMNS
    small = replace(end, width=width, bare=True)
    chosen = key_positions(game)
    boards = [painting.paint_board(_scene_of(shot, small, game)) for shot in chosen]
    rows, height = -(-len(boards) // _COLUMNS), boards[0].height + _CAPTION
    top = end.geometry.header + _GAP
    sheet = blank_image(theme, WIDE, top + rows * (height + _GAP) + end.footer)
    sheet.paste(theme.palette.index(theme.background), (0, 0, *sheet.size))
    draw_header(sheet, _scene_of(game[-1], end, game))
    for i, (shot, board) in enumerate(zip(chosen, boards, strict=True)):
        x = _GAP + i % _COLUMNS * (width + _GAP)
        y = top + i // _COLUMNS * (height + _GAP)
        sheet.paste(board, (x, y))
        words = trimmed(f"{shot.ply}. {shot.turn}", size, width)
        write(sheet, words, size, theme.text, (x + width / 2, y + height - _CAPTION / 2), theme)
    return to_png(sheet)
