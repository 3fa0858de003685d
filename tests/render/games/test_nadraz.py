"""Nadraz's pictures: snakes, their tips and lengths, the edge, the last turn, overlays, and alternative texts."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from PIL import Image, ImageChops

import render
import rules
from render.colours import blend, contrast
from render.games.nadraz import face as nadraz
from render.games.nadraz.theme import THEMES, edge_colour
from render.geometry import board_geometry
from render.scene import Look
from rules import Side, bits
from rules.nadraz import Nadraz
from tests.support.each import for_each
from tests.support.positions import set_up
from tests.support.render import around, counted, drawn, random_game, scene_of

pytestmark = pytest.mark.usefixtures("coarse")

DARK = THEMES["dark"]


def at(stones: str, variant: str = "standard") -> Nadraz:
    """A position with these stones and Black to play."""
    return set_up(Nadraz, 6, stones, variant=variant)


def within(image: Image.Image, position: Nadraz, name: str) -> Counter[Any]:
    """The number of pixels of each colour in a square in the middle of a cell."""
    return counted(around(image, position, name, 0.34))


@for_each("theme_name", THEMES)
def test_snakes_their_tips_and_the_edge_stand_out_in_every_theme(theme_name: str) -> None:
    theme = THEMES[theme_name]
    black, white = theme.stones
    assert contrast(black.body, white.body) >= 7
    for stone in theme.stones:
        for ground in (theme.cell, theme.fresh, edge_colour(theme)):
            assert max(contrast(stone.body, ground), contrast(stone.edge, ground)) >= 3
        assert contrast(stone.vein, stone.body) >= 4.5
        assert blend(stone.body, stone.vein, 1 / 3) in theme.palette
    assert edge_colour(theme) in theme.palette
    assert contrast(theme.cell, edge_colour(theme)) >= 1.3
    assert contrast(theme.accent, theme.background) >= 4.5


def test_the_edge_is_darker_than_the_other_cells_in_every_orientation() -> None:
    position = at("f6 / h8")
    board = position.board
    for orientation in (0, 4, 9):
        image, geometry = drawn(position, (), Look(orientation=orientation)), board_geometry(6, orientation)
        for cell in bits(position.empty):
            on_edge = bool(board.edge >> cell & 1)
            assert image.getpixel(geometry.centres[cell]) == (edge_colour(DARK) if on_edge else DARK.cell)


def test_a_snake_is_one_body_from_cell_to_cell() -> None:
    position = at("c3 c4 d5 e5 / h8 h9 i9")
    image, geometry = drawn(position), board_geometry(6)
    for side in Side:
        for one, other in itertools.combinations(bits(position.stones(side)), 2):
            if position.board.neighbours[one] >> other & 1:
                (x, y), (to_x, to_y) = geometry.centres[one], geometry.centres[other]
                seam = image.getpixel(((x + to_x) // 2, (y + to_y) // 2))
                assert seam == DARK.stones[side].body


def test_only_heads_tails_and_eggs_have_the_colour_of_growth() -> None:
    position = at("c3 c4 d5 e5 h8 / g4")
    image = drawn(position)
    assert position.ends(Side.FIRST) | position.eggs(Side.FIRST) == sum(
        1 << position.cell_named(name) for name in ("c3", "e5", "h8")
    )
    growing = {name: within(image, position, name) for name in ("c3", "e5", "h8", "g4")}
    for name, found in growing.items():
        assert found[DARK.stones[name == "g4"].vein] > 200, name
    for name in ("c4", "d5"):
        assert DARK.stones[Side.FIRST].vein not in within(image, position, name)
    head, tail, egg = (growing[name][DARK.stones[Side.FIRST].vein] for name in ("e5", "c3", "h8"))
    assert len({head, tail, egg}) == 3


def test_every_stone_between_the_tips_has_its_own_mark() -> None:
    position = at("c3 c4 c5 c6 c7 / g4 g5 g6 g7")
    image = drawn(position)
    for names, side in (("c4 c5 c6", Side.FIRST), ("g5 g6", Side.SECOND)):
        skin = DARK.stones[side]
        for name in names.split():
            assert within(image, position, name)[blend(skin.body, skin.vein, 2 / 3)] > 50


def test_the_run_and_the_stones_that_it_cut_are_marked() -> None:
    before = at("d3 / c6 d6 e6")
    after, events = before.play("d4-d7")
    assert isinstance(after, Nadraz)
    image, geometry = drawn(after, events), board_geometry(6)
    for name in ("d4", "d5", "d6", "d7"):
        assert within(image, after, name)[DARK.fresh] > 300
    for name in ("d3", "c6", "e6"):
        assert DARK.fresh not in within(image, after, name)
    white = DARK.stones[Side.SECOND].body
    assert image.getpixel(geometry.centres[after.cell_named("d6")]) == white
    assert all(white not in within(image, after, name) for name in ("d3", "d4", "d5", "d7"))
    trail = geometry.centres[after.cell_named("d4")], geometry.centres[after.cell_named("d5")]
    assert image.getpixel((trail[0][0], (trail[0][1] + trail[1][1]) // 2)) == DARK.stones[Side.FIRST].vein
    assert DARK.fresh not in within(drawn(after), after, "d5")


@for_each(
    "case",
    [
        ("c3 c4 d5 e5 h8 / g4", "standard", ("4", "1"), ("4  1", "1"), Side.FIRST),
        ("c3 c4 f6 / g4 g5 i8 j10", "standard", ("2", "2"), ("2  1", "2  1×2"), Side.SECOND),
        ("c3 c4 f6 / g4 g5 i8 j10", "reverse", ("1", "1×2"), ("1  2", "1×2  2"), Side.FIRST),
        ("c3 c4 / g4 g5", "standard", ("2", "2"), ("2", "2"), None),
    ],
)
def test_scores_list_the_lengths_in_the_order_of_comparison(
    case: tuple[str, str, tuple[str, str], tuple[str, str], Side | None],
) -> None:
    stones, variant, scores, below, leader = case
    face, scene = nadraz.NadrazFace(), scene_of(at(stones, variant))
    assert face.scores(scene) == scores
    for side, lengths in zip(Side, below, strict=True):
        crown = [("ahead", side)] if side is leader else []
        assert face.counts(scene, side) == [[*crown, "lengths"], [lengths]]


def test_the_deciding_length_is_shown_however_many_are_equal() -> None:
    lengths = [(length, 1) for length in range(30, 10, -1)]
    text = nadraz._excerpt([*lengths, (2, 3)], [*lengths, (2, 1)])
    assert text == "…2×3"
    assert nadraz._excerpt(lengths, [(29, 1)]).startswith("30  29")
    assert nadraz._excerpt([], lengths) == ""


def test_the_side_that_is_ahead_has_a_crown() -> None:
    for stones, ahead in (("c3 c4 / g4", 0), ("c3 / g4 g5", 1), ("c3 / g4", None)):
        image = drawn(at(stones))
        for side, left in enumerate((0, 700)):
            top = board_geometry(6).header
            assert (DARK.accent in counted(image.crop((left, top, left + 200, top + 50)))) is (side == ahead)


def test_the_text_names_lengths_the_side_ahead_eggs_and_ends() -> None:
    words = render.describe(at("c3 c4 d5 e5 h8 / g4"))
    assert "Black is ahead by lengths. Lengths of Black: 4, 1. Lengths of White: 1." in words
    assert "Eggs: Black h8; White g4. Heads and tails: Black c3 e5." in words
    assert "Black has 5 stones: c3-4 d5 e5 h8." in words
    assert "The lengths are equal." in render.describe(at("c3 / g4"))
    assert "ahead" not in render.describe(at("c3 c4 / g4"), (), render.Conclusion(Side.SECOND, "by resignation"))


@for_each("variant", Nadraz.variants)
def test_the_fullest_boards_have_pictures_and_texts_that_fit(variant: str) -> None:
    start = rules.ruleset("nadraz", 14, variant).start()
    on = start.board
    thirds = [sum(1 << cell for cell in on.cells if (on.column(cell) + on.row(cell)) % 3 == i) for i in range(3)]
    for first, second in ((thirds[0], thirds[1]), (on.mask & ~thirds[2], thirds[2])):
        position = Nadraz(start.ruleset, first, second, Side.SECOND, Side.FIRST)
        assert drawn(position).width == 900
        assert len(render.describe(position)) < 1024


def changed(position: Nadraz, overlay: str, on: str | None = None) -> set[str]:
    """The cells that the overlay changes."""
    cell = None if on is None else position.cell_named(on)
    marked, plain = (drawn(position, overlay=shown, cell=cell) for shown in (overlay, None))
    difference = ImageChops.difference(marked, plain).convert("L")
    # A picture with an overlay has its own palette, with slightly different colours.
    return {
        position.board.name(near)
        for near in position.board.cells
        if any(around(difference, position, near, 0.37).histogram()[60:])
    }


def test_lengths_are_on_snakes_but_not_on_their_tips_or_on_eggs() -> None:
    position = at("c3 c4 c5 h8 / g4 g5 g6")
    assert changed(position, "lengths") == {"c4", "g5"}
    assert changed(position, "lengths", "c3") == {"c4"}


def test_growth_marks_where_legal_runs_start_and_from_which_tips() -> None:
    position = at("c3 c4 d5 e5 h8 / g4")
    starts = {turn.partition("-")[0] for turn in position.legal_turns}
    assert changed(position, "growth") == starts | {"c3", "e5", "h8"}
    assert {"h8", "h9", "g8"} <= changed(position, "growth", "h8")
    assert "c3" not in changed(position, "growth", "h8")
    assert "g4" in changed(position, "growth", "g4")


def test_cuts_cross_the_stones_that_the_other_side_could_flip() -> None:
    position = at("d3 / c6 d6 e6")
    assert changed(position, "cuts") == {"d6"}
    assert changed(position, "cuts", "d3") == set()


def test_overlays_are_empty_before_and_after_the_game() -> None:
    start = rules.ruleset("nadraz", 6).start()
    assert isinstance(start, Nadraz)
    over = random_game(start.ruleset, 400)[-1].position
    assert isinstance(over, Nadraz)
    for overlay in ("growth", "cuts"):
        assert changed(start, overlay) == set()
        assert changed(over, overlay) == set()
