"""Cells, labels and corner fields: nothing overlaps and nothing leaves the picture."""

from __future__ import annotations

import itertools
import math

import pytest

import rules
from render import panel, sprites
from render.layout import DIRECTIONS, Box, Label, Layout, layout
from rules import Board, Side

SIZES = range(3, 10)


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def distance(box: Box, point: tuple[float, float]) -> tuple[float, float]:
    """How far the point lies from the box, in x and in y."""
    return max(box[0] - point[0], 0, point[0] - box[2]), max(box[1] - point[1], 0, point[1] - box[3])


def touches_cell(box: Box, place: Layout, cell: int) -> bool:
    """Whether a pixel of the box lies in the cell; the box's corners and the points between them stand for all."""
    x, y = place.centre(cell)
    for u, v in itertools.product(range(9), repeat=2):
        dx = abs(box[0] + (box[2] - box[0]) * u / 8 - x)
        dy = abs(box[1] + (box[3] - box[1]) * v / 8 - y)
        if dy < place.step / 2 and place.step * dx / 2 + place.pitch * dy / 3 < place.step * place.pitch / 3:
            return True
    return False


def labels(place: Layout) -> list[Label]:
    return [*place.letters, *place.numbers]


@pytest.mark.parametrize("size", SIZES)
def test_cells_lie_in_the_picture_as_a_regular_honeycomb(size: int) -> None:
    place = layout(size)
    assert place.width == 1100
    assert place.pitch / place.step == pytest.approx(math.sqrt(3) / 2, rel=0.015)
    for cell in place.board.cells:
        for x, y in place.hexagon(place.centre(cell)):
            assert 0 < x < place.width
            assert 0 < y < place.height


def test_columns_are_upright_numbers_rise_and_a1_is_at_the_lower_left() -> None:
    place = layout(7)
    at = {place.board.name(cell): place.centre(cell) for cell in place.board.cells}
    assert at["a2"] == (at["a1"][0], at["a1"][1] - place.step)
    assert at["b1"] == (at["a1"][0] + place.pitch, at["a1"][1] + place.step // 2)
    assert at["a1"][0] == min(x for x, _ in at.values())
    assert at["g1"][1] == max(y for _, y in at.values())
    assert at["g13"][1] == min(y for _, y in at.values())


@pytest.mark.parametrize("size", SIZES)
def test_steps_to_neighbours_agree_with_the_board(size: int) -> None:
    place = layout(size)
    board, centre = place.board, place.board.centre
    around = {place.centre(cell) for cell in rules.bits(board.spread(1 << centre) & ~(1 << centre))}
    x, y = place.centre(centre)
    assert around == {(x + place.towards(i)[0], y + place.towards(i)[1]) for i in range(len(DIRECTIONS))}


@pytest.mark.parametrize("size", SIZES)
def test_every_column_and_row_has_a_label_in_line_at_both_ends(size: int) -> None:
    place = layout(size)
    board = place.board
    for cell in board.cells:
        name, (x, y) = board.name(cell), place.centre(cell)
        number = name.lstrip("abcdefghijklmnopqrstuvwxyz")
        column = [label for label in place.letters if label.text == name.removesuffix(number)]
        assert sorted(label.y > y for label in column) == [False, True]
        assert {label.x for label in column} == {x}
        row = [label for label in place.numbers if label.text == number]
        assert sorted(label.x > x for label in row) == [False, True]
        for label in row:
            upright = board.column(cell) == (0 if label.x < x else board.diameter - 1)
            if upright:
                assert label.y == y
            elif not _ends_at_an_upright_side(board, board.row(cell), label.x < x):
                assert (label.y - y) / (label.x - x) == pytest.approx(place.step / 2 / place.pitch)


def _ends_at_an_upright_side(board: Board, row: int, left: bool) -> bool:
    return row < board.size if left else row >= board.size - 1


@pytest.mark.parametrize("size", SIZES)
def test_labels_lie_in_the_picture_clear_of_each_other_and_of_the_cells(size: int) -> None:
    place = layout(size)
    boxes = [sprites.label_box(label, place) for label in labels(place)]
    assert len(boxes) == 4 * (2 * size - 1)
    for box in boxes:
        assert 8 <= box[0] < box[2] <= place.width - 8
        assert 8 <= box[1] < box[3] <= place.height - 8
        near = [c for c in place.board.cells if max(distance(box, place.centre(c))) < place.step]
        assert not [place.board.name(cell) for cell in near if touches_cell(box, place, cell)]
    assert all(apart(one, other) for one, other in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("size", rules.Dalen.sizes)
def test_the_sides_fields_are_clear_of_labels_and_cells(size: int) -> None:
    place = layout(size)
    for side in Side:
        field = panel.field_box(side, place.width)
        assert all(apart(field, sprites.label_box(label, place)) for label in labels(place))
        assert not any(touches_cell(field, place, cell) for cell in place.board.cells)


@pytest.mark.parametrize("size", SIZES)
def test_the_cells_masks_neither_overlap_nor_leave_gaps(size: int) -> None:
    place = layout(size)
    mask = sprites.cell_mask(place)
    width, height = mask.size
    owned = {(x, y) for x in range(width) for y in range(height) if mask.getpixel((x, y))}
    # As large as a cell and disjoint from all shifted copies, so the copies fill the plane.
    assert len(owned) == place.pitch * place.step
    for direction in range(6):
        dx, dy = (int(part) for part in place.towards(direction))
        assert not owned & {(x + dx, y + dy) for x, y in owned}
