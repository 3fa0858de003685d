"""Buttons over the picture of a board: their positions, sizes and labels."""

from __future__ import annotations

import re

import pytest

import rules
from bot.web.board.boards import LEAST, WINDOW, Sheet, coarse_cells, label, middle_near, neighbours, stylesheet
from render.geometry import board_geometry
from tests.support.each import for_each
from tests.support.thorough import covered, sample

SIZES = sorted({size for game in rules.GAMES.values() for size in game.sizes})
#: The width of the picture on a small phone.
PHONE = 360


def rule(css: str, selector: str) -> dict[str, float]:
    """The lengths in the CSS rule of a selector, in percent."""
    found = re.search(re.escape(selector) + r"\{([^}]*)\}", css)
    assert found is not None, selector
    return {name: float(value) for name, value in re.findall(r"(\w+):([\d.-]+)%", found[1])}


@pytest.mark.parametrize(("size", "orientation"), covered(SIZES, [0, 1, 8]))
def test_every_button_lies_on_its_cell(size: int, orientation: int) -> None:
    sheet = Sheet(size, orientation)
    css, geometry = stylesheet(sheet), sheet.geometry
    box = rule(css, f".board-{sheet.name} .said>*")
    for cell in geometry.cells:
        at = rule(css, f".board-{sheet.name} .c-{geometry.board.name(cell)}")
        x, y = geometry.centres[cell]
        assert (at["left"] + box["width"] / 2) * geometry.width / 100 == pytest.approx(x, abs=0.1)
        assert (at["top"] + box["height"] / 2) * geometry.height / 100 == pytest.approx(y, abs=0.1)


@for_each("size", SIZES)
def test_targets_on_a_small_phone_are_large_enough(size: int) -> None:
    sheet = Sheet(size)
    css, geometry = stylesheet(sheet), sheet.geometry
    height = PHONE * geometry.height / geometry.width
    group = "said"
    hidden = re.search(r"@container board \(max-width:(\d+)px\)", css)
    if hidden is not None and int(hidden[1]) >= PHONE:
        group = "near"
    assert rule(css, f".board-{sheet.name} .{group}>*")["height"] * height / 100 >= LEAST
    if group == "near":
        close = Sheet(size, 0, geometry.board.centre)
        tall = PHONE * close.geometry.height / close.geometry.width
        assert rule(stylesheet(close), f".board-{close.name} .said>*")["height"] * tall / 100 >= LEAST


@for_each("size", sample([size for size in SIZES if size > WINDOW + 2], 3))
def test_a_tap_near_a_cell_magnifies_a_part_with_that_cell(size: int) -> None:
    board = board_geometry(size).board
    coarse = coarse_cells(size)
    assert all(board.distance(one, other) > 1 for one in coarse for other in coarse if one != other)
    shown = {near: set(Sheet(size, 0, middle_near(size, near)).geometry.cells) for near in coarse}
    for cell in board.cells:
        nearest = [near for near in coarse if board.distance(near, cell) <= 1]
        assert nearest
        assert all(cell in shown[near] for near in nearest)


def test_neighbours_are_listed_clockwise() -> None:
    geometry = board_geometry(5)
    assert neighbours(geometry, geometry.board.centre) == "e6,f6,f5,e4,d4,d5"
    assert neighbours(geometry, geometry.board.find("a1") or 0) == "a2,b2,b1,,,"
    assert neighbours(board_geometry(5, 3), geometry.board.centre) == "e4,d4,d5,e6,f6,f5"


@pytest.mark.parametrize("name", rules.GAMES)
def test_screen_readers_get_the_cell_its_piece_and_its_state(name: str) -> None:
    position = rules.ruleset(name).start()
    turn = position.legal_turns[0]
    position, _ = position.play(turn)
    cell = position.element_cell(rules.elements_of(turn)[0])
    assert cell is not None
    owner = position.owner(cell)
    assert owner is not None
    text = label(position, cell, "chosen")
    assert text.startswith(f"{position.board.name(cell)}, ")
    assert str(position.side_name(owner)) in text
    assert text.endswith(", chosen")
