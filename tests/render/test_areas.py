"""Areas and windows of boards."""

from __future__ import annotations

import random

import pytest

import render
from render import Look
from render.areas import LARGEST, SMALL, areas, axes, middle, window, zoom
from render.geometry import board_geometry
from rules import Board, board, ruleset
from tests.support.each import for_each
from tests.support.render import pixels
from tests.support.thorough import covered

SIZES = range(5, 15)
SHARES = (1.0, 0.6, 0.3, 0.1)


def some_cells(on: Board, share: float) -> list[int]:
    return random.Random(share).sample(on.cells, max(2, int(share * len(on.cells))))


@for_each("case", covered(SIZES, SHARES))
def test_every_cell_is_in_one_area_and_no_area_is_large(case: tuple[int, float]) -> None:
    size, share = case
    on = board(size)
    cells = some_cells(on, share)
    parts = areas(on, cells)
    assert sorted(cell for part in parts for cell in part.cells) == sorted(cells)
    assert sorted(cell for part in parts for cell in part.tile) == sorted(on.cells)
    assert all(set(part.cells) <= set(part.tile) for part in parts)
    assert len(parts) <= LARGEST
    assert max(len(part.tile) for part in parts) <= LARGEST
    # All areas can be shown at the same size.
    shown = zoom(on, parts)
    for part in parts:
        found = window(on, part.tile, shown)
        assert found is None if shown == size else found is not None and found[1] == shown


@for_each("size", SIZES)
def test_areas_are_few_connected_and_the_same_whatever_can_be_chosen(size: int) -> None:
    on = board(size)
    parts = areas(on, on.cells)
    assert len({tuple((part.tile, part.name) for part in areas(on, some_cells(on, share))) for share in SHARES}) == 1
    assert len(parts) <= (13 if size <= 10 else LARGEST)
    for part in parts:
        assert on.flood(1 << part.tile[0], mask := sum(1 << cell for cell in part.tile)) == mask
    if size > SMALL:
        assert board_geometry(size, 0, zoom(on, parts)).cell_height >= 2 * board_geometry(size).cell_height


def test_areas_of_a_small_board_are_named_by_their_columns() -> None:
    on = board(SMALL)
    assert [part.name for part in areas(on, on.cells)] == ["a–c", "d–f", "g–i"]
    assert not any(part.name for part in areas(board(SMALL + 1), board(SMALL + 1).cells))


@for_each("size", SIZES)
def test_a_window_shows_all_its_cells(size: int) -> None:
    on = board(size)
    for part in areas(on, on.cells):
        found = window(on, part.cells)
        if found is not None:
            around, shown = found
            assert set(part.cells) <= set(board_geometry(size, 0, shown, around).cells)
        assert middle(on, part.cells) in part.cells
    assert window(on, on.cells) is None
    assert window(on, [on.centre]) == (on.centre, 3)


def test_the_lines_of_a_cell_pass_through_it() -> None:
    on = board(9)
    ways = [cell for ray in on.rays[on.centre] for cell in ray]
    found = axes(on, on.centre, set(ways))
    assert [len(line.cells) for line in found] == [16, 16, 16]
    assert sorted(cell for line in found for cell in line.cells) == sorted(ways)
    assert len(axes(on, on.centre, {on.rays[on.centre][4][2]})) == 1


@pytest.mark.usefixtures("coarse")
def test_areas_are_enclosed_and_named_and_the_rest_is_dimmed() -> None:
    position = ruleset("dalen", 7).start()
    on, geometry = position.board, board_geometry(7)
    first, *others = (part.tile for part in areas(on, on.cells))
    plain = pixels(render.picture(position))
    drawn = pixels(render.picture(position, areas={"1": first}))
    accent = render.face(ruleset("dalen").game).themes["dark"].accent
    x, y = geometry.centres[middle(on, first)]
    assert drawn.getpixel((x, y - 22)) == pytest.approx(accent, abs=24)
    far = geometry.centres[others[-1][-1]]
    assert drawn.convert("L").getpixel(far) != plain.convert("L").getpixel(far)
    orientation = render.picture(position, (), None, Look(orientation=3), areas={"1": others[0]})
    assert orientation != render.picture(position, areas={"1": others[0]})
