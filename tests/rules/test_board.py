"""The board: cells and their names, and masks compared with sets of coordinates."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st

from rules import Board, bits, board
from tests.support.each import for_each
from tests.support.positions import repeatable

SIZES = range(2, 15)

Cell = tuple[int, int]


def coordinates(size: int) -> set[Cell]:
    return {(x, y) for x in range(2 * size - 1) for y in range(2 * size - 1) if abs(x - y) < size}


def around(cell: Cell) -> set[Cell]:
    x, y = cell
    return {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y + 1), (x - 1, y - 1)}


def as_cells(on: Board, mask: int) -> set[Cell]:
    return {(on.column(cell), on.row(cell)) for cell in bits(mask)}


def as_mask(on: Board, cells: Iterable[Cell]) -> int:
    by_coordinates = {(on.column(cell), on.row(cell)): cell for cell in on.cells}
    return sum(1 << by_coordinates[cell] for cell in cells)


@for_each("size", SIZES)
def test_a_board_has_all_its_cells_and_each_has_its_own_name(size: int) -> None:
    on = board(size)
    assert on is board(size)
    assert repr(on) == f"board({size})"
    assert len(on.cells) == 3 * size * size - 3 * size + 1
    assert as_cells(on, on.mask) == coordinates(size)
    assert on.names(on.mask) == [on.name(cell) for cell in on.cells]
    assert len(set(on.names(on.mask))) == len(on.cells)


@for_each("size", SIZES)
def test_a_cell_is_named_by_its_columns_letter_and_its_rows_number(size: int) -> None:
    on = board(size)
    letters = [*"abcdefghijklmnopqrstuvwxyz", "aa"]
    for cell in on.cells:
        name = f"{letters[on.column(cell)]}{on.row(cell) + 1}"
        assert on.name(cell) == name
        assert on.cell(name) == cell


def test_some_cells_have_their_known_names() -> None:
    assert (board(7).name(0), board(7).name(board(7).centre)) == ("a1", "g7")
    on = board(14)
    assert on.name(on.cells[-1]) == "aa27"
    assert {name for name in on.names(on.mask) if name.startswith("aa")} == {f"aa{row}" for row in range(14, 28)}


@for_each("case", [(5, "a6"), (5, "e10"), (5, "j5"), (5, "f1"), (7, "a8"), (7, "aa1"), (13, "aa14")])
def test_a_cell_of_another_board_is_off_the_board(case: tuple[int, str]) -> None:
    size, name = case
    assert board(size).cell(name) is None


@for_each(
    "name", ["", "a", *["5", "a0", "a05", "5a", "ab1", "A1", "a-1", "a1.0", "a100", "á1", "a١"], " a1", "a1 ", "a1\n"]
)
def test_a_text_that_is_not_a_cell_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a cell"):
        board(7).cell(name)
    assert board(7).find(name) is None


@for_each("size", SIZES)
def test_only_names_of_cells_are_found_on_a_board(size: int) -> None:
    on = board(size)
    assert [on.find(on.name(cell)) for cell in on.cells] == [*on.cells]
    assert [on.find(text) for text in (f"a{size + 1}", "a99", "pass")] == [None] * 3


@for_each("size", [-1, 0, 1, 15, 100])
def test_a_board_that_is_too_small_or_has_too_many_columns_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="2 to 14 cells on each side"):
        Board(size)


@for_each("size", SIZES)
def test_neighbours_keep_the_letter_or_number_or_change_both_alike(size: int) -> None:
    on, cells = board(size), coordinates(size)
    for cell in on.cells:
        assert as_cells(on, on.spread(1 << cell)) == around((on.column(cell), on.row(cell))) & cells
    assert on.neighbours == {cell: on.spread(1 << cell) for cell in on.cells}
    assert as_cells(on, on.edge) == {cell for cell in cells if not around(cell) <= cells}


@for_each("size", SIZES)
def test_the_six_directions_lie_around_a_cell_in_circular_order(size: int) -> None:
    on = board(size)
    assert (on.column(on.centre), on.row(on.centre)) == (size - 1, size - 1)
    steps = [as_cells(on, on.shift(1 << on.centre, direction)).pop() for direction in range(6)]
    for direction, step in enumerate(steps):
        assert step in around(steps[direction - 1]), "two that follow each other are neighbours"
        opposite = steps[direction - 3]
        assert (step[0] + opposite[0], step[1] + opposite[1]) == (2 * size - 2, 2 * size - 2)
    assert {*steps} == around((size - 1, size - 1))


@for_each("size", [2, 3, 5, 7, 14])
def test_a_ray_lists_the_cells_beyond_a_cell_in_a_line_nearest_first(size: int) -> None:
    on, cells = board(size), coordinates(size)
    x, y = on.column(on.centre), on.row(on.centre)
    for direction in range(6):
        (step,) = as_cells(on, on.shift(1 << on.centre, direction))
        for cell in on.cells:
            line = [(on.column(cell) + n * (step[0] - x), on.row(cell) + n * (step[1] - y)) for n in range(1, 2 * size)]
            ray = on.rays[cell][direction]
            assert [(on.column(other), on.row(other)) for other in ray] == [point for point in line if point in cells]
            assert on.ray_masks[cell][direction] == sum(1 << other for other in ray)


@for_each("size", [2, 3, 5])
def test_the_distance_between_cells_is_the_number_of_steps(size: int) -> None:
    on = board(size)
    for cell in on.cells:
        reached, steps = 1 << cell, 0
        while reached != on.mask:
            assert reached == sum(1 << other for other in on.cells if on.distance(cell, other) <= steps)
            assert reached == on.within(steps, cell)
            reached, steps = reached | on.spread(reached), steps + 1
        assert max(on.distance(cell, other) for other in on.cells) == steps


@st.composite
def sets_of_cells(draw: st.DrawFn) -> tuple[Board, set[Cell]]:
    size = draw(st.sampled_from([2, 3, 4, 5, 7, 14]))
    cells = sorted(coordinates(size))
    filled = draw(st.sampled_from([0.05, 0.2, 0.4, 0.6, 0.9, 1.0]))
    chance = draw(st.randoms(use_true_random=True))
    return board(size), {cell for cell in cells if chance.random() < filled}


@repeatable
@given(sets_of_cells())
def test_bits_gives_the_cells_of_a_mask_in_order(chosen: tuple[Board, set[Cell]]) -> None:
    on, cells = chosen
    mask = as_mask(on, cells)
    assert as_cells(on, mask) == cells
    assert list(bits(mask)) == sorted(bits(mask))
    assert on.names(mask) == [on.name(cell) for cell in bits(mask)]


@repeatable
@given(sets_of_cells())
def test_spread_and_contacts_count_the_neighbours_in_a_mask(chosen: tuple[Board, set[Cell]]) -> None:
    on, cells = chosen
    mask = as_mask(on, cells)
    once, twice = on.contacts(mask)
    everywhere = coordinates(on.size)
    assert as_cells(on, once) == {cell for cell in everywhere if len(around(cell) & cells) >= 1}
    assert as_cells(on, twice) == {cell for cell in everywhere if len(around(cell) & cells) >= 2}
    assert on.spread(mask) == once


@repeatable
@given(sets_of_cells())
def test_a_shift_moves_every_cell_by_one_and_drops_cells_off_the_board(chosen: tuple[Board, set[Cell]]) -> None:
    on, cells = chosen
    for direction in range(6):
        (step,) = as_cells(on, on.shift(1 << on.centre, direction))
        u, v = step[0] - on.size + 1, step[1] - on.size + 1
        moved = {(x + u, y + v) for x, y in cells} & coordinates(on.size)
        assert as_cells(on, on.shift(as_mask(on, cells), direction)) == moved


@repeatable
@given(sets_of_cells(), st.randoms(use_true_random=False))
def test_a_crossing_passes_over_cells_to_a_target_without_a_gap(
    chosen: tuple[Board, set[Cell]], chance: random.Random
) -> None:
    on, cells = chosen
    kinds = {cell: chance.choice("ot") for cell in bits(as_mask(on, cells))}
    over, to = (sum(1 << cell for cell in on.cells if kinds.get(cell) == kind) for kind in "ot")
    for cell in on.cells:
        rows = ["".join(kinds.get(beyond, " ") for beyond in ray).split(" ")[0] for ray in on.rays[cell]]
        assert on.crossing(cell, over, to) == [at for at, row in enumerate(rows) if re.search("o.*t", row)]


@repeatable
@given(sets_of_cells())
def test_a_flood_reaches_the_connected_cells_and_no_others(chosen: tuple[Board, set[Cell]]) -> None:
    on, cells = chosen
    seeds = set(sorted(coordinates(on.size))[:: 1 + on.size])
    reached = seeds & cells
    while more := {cell for cell in cells - reached if around(cell) & reached}:
        reached |= more
    assert as_cells(on, on.flood(as_mask(on, seeds), as_mask(on, cells))) == reached


@repeatable
@given(sets_of_cells())
def test_groups_are_the_maximal_connected_sets(chosen: tuple[Board, set[Cell]]) -> None:
    on, cells = chosen
    groups = [as_cells(on, group) for group in on.groups(as_mask(on, cells))]
    assert sum(map(len, groups)) == len(cells)
    assert set().union(*groups) == cells
    for group in groups:
        reached = {next(iter(group))}
        while more := {cell for cell in group - reached if around(cell) & reached}:
            reached |= more
        assert reached == group, "a group is not connected"
        assert not {near for cell in group for near in around(cell)} & (cells - group), "a group is not maximal"


@for_each("size", SIZES)
def test_a_diagram_shows_every_cell_once_and_names_every_column_and_row(size: int) -> None:
    on = board(size)
    symbols = {cell: chr(0x4E00 + number) for number, cell in enumerate(on.cells)}
    lines = on.diagram(symbols.__getitem__).split("\n")
    text = "".join(lines)
    assert all(text.count(symbol) == 1 for symbol in symbols.values())
    assert all(line == line.rstrip() for line in lines)
    rest = text.translate({ord(symbol): " " for symbol in symbols.values()}).split()
    letters = [*"abcdefghijklmnopqrstuvwxyz", "aa"][: 2 * size - 1]
    assert sorted(rest) == sorted([*letters, *map(str, range(1, 2 * size))])


def place_in(lines: list[str], symbol: str) -> tuple[int, int]:
    """The horizontal and vertical position of a symbol in a diagram."""
    (found,) = ((line.index(symbol), -down) for down, line in enumerate(lines) if symbol in line)
    return found


@for_each("size", [2, 3, 5, 7, 14])
def test_a_diagram_has_vertical_columns_with_numbers_rising_upward(size: int) -> None:
    on = board(size)
    symbols = {cell: chr(0x4E00 + number) for number, cell in enumerate(on.cells)}
    lines = on.diagram(symbols.__getitem__).split("\n")
    places = {(on.column(cell), on.row(cell)): place_in(lines, symbols[cell]) for cell in on.cells}
    for (x, y), (right, up) in places.items():
        if (x, y + 1) in places:
            assert places[x, y + 1] == (right, up + 2)
        if (x + 1, y) in places:
            assert places[x + 1, y] == (right + 3, up - 1)
        if (x + 1, y + 1) in places:
            assert places[x + 1, y + 1] == (right + 3, up + 1)


DIAGRAM_OF_SIZE_3 = """
       5
    4     ·
 3     ·     ·
    ·     ·     ·
 2     ·     ·
    ·     ·     ·
 1     ·     ·
    o     ·     ·
       ·     ·
    a     ·     e
       b     d
          c
"""


def test_a_diagram_names_columns_at_their_feet_and_rows_at_their_left_ends() -> None:
    on = board(3)
    assert f"\n{on.diagram(lambda cell: 'o' if on.name(cell) == 'a1' else '·')}\n" == DIAGRAM_OF_SIZE_3
