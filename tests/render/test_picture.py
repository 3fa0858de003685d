"""Whole pictures: colours, marks, files, threads, and pictures approved by eye.

``pictures/NAME.txt`` holds a ruleset and turns, ``pictures/NAME.png`` the approved picture of the position after them.
When a picture should look different, write the changed ones, and look at them before committing::

    HEXGROVE_RENEW_PICTURES=1 python -m pytest tests/render/test_picture.py
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import pytest
from PIL import ImageChops, ImageStat

import render
import rules
from render import Header, Look, replay
from render.colours import colour, contrast
from render.games.dalen.theme import THEMES
from render.geometry import board_geometry
from render.header import field_box
from rules import Event, Position, Ruleset, Side
from rules.dalen import Dalen
from tests.support.each import for_each
from tests.support.positions import names, set_up
from tests.support.render import EACH_GAME, around, coarse_drawing, counted, opened, pixels, random_game
from tests.support.thorough import THOROUGH, sample

LEAVES = THEMES["dark"]

APPROVED = sorted(Path(__file__).with_name("pictures").glob("*.txt"))
SHARED = Header(("Wolfgang Amadeus Mozart", "Ein sehr langer Name"), "Hexgrove", "Nov 22, 2026", 88)
DISCORD = (colour("313338"), colour("ffffff"))


def at_random(size: int, turns: int) -> tuple[Position, tuple[Event, ...]]:
    shot = random_game(rules.ruleset("dalen", size), turns)[-1]
    return shot.position, tuple(shot.events)


def looks_like(drawn: bytes, approved: bytes, *, smooth: bool) -> bool:
    """Whether two pictures look the same, even if drawn on different machines."""
    one, other = pixels(drawn), pixels(approved)
    if one.size != other.size:
        return False
    difference = ImageChops.difference(one, other)
    # A missing or misplaced mark changes much of a square of 32 pixels. Different font hinting does not.
    largest = max(ImageStat.Stat(difference.reduce(32).convert("L")).extrema[0])
    return sum(ImageStat.Stat(difference).mean) / 3 < (0.5 if smooth else 4) and largest < 24


def test_the_dark_theme_stands_out_and_leaves_room_for_the_corners() -> None:
    dark, light = LEAVES.stones
    assert contrast(dark.body, light.body) >= 7
    assert all(contrast(dark.body, ground) >= 3 for ground in (LEAVES.cell, LEAVES.fresh))
    assert contrast(light.body, LEAVES.cell) >= 3
    assert contrast(LEAVES.accent, LEAVES.cell) >= 2
    assert contrast(LEAVES.accent, dark.body) >= 3
    for ground in DISCORD:
        assert max(contrast(LEAVES.background, ground), contrast(LEAVES.cell, ground)) >= 3
    assert len(LEAVES.palette) <= 96


@for_each("size", [Dalen.sizes[0], Dalen.sizes[-1]])
def test_the_file_is_a_palette_png_with_clear_corners(size: int) -> None:
    with coarse_drawing():
        image = opened(render.picture(*at_random(size, 20)))
    assert (image.format, image.mode, image.width) == ("PNG", "P", 900)
    assert image.height == board_geometry(size).height
    clear = image.convert("RGBA")
    right, bottom = image.width - 1, image.height - 1
    for corner in ((0, 0), (right, 0), (0, bottom), (right, bottom)):
        red_green_blue_alpha = clear.getpixel(corner)
        assert isinstance(red_green_blue_alpha, tuple)
        assert red_green_blue_alpha[3] == 0
    assert clear.getpixel((image.width // 2, 2)) == (*LEAVES.background, 255)


@for_each("size", sample(Dalen.sizes, 2))
def test_the_middle_of_a_cell_shows_its_side(size: int) -> None:
    position, _ = at_random(size, 3 * size * size // 2)
    with coarse_drawing():
        image = pixels(render.picture(position))
    for cell in position.board.cells:
        side = position.owner(cell)
        own = [LEAVES.cell] if side is None else [LEAVES.stones[side].body, LEAVES.stones[side].vein]
        assert image.getpixel(board_geometry(size).centres[cell]) in own
    for side in Side:
        bodies = [LEAVES.stones[shade].body for shade in (side, side.other)]
        left, top, right, bottom = map(int, field_box(side, board_geometry(size)))
        found = counted(image.crop((left, top, right, bottom)))
        assert found[bodies[0]] > 100
        assert bodies[1] not in found


def test_the_last_turn_shows() -> None:
    position, events = at_random(7, 30)
    placed = next(event.cell for event in events if isinstance(event, rules.Placed))
    stone = next(cell for cell in rules.bits(position.first) if cell != placed)
    turned = rules.Flipped(Side.FIRST, (stone,), (placed,))
    with coarse_drawing():
        plain, marked, flipped = (pixels(render.picture(position, shown)) for shown in ((), events, (*events, turned)))
    x, y = board_geometry(7).centres[placed]
    box = (x - 20, y - 20, x + 20, y + 20)
    assert ImageStat.Stat(ImageChops.difference(plain.crop(box), marked.crop(box))).mean[0] > 5
    assert flipped.getpixel(board_geometry(7).centres[stone]) == LEAVES.stones[Side.SECOND].body


def test_leaves_stagnant_trees_and_branches_show() -> None:
    position = set_up(Dalen, 5, "e5 e6 c3 a4 c6 c7 / a5 b6 g7", Side.SECOND)
    assert names(position, position.leaves(Side.FIRST)) == "c6 c7 e5 e6"
    assert names(position, position.stagnant(Side.SECOND)) == "a5 b6"
    image = pixels(render.picture(position))
    assert counted(around(image, position, "a5"))[LEAVES.accent] > 500
    assert LEAVES.accent not in counted(around(image, position, "g7"))
    assert counted(around(image, position, "e6")) != counted(around(image, position, "c3"))
    geometry = board_geometry(5)
    x, y = geometry.centres[position.cell_named("e5")]
    branch = image.getpixel((x + geometry.cell_height // 20, y - geometry.cell_height // 2))
    assert branch == LEAVES.stones[Side.FIRST].body


def test_the_outline_of_a_stagnant_tree_is_around_it_and_not_in_its_gaps() -> None:
    ident, *turns = (Path(__file__).with_name("pictures") / "dalen-full.txt").read_text().split()
    position = rules.ruleset_by_id(ident).replay(turns)
    assert isinstance(position, Dalen)
    image, geometry = pixels(render.picture(position)), board_geometry(position.ruleset.size)
    stagnant = position.stagnant(Side.FIRST)
    inside, outside = 0, 0
    for cell in rules.bits(stagnant):
        near = [other is not None and bool(stagnant >> other & 1) for other in geometry.neighbours[cell]]
        corners = geometry.grid.hexagon(geometry.centres[cell])
        for at in range(6):
            # Between the neighbours in two adjacent directions.
            x, y = map(round, corners[(at + 2) % 6])
            found = counted(image.crop((x - 9, y - 9, x + 9, y + 9)))[LEAVES.accent]
            if near[at] and near[(at + 1) % 6]:
                assert not found
                inside += 1
            else:
                outside += bool(found)
    assert inside > 100
    assert outside > 50


@pytest.mark.parametrize("path", APPROVED, ids=lambda path: path.stem)
def test_the_picture_looks_as_approved(path: Path) -> None:
    identity, *turns = path.read_text().split()
    *_, shot = replay.shots(rules.ruleset_by_id(identity), turns)
    approved = path.with_suffix(".png")
    renewed = bool(os.environ.get("HEXGROVE_RENEW_PICTURES"))
    smooth = THOROUGH or renewed or path in sample(APPROVED, 8)
    with nullcontext() if smooth else coarse_drawing(2):
        drawn = render.picture(shot.position, shot.events)
    if renewed and not (approved.exists() and looks_like(drawn, approved.read_bytes(), smooth=True)):
        approved.write_bytes(drawn)
    assert looks_like(drawn, approved.read_bytes(), smooth=smooth)


@pytest.mark.parametrize("ruleset", sample(EACH_GAME, 2), ids=lambda ruleset: ruleset.game.name)
def test_pictures_stay_small(ruleset: Ruleset) -> None:
    """Check the end of a game; in thorough tests also an earlier position and a small board, in other themes."""
    small, large = (
        random_game(Ruleset(ruleset.game, size, ruleset.variant), 400)
        for size in (ruleset.game.sizes[0], ruleset.game.default_size)
    )
    shots = sample((large[-1], large[len(large) * 5 // 6], small[-1]), 3)
    for shot, theme_name in zip(shots, render.THEME_NAMES, strict=False):
        assert len(render.picture(shot.position, shot.events, None, Look(theme_name), header=SHARED)) < 110_000
