"""Pairs of boards: both have coordinates that are readable on a phone."""

from __future__ import annotations

import itertools

import pytest

import render
import rules
from render import Look, pictures
from render.geometry import board_geometry, least_text
from rules.pages import LESSONS, examples
from tests.support.render import apart, label_boxes, letters_of, pixels, touches_cell
from tests.support.thorough import sample

pytestmark = pytest.mark.usefixtures("coarse")


@pytest.mark.parametrize("size", [3, 4, 5])
def test_labels_are_clear_of_each_other_and_of_the_cells(size: int) -> None:
    geometry = board_geometry(size, width=pictures.BOARD, bare=True, text=least_text())
    boxes = label_boxes(geometry)
    assert {label.text for label in letters_of(geometry)} == {
        name.rstrip("0123456789") for name in map(geometry.board.name, geometry.cells)
    }
    for box in boxes:
        assert 0 < box[0] < box[2] < geometry.width
        assert 0 < box[1] < box[3] < geometry.height
        assert not any(touches_cell(box, geometry, cell) for cell in geometry.cells)
    assert all(apart(one, other) for one, other in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("name", sample([*rules.GAMES], 2))
def test_both_boards_of_a_lesson_have_coordinates(name: str) -> None:
    example = next(shown for shown in examples(f"{name}{LESSONS}") if shown.turns())
    before = example.position()
    after, events = before.play(example.turns()[0])
    geometry = board_geometry(before.ruleset.size, width=pictures.BOARD, bare=True, text=least_text())
    ink = render.face(type(before)).themes["dark"].letter
    image = pixels(render.pair(before, after, events))
    for left, label in itertools.product((0, image.width - pictures.BOARD), range(len(letters_of(geometry)))):
        box = label_boxes(geometry)[label]
        x, y = (pictures.MARGIN if not left else left - pictures.MARGIN), pictures.MARGIN
        letter = image.crop((round(x + box[0]), round(y + box[1]), round(x + box[2]), round(y + box[3])))
        assert ink in {rgb for _, rgb in letter.getcolors(letter.width * letter.height) or ()}, letters_of(geometry)[
            label
        ].text
    assert pixels(render.pair(before, after, events, Look(coordinates=False))).tobytes() != image.tobytes()
