"""Cells, labels and corner fields: nothing overlaps and nothing leaves the picture."""

from __future__ import annotations

import itertools
import math

import pytest

from render import panel, sprites
from render.layout import DIRECTIONS, Box, Label, Layout, layout
from rules import Side, board

SIZES = range(3, 15)
#: Whole boards as they usually lie, some boards turned, and windows.
PLACES = [
    *(layout(size) for size in SIZES),
    *(layout(size, turned) for size in (5, 9, 14) for turned in range(1, 12)),
    *(
        layout(14, turned, 4, around)
        for turned in (0, 2, 7)
        for around in (board(14).cells[0], board(14).cells[200], board(14).cells[546])
    ),
]
places = pytest.mark.parametrize("place", PLACES, ids=lambda of: f"{of.size}-{of.turned}-{of.shown}-{of.middle}")


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
    return [*place.letters, *place.numbers, *place.names]


@places
def test_cells_lie_in_the_picture_as_a_regular_honeycomb(place: Layout) -> None:
    assert place.width == 1100
    assert place.pitch / place.step == pytest.approx(math.sqrt(3) / 2, rel=0.015)
    assert len(place.cells) == 3 * place.shown * (place.shown - 1) + 1
    for cell in place.cells:
        for x, y in place.grid.hexagon(place.centre(cell)):
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


@places
def test_neighbours_on_the_picture_are_neighbours_on_the_board(place: Layout) -> None:
    for cell in place.cells:
        x, y = place.centre(cell)
        around = 0
        for direction, other in enumerate(place.neighbours[cell]):
            if other is not None:
                dx, dy = place.grid.towards(direction)
                assert place.centre(other) == (x + dx, y + dy)
                around |= 1 << other
        assert around == place.board.neighbours[cell]


def test_the_twelve_orientations_differ_and_six_are_mirrored() -> None:
    lies = {tuple(layout(5, turned).centre(cell) for cell in board(5).cells) for turned in range(12)}
    assert len(lies) == 12
    for turned in range(12):
        place = layout(5, turned)
        steps = [place.turn(*step) for step in ((0, 1), (1, 1), (1, 0))]
        ways = [DIRECTIONS.index(step) for step in steps]
        assert (ways[1] - ways[0]) % 6 == (ways[2] - ways[1]) % 6 == (1 if turned < 6 else 5)


def test_a_window_lies_on_the_board_as_near_as_it_can_to_the_cell_that_was_asked_for() -> None:
    for cell in board(9).cells:
        place = layout(9, 0, 4, cell)
        assert cell in place.cells
        assert set(place.cells) <= set(board(9).cells)
        if board(9).distance(cell, board(9).centre) <= 5:
            assert place.middle == cell


@pytest.mark.parametrize(("turned", "shown"), [(-1, 5), (12, 5), (0, 1), (0, 6)])
def test_orientations_and_windows_that_do_not_exist_are_refused(turned: int, shown: int) -> None:
    with pytest.raises(ValueError, match=r"an orientation|a window"):
        layout(5, turned, shown)


@places
def test_every_column_and_row_is_named_at_both_ends_in_line_with_its_cells(place: Layout) -> None:
    for cell in place.cells:
        name = place.board.name(cell)
        letter = name.rstrip("0123456789")
        for part, labels in ((letter, place.letters), (name.removeprefix(letter), place.numbers)):
            own = [label for label in labels if label.text == part]
            own += [label for label in place.names if part in (label.text.rstrip("0123456789"), _number(label.text))]
            assert len(own) == 2
            assert sum(_in_line_or_level(place, label, cell) for label in own) == 2
    assert len({label.text for label in place.names}) == len(place.names)


def _number(name: str) -> str:
    return name.lstrip("abcdefghijklmnopqrstuvwxyz")


def _in_line_or_level(place: Layout, label: Label, cell: int) -> bool:
    """Whether the label lies on a line through the cell, or is level with a cell of the upright rim on that line."""
    shown = set(place.cells)
    for direction in range(6):
        dx, dy = place.grid.towards(direction)
        x, y = place.centre(cell)
        along = ((label.x - x) * dx + (label.y - y) * dy) / (dx * dx + dy * dy)
        if along > 0 and math.hypot(label.x - x - along * dx, label.y - y - along * dy) < 0.02 * place.step:
            return True
        end = cell
        while (beyond := place.neighbours[end][direction]) in shown:
            assert beyond is not None
            end = beyond
        if place.centre(end)[1] == label.y and abs(label.x - place.centre(end)[0]) < 1.7 * place.pitch:
            return True
    return False


@places
def test_labels_lie_in_the_picture_clear_of_each_other_and_of_the_cells(place: Layout) -> None:
    boxes = [sprites.label_box(label, place) for label in labels(place)]
    assert len(boxes) == (4 * (2 * place.shown - 1) - 2 * place.shown * (len(place.names) > 0))
    for box in boxes:
        assert 8 <= box[0] < box[2] <= place.width - 8
        assert 8 <= box[1] < box[3] <= place.height - 8
        near = [c for c in place.cells if max(distance(box, place.centre(c))) < place.step]
        assert not [place.board.name(cell) for cell in near if touches_cell(box, place, cell)]
    assert all(apart(one, other) for one, other in itertools.combinations(boxes, 2))


@places
def test_the_sides_fields_are_clear_of_labels_and_cells(place: Layout) -> None:
    if place.size < 5 or place.shown < 5:
        return  # no game is played on them; a window of so few cells is shown without fields
    for side in Side:
        field = panel.field_box(side, place.width)
        assert all(apart(field, sprites.label_box(label, place)) for label in labels(place))
        assert not any(touches_cell(field, place, cell) for cell in place.cells)


@pytest.mark.parametrize("size", SIZES)
def test_the_cells_masks_neither_overlap_nor_leave_gaps(size: int) -> None:
    place = layout(size)
    mask = sprites.cell_mask(place.grid)
    width, height = mask.size
    owned = {(x, y) for x in range(width) for y in range(height) if mask.getpixel((x, y))}
    # As large as a cell and disjoint from all shifted copies, so the copies fill the plane.
    assert len(owned) == place.pitch * place.step
    for direction in range(6):
        dx, dy = (int(part) for part in place.grid.towards(direction))
        assert not owned & {(x + dx, y + dy) for x, y in owned}
