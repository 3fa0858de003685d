"""Positions of all games, and ways to examine their pictures."""

from __future__ import annotations

import io
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from PIL import Image

import render
import rules
from render import canvas, corners, header, palette, picture, replay
from render.cache import cached
from render.geometry import Box, Geometry, Label, board_geometry
from render.palette import blank_image
from render.replay import Shot
from render.scene import Conclusion, Look, P, Scene
from render.text import label_box
from rules import PASS, Event, Position, Ruleset
from tests.support.tern import Tern
from tests.support.thorough import THOROUGH

#: The games, and a toy game that is unlike them.
ANY_GAME: dict[str, type[Position]] = {name: rules.GAMES[name] for name in render.FACES} | {Tern.name: Tern}
#: Every game on its smallest, default and largest board, and on the default board in all variants.
RULESETS = [
    Ruleset(game, size, variant)
    for game in ANY_GAME.values()
    for variant in game.variants
    for size in sorted({game.sizes[0], game.default_size, game.sizes[-1]})
    if variant == game.variants[0] or size == game.default_size
]
#: Every game on its smallest board, or on its default board if the tests are thorough.
EACH_GAME = [
    Ruleset(game, game.default_size if THOROUGH else game.sizes[0], game.variants[0]) for game in ANY_GAME.values()
]

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id.replace("/", "-"))
every_game = pytest.mark.parametrize("ruleset", EACH_GAME, ids=lambda ruleset: ruleset.game.name)
every_theme = pytest.mark.parametrize("theme_name", render.THEME_NAMES)


def on_default_board(ruleset: Ruleset) -> Ruleset:
    """The same game on its default board."""
    return Ruleset(ruleset.game, ruleset.game.default_size, ruleset.variant)


#: The cached coarse drawings by scale, which later tests reuse.
_COARSE: dict[int, dict[str, Any]] = {}


def draw_all(patch: pytest.MonkeyPatch) -> None:
    """Start with an empty cache of drawings, and restore the previous one afterwards."""
    for name, empty in (("_young", {}), ("_elder", {}), ("_bytes", [0, 0])):
        patch.setattr(cached, name, empty)


class Drawings:
    """Counts the pictures drawn, and the parts drawn for them and cached, from an empty cache on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        draw_all(patch)
        self.begin()

        def draw(*content: Any, **more: Any) -> bytes:
            self._pictures += 1
            return picture(*content, **more)

        patch.setattr(render, "picture", draw)

    def begin(self) -> None:
        """Start counting."""
        self._pictures, self._parts = 0, len(cached._young)

    @property
    def counted(self) -> tuple[int, int]:
        """The numbers of pictures and of parts."""
        return self._pictures, len(cached._young) - self._parts


@contextmanager
def coarse_drawing(scale: int = 1) -> Iterator[None]:
    """Draw jagged shapes, without compression and no picture twice, in a fraction of the time.

    At scale 2, shapes are less jagged. To compare two drawings of the same picture, import ``picture`` by name, which
    draws every time.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SCALE", "_MASK_SCALE"):
            patch.setattr(canvas, name, scale)
        patch.setattr(canvas, "_BAND", 256)  # for such small pictures, fewer bands are faster
        patch.setattr(palette, "_COMPRESSION", 0)
        patch.setattr(palette, "_LARGE", math.inf)
        draw_all(patch)
        for name, kept in _COARSE.get(scale, {}).items():
            setattr(cached, name, kept)
        patch.setattr(cached, "limit", 4 * cached.limit)  # uncompressed boards need more room
        patch.setattr(render, "picture", _drawn_once(render.picture))
        yield
        _COARSE[scale] = {name: getattr(cached, name) for name in ("_young", "_elder", "_bytes")}


def _drawn_once(picture: Callable[..., bytes], most: int = 50) -> Callable[..., bytes]:
    known: dict[Hashable, bytes] = {}

    def drawn(
        position: Position,
        events: Sequence[Event] = (),
        decision: Conclusion | None = None,
        look: Look = render.DEFAULT_LOOK,
        *,
        targets: Mapping[int, str] | None = None,
        areas: Mapping[str, Collection[int]] | None = None,
        **marks: Hashable,
    ) -> bytes:
        key = (position, *events), decision, look, repr((targets, areas)), tuple(marks.items())
        data = known.pop(key, None) or picture(position, events, decision, look, targets=targets, areas=areas, **marks)
        known[key] = data  # now the most recent
        if len(known) > most:
            del known[next(iter(known))]
        return data

    return drawn


@cache
def random_game(ruleset: Ruleset, turns: int, seed: int = 7) -> tuple[Shot, ...]:
    """A random game of at most that many turns. It passes only when no other turn is legal."""
    chance = random.Random(seed)
    position = ruleset.start()
    draft = position.draft()
    while not draft.complete:
        draft = position.draft(draft.text + chance.choice(draft.next))
    played: list[str] = []
    turn = draft.text
    while len(played) < turns:
        played.append(turn)
        position, _ = position.play(turn)
        if not position.legal_turns:
            break
        turn = chance.choice([legal for legal in position.legal_turns if legal != PASS] or position.legal_turns)
    return tuple(replay.shots(ruleset, played))


def unfinished(ruleset: Ruleset, turns: int) -> tuple[Shot, ...]:
    """A random game of at most that many turns, without its end."""
    return tuple(shot for shot in random_game(ruleset, turns) if shot.position.outcome is None)


def scene_of(position: P, *details: Any, **options: Any) -> Scene[P]:
    """A scene with the game's face, for a position."""
    return Scene(render.face(type(position)), position, *details, **options)


def opened(data: bytes) -> Image.Image:
    """The image in a file, in its own mode."""
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def pixels(data: bytes) -> Image.Image:
    """The image in a file, in RGB. Its transparent corners are not blended with a background."""
    image = opened(data)
    image.info.pop("transparency", None)
    return image.convert("RGB")


def drawn(
    position: Position, events: Sequence[Event] = (), look: Look = render.DEFAULT_LOOK, **more: Any
) -> Image.Image:
    """The pixels of a position's picture."""
    return pixels(render.picture(position, events, None, look, **more))


def around(
    image: Image.Image, position: Position, cell: int | str, part: float = 0.48, look: Look = render.DEFAULT_LOOK
) -> Image.Image:
    """A square around the middle of a cell, as far as this part of its height each way."""
    geometry = board_geometry(position.ruleset.size, look.orientation)
    x, y = geometry.centres[position.cell_named(cell) if isinstance(cell, str) else cell]
    half = round(geometry.cell_height * part)
    return image.crop((x - half, y - half, x + half, y + half))


def counted(image: Image.Image) -> Counter[Any]:
    """The number of pixels of each colour."""
    return Counter({colour: count for count, colour in image.getcolors(image.width * image.height) or ()})


def letters_of(geometry: Geometry) -> list[Label]:
    return [label for label in geometry.labels if not label.text.isdecimal()]


def label_boxes(geometry: Geometry) -> list[Box]:
    return [label_box(label, geometry) for label in geometry.labels]


def hidden_labels(scene: Scene[Position]) -> set[str]:
    """The board's labels that the header or the corners cover or nearly touch."""
    geometry, theme = scene.geometry, scene.theme
    image = blank_image(theme, geometry.width, geometry.height)
    image.paste(theme.palette.index(theme.background), (0, 0, *image.size))
    header.draw(image, scene)
    corners.draw(image, scene)
    hidden = set()
    for label in geometry.labels:
        left, top, right, bottom = map(round, label_box(label, geometry))
        if len(image.crop((left - 1, top - 1, right + 1, bottom + 1)).getcolors() or ()) > 1:
            hidden.add(label.text)
    return hidden


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def touches_cell(box: Box, geometry: Geometry, cell: int) -> bool:
    """Whether a pixel of the box is in the cell. A lattice of points stands for the pixels."""
    x, y = geometry.centres[cell]
    for u, v in itertools.product(range(9), repeat=2):
        dx = abs(box[0] + (box[2] - box[0]) * u / 8 - x)
        dy = abs(box[1] + (box[3] - box[1]) * v / 8 - y)
        if (
            dy < geometry.cell_height / 2
            and geometry.cell_height * dx / 2 + geometry.pitch * dy / 3 < geometry.cell_height * geometry.pitch / 3
        ):
            return True
    return False
