"""Pictures of leaderboards, of the course of a rating and of openings."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops

import render
import rules
from render import sprites, tables
from render.tables import Line, Spot


def opened(png: bytes) -> Image.Image:
    with Image.open(io.BytesIO(png)) as image:
        image.load()
        assert image.format == "PNG"
        return image


def differs(one: bytes, other: bytes) -> tuple[int, int, int, int] | None:
    """The part of two pictures of one size that differs."""
    return ImageChops.difference(*(opened(each).convert("RGBA").convert("RGB") for each in (one, other))).getbbox()


@pytest.mark.parametrize("game", render.FACES)
@pytest.mark.parametrize("scheme", render.SCHEMES)
def test_every_theme_can_draw_them(game: str, scheme: str) -> None:
    theme = render.FACES[game].themes[scheme]
    lines = [
        Line("1", "Alice", "1512 ± 90", mine=True, course=(1500, 1512, 1490)),
        Line("", "Bob", "12", parts=(3, 1, 2), most=9),
    ]
    assert opened(tables.leaderboard("Title", "Subtitle", lines, lines[0], theme)).width == 1100
    spots = [Spot(at, 1500 + at, 350 - at) for at in range(5)]
    assert opened(tables.rating_history("Title", "Subtitle", spots, ("then", "now"), theme)).width == 1100


def test_a_leaderboard_shows_each_row_at_its_place() -> None:
    theme = render.FACES["dalen"].themes["dark"]

    def board(*lines: Line) -> bytes:
        return tables.leaderboard("Title", "Subtitle", lines, None, theme)

    one, two = Line("1", "Alice", "3 wins", parts=(3, 0, 0), most=3), Line("2", "Bob", "1 win", parts=(1, 0, 0), most=3)
    first, second = board(one, two), board(one, Line("2", "Carol", "1 win", parts=(1, 0, 0), most=3))
    box = differs(first, second)
    assert box is not None
    assert box[1] > 132 + 78
    wider = differs(first, board(one, Line("2", "Bob", "1 win", parts=(2, 0, 0), most=3)))
    assert wider is not None
    assert wider[2] - wider[0] < 120


@pytest.mark.parametrize("values", [(1500.0,), (1500.0, 1500.0), (100.0, 3000.0)])
def test_any_course_fits_into_its_picture(values: tuple[float, ...]) -> None:
    theme = render.FACES["hedu"].themes["light"]
    spots = [Spot(0, value, 60) for value in values]
    image = opened(tables.rating_history("T", "S", spots, ("a", "b"), theme))
    assert image.width == 1100


def test_long_names_are_cut_and_strange_ones_keep_what_the_font_has() -> None:
    assert tables.trimmed("Alice", 34, 300) == "Alice"
    cut = tables.trimmed("W" * 32, 34, 300)
    assert cut.endswith("W…")
    assert sprites.font(34).getlength(cut) <= 300
    assert tables.trimmed("Aл\ud800\uffff😀i", 34, 300) == "Ai"


@pytest.mark.parametrize("game", render.FACES)
def test_openings_tint_the_cells_where_somebody_opened(game: str) -> None:
    face, ruleset = render.FACES[game], rules.ruleset(game)
    cells = list(ruleset.start().draft().steps)[:3]
    look = render.USUAL
    none = tables.openings(face, ruleset, {}, look)
    some = tables.openings(face, ruleset, dict(zip(cells, (1, 5, 9), strict=True)), look)
    box = differs(none, some)
    assert box is not None
    board, place = ruleset.board, render.look.Scene(ruleset.start(), (), None, look).place
    for name in cells:
        cell = board.find(name)
        assert cell is not None
        x, y = place.centres[cell]
        assert box[0] <= x <= box[2]
        assert box[1] <= y <= box[3]
    assert tables.openings(face, ruleset, {"zz99": 3}, look) == none
