"""Cells, labels and the header: nothing overlaps and nothing leaves the picture."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest

from render.canvas import cell_mask
from render.geometry import DIRECTIONS, Box, Geometry, Label, board_geometry
from render.header import field_box
from render.text import label_box
from rules import Side, board
from tests.support.each import for_each
from tests.support.render import apart, label_boxes, letters_of, touches_cell
from tests.support.thorough import sample

SIZES = range(3, 15)
#: Whole boards in their usual orientation, some turned boards, and windows.
GEOMETRIES = [
    *(board_geometry(size) for size in SIZES),
    *(board_geometry(size, orientation) for size in (5, 9, 14) for orientation in range(1, 12)),
    *(
        board_geometry(14, orientation, 4, around)
        for orientation in (0, 2, 7)
        for around in (board(14).cells[0], board(14).cells[200], board(14).cells[546])
    ),
]
geometries = for_each(
    "geometry", sample(GEOMETRIES, 3), lambda it: f"{it.size}-{it.orientation}-{it.window_size}-{it.middle}"
)


def distance(box: Box, point: tuple[float, float]) -> tuple[float, float]:
    """The distances of a point from a box in x and y."""
    return max(box[0] - point[0], 0, point[0] - box[2]), max(box[1] - point[1], 0, point[1] - box[3])


@geometries
def test_a_larger_picture_has_everything_at_the_same_places(geometry: Geometry) -> None:
    larger = replace(geometry, width=1800)
    assert (larger.height, larger.header) == (2 * geometry.height, 2 * geometry.header)
    assert (larger.pitch, larger.cell_height) == (2 * geometry.pitch, 2 * geometry.cell_height)
    for cell, (x, y) in geometry.centres.items():
        assert larger.centres[cell] == pytest.approx((2 * x, 2 * y), abs=1)


@geometries
def test_cells_lie_in_the_picture_as_a_regular_honeycomb(geometry: Geometry) -> None:
    assert geometry.width == 900
    assert geometry.pitch / geometry.cell_height == pytest.approx(math.sqrt(3) / 2, rel=0.015)
    assert len(geometry.cells) == 3 * geometry.window_size * (geometry.window_size - 1) + 1
    for cell in geometry.cells:
        for x, y in geometry.grid.hexagon(geometry.centres[cell]):
            assert 0 < x < geometry.width
            assert geometry.header < y < geometry.height


def test_columns_are_vertical_numbers_rise_and_a1_is_at_the_lower_left() -> None:
    geometry = board_geometry(7)
    at = {geometry.board.name(cell): geometry.centres[cell] for cell in geometry.board.cells}
    assert at["a2"] == (at["a1"][0], at["a1"][1] - geometry.cell_height)
    assert at["b1"] == (at["a1"][0] + geometry.pitch, at["a1"][1] + geometry.cell_height // 2)
    assert at["a1"][0] == min(x for x, _ in at.values())
    assert at["g1"][1] == max(y for _, y in at.values())
    assert at["g13"][1] == min(y for _, y in at.values())


@geometries
def test_neighbours_in_the_picture_are_neighbours_on_the_board(geometry: Geometry) -> None:
    for cell in geometry.cells:
        x, y = geometry.centres[cell]
        around = 0
        for direction, other in enumerate(geometry.neighbours[cell]):
            if other is not None:
                dx, dy = geometry.grid.ways[direction]
                assert geometry.centres[other] == (x + dx, y + dy)
                around |= 1 << other
        assert around == geometry.board.neighbours[cell]


def test_the_twelve_orientations_differ_and_six_are_mirrored() -> None:
    lies = {tuple(board_geometry(5, orientation).centres[cell] for cell in board(5).cells) for orientation in range(12)}
    assert len(lies) == 12
    for orientation in range(12):
        geometry = board_geometry(5, orientation)
        steps = [geometry.rotate(*step) for step in ((0, 1), (1, 1), (1, 0))]
        ways = [DIRECTIONS.index(step) for step in steps]
        assert (ways[1] - ways[0]) % 6 == (ways[2] - ways[1]) % 6 == (1 if orientation < 6 else 5)


def test_a_window_stays_on_the_board_as_close_as_possible_to_its_cell() -> None:
    for cell in board(9).cells:
        geometry = board_geometry(9, 0, 4, cell)
        assert cell in geometry.cells
        assert set(geometry.cells) <= set(board(9).cells)
        if board(9).distance(cell, board(9).centre) <= 5:
            assert geometry.middle == cell


@pytest.mark.parametrize(("orientation", "shown"), [(-1, 5), (12, 5), (0, 1), (0, 6)])
def test_unknown_orientations_and_impossible_windows_are_refused(orientation: int, shown: int) -> None:
    with pytest.raises(ValueError, match=r"an orientation|a window"):
        board_geometry(5, orientation, shown)


@geometries
def test_every_column_and_row_has_a_label_in_line_with_its_cells(geometry: Geometry) -> None:
    missing, shown = 0, set(geometry.cells)
    for cell in geometry.cells:
        name = geometry.board.name(cell)
        letter = name.rstrip("0123456789")
        numbers = [label for label in geometry.labels if label.text.isdecimal()]
        for part, named in ((letter, letters_of(geometry)), (name.removeprefix(letter), numbers)):
            own = [label for label in named if label.text == part]
            assert all(_in_line_or_level(geometry, shown, label, cell) for label in own)
            assert len(own) <= 2
            missing += not own
            if not own:
                # The neighbouring columns and rows have their labels.
                beside = geometry.board.names(geometry.board.neighbours[cell])
                assert {label.text for label in named} & {
                    near.rstrip("0123456789") if part == letter else near.lstrip("abcdefghijklmnopqrstuvwxyz")
                    for near in beside
                }
    assert not missing or geometry.window_size > 7


def _in_line_or_level(geometry: Geometry, shown: set[int], label: Label, cell: int) -> bool:
    """Whether the label is on a line through the cell, or level with that line's cell on the vertical edge."""
    for direction in range(6):
        dx, dy = geometry.grid.ways[direction]
        x, y = geometry.centres[cell]
        along = ((label.x - x) * dx + (label.y - y) * dy) / (dx * dx + dy * dy)
        if along > 0 and math.hypot(label.x - x - along * dx, label.y - y - along * dy) < 0.02 * geometry.cell_height:
            return True
        end = cell
        while (beyond := geometry.neighbours[end][direction]) in shown:
            assert beyond is not None
            end = beyond
        if geometry.centres[end][1] == label.y and abs(label.x - geometry.centres[end][0]) < 1.7 * geometry.pitch:
            return True
    return False


@geometries
def test_labels_lie_in_the_picture_clear_of_each_other_and_of_the_cells(geometry: Geometry) -> None:
    boxes = label_boxes(geometry)
    for box in boxes:
        assert 3 <= box[0] < box[2] <= geometry.width - 3
        assert geometry.header < box[1] < box[3] <= geometry.height - 3
        near = [c for c in geometry.cells if max(distance(box, geometry.centres[c])) < geometry.cell_height]
        assert not [geometry.board.name(cell) for cell in near if touches_cell(box, geometry, cell)]
    assert all(apart(one, other) for one, other in itertools.combinations(boxes, 2))


@geometries
def test_the_header_is_clear_of_labels_and_cells(geometry: Geometry) -> None:
    fields = [field_box(side, geometry) for side in Side]
    assert apart(*fields)
    for left, top, right, bottom in fields:
        assert 0 < left < right < geometry.width
        assert 0 < top < bottom < geometry.header
    for label in geometry.labels:
        assert label_box(label, geometry)[1] > geometry.header
    assert all(
        y - geometry.cell_height / 2 > geometry.header for cell in geometry.cells for y in [geometry.centres[cell][1]]
    )


@for_each("size", SIZES)
def test_cell_masks_neither_overlap_nor_leave_gaps(size: int) -> None:
    geometry = board_geometry(size)
    mask = cell_mask(geometry.grid)
    width, height = mask.size
    owned = {(x, y) for x in range(width) for y in range(height) if mask.getpixel((x, y))}
    # The mask is as large as a cell and disjoint from its shifted copies, so the copies fill the plane.
    assert len(owned) == geometry.pitch * geometry.cell_height
    for direction in range(6):
        dx, dy = (int(part) for part in geometry.grid.ways[direction])
        assert not owned & {(x + dx, y + dy) for x, y in owned}
