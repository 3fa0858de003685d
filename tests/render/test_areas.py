"""Areas and windows of boards."""

from __future__ import annotations

import pytest

import render
from render import Look
from render.areas import LARGEST, areas, middle, window
from render.geometry import board_geometry
from rules import board, ruleset
from tests.support.render import pixels

SIZES = range(5, 15)


@pytest.mark.parametrize("size", SIZES)
def test_every_cell_is_in_one_area_and_every_list_is_short(size: int) -> None:
    on = board(size)
    parts = areas(on)
    assert sorted(cell for part in parts for cell in part) == sorted(on.cells)
    assert len(parts) <= LARGEST
    assert max(map(len, parts)) <= LARGEST


@pytest.mark.parametrize("size", SIZES)
def test_areas_are_connected(size: int) -> None:
    on = board(size)
    for part in areas(on):
        mask = sum(1 << cell for cell in part)
        assert on.flood(1 << part[0], mask) == mask


@pytest.mark.parametrize("size", SIZES)
def test_a_window_shows_all_its_cells(size: int) -> None:
    on = board(size)
    for part in areas(on):
        found = window(on, part)
        assert found is not None
        around, shown = found
        assert set(part) <= set(board_geometry(size, 0, shown, around).cells)
        assert middle(on, part) in part
    assert window(on, on.cells) is None


def test_areas_are_enclosed_and_named_and_the_rest_is_dimmed() -> None:
    position = ruleset("dalen", 7).start()
    on, geometry = position.board, board_geometry(7)
    core, *others = areas(on)
    plain = pixels(render.picture(position))
    drawn = pixels(render.picture(position, areas={"1": core}))
    accent = render.face(ruleset("dalen").game).themes["dark"].accent
    x, y = geometry.centre(middle(on, core))
    assert drawn.getpixel((x, y - 22)) == pytest.approx(accent, abs=24)
    far = geometry.centre(others[0][-1])
    assert drawn.convert("L").getpixel(far) != plain.convert("L").getpixel(far)
    orientation = render.picture(position, (), None, Look(orientation=3), areas={"1": others[0]})
    assert orientation != render.picture(position, areas={"1": others[0]})
