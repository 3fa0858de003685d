"""What is drawn over a picture on request."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops, ImageStat

import render
from render import Look, overlays
from render.layout import layout
from render.look import Scene
from render.theme import Colour
from rules import Ruleset, bits, ruleset
from tests.render.games import USUAL, random_game

usual = pytest.mark.parametrize("ruleset", USUAL, ids=lambda of: of.game.name)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGBA").convert("RGB")


def near(one: object, other: Colour) -> bool:
    assert isinstance(one, tuple)
    return all(abs(a - b) < 24 for a, b in zip(one, other, strict=True))


@usual
def test_every_overlay_changes_the_picture_and_never_fails(ruleset: Ruleset) -> None:
    game = random_game(ruleset, 400)
    shots = [game[0], game[1], game[min(len(game) - 2, 60)], game[-1]]
    face, cell = render.face(ruleset.game), ruleset.board.centre
    # Smaller than what users see, so that it takes less time.
    scenes = [Scene(shot.position, shot.events, None, render.USUAL, 550) for shot in shots]
    windows = [Scene(shot.position, shot.events, None, Look("light", 5, window=(cell, 4)), 550) for shot in shots]
    for overlay in render.overlays_of(ruleset.game):
        changed = []
        for scene in scenes:
            plain = face.paint_board(scene)
            drawn = overlays.draw(plain, scene, face, overlay=overlay).convert("RGB")
            assert plain.size == drawn.size
            difference = ImageChops.difference(plain.convert("RGBA").convert("RGB"), drawn)
            changed.append(ImageStat.Stat(difference).sum[0])
        assert max(changed) > 5_000
        for scene in windows:
            overlays.draw(face.paint_board(scene), scene, face, overlay=overlay, cell=cell)


def test_an_unknown_overlay_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="Dalen has no overlay “roots”; it has legal"):
        render.picture(ruleset("dalen").start(), overlay="roots")


def test_a_dot_marks_every_legal_cell_and_no_other() -> None:
    shot = random_game(ruleset("dalen"), 50)[-1]
    position, place = shot.position, layout(7)
    warm = render.face(ruleset("dalen").game).themes["dark"].warm
    image = opened(render.picture(position, overlay="legal"))
    marked = {cell for cell in bits(position.empty) if near(image.getpixel(place.centre(cell)), warm)}
    assert {position.board.name(cell) for cell in marked} == set(position.legal_turns)


def test_pieces_that_may_begin_a_turn_are_ringed() -> None:
    position = ruleset("dendria").replay(["i9", "light", "e5", "m9"])
    assert all(position.board.find(step) is not None for step in position.draft().steps if step != "pass")
    assert opened(render.picture(position, overlay="legal")) != opened(render.picture(position))


def test_targets_carry_their_words() -> None:
    position, place = ruleset("dalen").start(), layout(7)
    warm = render.face(ruleset("dalen").game).themes["dark"].warm
    cells = position.board.cells[:3]
    image = opened(render.picture(position, targets=dict.fromkeys(cells, "12")))
    for cell in cells:
        x, y = place.centre(cell)
        assert near(image.getpixel((x, y - int(place.step * 0.28))), warm)
    numbers = [opened(render.picture(position, targets={cells[0]: words})) for words in ("1", "2", "")]
    assert len({image.tobytes() for image in numbers}) == 3


@usual
def test_the_ghost_of_a_turn_differs_from_before_and_after_only_where_the_turn_changes_something(
    ruleset: Ruleset,
) -> None:
    *_, before, after = random_game(ruleset, 30)
    was = opened(render.picture(before.position))
    will = opened(render.picture(after.position, after.events))
    ghost = opened(render.picture(after.position, after.events, before=before.position))
    board = (150, 150, 950, 950)
    changed = ImageChops.difference(was.crop(board), will.crop(board)).convert("L").point([0] + [255] * 255)
    faded = ImageChops.difference(ghost.crop(board), will.crop(board)).convert("L")
    assert changed.getbbox() is not None
    assert ImageStat.Stat(faded, changed).mean[0] > 8
    assert ImageStat.Stat(faded, ImageChops.invert(changed)).mean[0] < 2
