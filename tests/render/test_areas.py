"""The parts into which boards are divided."""

from __future__ import annotations

import io

import pytest
from PIL import Image

import render
from render import Look
from render.areas import LARGEST, areas, middle, window
from render.layout import layout
from rules import board, ruleset

SIZES = range(5, 15)


@pytest.mark.parametrize("size", SIZES)
def test_every_cell_is_in_one_area_and_every_list_is_short(size: int) -> None:
    on = board(size)
    parts = areas(on)
    assert sorted(cell for part in parts for cell in part) == sorted(on.cells)
    assert len(parts) <= LARGEST
    assert max(map(len, parts)) <= LARGEST


@pytest.mark.parametrize("size", SIZES)
def test_areas_hang_together(size: int) -> None:
    on = board(size)
    for part in areas(on):
        mask = sum(1 << cell for cell in part)
        assert on.flood(1 << part[0], mask) == mask


@pytest.mark.parametrize("size", SIZES)
def test_a_window_shows_all_the_cells_it_was_made_for(size: int) -> None:
    on = board(size)
    for part in areas(on):
        found = window(on, part)
        assert found is not None
        around, shown = found
        assert set(part) <= set(layout(size, 0, shown, around).cells)
        assert middle(on, part) in part
    assert window(on, on.cells) is None


def test_areas_are_enclosed_and_named_and_the_rest_is_dimmed() -> None:
    position = ruleset("dalen", 7).start()
    on, place = position.board, layout(7)
    core, *others = areas(on)
    plain = _opened(render.picture(position))
    drawn = _opened(render.picture(position, areas={"1": core}))
    warm = render.face(ruleset("dalen").game).themes["dark"].warm
    x, y = place.centre(middle(on, core))
    assert drawn.getpixel((x, y - 22)) == pytest.approx(warm, abs=24)
    far = place.centre(others[0][-1])
    assert drawn.convert("L").getpixel(far) != plain.convert("L").getpixel(far)
    turned = render.picture(position, (), None, Look(turned=3), areas={"1": others[0]})
    assert turned != render.picture(position, areas={"1": others[0]})


def _opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGBA").convert("RGB")
